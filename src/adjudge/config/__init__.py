"""Run files: what to score, with which judges, and for how much."""

from adjudge.config.load import load_run_file, run_file_of
from adjudge.config.run_file import RunFile
from adjudge.config.schema import json_schema

__all__ = ["RunFile", "json_schema", "load_run_file", "run_file_of"]
