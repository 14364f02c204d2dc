"""Every way in which a run file can be wrong, and the exact sentence that says so."""

import pytest

GOOD = """\
items: items.jsonl
budget: 5
judges:
  - {model: gpt-4o-mini, prices: {input: 1, output: 2}}
"""

WHOLE_FILES = [
    (
        "nothing at all",
        "",
        ["run.yaml:1: the file is empty; adjudge init writes one to begin with"],
    ),
    (
        "comments only",
        "# hi\n",
        ["run.yaml:1: the file is empty; adjudge init writes one to begin with"],
    ),
    (
        "a list",
        "- a\n- b\n",
        ["run.yaml:1: the file is a list; write keys and values, as budget: 5.00"],
    ),
    (
        "plain text",
        "hello\n",
        ["run.yaml:1: the file is plain text; write keys and values, as budget: 5.00"],
    ),
    (
        "a tab",
        "items: x\nlimits:\n\tconcurrency: 3\n",
        ["run.yaml:3: there is a tab; indent with spaces"],
    ),
    (
        "an open bracket",
        "items: [a\nbudget: 5\n",
        [
            "run.yaml:2: this is not YAML (expected ',' or ']', but got ':'); check the "
            "indentation, quotes and brackets here"
        ],
    ),
    (
        "an open quote",
        'items: "abc\n',
        [
            "run.yaml:2: this is not YAML (found unexpected end of stream); check the "
            "indentation, quotes and brackets here"
        ],
    ),
    (
        "a colon in text",
        "items: a\ncriteria: good: bad\n",
        [
            "run.yaml:2: a colon is out of place; indent keys alike, and put text with a colon "
            "in quotes"
        ],
    ),
    (
        "a wrong indentation",
        "items: a\n  budget: 3\n",
        [
            "run.yaml:2: a colon is out of place; indent keys alike, and put text with a colon "
            "in quotes"
        ],
    ),
    (
        "a key twice",
        "budget: 5\n" + GOOD,
        ["run.yaml:3: budget: it is also on line 1; keep one of the two"],
    ),
    (
        "two documents",
        GOOD + "---\n" + GOOD,
        ["run.yaml:5: a second document begins; keep one, without --- between"],
    ),
    (
        "an unknown alias",
        "items: *x\n",
        [
            "run.yaml:1: an alias is not defined; define it above, or put text that begins "
            "with * in quotes"
        ],
    ),
    (
        "a Python object",
        "items: !!python/object:os.system x\n",
        [
            "run.yaml:1: items: it has the tag tag:yaml.org,2002:python/object:os.system; leave "
            "the tag out"
        ],
    ),
    (
        "a control character",
        "items: \x07\n",
        ["run.yaml:1: there is a control character (U+0007); remove it"],
    ),
    (
        "an alias of itself",
        "items: &a [*a]\n",
        ["run.yaml:1: it has aliases within aliases without end; write the values out"],
    ),
    (
        "a list as a key",
        "? [a, b]\n: 3\n",
        ["run.yaml:1: a key is a list or a mapping; write it as text"],
    ),
    (
        "a merge of no mapping",
        "<<: 3\n" + GOOD,
        ["run.yaml:1: << merges mappings only; name an anchor of one"],
    ),
    (
        "another encoding",
        "items: caf\xe9\n".encode("latin-1"),
        ["run.yaml:1: the byte 0xE9 is not UTF-8; save the file as UTF-8"],
    ),
    ("UTF-16", GOOD.encode("utf-16"), ["run.yaml:1: it is UTF-16; save it as UTF-8"]),
    (
        "no items",
        GOOD.replace("items: items.jsonl\n", ""),
        [
            "run.yaml:1: items: it is missing; name the file that holds what is to be scored, "
            "as items: items.jsonl"
        ],
    ),
    (
        "no budget",
        GOOD.replace("budget: 5\n", ""),
        ["run.yaml:1: budget: it is missing; say how many dollars may be spent, as budget: 5.00"],
    ),
    (
        "a budget without a value",
        GOOD.replace("5", "null"),
        ["run.yaml:2: budget: it is missing; say how many dollars may be spent, as budget: 5.00"],
    ),
    (
        "no judges",
        "items: a\nbudget: 3\n",
        ["run.yaml:1: judges: it is missing; list one or more, as judges: [openai/gpt-4o-mini]"],
    ),
    (
        "an empty list of judges",
        "items: a\nbudget: 3\njudges: []\n",
        ["run.yaml:3: judges: it is an empty list; give at least one"],
    ),
    (
        "judges that are no list",
        "items: a\nbudget: 3\njudges: {model: x}\n",
        ["run.yaml:3: judges: it has keys and values; give a list, each entry after a dash"],
    ),
    (
        "two judges of one name",
        GOOD + "  - {model: gpt-4o-mini, max_tokens: 9, prices: {input: 1, output: 2}}\n",
        [
            "run.yaml:4: judges[0]: 2 judges are called gpt-4o-mini; give each a name of its own",
            "run.yaml:5: judges[1]: 2 judges are called gpt-4o-mini; give each a name of its own",
        ],
    ),
    (
        "a name that is another's model",
        GOOD + "  - {model: b, name: gpt-4o-mini, prices: {input: 1, output: 2}}\n",
        [
            "run.yaml:4: judges[0]: 2 judges are called gpt-4o-mini; give each a name of its own",
            "run.yaml:5: judges[1].name: 2 judges are called gpt-4o-mini; give each a name of "
            "its own",
        ],
    ),
    (
        "the same judge under two names",
        GOOD + "  - {model: gpt-4o-mini, name: other, prices: {input: 1, output: 2}}\n",
        [
            "run.yaml:5: judges[1]: other asks the same in the same way as gpt-4o-mini; leave "
            "one out: repeated calls are the strategy's to decide"
        ],
    ),
]

