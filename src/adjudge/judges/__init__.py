"""Judges: their requests, prompts and prices, and the reading of their answers."""

from adjudge.judges.chat_request import ChatRequest
from adjudge.judges.description import Describes, Description, Message, Price
from adjudge.judges.expected_score import EXPECTED
from adjudge.judges.function import Failures, FunctionJudge, Replicas, function_at
from adjudge.judges.judge import (
    AnswersSeveral,
    CachesPrompts,
    Judge,
    Limits,
    Quote,
    RepeatsItself,
    Salted,
)
from adjudge.judges.model_judge import ModelJudge
from adjudge.judges.model_settings import ModelSettings
from adjudge.judges.prices import Prices
from adjudge.judges.prompt import Prompt
from adjudge.judges.protocol import ChatProtocol, ResponseFormat
from adjudge.judges.rates import Rates
from adjudge.judges.reading import Reading, read_score
from adjudge.judges.remedies import form_of, remedy
from adjudge.judges.scale import Scale
from adjudge.judges.simulated import SimulatedJudge

__all__ = [
    "EXPECTED",
    "AnswersSeveral",
    "CachesPrompts",
    "ChatProtocol",
    "ChatRequest",
    "Describes",
    "Description",
    "Failures",
    "FunctionJudge",
    "Judge",
    "Limits",
    "Message",
    "ModelJudge",
    "ModelSettings",
    "Price",
    "Prices",
    "Prompt",
    "Quote",
    "Rates",
    "Reading",
    "RepeatsItself",
    "Replicas",
    "ResponseFormat",
    "Salted",
    "Scale",
    "SimulatedJudge",
    "form_of",
    "function_at",
    "read_score",
    "remedy",
]
