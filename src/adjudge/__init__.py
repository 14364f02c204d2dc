"""Spend a fixed budget of LLM-judge calls where it buys the most accuracy."""

__version__ = "0.1.0.dev0"
