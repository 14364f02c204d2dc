"""Every way in which a judge of a run file can be wrong, and the exact sentence that says so."""

import pytest

from adjudge.judges.price_list import source

JUDGES = [
    (
        "name: x",
        [
            "run.yaml:4: judges[0]: nothing says what it is; give model, or function, or kind: "
            "simulated"
        ],
    ),
    ("kind: modell", ['run.yaml:4: judges[0].kind: "modell" is no judge; did you mean model?']),
    ("7", ["run.yaml:4: judges[0]: this is no judge; give keys and values below it"]),
    (
        "{model: gpt-4o-mini, base_url: http://localhost/v1, key: null}",
        [
            "run.yaml:4: judges[0].prices: the judge gpt-4o-mini has no price; give one in "
            "dollars per million tokens, as {input: 0.15, output: 0.60}"
        ],
    ),
    (
        "model: gpt-4o-minx",
        [
            f"run.yaml:4: judges[0].model: {source()} has no price of openai/gpt-4o-minx; did you "
            "mean openai/gpt-4o-mini or openai/ft:gpt-4o-mini or openai/gpt-5.4-mini? Else give "
            "prices in dollars per million tokens, as {input: 0.15, output: 0.60}"
        ],
    ),
    (
        "{model: gpt-4o-mini, prices: {as_of: yesterday}}",
        ["run.yaml:4: judges[0].prices.as_of: this is not a date; write it as 2026-11-18"],
    ),
    (
        "{model: gpt-4o-mini, prices: {as_of: 20}}",
        ["run.yaml:4: judges[0].prices.as_of: this is not a date; write it as 2026-11-18"],
    ),
    (
        "{model: gpt-4o-mini, prices: {as_of: 2026-11-18, per_call: 1}}",
        ["run.yaml:4: judges[0].prices: it has as_of and per_call; give one of them"],
    ),
    (
        "{model: m, prices: {input: 1}}",
        ["run.yaml:4: judges[0].prices: output is missing; give both input and output"],
    ),
    (
        "{model: m, prices: {input: 0, output: 0}}",
        [
            "run.yaml:4: judges[0].prices: a call costs nothing; give a price, however small, "
            "as per_call: 0.001: what is free cannot be rationed by a budget"
        ],
    ),
    (
        "{model: m, prices: {input: -1, output: 0}}",
        ["run.yaml:4: judges[0].prices.input: -1; an amount of money is zero or more, and finite"],
    ),
    (
        "{model: m, prices: {input: 1, output: 1, cached_input: 2}}",
        ["run.yaml:4: judges[0].prices: 2; it is at most 1, the input's"],
    ),
    (
        "{model: m, prices: {input: 1, output: 1, long_context: [{above: many, inptu: 1}]}}",
        [
            'run.yaml:4: judges[0].prices.long_context[0].above: "many"; give a whole number',
            "run.yaml:4: judges[0].prices.long_context[0].input: it is missing; give it",
            "run.yaml:4: judges[0].prices.long_context[0].output: it is missing; give it",
            "run.yaml:4: judges[0].prices.long_context[0].inptu: there is no such key; "
            "did you mean input?",
        ],
    ),
    (
        "{model: m, prices: {input: 1, output: 1, service_tiers: {priority: dear}}}",
        ['run.yaml:4: judges[0].prices.service_tiers.priority: "dear"; give a number'],
    ),
    (
        "{model: m, service_tier: priority, prices: {input: 1, output: 1}}",
        [
            "run.yaml:4: judges[0].service_tier: priority has no price; say what it costs, in "
            "ordinary prices, as service_tiers: {priority: 2} in the judge's prices"
        ],
    ),
    (
        "{model: m, extra: {service_tier: flex}, prices: {input: 1, output: 1}}",
        [
            "run.yaml:4: judges[0].extra: holds service_tier; use the judge's own settings, "
            "as answers_per_request for n"
        ],
    ),
    (
        "{model: m, prices: {prompt: 1, completion: 1}}",
        [
            "run.yaml:4: judges[0].prices.prompt: there is no such key; the keys here are "
            "input, output, cached_input, cache_write, cache_write_hour, long_context, "
            "service_tiers, per_call, file, as_of",
            "run.yaml:4: judges[0].prices.completion: there is no such key; the keys here are "
            "input, output, cached_input, cache_write, cache_write_hour, long_context, "
            "service_tiers, per_call, file, as_of",
        ],
    ),
    (
        "{model: m, prices: nowhere.json}",
        ["run.yaml:4: judges[0].prices: nowhere.json: No such file or directory; name a price map"],
    ),
    (
        "{model: acme/large, prices: {input: 1, output: 1}}",
        [
            'run.yaml:4: judges[0].model: "acme/large" is not at OpenAI; begin it with openai/, '
            "anthropic/, gemini/, bedrock/, azure/, openrouter/, typesafe/, ollama/, vllm/, "
            "llamacpp/, or give the base_url of an endpoint that has it and speaks chat completions"
        ],
    ),
    (
        "{model: 'ollama/llama3.2:3b'}",
        [
            "run.yaml:4: judges[0].prices: the judge ollama/llama3.2:3b has no price; give one per "
            "call, as {per_call: 0.001}, where 0.001 may stand for a second of work"
        ],
    ),
    (
        "{model: openai/m, extra: {tools: [{type: web_search}]}, prices: {input: 1, output: 1}}",
        [
            "run.yaml:4: judges[0].extra: holds tools; leave it out: it may be billed beside "
            "the tokens, which no worst case covers"
        ],
    ),
    (
        "{model: azure/large, prices: {input: 1, output: 1}}",
        [
            "run.yaml:4: judges[0].base_url: it is missing; each customer has one, as "
            "https://NAME.openai.azure.com/openai/v1"
        ],
    ),
    (
        "{model: anthropic/m, answers_per_request: 2, prices: {input: 1, output: 1}}",
        [
            "run.yaml:4: judges[0].answers_per_request: 2, and this provider gives one answer to "
            "a request; leave it out"
        ],
    ),
    (
        "{model: openai/m, thinking_budget: 5, prices: {input: 1, output: 1}}",
        [
            "run.yaml:4: judges[0].thinking_budget: chat completions have none, and 5 is given; "
            "use effort, as low or high, or the field of your endpoint in extra"
        ],
    ),
    (
        "{model: anthropic/m, thinking_budget: 2000, prices: {input: 1, output: 1}}",
        [
            "run.yaml:4: judges[0].thinking_budget: 2000, and the longest answer is 512 tokens; "
            "give at least 1024, and a max_tokens above it"
        ],
    ),
    (
        "{model: gemini/m, extra: {generationConfig: {candidateCount: 2}}, "
        "prices: {input: 1, output: 1}}",
        [
            "run.yaml:4: judges[0].extra: holds candidateCount; use the judge's own settings, "
            "as answers_per_request for n"
        ],
    ),
    (
        "{model: m, prices: {file: a, input: 1}}",
        ["run.yaml:4: judges[0].prices: it has file and input; give one of them"],
    ),
    (
        "function: json:dumps",
        [
            "run.yaml:4: judges[0].price_per_call: the judge json:dumps has no price; give one "
            "above zero, as 0.001: what is free cannot be rationed by a budget"
        ],
    ),
    (
        "{function: json:dumps, price_per_call: 0}",
        [
            "run.yaml:4: judges[0].price_per_call: 0; give one above zero, as 0.001: what is "
            "free cannot be rationed by a budget"
        ],
    ),
    (
        "{function: nowhere:f, price_per_call: 1}",
        [
            "run.yaml:4: judges[0].function: 'nowhere:f' (No module named 'nowhere'); name one "
            "that can be imported"
        ],
    ),
    (
        "{function: json, price_per_call: 1}",
        ["run.yaml:4: judges[0].function: 'json'; give it as module:name"],
    ),
    (
        "{function: json:__name__, price_per_call: 1}",
        [
            "run.yaml:4: judges[0].function: 'json:__name__' is no function; name a function of "
            "one item"
        ],
    ),
    (
        "{kind: function, price_per_call: 1}",
        ["run.yaml:4: judges[0].function: it is missing; give it"],
    ),
    (
        "{function: broken_judge:f, price_per_call: 1}",
        [
            'run.yaml:4: judges[0].function: importing "broken_judge:f" raised ZeroDivisionError: '
            "division by zero; fix the module"
        ],
    ),
    (
        "{kind: simulated, price_per_call: 1, noise: loud, failure_rate: 2}",
        [
            'run.yaml:4: judges[0].noise: "loud"; give a number',
            "run.yaml:4: judges[0].failure_rate: 2; give a number of 1 or less",
        ],
    ),
]


@pytest.mark.parametrize(("judge", "expected"), JUDGES)
def test_what_is_wrong_with_a_judge_is_said(problems, tmp_path, judge, expected):
    (tmp_path / "broken_judge.py").write_text("1 / 0\n")
    content = f"items: items.jsonl\nbudget: 5\njudges:\n  - {judge}\n"
    assert problems(content) == expected
