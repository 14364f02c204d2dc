"""The judges of a run file, by kind."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    TypeAdapter,
    WrapValidator,
)

from adjudge.config.section import Dollars, OrElse, Section, Texts
from adjudge.config.sections import LimitsSection, PricesOrFile, PromptSection
from adjudge.errors import InputError
from adjudge.judges import ResponseFormat

Weight = Annotated[float, Field(ge=0, le=1e9)]
Protocol = Literal[
    "chat", "messages", "generate", "converse", "openrouter", "azure", "decisions", "systemone"
]
Seconds = Annotated[float, Field(gt=0, le=86_400)]

_BY_NAME = TypeAdapter(ResponseFormat)
_WHOLE = TypeAdapter(dict[str, object])


def _by_name_or_whole(value: object, _: object) -> object:
    """One of the two, so that a mistake is told of the one that was meant."""
    return (_WHOLE if isinstance(value, dict) else _BY_NAME).validate_python(value)


Form = Annotated[ResponseFormat | dict[str, object], WrapValidator(_by_name_or_whole)]


class _JudgeSection(Section):
    name: str | None = Field(default=None, min_length=1)
    """What to call it; unique among the judges; else its model or function."""
    weight: Weight = 1.0
    """How much it counts in the panel's score, against the other judges."""
    limits: LimitsSection = LimitsSection()
    """Rate and concurrency limits; what is left out is taken from the run's `limits`."""


class ModelSection(_JudgeSection):
    """A model behind an endpoint, of a provider or of one's own."""

    kind: Literal["model", "openai"] = "model"
    """Optional where `model` is given; `openai` is an older name of the same."""
    model: str = Field(min_length=1)
    """As `anthropic/claude-sonnet-5`; with a `base_url`, exactly as that endpoint calls it."""
    base_url: str | None = None
    """Where the endpoint is, up to `/v1`; else the provider's; `${NAME}` is a variable's value."""
    protocol: Protocol | None = None
    """The protocol; else the provider's, or `chat` where a `base_url` is given."""
    key: str | None = None
    """The NAME of the environment variable with the key; else the provider's; null for no key."""
    key_header: str | None = None
    """The header that carries the key, as `api-key`; else the one that the protocol has."""
    prices: PricesOrFile | None = None
    """What it costs; else what the run's `prices` say, else the public price of its model."""
    max_tokens: int | None = Field(default=None, ge=1, le=10**9)
    """Longest answer in tokens, reasoning included; 512 if neither this nor the next is given."""
    max_completion_tokens: int | None = Field(default=None, ge=1, le=10**9)
    """The same under the name that newer models ask for; give one of the two."""
    temperature: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """Not sent if left out or null. 0 makes repeated calls agree, and so worth less."""
    service_tier: str | None = Field(default=None, min_length=1)
    """As `default`, `flex` or `priority`; else `default`, and not sent to other chat endpoints."""
    effort: str | None = Field(default=None, min_length=1)
    """How long it reasons, as `low` or `high`, by the names that its provider has."""
    thinking_budget: int | None = Field(default=None, ge=0, le=10**9)
    """Tokens for thinking, part of the longest answer; 0 for none; not in chat completions."""
    answers_per_request: int | None = Field(default=None, ge=1, le=128)
    """Repeats about an item that share a request and its prompt; else up to 8 if it can."""
    questions: Texts = ()
    """Questions to a judge that decides, in one call; its score is the mean over them."""
    score_from: Literal["answer", "logprobs"] = "answer"
    """`logprobs`: the mean over possible scores, where the endpoint tells; else the score given."""
    response_format: Form = ResponseFormat.JSON_OBJECT
    """How JSON is enforced: `json_object`, `json_schema`, `none`, or a mapping to send as it is."""
    criteria: str | None = None
    """This judge's criteria, instead of the run's."""
    criteria_file: str | None = None
    """A file that holds it, relative to the run file."""
    prompt: PromptSection = PromptSection()
    """This judge's prompt, instead of the run's."""
    timeout: Seconds = 120.0
    """Seconds for a whole call; one that takes longer counts as paid."""
    connect_timeout: Seconds = 10.0
    """Seconds to get a connection, before which nothing is billed; half of a `timeout` up to 10."""
    free_failures: bool | None = None
    """Whether 408, 429, 5xx and the like cost nothing; else only where the provider is known."""
    headers: dict[str, str] = Field(default={})
    """Further headers; `${NAME}` is a variable's value."""
    extra: dict[str, object] = Field(default={})
    """Further fields of the request, as `{seed: 1}`."""