AT_THE_TOP = [
    ("bugdet: 5", ["run.yaml:1: bugdet: there is no such key; did you mean budget?"]),
    (
        "colour: red",
        [
            "run.yaml:1: colour: there is no such key; the keys here are items, budget, judges, "
            "scale, labels, criteria, criteria_file, prompt, strategy, norm, confidence, until, "
            "spend, seed, limits, prices, keep_reasons, ask_again, grace, patience, run, title, "
            "ledger, purse, "
            "output"
        ],
    ),
    (
        "keep-reasons: no",
        ["run.yaml:1: keep-reasons: there is no such key; did you mean keep_reasons?"],
    ),
    (
        "temperature: 0",
        ["run.yaml:1: temperature: this is a key of a judge; move it below one of the judges"],
    ),
    ("scale: 10", ["run.yaml:1: scale: 10; write it as 1..10, or as low and high"]),
    ("scale: 1-10", ["run.yaml:1: scale: 1-10; write it as 1..10, or as low and high"]),
    ("scale: 10..1", ["run.yaml:1: scale: 10.0 to 1.0; low must be below high, both finite"]),
    (
        "scale: {low: 1}",
        ["run.yaml:1: scale: it does not have two ends; give low and high, or labels"],
    ),
    (
        "scale: {low: 0.5, high: 2, whole: true}",
        ["run.yaml:1: scale: 0.5 to 2.0; whole scores need whole ends of the scale"],
    ),
    (
        "scale: {labels: {good: 1}}",
        ["run.yaml:1: scale.labels: good; give two or more different labels"],
    ),
    (
        "scale: {labels: {good: 1, Good: 2}}",
        ["run.yaml:1: scale.labels: good, Good; give two or more different labels"],
    ),
    (
        "scale: {labels: {good: 1, bad: 0}, low: 3}",
        ["run.yaml:1: scale: it has labels and numbers; give labels, or low and high"],
    ),
    (
        "scale: {labels: {good: great, bad: 0}}",
        ['run.yaml:1: scale.labels.good: "great"; give a number'],
    ),
    (
        "scale: 0..1",
        [
            "run.yaml:1: scale: 0..1 could mean pass or fail, or every number between; write "
            "{low: 0, high: 1, whole: true}, or 0.0..1.0"
        ],
    ),
    ("scale: {low: 0, high: .inf}", ["run.yaml:1: scale.high: inf; give a finite number"]),
    ("scale: [1, 10]", ["run.yaml:1: scale: [1, 10]; write it as 1..10, or as low and high"]),
    ("norm: 0.5", ["run.yaml:1: norm: 0.5; give a number of 1 or more"]),
    ("norm: max", ['run.yaml:1: norm: "max"; give a number']),
    ("confidence: 95", ["run.yaml:1: confidence: 95; give a number below 1"]),
    ("seed: 1.5", ["run.yaml:1: seed: 1.5; give a whole number"]),
    ("seed: -1", ["run.yaml:1: seed: -1; give a number of 0 or more"]),
    ("keep_reasons: perhaps", ['run.yaml:1: keep_reasons: "perhaps"; write true or false']),
    (
        "confidence: null",
        ["run.yaml:1: confidence: it has no value; give one, or leave the key out"],
    ),
    ("criteria: [a]", ["run.yaml:1: criteria: it is a list; give text, in quotes if need be"]),
    ("criteria: ''", ["run.yaml:1: criteria: it is empty; give some text, or leave the key out"]),
    (
        "criteria: a\ncriteria_file: b",
        ["run.yaml:2: criteria_file: criteria is given too; give one of them"],
    ),
    ("strategy: pannel", ['run.yaml:1: strategy: "pannel" is no strategy; did you mean panel?']),
    (
        "strategy: oracle",
        [
            "run.yaml:1: strategy: oracle knows the truth, which only simulations do; choose "
            "one of panel, uniform, cyclic, single, est_ivwe, robin_hood"
        ],
    ),
    (
        "strategy: {kind: panel, targt: unbiased}",
        ["run.yaml:1: strategy.targt: there is no such key; did you mean target?"],
    ),
    (
        "strategy: {kind: panel, target: unbiassed}",
        ['run.yaml:1: strategy.target: "unbiassed"; did you mean unbiased?'],
    ),
    (
        "strategy: {kind: panel, guard: aks}",
        ['run.yaml:1: strategy.guard: "aks"; did you mean ask?'],
    ),
    (
        "strategy: {kind: single, judge: gpt-4o}",
        ['run.yaml:1: strategy.judge: no judge is called "gpt-4o"; did you mean gpt-4o-mini?'],
    ),
    ("strategy: single", ["run.yaml:1: strategy.judge: it is missing; give it"]),
    (
        "strategy: [panel]",
        ["run.yaml:1: strategy: this is no strategy; give keys and values below it"],
    ),
    ("limits: {concurrency: 0}", ["run.yaml:1: limits.concurrency: 0; give a number of 1 or more"]),
    (
        "limits: {rpm: 3}",
        [
            "run.yaml:1: limits.rpm: there is no such key; the keys here are concurrency, "
            "requests_per_minute, tokens_per_minute"
        ],
    ),
    ("limits: 3", ["run.yaml:1: limits: 3; give keys and values below it"]),
    (
        "patience: {first_wait: 100}",
        ["run.yaml:1: patience.first_wait: 100.0 s; above 0 and up to 60.0 s"],
    ),
    (
        "prompt: {user: '{{ response '}",
        [
            "run.yaml:1: prompt.user: line 1: unexpected end of template, expected 'end of "
            "print statement'; fix the template"
        ],
    ),
    (
        "prompt: {user: a, user_file: b}",
        ["run.yaml:1: prompt: it has both user and user_file; give one of them"],
    ),
    (
        "prompt: {user_file: nowhere.txt}",
        [
            "run.yaml:1: prompt.user_file: nowhere.txt: No such file or directory; name a file "
            "of text"
        ],
    ),
    ("labels: [a]", ["run.yaml:1: labels: this is not a path; name a file, as labels: labels.csv"]),
    (
        "labels: {paths: a.csv}",
        ["run.yaml:1: labels.paths: there is no such key; did you mean path?"],
    ),
    (
        "labels: {path: a.csv, scale: {low: 3}}",
        ["run.yaml:1: labels.scale: it does not have two ends; give low and high, or labels"],
    ),
    ("prompt: Score it", ['run.yaml:1: prompt: "Score it"; give keys and values below it']),
]

