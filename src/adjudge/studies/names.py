"""Display names of strategies, panels and norms in pictures and findings."""

from __future__ import annotations

import math

STRATEGY = {
    "oracle": "Oracle",
    "uniform": "Uniform",
    "uniform-ivw": "Uniform (IVW)",
    "est-ivwe-bounded": "Est-IVWE (Bounded)",
    "est-ivwe-gaussian": "Est-IVWE (Gaussian)",
    "robin": "ROBIN (known variances)",
    "robin-hood": "ROBIN-HOOD",
}
PANEL = {
    "bad-is-expensive": "bad is expensive",
    "bad-is-cheap": "bad is cheap",
    "uniform-costs": "uniform costs",
}


def norm_symbol(norm: float) -> str:
    """ℓ1, ℓ2, ℓ∞."""
    return "ℓ∞" if norm == math.inf else f"ℓ{norm:g}"


def norm_word(norm: float) -> str:
    """l1, l2, linf: for file names."""
    return "linf" if norm == math.inf else f"l{norm:g}"


def money(amount: float) -> str:
    """A budget to three digits, as 1,780 or 5.62e7."""
    if amount < 1e5:
        return f"{float(f'{amount:.3g}'):,g}"
    mantissa, exponent = f"{amount:.2e}".split("e")
    return f"{float(mantissa):g}e{int(exponent)}"
