"""What a new user starts from works, and explains everything."""

import re
from collections import Counter
from dataclasses import fields

import pytest

from adjudge.config.judge_sections import ModelSection
from adjudge.config.run_section import RunSection
from adjudge.config.sample import (
    SAMPLE_ITEMS,
    SAMPLE_RUN_FILE,
    SampleProvider,
    run_file_for,
)
from adjudge.config.sections import (
    FieldsSection,
    ItemsSection,
    LabelsSection,
    LimitsSection,
    PatienceSection,
    PricesSection,
    PromptSection,
    ScaleSection,
)
from adjudge.records import nano_dollars
from adjudge.run import dry_run

OPTION = re.compile(r"^( *)# ( *\w+:(?: .*)?)$", re.MULTILINE)
"""A line of the sample that becomes an option when its mark is taken off."""


@pytest.mark.parametrize("provider", SampleProvider)
def test_the_samples_load_and_can_be_priced(load, tmp_path, provider):
    (tmp_path / "items.jsonl").write_text(SAMPLE_ITEMS)
    read = load(run_file_for(provider))
    items = read.read_items()
    assert read.budget <= nano_dollars("0.10")
    assert read.until, "a first run must not spend all of it"
    prices = dry_run(read.plan(items)).prices
    assert 0 < min(price.most for price in prices) < read.budget
    assert max(price.dearest for price in prices) < read.budget / 2


@pytest.mark.parametrize("provider", SampleProvider)
def test_a_sample_explains_the_optional_keys_itself(provider):
    text = run_file_for(provider)
    assert "docs/" not in text, "a package has no docs"
    assert {"strategy", "confidence", "patience"} <= set(re.findall(r"^# (\w+):", text, re.M))


def test_two_groups_answer_the_same_prompts(load, tmp_path):
    (tmp_path / "items.jsonl").write_text(SAMPLE_ITEMS)
    items = load(SAMPLE_RUN_FILE).read_items()
    assert Counter(item.group for item in items) == {"current": 6, "candidate": 6}
    assert set(Counter(item.prompt for item in items).values()) == {2}
    assert len({item.response for item in items}) == 12
    assert all(item.metadata["topic"] for item in items)


@pytest.mark.parametrize(
    "section",
    [
        RunSection,
        ModelSection,
        ItemsSection,
        FieldsSection,
        LabelsSection,
        LimitsSection,
        PatienceSection,
        PricesSection,
        PromptSection,
        ScaleSection,
    ],
)
def test_every_key_is_in_the_sample(section):
    words = set(re.findall(r"\w+", SAMPLE_RUN_FILE))
    told_elsewhere = {
        "per_call",
        "file",
        "whole",
        "cache_write",
        "cache_write_hour",
        "long_context",
    }
    assert set(section.model_fields) - words <= told_elsewhere


def test_the_options_of_the_sample_are_the_defaults(load):
    plain = load(SAMPLE_RUN_FILE)
    options = OPTION.sub(r"\1\2", SAMPLE_RUN_FILE)
    assert options.count("\n# ") < SAMPLE_RUN_FILE.count("\n# ") - 20
    spelled = load(options)
    for field in fields(plain):
        if field.name not in {"judges", "strategy"}:
            assert getattr(spelled, field.name) == getattr(plain, field.name)
    assert [judge.identity for judge in spelled.judges] == [
        judge.identity for judge in plain.judges
    ]
    assert [judge.limits for judge in spelled.judges] == [judge.limits for judge in plain.judges]
