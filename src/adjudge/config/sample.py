"""The sample run files and items that `adjudge init` writes."""

from __future__ import annotations

from enum import StrEnum
from importlib.resources import files

_FOLDER = files("adjudge.config") / "samples"

SAMPLE_RUN_FILE = (_FOLDER / "openai.yaml").read_text(encoding="utf-8")
"""Three judges at OpenAI; every key is explained."""
LOCAL_RUN_FILE = (_FOLDER / "local.yaml").read_text(encoding="utf-8")
"""Two judges on a local model server, without the optional keys."""
SAMPLE_ITEMS = (_FOLDER / "items.jsonl").read_text(encoding="utf-8")
"""Answers of two systems to the same six questions, as JSON lines."""
_JUDGES = "# Who scores"
_REST = "# Everything below is optional."
_DOLLARS = "budget: 0.02"
_SECONDS = "budget: 0.08"
"""Budget of the local sample: 80 seconds, with a dollar for every thousand seconds."""


class SampleProvider(StrEnum):
    """The provider of the judges in a sample run file."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"
    BEDROCK = "bedrock"
    AZURE = "azure"
    OPENROUTER = "openrouter"
    TYPESAFE = "typesafe"
    OLLAMA = "ollama"
    VLLM = "vllm"


def run_file_for(provider: SampleProvider) -> str:
    """A run file with two or three judges of this provider."""
    if provider is SampleProvider.OPENAI:
        return SAMPLE_RUN_FILE
    after = SAMPLE_RUN_FILE[SAMPLE_RUN_FILE.index(_REST) :]
    if provider is SampleProvider.OLLAMA:
        return f"{LOCAL_RUN_FILE}\n{after}"
    judges = (_FOLDER / "judges" / f"{provider}.yaml").read_text(encoding="utf-8")
    before = SAMPLE_RUN_FILE[: SAMPLE_RUN_FILE.index(_JUDGES)]
    if provider is SampleProvider.VLLM:
        before = before.replace(_DOLLARS, _SECONDS)
    return f"{before}{judges}\n{after}"
