"""The judges of a run file, ready to be asked."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

from adjudge.config.endpoints import (
    Address,
    address,
    header_secrets,
    headers_of,
    is_local,
    key_variable,
    model_at,
    protocol_of,
)
from adjudge.config.judge_sections import (
    FunctionSection,
    JudgeSection,
    ModelSection,
    SimulatedSection,
)
from adjudge.config.listed_prices import PriceBook, name_in_list
from adjudge.config.mistakes import KeyPath, Mistakes
from adjudge.config.price_maps import prices_of
from adjudge.config.prompts import prompt_of
from adjudge.config.run_section import RunSection
from adjudge.config.unimported import unimported
from adjudge.errors import InputError
from adjudge.judges import (
    ChatRequest,
    FunctionJudge,
    Judge,
    Limits,
    ModelJudge,
    ModelSettings,
    Prices,
    Prompt,
    Replicas,
    Scale,
    SimulatedJudge,
    function_at,
)
from adjudge.judges.function import JudgeFunction
from adjudge.records import Money, nano_dollars


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeMaker:
    """Builds judges, and notes the errors of those that cannot be built."""

    run: RunSection
    scale: Scale
    folder: Path
    """The folder of the run file."""
    environment: Mapping[str, str]
    imports: bool
    """Whether functions are imported; if not, their source is read, and they cannot be asked."""
    mistakes: Mistakes
    price_book: PriceBook

    def judge(self, section: JudgeSection, path: KeyPath) -> Judge | None:
        """The judge that the section at this path describes."""
        if isinstance(section, ModelSection):
            return self._model(section, path)
        if isinstance(section, FunctionSection):
            return self._function(section, path)
        return self._simulated(section, path)

    def _model(self, section: ModelSection, path: KeyPath) -> Judge | None:
        attempt = self.mistakes.attempt
        model = attempt((*path, "model"), lambda: model_at(section))
        where = (
            attempt((*path, "base_url"), lambda: address(section, self.environment)) or Address()
        )
        key = attempt((*path, "key"), lambda: key_variable(section))
        headers = headers_of(section, path, self.environment, self.mistakes)
        prices = self._prices(section, path, None if section.base_url is None else where.url)
        prompt = self._prompt(section, path)
        # A placeholder for what cannot be used, so that the rest is still checked.
        settings = attempt(
            path,
            lambda: ModelSettings(
                name=judge_name(section),
                request=self._request(
                    section, model or section.model, prompt or Prompt(scale=self.scale)
                ),
                prices=prices or Prices.of(per_call=1),
                base_url=where.url,
                shown_url=where.shown,
                key_variable=key,
                key_header=section.key_header,
                headers=headers,
                secrets=(*where.secrets, *header_secrets(section, headers, self.environment)),
                limits=self._limits(section),
                timeout=section.timeout,
                connect_timeout=section.connect_timeout,
                free_failures=section.free_failures,
            ),
            keys=type(section).model_fields,
        )
        if settings is not None and settings.secrets and self.run.run.on == "ray":
            self.mistakes.note(
                path,
                f"the judge {judge_name(section)} takes values of environment variables into "
                "its address or headers, and these are not sent to a Ray cluster; use key and "
                "key_header, and set their variable on every machine of the cluster",
            )
        sound = prompt is not None and prices is not None and not self.mistakes.about(path)
        return ModelJudge(settings) if settings is not None and sound else None

    def _request(self, section: ModelSection, model: str, prompt: Prompt) -> ChatRequest:
        return ChatRequest(
            model=model,
            prompt=prompt,
            protocol=protocol_of(section),
            max_tokens=section.max_tokens,
            max_completion_tokens=section.max_completion_tokens,
            temperature=section.temperature,
            response_format=section.response_format,
            extra=section.extra,
            service_tier=section.service_tier,
            effort=section.effort,
            thinking_budget=section.thinking_budget,
            answers_per_request=section.answers_per_request,
            logprobs=section.score_from == "logprobs",
            questions=tuple(section.questions),
        )

    def _prompt(self, section: ModelSection, path: KeyPath) -> Prompt | None:
        return prompt_of(
            section,
            path,
            run=self.run,
            scale=self.scale,
            folder=self.folder,
            mistakes=self.mistakes,
        )

    def _function(self, section: FunctionSection, path: KeyPath) -> Judge | None:
        price = self._price_per_call(section.price_per_call, section, path)
        find = _imported if self.imports else unimported
        function = self.mistakes.attempt(
            (*path, "function"), lambda: find(section.function, self.folder)
        )
        on_ray = self.run.run.on == "ray"
        for key in ("replicas", "num_gpus"):
            if key in section.model_fields_set and not on_ray:
                self.mistakes.note(
                    (*path, key), "Ray holds replicas; add run: {on: ray}, or leave this out"
                )
        if price is None or function is None:
            return None
        replicas = Replicas(
            count=section.replicas, num_gpus=section.num_gpus, batch_size=section.batch_size
        )
        return FunctionJudge(
            judge_name(section),
            function,
            scale=self.scale,
            price=price,
            version=section.version,
            limits=self._limits_of_replicas(section) if on_ray else self._limits(section),
            timeout=section.timeout,
            replicas=replicas,
            path=section.function,
            deterministic=section.deterministic,
        )

    def _simulated(self, section: SimulatedSection, path: KeyPath) -> Judge | None:
        price = self._price_per_call(section.price_per_call, section, path)
        if price is None:
            return None
        return SimulatedJudge(
            name=judge_name(section),
            scale=self.scale,
            price=price,
            offset=section.offset,
            noise=section.noise,
            failure_rate=section.failure_rate,
            seconds=section.seconds,
            seed=self.run.seed if section.seed is None else section.seed,
            limits=self._limits(section),
        )

    def _limits(self, section: JudgeSection) -> Limits:
        general = self.run.limits.model_dump()
        own = section.limits.model_dump(exclude_unset=True)
        return Limits(**{**general, **own})

    def _limits_of_replicas(self, section: FunctionSection) -> Limits:
        """Limits with enough concurrency to keep the next batch of every replica ready."""
        limits = self._limits(section)
        if any("concurrency" in one.model_fields_set for one in (section.limits, self.run.limits)):
            return limits
        batches = 2 * section.replicas * (section.batch_size or 1)
        return replace(limits, concurrency=max(limits.concurrency, batches))

    def _prices(self, section: ModelSection, path: KeyPath, url: str | None) -> Prices | None:
        given = section.prices or self.run.prices
        if given is None or given.as_of is not None:
            asked = None if given is None else given.as_of
            name = name_in_list(section.model, url, protocol_of(section))
            if name is not None:
                return self.mistakes.attempt(
                    (*path, "model"), lambda: self.price_book.prices(name, asked)
                )
            self.mistakes.note(
                (*path, "prices"),
                f"the judge {judge_name(section)} has no price; {_price_advice(section)}",
            )
            return None
        place: KeyPath = (
            ("prices",)
            if section.prices is None and given.file is None
            else (
                *path,
                "prices",
            )
        )
        return self.mistakes.attempt(
            place, lambda: prices_of(given, model=section.model, folder=self.folder)
        )

    def _price_per_call(
        self, price: Decimal | None, section: JudgeSection, path: KeyPath
    ) -> Money | None:
        if price:
            return nano_dollars(price)
        wrong = f"the judge {judge_name(section)} has no price" if price is None else "0"
        self.mistakes.note(
            (*path, "price_per_call"),
            f"{wrong}; give one above zero, as 0.001: what is free cannot be rationed by a budget",
        )
        return None


def judge_name(section: JudgeSection) -> str:
    """The judge's name."""
    if section.name is not None:
        return section.name
    if isinstance(section, ModelSection):
        return section.model
    return section.function if isinstance(section, FunctionSection) else section.kind


def _imported(name: str, folder: Path) -> JudgeFunction:
    beside = str(folder.resolve())
    if beside not in sys.path:
        sys.path.insert(0, beside)
    try:
        return function_at(name)
    except InputError:
        raise
    except Exception as error:  # a user's module may raise anything
        reason = f'importing "{name}" raised {type(error).__name__}: {error}'
        raise InputError("function", reason[:200], "fix the module") from None


def _price_advice(section: ModelSection) -> str:
    if is_local(section):  # a local server bills no tokens
        return "give one per call, as {per_call: 0.001}, where 0.001 may stand for a second of work"
    return "give one in dollars per million tokens, as {input: 0.15, output: 0.60}"
