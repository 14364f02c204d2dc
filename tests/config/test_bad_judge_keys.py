"""Every way in which a key of a model judge can be wrong, and the exact sentence that says so."""

import pytest

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
            "run.yaml:6: judges[0].key: this is not the name of a variable (it is not shown here); "
            "put the key into the environment, or into .env beside the run file, and name the "
            "variable, as key: OPENAI_API_KEY"
        ],
    ),
    (
        "key: ABCDEFGH12345678XYZ",
        [
            "run.yaml:6: judges[0].key: this is not the name of a variable (it is not shown here); "
            "put the key into the environment, or into .env beside the run file, and name the "
            "variable, as key: OPENAI_API_KEY"
        ],
    ),
    (
        "key: 12345",
        [
            "run.yaml:6: judges[0].key: this is not the name of a variable (it is not shown here); "
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
        ["run.yaml:6: judges[0].base_url: it is not an http address; give it as https://host/v1"],
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
    (
        "questions: Is it good?",
        [
            "run.yaml:6: judges[0].questions: only judges that decide are asked several; leave it "
            "out, or give protocol: decisions or systemone"
        ],
    ),
    (
        "questions: [good, good]\nprotocol: decisions",
        ["run.yaml:6: judges[0].questions: two are the same; ask each once"],
    ),
    (
        "questions: ['']\nprotocol: decisions",
        ["run.yaml:6: judges[0].questions: one is empty; write what is asked"],
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
            "thinking_budget, answers_per_request, questions, score_from, response_format, "
            "criteria, criteria_file, prompt, timeout, connect_timeout, free_failures, headers, "
            "extra"
        ],
    ),
    (
        "prompt: {user_fil: x}",
        ["run.yaml:6: judges[0].prompt.user_fil: there is no such key; did you mean user_file?"],
    ),
]


@pytest.mark.parametrize(("keys", "expected"), IN_A_JUDGE)
def test_what_is_wrong_with_a_key_of_a_judge_is_said(problems, keys, expected):
    judge = ["- model: gpt-4o-mini", "  prices: {input: 1, output: 2}"]
    judge += [f"  {line}" for line in keys.splitlines()]
    content = "items: items.jsonl\nbudget: 5\njudges:\n" + "".join(f"  {line}\n" for line in judge)
    assert problems(content) == expected
