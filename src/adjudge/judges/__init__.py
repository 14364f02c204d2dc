"""Judges: how to ask them, what to tell them, what they cost, and how to read what they say."""

from adjudge.judges.chat_request import ChatRequest, ResponseFormat
from adjudge.judges.description import Describes, Description, Message, Price
from adjudge.judges.function import FunctionJudge, function_at
from adjudge.judges.judge import Judge, Limits, Quote
from adjudge.judges.openai import OpenAIJudge, OpenAISettings
from adjudge.judges.prices import Prices
from adjudge.judges.prompt import Prompt
from adjudge.judges.rates import Rates
from adjudge.judges.reading import Reading, read_score
from adjudge.judges.remedies import remedy
from adjudge.judges.scale import Scale
from adjudge.judges.simulated import SimulatedJudge

__all__ = [
    "ChatRequest",
    "Describes",
    "Description",
    "FunctionJudge",
    "Judge",
    "Limits",
    "Message",
    "OpenAIJudge",
    "OpenAISettings",
    "Price",
    "Prices",
    "Prompt",
    "Quote",
    "Rates",
    "Reading",
    "ResponseFormat",
    "Scale",
    "SimulatedJudge",
    "function_at",
    "read_score",
    "remedy",
]
