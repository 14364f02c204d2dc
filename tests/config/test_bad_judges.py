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
    ("kind: opnai", ['run.yaml:4: judges[0].kind: "opnai" is no judge; did you mean openai?']),
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
        ["run.yaml:4: judges[0].prices.as_of: this is no day; write it as 2026-11-18"],
    ),
    (
        "{model: gpt-4o-mini, prices: {as_of: 20}}",
        ["run.yaml:4: judges[0].prices.as_of: this is no day; write it as 2026-11-18"],
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
            "anthropic/, gemini/, bedrock/, azure/, openrouter/, ollama/, vllm/, llamacpp/, or "
            "give the base_url of an endpoint that has it and speaks chat completions"
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
            "division by zero; mend the module"
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

IN_A_JUDGE = [
    (
        "api_key: abcdef",
        [
            "run.yaml:6: judges[0].api_key: keys are not written into run files; put the key "
            "into the environment, or into .env beside the run file, and name the variable, as "
            "key: OPENAI_API_KEY"
        ],
    ),
    (
        "access_token: abcdef",
        [
            "run.yaml:6: judges[0].access_token: keys are not written into run files; put the "
            "key into the environment, or into .env beside the run file, and name the variable, "
            "as key: OPENAI_API_KEY"
        ],
    ),
    (
        "key: sk-proj-abcdefghijklmnop",
        [
            "run.yaml:6: judges[0].key: this is a key (it is not shown here); put the key into "
            "the environment, or into .env beside the run file, and name the variable, as key: "
            "OPENAI_API_KEY"
        ],
    ),
    (
        "key: mysecret",
        [
            "run.yaml:6: judges[0].key: this is no name of a variable (it is not shown here); "
            "put the key into the environment, or into .env beside the run file, and name the "
            "variable, as key: OPENAI_API_KEY"
        ],
    ),
    (
        "key: ABCDEFGH12345678XYZ",
        [
            "run.yaml:6: judges[0].key: this is no name of a variable (it is not shown here); "
            "put the key into the environment, or into .env beside the run file, and name the "
            "variable, as key: OPENAI_API_KEY"
        ],
    ),
    (
        "key: 12345",
        [
            "run.yaml:6: judges[0].key: this is no name of a variable (it is not shown here); "
            "put the key into the environment, or into .env beside the run file, and name the "
            "variable, as key: OPENAI_API_KEY"
        ],
    ),
    (
        "headers: {Authorization: abc}",
        [
            "run.yaml:6: judges[0].headers.Authorization: it holds a key; put it into the "
            "environment or into .env, and write ${NAME} in its place"
        ],
    ),
    (
        "headers: {X-Other: sk-abcdefghijklmnop}",
        [
            "run.yaml:6: judges[0].headers.X-Other: this is a key (it is not shown here); put "
            "it into the environment or into .env, and write ${NAME} in its place"
        ],
    ),
    (
        "headers: {X-Team: '${TEAM}'}",
        [
            "run.yaml:6: judges[0].headers.X-Team: the environment variable TEAM is not set; "
            "set it, or write it into .env beside the run file"
        ],
    ),
    (
        'headers: {X-Team: "a\\nb"}',
        [
            "run.yaml:6: judges[0].headers.X-Team: it holds characters that no header has; "
            "write plain ASCII"
        ],
    ),
    (
        "headers: {content-length: '5'}",
        [
            "run.yaml:6: judges[0].headers.content-length: content-length is set by adjudge "
            "itself; leave it out"
        ],
    ),
    (
        "headers: {Transfer-Encoding: chunked, Host: '${X}'}",
        [
            "run.yaml:6: judges[0].headers.Transfer-Encoding: Transfer-Encoding is set by adjudge "
            "itself; leave it out",
            "run.yaml:6: judges[0].headers.Host: Host is set by adjudge itself; leave it out",
        ],
    ),
    (
        "key_header: Connection",
        ["run.yaml:6: judges[0].key_header: Connection is set by adjudge itself; leave it out"],
    ),
    (
        "base_url: localhost:8000\nkey: null",
        ["run.yaml:6: judges[0].base_url: it is no http address; give it as https://host/v1"],
    ),
    (
        "base_url: 'http://${HOST}/v1'\nkey: null",
        [
            "run.yaml:6: judges[0].base_url: the environment variable HOST is not set; set it, "
            "or write it into .env beside the run file"
        ],
    ),
    (
        "base_url: http://me:pw@host/v1\nkey: null",
        [
            "run.yaml:6: judges[0].base_url: it holds a login; put it into headers, as "
            '{Authorization: "Basic ${X}"}'
        ],
    ),
    (
        "base_url: 'http://host/v1?api-key=abc'\nkey: null",
        [
            "run.yaml:6: judges[0].base_url: it holds a key, as api-key; put it into the "
            "environment or into .env, and write ${NAME} in its place"
        ],
    ),
    (
        "base_url: http://host/v1/chat/completions\nkey: null",
        [
            "run.yaml:6: judges[0].base_url: it ends in /chat/completions; give it up to /v1; "
            "the rest is added"
        ],
    ),
    (
        "base_url: http://host/v1",
        [
            "run.yaml:4: judges[0].key: it is missing; name the variable that holds this "
            "endpoint's key, or write key: null if it asks for none"
        ],
    ),
    ("max_tokens: 0", ["run.yaml:6: judges[0].max_tokens: 0; give a number of 1 or more"]),
    (
        "max_tokens: 5\nmax_completion_tokens: 5",
        ["run.yaml:6: judges[0].max_tokens: max_completion_tokens is given too; give one of them"],
    ),
    ("temperature: -1", ["run.yaml:6: judges[0].temperature: -1; give a number of 0 or more"]),
    ("temperature: hot", ['run.yaml:6: judges[0].temperature: "hot"; give a number']),
    (
        "response_format: json",
        [
            'run.yaml:6: judges[0].response_format: "json"; choose one of json_schema, '
            "json_object, none"
        ],
    ),
    (
        "response_format: {}",
        [
            "run.yaml:6: judges[0].response_format: it is empty; give what is sent, or none for "
            "not sending it"
        ],
    ),
    (
        "extra: {n: 2, stream: true}",
        [
            "run.yaml:6: judges[0].extra: holds n, stream; use the judge's own settings, as "
            "answers_per_request for n"
        ],
    ),
    (
        "timeout: 5\nconnect_timeout: 6",
        [
            "run.yaml:6: judges[0].timeout: 5 s, and connect_timeout is 6 s; timeout must be the "
            "longer one: raise it, or lower connect_timeout too"
        ],
    ),
    ("timeout: 0", ["run.yaml:6: judges[0].timeout: 0; give a number above 0"]),
    ("weight: -1", ["run.yaml:6: judges[0].weight: -1; give a number of 0 or more"]),
    ("weight: 0", ["run.yaml:3: judges: every weight is 0; let at least one judge count"]),
    (
        "limits: {concurency: 4}",
        [
            "run.yaml:6: judges[0].limits.concurency: there is no such key; did you mean "
            "concurrency?"
        ],
    ),
    (
        "budget: 3",
        ["run.yaml:6: judges[0].budget: this is a key of the run; move it out of the judge"],
    ),
    (
        "price_per_call: 3",
        [
            "run.yaml:6: judges[0].price_per_call: a judge of this kind has no such key; it has "
            "name, weight, limits, kind, model, base_url, protocol, key, key_header, prices, "
            "max_tokens, max_completion_tokens, temperature, service_tier, effort, "
            "thinking_budget, answers_per_request, score_from, response_format, criteria, "
            "criteria_file, prompt, timeout, connect_timeout, free_failures, headers, extra"
        ],
    ),
    (
        "prompt: {user_fil: x}",
        ["run.yaml:6: judges[0].prompt.user_fil: there is no such key; did you mean user_file?"],
    ),
]


@pytest.mark.parametrize(("judge", "expected"), JUDGES)
def test_what_is_wrong_with_a_judge_is_said(problems, tmp_path, judge, expected):
    (tmp_path / "broken_judge.py").write_text("1 / 0\n")
    content = f"items: items.jsonl\nbudget: 5\njudges:\n  - {judge}\n"
    assert problems(content) == expected


@pytest.mark.parametrize(("keys", "expected"), IN_A_JUDGE)
def test_what_is_wrong_with_a_key_of_a_judge_is_said(problems, keys, expected):
    judge = ["- model: gpt-4o-mini", "  prices: {input: 1, output: 2}"]
    judge += [f"  {line}" for line in keys.splitlines()]
    content = "items: items.jsonl\nbudget: 5\njudges:\n" + "".join(f"  {line}\n" for line in judge)
    assert problems(content) == expected
