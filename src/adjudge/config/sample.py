"""A run file and items to begin with, as `adjudge init` writes them."""

from __future__ import annotations

from importlib.resources import files

_FOLDER = files("adjudge.config") / "samples"

SAMPLE_RUN_FILE = (_FOLDER / "openai.yaml").read_text(encoding="utf-8")
"""Three judges at OpenAI; every key is explained."""
LOCAL_RUN_FILE = (_FOLDER / "local.yaml").read_text(encoding="utf-8")
"""Two judges on a model server of one's own."""
SAMPLE_ITEMS = (_FOLDER / "items.jsonl").read_text(encoding="utf-8")
"""Answers of two systems to the same six questions, as JSON lines."""
