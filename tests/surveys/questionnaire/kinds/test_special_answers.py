"""Answers beside a number, asked directly: what is sent, refused, read by rules and counted."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.kinds.number.promise import NumberQuestion, NumberRange, Special
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.logic.cells import cells
from surveys.questionnaire.logic.rules import Given, Rule
from surveys.questionnaire.refusals import Refused
from surveys.randomized_response.files.codebooks import codebook_columns
from surveys.results.codebook.columns import LAST_PARTS
from surveys.results.columns import ExportColumn
from surveys.results.exports import CODES, LABELS
from surveys.results.labelled.variables import VARIABLES, Reason
from surveys.results.queries import ItemCounts
from surveys.results.reading import Reading
from surveys.results.rows.numbers import number_report

UNKNOWN, REFUSED = Special("999", "Do not know"), Special("-9", "Refused")


def asked(low: str = "0", high: str = "120", places: int = 0, **fields: object) -> NumberQuestion:
    special = fields.pop("special", (UNKNOWN, REFUSED))
    number = NumberRange(low, high, places, special)
    usual = {"text": "How old?", "help": "", "required": False, "kind": "number"}
    return NumberQuestion(id="a", design="direct", number=number, **{**usual, **fields})


DRINKS = asked()


# ---- What is sent --------------------------------------------------------------------------------


def test_a_special_answer_is_as_wide_as_a_number_and_none():
    assert list(DRINKS.number.special_by_sent) == ["aaa", "bbb"]
    for item in (DRINKS, asked("0", "8"), asked("-5.0", "5.0", 1)):
        for code in item.number.special_by_sent:
            assert len(code) == item.width == len(item.not_asked) == len(item.number.declined)
            assert item.read([code], own_coin=False) == code
            assert not item.has_number(code)


@pytest.mark.parametrize("code", ["999", "-9", "-09", "ccc", "aab", "aa", "aaaa", "AAA", "a..", ""])
def test_the_script_sends_nothing_else(code):
    with pytest.raises(Refused):
        DRINKS.read([code], own_coin=False)


@given(st.text(max_size=6))
def test_whatever_is_sent_is_an_answer_or_refused(text):
    try:
        code = DRINKS.read([text], own_coin=False)
    except Refused:
        return
    assert code == text
    assert DRINKS.number.accepts(code) or code in ("aaa", "bbb", "---")


def test_without_special_answers_no_letter_is_accepted():
    with pytest.raises(Refused):
        asked(special=()).read(["aaa"], own_coin=False)


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("999", "aaa"),
        ("+999+", "aaa"),
        ("999---", "aaa"),
        ("%D9%A9%D9%A9%D9%A9", "aaa"),  # in Arabic digits
        ("-9", "bbb"),
        ("%E2%88%929", "bbb"),  # with a minus sign of typography
        ("---9", "009"),
        ("7", "007"),
        ("---", "---"),
    ],
)
def test_by_hand_a_person_writes_the_code_of_the_author(typed, code):
    assert DRINKS.read([typed], own_coin=True) == code


@pytest.mark.parametrize("typed", ["-8", "998", "9999", "aaa", "Do+not+know", "9" * 40, "-99"])
def test_by_hand_any_other_number_is_refused(typed):
    with pytest.raises(Refused):
        DRINKS.read([typed], own_coin=True)


def test_by_hand_all_codes_are_written_in_one_length():
    for item in (DRINKS, asked("0", "9999"), asked("-5.0", "5.0", 1)):
        written = item.number.by_hand.special
        assert {len(code) for code in written} == {item.number.by_hand.width}
        assert [item.read([code], own_coin=True) for code in written] == [
            *item.number.special_by_sent
        ]


def test_a_code_may_be_wider_than_every_number_and_have_decimals():
    item = asked("-5.0", "5.0", 1, special=(Special("99.5", "A"), Special("100000", "B")))
    assert [item.read([typed], own_coin=True) for typed in ("99,5", "100000")] == ["aaaa", "bbbb"]
    assert item.number.by_hand.width == 6
    assert asked("0", "8", special=(Special("9", "A"),)).read(["9"], own_coin=True) == "a"


# ---- Documents -----------------------------------------------------------------------------------


def test_a_document_has_them_and_none_where_there_are_none():
    survey = Questionnaire("t", "i", "o", "c", 5, (DRINKS, asked(special=())))
    document = survey.to_document()
    with_them, without = (item["number"] for item in document["items"])
    assert with_them["special"][0] == {"code": "999", "text": {"en": "Do not know"}}
    assert without == {"minimum": "0", "maximum": "120", "decimal_places": 0}
    assert Questionnaire.from_document(document) == survey


# ---- Rules ---------------------------------------------------------------------------------------


def test_a_special_answer_is_an_answer_and_neither_less_nor_more():
    given_answers = {1: DRINKS.in_rules.given("aaa")}
    assert Rule("answered", 1).holds(given_answers)
    assert Rule("is", 1, codes=("aaa",)).holds(given_answers)
    assert not Rule("is", 1, codes=("bbb",)).holds(given_answers)
    assert not Rule("less", 1, number=10_000).holds(given_answers)
    assert not Rule("most", 1, number=10_000).holds(given_answers)
    assert DRINKS.in_rules.given("---") is None


def test_rules_tell_special_answers_apart_where_a_person_s_loss_is_worked_out():
    told = DRINKS.in_rules.told_apart({18})
    assert {answer.codes for answer in told if answer} == {(), ("aaa",), ("bbb",)}
    assert None in told
    rule = Rule("any", parts=(Rule("is", 1, codes=("aaa",)), Rule("less", 1, number=18)))
    walked = cells((DRINKS, replace(DRINKS, rule=rule)))
    assert walked is not None
    assert (Given(("aaa",)), None) in list(walked)


# ---- Results and files ---------------------------------------------------------------------------


def test_the_mean_leaves_them_out_and_says_how_many_gave_each():
    counts = Counter({"010": 3, "020": 1, "aaa": 5, "bbb": 2, "---": 4})
    report = number_report(DRINKS, 1, ItemCounts(DRINKS, counts), Reading())
    assert report.n == 4
    assert report.mean == 12.5
    assert report.special == (("Do not know", 5), ("Refused", 2))
    assert report.declined == 4
    assert (report.smallest, report.largest) == (10, 20)


def test_files_have_the_words_or_the_code_of_the_author():
    assert [CODES(DRINKS, code) for code in ("007", "aaa", "---")] == [["007"], ["999"], ["---"]]
    assert LABELS(DRINKS, "bbb", {}) == ["Refused"]


def test_statistics_programs_know_each_as_a_reason_of_its_own():
    (variable,) = VARIABLES(DRINKS, [ExportColumn("age", "age")])
    assert variable.missing["999"] is Reason.FIRST
    assert variable.words_of(Reason.SECOND) == "Refused"
    numbers = variable.missing_numbers
    assert len(set(numbers.values())) == len(numbers) == 4
    assert all(number < 0 for number in numbers.values())
    assert variable.width == 3


def test_a_number_without_special_answers_has_the_missing_numbers_of_before():
    (variable,) = VARIABLES(asked("-96", "5", special=()), [ExportColumn("age", "age")])
    assert variable.missing_numbers == {Reason.NOT_ASKED: -99, Reason.DECLINED: -98}


def test_the_codebook_tells_other_programs_that_the_codes_are_no_numbers():
    entry = {"name": "age", "column": "age", **LAST_PARTS(DRINKS)}
    assert entry["special"][1] == {"code": "-9", "text": "Refused"}
    assert "stands in the column of reasons" in entry["how_to_read_special"].replace("\n", " ")
    (column,) = codebook_columns({"columns": [entry]}, "age")
    assert {"999", "Do not know", "-9", "Refused"} <= set(column.missing)
