"""The array types of the core, and checks with clear error messages."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from adjudge.errors import InputError

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


def float_array(field: str, values: npt.ArrayLike) -> FloatArray:
    """The values as floats; refuses text, ragged lists and objects."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(field, f"not numbers ({error})", "give an array of numbers") from error


def per_pair(field: str, values: npt.ArrayLike, *, items: int | None = None) -> FloatArray:
    """Values per judge (J,) or per pair (K, J), as a read-only view of shape (K, J).

    Values per judge are not copied K times: the view has stride 0 along the items.
    """
    array = float_array(field, values)
    if array.ndim == 1:
        if items is None:
            raise InputError(
                field, f"shape {array.shape} is one value per judge", "say how many items there are"
            )
        return np.broadcast_to(array, (items, array.size))
    if array.ndim != 2:
        raise InputError(
            field, f"shape {array.shape}", "give one value per judge (J,) or per pair (K, J)"
        )
    if items is not None and array.shape[0] != items:
        raise InputError(field, f"{array.shape[0]} rows", f"there are {items} items")
    return array


def check_shape(field: str, array: npt.NDArray[np.generic], shape: tuple[int, ...]) -> None:
    """Refuse an array of another shape."""
    if array.shape != shape:
        raise InputError(field, f"shape {array.shape}", f"the shape must be {shape}")


def check_positive(field: str, array: FloatArray) -> None:
    """Refuse anything that is not a finite number above zero."""
    # nan fails both comparisons; reductions need no mask of the array's size.
    if array.size and not (array.min() > 0 and array.max() < math.inf):
        _refuse(field, array, (array > 0) & np.isfinite(array), "must be positive and finite")


def check_not_negative(field: str, array: FloatArray, *, first_row: int = 0) -> None:
    """Refuse anything that is not a finite number of zero or more.

    `first_row` says where a block of a larger array begins, so that the error names the right row.
    """
    if array.size and not (array.min() >= 0 and array.max() < math.inf):
        good = (array >= 0) & np.isfinite(array)
        _refuse(field, array, good, "must be zero or more and finite", first_row)


def check_norm(norm: float) -> None:
    """Refuse a norm below 1; infinity is a norm."""
    if not norm >= 1:
        raise InputError("norm", f"p = {norm}", "p must be a number from 1 to infinity")


def check_budget(budget: float) -> None:
    """Refuse a budget that is not a positive, finite amount."""
    if not 0 < budget < math.inf:
        raise InputError("budget", f"{budget}", "a budget must be positive and finite")


def _refuse(
    field: str, array: FloatArray, good: BoolArray, expected: str, first_row: int = 0
) -> None:
    where = np.unravel_index(int(np.argmin(good)), array.shape)
    bad = int(good.size - np.count_nonzero(good))
    others = f" and {bad - 1} more" if bad > 1 else ""
    place = ", ".join(str(int(i) + (first_row if axis == 0 else 0)) for axis, i in enumerate(where))
    raise InputError(field, f"{array[where]} at [{place}]{others}", f"every value {expected}")
