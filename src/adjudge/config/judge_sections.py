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
    """The format, validated only as what was given, a name or a mapping, for clear errors."""
    return (_WHOLE if isinstance(value, dict) else _BY_NAME).validate_python(value)


Form = Annotated[ResponseFormat | dict[str, object], WrapValidator(_by_name_or_whole)]


class _JudgeSection(Section):
    name: str | None = Field(default=None, min_length=1)
    """Unique name of the judge; default its model or function."""
    weight: Weight = 1.0
    """Its weight in the panel's score, relative to the other judges."""
    limits: LimitsSection = LimitsSection()
    """Rate and concurrency limits; keys left out are taken from the run's `limits`."""


class ModelSection(_JudgeSection):
    """A model at an endpoint, of a provider or your own."""

    kind: Literal["model", "openai"] = "model"
    """Optional if `model` is given; `openai` is an older name for `model`."""
    model: str = Field(min_length=1)
    """Such as `anthropic/claude-sonnet-5`; with a `base_url`, the endpoint's own name for it."""
    base_url: str | None = None
    """Address up to `/v1`; default the provider's; `${NAME}` is a variable's value."""
    protocol: Protocol | None = None
    """Default the provider's, or `chat` if a `base_url` is given."""
    key: str | None = None
    """NAME of the environment variable with the key; default the provider's; null for none."""
    key_header: str | None = None
    """Header that carries the key, such as `api-key`; default the protocol's."""
    prices: PricesOrFile | None = None
    """Its prices; default the run's `prices`, then the public price of the model."""
    max_tokens: int | None = Field(default=None, ge=1, le=10**9)
    """Longest answer in tokens, including reasoning; 512 if neither limit is given."""
    max_completion_tokens: int | None = Field(default=None, ge=1, le=10**9)
    """The same limit under the name that newer models require; give only one of the two."""
    temperature: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """Not sent if left out or null. With 0, repeated calls agree and tell less."""
    service_tier: str | None = Field(default=None, min_length=1)
    """Such as `flex` or `priority`; if unset, the ordinary tier is sent where tiers exist."""
    effort: str | None = Field(default=None, min_length=1)
    """How long it reasons, such as `low` or `high`, in the provider's terms."""
    thinking_budget: int | None = Field(default=None, ge=0, le=10**9)
    """Tokens for thinking, part of the longest answer; 0 for none; not in chat completions."""
    answers_per_request: int | None = Field(default=None, ge=1, le=128)
    """Repeats of an item that share one request; default up to 8 if the endpoint can."""
    questions: Texts = ()
    """Questions in one call of a decision protocol; the score is the mean over them."""
    score_from: Literal["answer", "logprobs"] = "answer"
    """`logprobs`: the expected score by log-probabilities, where available; `answer`: as given."""
    response_format: Form = ResponseFormat.JSON_OBJECT
    """How JSON is enforced: `json_object`, `json_schema`, `none`, or a mapping sent as it is."""
    criteria: str | None = None
    """This judge's criteria, instead of the run's."""
    criteria_file: str | None = None
    """A file with this judge's criteria, relative to the run file."""
    prompt: PromptSection = PromptSection()
    """This judge's prompt, instead of the run's."""
    timeout: Seconds = 120.0
    """Seconds for a whole call; a call that takes longer counts as paid."""
    connect_timeout: Seconds = 10.0
    """Seconds to connect, while nothing is billed; half the `timeout` if that is 10 or less."""
    free_failures: bool | None = None
    """Whether 408, 429, 5xx and the like cost nothing; by default only at known providers."""
    headers: dict[str, str] = Field(default={})
    """Further headers; `${NAME}` is a variable's value."""
    extra: dict[str, object] = Field(default={})
    """Further fields of the request, such as `{seed: 1}`."""


def _gpus(value: float) -> float:
    if value > 1 and not value.is_integer():
        raise InputError("num_gpus", f"{value:g}", "above 1 it must be a whole number")
    return value


class FunctionSection(_JudgeSection):
    """A Python function of one item that returns a score, or a text that contains one."""

    model_config = ConfigDict(json_schema_extra={"required": ["function", "price_per_call"]})

    kind: Literal["function"] = "function"
    """Optional if `function` is given."""
    function: str
    """`module:name` of a function or a class with `__call__`; may be beside the run file."""
    price_per_call: Dollars | None = None
    """Dollars per call; above zero."""
    version: str = ""
    """Change it when the function changes in ways not visible in its source."""
    timeout: Seconds = 120.0
    """Seconds for a call or a batch; one that takes longer counts as paid."""
    batch_size: int | None = Field(default=None, ge=1, le=100_000)
    """Most items in a list that it takes, with one answer for each; one item unless on Ray."""
    replicas: int = Field(default=1, ge=1, le=100_000)
    """Processes on the Ray cluster that hold it, each with one batch at a time."""
    num_gpus: Annotated[float, Field(ge=0, le=1000), AfterValidator(_gpus)] = 0.0
    """GPUs of each replica; a fraction, such as 0.5, is shared."""
    deterministic: bool = False
    """Whether it always gives an item the same score: each item is then asked once."""


class SimulatedSection(_JudgeSection):
    """A judge for trials: the item's `truth` (0 to 1), or a random one, plus noise."""

    model_config = ConfigDict(json_schema_extra={"required": ["kind", "price_per_call"]})

    kind: Literal["simulated"]
    """Must be `simulated`."""
    price_per_call: Dollars | None = None
    """Dollars per call; above zero."""
    offset: float = Field(default=0.0, allow_inf_nan=False)
    """Its offset, as a fraction of the scale."""
    noise: float = Field(default=0.1, ge=0, allow_inf_nan=False)
    """Standard deviation of its scores of one item, as a fraction of the scale."""
    failure_rate: float = Field(default=0.0, ge=0, le=1)
    """Probability of an answer without a score."""
    seconds: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    """Duration of a call, in seconds."""
    seed: int | None = Field(default=None, ge=0)
    """Seed of its noise; default the run's seed."""


JUDGE_KINDS = ("model", "function", "simulated")
_TOLD_BY = {"model": "model", "function": "function", "base_url": "model"}
_ONCE_CALLED = {"openai": "model"}


def judge_kind(value: object) -> str | None:
    """The kind of judge that the mapping describes; None if unclear."""
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