def _gpus(value: float) -> float:
    if value > 1 and not value.is_integer():
        raise InputError("num_gpus", f"{value:g}", "above 1 it must be a whole number")
    return value


class FunctionSection(_JudgeSection):
    """A Python function of one item that returns a score, or a text that holds one."""

    model_config = ConfigDict(json_schema_extra={"required": ["function", "price_per_call"]})

    kind: Literal["function"] = "function"
    """Optional where `function` is given."""
    function: str
    """As `module:name`: a function or a class with `__call__`; modules beside the run file too."""
    price_per_call: Dollars | None = None
    """Dollars per call; above zero."""
    version: str = ""
    """Change it when the function changes in ways that its source does not show."""
    timeout: Seconds = 120.0
    """Seconds for a call, or for a batch; one that takes longer counts as paid."""
    batch_size: int | None = Field(default=None, ge=1, le=100_000)
    """It takes a list of up to so many items and returns as many answers; one at a time `here`."""
    replicas: int = Field(default=1, ge=1, le=100_000)
    """Processes on the Ray cluster that hold it, each asked about one batch at a time."""
    num_gpus: Annotated[float, Field(ge=0, le=1000), AfterValidator(_gpus)] = 0.0
    """GPUs of each of them; a part of one, as 0.5, is shared."""
    deterministic: bool = False
    """Whether it always answers the same about an item: it is then asked once about each."""


class SimulatedSection(_JudgeSection):
    """A judge for trying things out: the item's `truth` (0 to 1), or a made-up one, plus noise."""

    model_config = ConfigDict(json_schema_extra={"required": ["kind", "price_per_call"]})

    kind: Literal["simulated"]
    """Must be `simulated`."""
    price_per_call: Dollars | None = None
    """Dollars per call; above zero."""
    offset: float = Field(default=0.0, allow_inf_nan=False)
    """Its offset, as a share of the scale."""
    noise: float = Field(default=0.1, ge=0, allow_inf_nan=False)
    """Standard deviation of its scores about one item, as a share of the scale."""
    failure_rate: float = Field(default=0.0, ge=0, le=1)
    """Chance of an answer without a score."""
    seconds: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    """How long a call takes."""
    seed: int | None = Field(default=None, ge=0)
    """Decides its noise; else the run's seed."""


JUDGE_KINDS = ("model", "function", "simulated")
_TOLD_BY = {"model": "model", "function": "function", "base_url": "model"}
_ONCE_CALLED = {"openai": "model"}


def judge_kind(value: object) -> str | None:
    """The kind of judge that the mapping describes; None if it does not say."""
    given = value.get("kind") if isinstance(value, dict) else getattr(value, "kind", None)
    if given is not None:
        return _ONCE_CALLED.get(str(given), str(given))
    if not isinstance(value, dict):
        return None
    return next((kind for key, kind in _TOLD_BY.items() if key in value), None)


def _model(value: object) -> object:
    return {"model": value} if isinstance(value, str) else value


JudgeSection = Annotated[
    Annotated[ModelSection, Tag("model")]
    | Annotated[FunctionSection, Tag("function")]
    | Annotated[SimulatedSection, Tag("simulated")],
    Discriminator(judge_kind),
    BeforeValidator(_model),
    OrElse(
        {
            "type": "string",
            "description": "The model alone, with the run's prices or the public ones.",
        }
    ),
]
