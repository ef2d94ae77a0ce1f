"""Definitions as JSON: the same bytes back, the published schema, and every problem in words."""

import json

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from surveys.definitions.definition import MOST_QUESTIONS
from surveys.definitions.documents import (
    DEEPEST_JSON,
    MOST_BYTES,
    BadDefinition,
    Contradiction,
    from_bytes,
    schema,
    to_bytes,
)
from tests.conftest import ROOT
from tests.surveys.definitions.drafts import EVERYTHING, definitions

PUBLISHED = ROOT / "docs" / "schemas" / "draft.json"
SMALL = {
    "deniable_draft": 1,
    "languages": ["en"],
    "title": {"en": "Habits"},
    "sections": [{"questions": [{"name": "a", "kind": "yes_no", "text": {"en": "Do you?"}}]}],
}


def problems(document: object) -> dict[str, str]:
    """What is said against a document, by JSON pointer."""
    content = document if isinstance(document, bytes) else json.dumps(document).encode()
    with pytest.raises(BadDefinition) as refusal:
        from_bytes(content)
    return {problem.pointer: str(problem.words) for problem in refusal.value.problems}


def with_question(**fields: object) -> dict:
    """The small document whose question has these fields."""
    question = {**SMALL["sections"][0]["questions"][0], **fields}
    return {**SMALL, "sections": [{"questions": [question]}]}


def test_what_was_not_chosen_has_no_place_in_the_file():
    assert json.loads(to_bytes(from_bytes(json.dumps(SMALL).encode()))) == SMALL


def test_a_draft_with_every_part_comes_back_the_same():
    content = to_bytes(EVERYTHING)
    assert from_bytes(content) == EVERYTHING
    assert to_bytes(from_bytes(content)) == content


@settings(max_examples=15)
@given(definitions())
def test_export_import_export_gives_the_same_bytes(definition):
    content = to_bytes(definition)
    assert from_bytes(content) == definition
    assert to_bytes(from_bytes(content)) == content


def test_a_file_that_is_written_otherwise_is_exported_canonically():
    spaced = json.dumps(json.loads(to_bytes(EVERYTHING)), indent=2).encode()
    assert to_bytes(from_bytes(b"\xef\xbb\xbf" + spaced)) == to_bytes(EVERYTHING)


def test_the_published_schema_is_the_programs():
    assert json.loads(PUBLISHED.read_text()) == schema(), "python -m benchmarks.schemas"


def test_the_schema_is_one_and_takes_what_is_exported():
    Draft202012Validator.check_schema(schema())
    Draft202012Validator(schema()).validate(json.loads(to_bytes(EVERYTHING)))


@pytest.mark.parametrize(
    ("document", "pointer", "words"),
    [
        ([], "", "object in braces"),
        ({}, "", "This file is not a draft of Deniable"),
        (
            {**SMALL, "deniable_draft": 2},
            "/deniable_draft",
            "version 2 of the format, but this program reads version 1",
        ),
        ({**SMALL, "deniable_draft": True}, "/deniable_draft", "Write the version"),
        ({**SMALL, "colour": "red"}, "/colour", "“colour” is not possible here"),
        ({"deniable_draft": 1}, "", "“title” is missing"),
        ({**SMALL, "languages": ["en", "en"]}, "/languages", "listed twice"),
        ({**SMALL, "languages": ["pt"]}, "/languages/0", "one of these words: en, de"),
        ({**SMALL, "languages": ["de"]}, "/title", "author's language, “de”, is missing"),
        ({**SMALL, "title": "Habits"}, "/title", "with its language"),
        ({**SMALL, "title": {"en": ""}}, "/title/en", "1 to 200 characters"),
        (
            {**SMALL, "title": {"en": "x", "xx": "y"}},
            "/title/xx",
            "not one of the possible languages",
        ),
        ({**SMALL, "sections": []}, "/sections", "a list of 1 to 300"),
        ({**SMALL, "promises": {"minutes": 0}}, "/promises/minutes", "from 1 to 240"),
        (with_question(name="if"), "/sections/0/questions/0/name", "SPSS or Stata"),
        (with_question(name=1), "/sections/0/questions/0/name", "in quotation marks"),
        (with_question(kind="photo"), "/sections/0/questions/0/kind", "one of these words: yes_no"),
        (with_question(minimum="1"), "/sections/0/questions/0/minimum", "cannot have “minimum”"),
        (with_question(required=1), "/sections/0/questions/0/required", "true or false"),
        (with_question(text={"en": "x" * 501}), "/sections/0/questions/0/text", "at most 500"),
        (
            with_question(rule={"is": ["z", "1"]}),
            "/sections/0/questions/0/rule",
            "depends on “z”, but no question has this name",
        ),
        (with_question(rule={"is": []}), "/sections/0/questions/0/rule", "arguments"),
        (
            with_question(design={"name": "warner", "p_sensitive": ["4/3"]}),
            "/sections/0/questions/0/design/p_sensitive/0",
            "a fraction from 0 to 1",
        ),
        (
            with_question(design={"name": "direct", "epsilon": "1"}),
            "/sections/0/questions/0/design/epsilon",
            "“direct” cannot have “epsilon”",
        ),
        (
            with_question(kind="choice", options=[{"value": "-1", "text": {"en": "x"}}]),
            "/sections/0/questions/0/options/0/value",
            "a whole number, or a name",
        ),
        (
            with_question(
                kind="choice",
                options=[{"value": v, "text": {"en": v}} for v in ("a", "A")],
            ),
            "/sections/0/questions/0/options",
            "The value “A” is used twice",
        ),
        (
            {**SMALL, "sections": SMALL["sections"] * 2},
            "/sections/1/questions/0/name",
            "Another question also has the name “a”",
        ),
        (
            with_question(kind="date", first_day="tomorrow"),
            "/sections/0/questions/0/first_day",
            "day",
        ),
        (b"\xff", "", "Byte 1 of the file is not valid UTF-8"),
        (b'{"a": 1,}', "", "The file is not valid JSON. Correct line 1, column"),
        (
            b'{"deniable_draft": 1, "deniable_draft": 1}',
            "",
            "“deniable_draft” is written here twice",
        ),
        (
            b'{"deniable_draft": NaN}',
            "/deniable_draft",
            "“NaN” is not a whole number, so it cannot be read exactly",
        ),
        (
            b'{"a": 0.1, "b": 1e999}',
            "/b",
            "“1e999” is not a whole number, so it cannot be read exactly",
        ),
        (b'{"a": ' + b"9" * 5000 + b"}", "/a", "cannot be read exactly"),
        (b'{"a": "\\ud800"}', "/a", "a character that cannot be stored"),
        (b'{"a": "\\u0000"}', "/a", "a character that cannot be stored"),
        (b'{"\\ud800": 1}', "", "a character that cannot be stored"),
        (
            b"[" * 100_000,
            "",
            f"too many parts inside each other. Nest parts at most {DEEPEST_JSON} levels deep",
        ),
        (b" " * (MOST_BYTES + 1), "", "more than 5 MB"),
    ],
)
def test_what_is_wrong_is_named_with_its_pointer(document, pointer, words):
    assert words in problems(document)[pointer]


