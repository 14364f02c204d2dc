"""Run files that are odd or hostile; each is read, or refused in sentences."""

import json

from tests.fuzz.corpus.templates import TEMPLATES

GOOD = """\
items: items.jsonl
budget: 0.01
scale: 1..10
judges:
  - kind: simulated
    name: practice
    price_per_call: 0.0001
"""
CHAT = """\
items: items.jsonl
budget: 0.01
scale: 1..10
judges:
  - model: m
    base_url: http://127.0.0.1:9/v1
    key: FUZZ_KEY
    prices: {input: 1, output: 1}
"""

RUN_FILES: dict[str, bytes] = {
    "good": GOOD.encode(),
    "empty": b"",
    "no mapping": b"- 1\n- 2\n",
    "bytes": b"\xff\xfe\x00items",
    "control characters": b"items: \x00\x07\x1b[2J\n",
    "deep": b"[" * 5_000,
    "alias without end": b"a: &a [*a]\n",
    "many aliases": b"a: &a [1,1,1,1,1,1,1,1]\n"
    + b"".join(
        b"%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c]\n" % (98 + n, 98 + n, *([97 + n] * 6))
        for n in range(20)
    ),
    "python object": b"items: !!python/object/apply:os.system [id]\n",
    "nan": GOOD.replace("0.01", ".nan").encode(),
    "infinite": GOOD.replace("0.01", ".inf").encode(),
    "negative": GOOD.replace("0.01", "-1").encode(),
    **{
        f"template: {name}": (CHAT + f"prompt: {{user: {json.dumps(TEMPLATES[name])}}}\n").encode()
        for name in ("macro without end", "parentheses", "nested loops", "lipsum", "text times")
    },
}