VALUES = [
    ("budget", "-5", ["run.yaml:2: budget: -5; an amount of money is zero or more, and finite"]),
    ("budget", "plenty", ["run.yaml:2: budget: 'plenty'; give an amount of money, as 12.50"]),
    ("budget", "[5]", ["run.yaml:2: budget: it is a list; give an amount of money, as 12.50"]),
    ("budget", "true", ["run.yaml:2: budget: 'True'; give an amount of money, as 12.50"]),
    (
        "items",
        "[a, b]",
        ["run.yaml:1: items: this is not a path; name a file, as items: items.jsonl"],
    ),
    (
        "items",
        "{file: x}",
        [
            "run.yaml:1: items.path: it is missing; give it",
            "run.yaml:1: items.file: there is no such key; did you mean fields?",
        ],
    ),
    (
        "items",
        "{path: x, fields: {answer: response}}",
        [
            "run.yaml:1: items.fields.answer: there is no such key; the keys here are id, "
            "prompt, response, reference, group, label"
        ],
    ),
    (
        "items",
        "-",
        ['run.yaml:1: a dash is out of place; put it in quotes, as "-", or on a line of its own'],
    ),
    ("items", "{path: x, limit: 0}", ["run.yaml:1: items.limit: 0; give a number of 1 or more"]),
]


@pytest.mark.parametrize(
    ("content", "expected"), [pytest.param(*case, id=name) for name, *case in WHOLE_FILES]
)
def test_what_is_wrong_with_a_file_is_said(problems, content, expected):
    assert problems(content) == expected


@pytest.mark.parametrize(("line", "expected"), AT_THE_TOP)
def test_what_is_wrong_with_a_key_is_said(problems, line, expected):
    assert problems(f"{line}\n{GOOD}") == expected


@pytest.mark.parametrize(("key", "value", "expected"), VALUES)
def test_what_is_wrong_with_items_and_budget_is_said(problems, key, value, expected):
    good = {"items": "items.jsonl", "budget": "5"}[key]
    assert problems(GOOD.replace(f"{key}: {good}", f"{key}: {value}")) == expected