SHAPES = [
    *(with_question(name=name) for name in ("a1", "1a", "all", "STR12", "strl", "x" * 25)),
    *(with_question(kind="number", minimum=text) for text in ("-2.5", "-0", "٣", "1.0", "-.5")),
    *(with_question(kind="number", minimum="1" * length) for length in (20, 21)),
    *(with_question(known_share=text) for text in ("1/6", "5/3", "1/", "00", "1/06", "0/0", "١")),
    *(with_question(text={"en": text}) for text in ("a\tb\n", "a\rb", "a\x7f", "a\x1f", "\x85")),
    *(with_question(kind="date", first_day=day) for day in ("2026-01-31", "٢٠٢٦-01-31")),
    *(with_question(kind="text", longest=length) for length in (222.0, 2e2, 0.5, 2e300, True)),
    *(with_question(rule={"is": ["a", value]}) for value in ("1" * 32, "1" * 33, "if", "-2.5")),
    *(with_question(rule={"marked": ["a", ticks]}) for ticks in (2.0, 1.5, 33)),
    *(with_question(rule={"answered": [name]}) for name in ("and", "a b")),
    *(with_question(rule={"all": [{"answered": ["a"]}] * count}) for count in (1, 64, 65)),
    {**SMALL, "deniable_draft": 1.0},
    {**SMALL, "promises": {"end_link": "\x00"}},
    *(
        {**SMALL, "explanations": [{"name": name, "text": {"en": text}}]}
        for name, text in (("tick", "Tick."), ("tick", "x" * 1001), ("", "Tick."), ("tick", ""))
    ),
]


@pytest.mark.parametrize("document", SHAPES)
def test_the_schema_takes_what_is_read_or_refused_as_a_contradiction_and_nothing_else(document):
    fits = Draft202012Validator(schema()).is_valid(document)
    try:
        from_bytes(json.dumps(document).encode())
    except Contradiction:
        pass
    except BadDefinition:
        assert not fits
        return
    assert fits


def test_a_whole_number_may_be_written_with_a_point():
    for length in (222.0, 2.22e2):
        (question,) = from_bytes(
            json.dumps(with_question(kind="text", longest=length)).encode()
        ).questions
        assert (question.longest, type(question.longest)) == (222, int)


def test_a_condition_that_is_too_large_or_names_what_is_reserved_contradicts_itself():
    rule = {"answered": ["a"]}
    for _ in range(8):
        rule = {"not": rule}
    for wrong in (rule, {"all": [{"answered": ["a"]}] * 64}, {"is": ["a", "all"]}):
        with pytest.raises(Contradiction):
            from_bytes(json.dumps(with_question(rule=wrong)).encode())


def test_all_problems_are_named_at_once():
    found = problems({**with_question(name="1", kind="photo"), "title": {}, "x~/y": 1})
    assert set(found) == {
        "/sections/0/questions/0/name",
        "/sections/0/questions/0/kind",
        "/title",
        "/x~0~1y",
    }


def test_brackets_within_texts_are_no_nesting():
    assert from_bytes(json.dumps(with_question(text={"en": '["\\' * 50})).encode())


def test_more_questions_than_a_survey_has_are_refused():
    question = SMALL["sections"][0]["questions"][0]
    halves = [
        {"questions": [{**question, "name": f"q{half}_{n}"} for n in range(200)]} for half in (1, 2)
    ]
    words = problems({**SMALL, "sections": halves})["/sections"]
    assert words == (
        f"There are 400 questions, but a survey can have at most {MOST_QUESTIONS}. "
        "Divide the questions between two surveys."
    )
