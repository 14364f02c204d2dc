"""A whole run as one function call."""

from adjudge.evaluation.evaluate import evaluate, evaluate_async
from adjudge.evaluation.evaluation import Evaluation

__all__ = ["Evaluation", "evaluate", "evaluate_async"]
