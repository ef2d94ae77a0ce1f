"""What each kind of question refuses of a body, and which can be asked with an own coin.

A new kind adds its line to ``REFUSED`` and to ``OFFERED``.
"""

import re
from decimal import Decimal
from functools import partial
from urllib.parse import urlencode

import pytest

from surveys.authoring.drafts import item_of
from surveys.models import Question, Response
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.refusals import Refused
from tests.bodies import body_of
from tests.factories import (
    add_day,
    add_long_list,
    add_long_scale,
    add_matrix,
    add_question,
    add_ranking,
    add_rating,
    add_rounded,
    add_ticks,
    launched,
)
from tests.posting import post

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_database,
    pytest.mark.usefixtures("_static_files"),
]
DESIGNS = Question.Design
DIRECT, K_ARY = {"design": DESIGNS.DIRECT}, {"design": DESIGNS.K_ARY}
NOT_STORED = "These answers (were not stored|are not stored yet):"
TWICE = "These answers were not stored: in one question, two items have the same rank."
# Days that there are not, that are out of the range, or that are written in another way.
NO_DAYS = (
    *("2026-02-31", "2025-02-29", "2025-03-14", "2026-02-01", "20250401", "2025-W20-1"),
    *("2025-4-1", "01.04.2025", "2025-13-01", "", "----------", "２０２５-04-01"),
)
# The paths on which a question refuses, how it is made, and the values of its fields.
BOTH, SCRIPT = (False, True), (False,)
REFUSED = {
    "ticks": (
        SCRIPT,
        partial(add_ticks, shown=2),
        [
            ["0101", "0101"],  # one option twice
            ["0101", "0100"],
            ["0001", "0101"],
            ["0501", "0101"],  # there are four
            ["0102", "0201"],  # nobody can decline
            ["01", "0201"],
            ["0101", "----"],
            ["----", "----"],
            ["010a", "0201"],
            ["+101", "0201"],
            ["", ""],
        ],
    ),
    "matrix": (
        SCRIPT,
        add_matrix,
        [["0401"], ["0001"], ["0102"], ["01"], ["----"], ["01-1"], ["0101x"]],
    ),
    "order": (
        SCRIPT,
        partial(add_ranking, **DIRECT),
        [
            ["0100", "0200", "0301", "0402"],
            ["0100", "0201"],
            ["0100", "0101", "0302", "0403"],
            ["0104", "0201", "0302", "0403"],
        ],
    ),
    "pair": (SCRIPT, add_ranking, [["0700"], ["0002"], ["0102"], ["----"], ["01"], ["010101"]]),
    "rounded": (SCRIPT, add_rounded, [["03"], ["50"], ["050"], ["--"], [""], ["0a"]]),
    "day": (BOTH, partial(add_day, required=True), [[day] for day in NO_DAYS]),
    "required day": (SCRIPT, partial(add_day, required=True), [["x" * 10]]),
    "long scale": (SCRIPT, add_long_scale, [["--"], ["99"], ["0"], ["0a"]]),
}
# How a question is made, what a person with an own coin sends, and what the page then says.
CORRECTED = {
    "order": (partial(add_ranking, **DIRECT), ["0100", "0200", "0300", "0401"], (TWICE,)),
    "day": (
        add_day,
        ["2025-02-31"],
        ("Write a date from 2025-03-15 to 2026-01-31", 'value="2025-02-31"'),
    ),
}
OFFERED = [
    (add_question, (), {}, True),
    (add_ticks, (), DIRECT, True),
    (add_ticks, (), {}, True),  # one option, drawn by a die
    (add_ticks, (), {"shown": 2}, False),
    (add_ticks, (), {"shown": 4, "most": 1}, True),  # a coin for each
    (add_ticks, (), {**K_ARY, "epsilon": Decimal(1)}, False),
    (add_ticks, "abcdefg", {"shown": 7, "most": 1}, False),  # too many coins
    (add_matrix, (), {}, True),
    (add_matrix, (), {"shown": 2}, False),
    (add_ranking, "abcdefgh", {}, True),  # 28 pairs are two throws of a die
    (add_rounded, (), {}, False),
    (add_day, (), {}, True),
    (add_long_list, (), {}, False),
    (add_long_scale, (), {}, False),
    (add_rating, (), {}, True),
    (add_rating, (), {**K_ARY, "epsilon": Decimal(3)}, False),
]


def body_with(survey, values: list[str], *, own_coin: bool) -> str:
    """The body of a survey's only question with these values of its fields."""
    names = questionnaire_of(survey.revision).items[0].fields(0)
    start, _, _ = body_of(survey.revision, own_coin=own_coin).decode().partition(f"&{names[0]}=")
    return f"{start}&{urlencode(list(zip(names, values, strict=False)))}"


@pytest.mark.parametrize(
    ("name", "own_coin"), [(name, own) for name, (paths, *_) in REFUSED.items() for own in paths]
)
def test_what_no_page_sends_is_refused_and_nothing_is_stored(draft, name, own_coin):
    _, add, refused = REFUSED[name]
    add(draft)
    survey = launched(draft)
    (item,) = questionnaire_of(survey.revision).items
    for values in refused:
        with pytest.raises(Refused):
            pytest.fail(f"{values} is read as {item.read(values, own_coin=own_coin)}")
        reply = post(survey, body_with(survey, values, own_coin=own_coin))
        assert (reply.status_code, Response.objects.count()) == (400, 0), values
        assert re.search(NOT_STORED, reply.content.decode()), values


@pytest.mark.parametrize("name", CORRECTED)
def test_what_was_filled_in_wrongly_by_hand_can_be_corrected_and_nothing_is_stored(draft, name):
    add, values, said = CORRECTED[name]
    add(draft)
    survey = launched(draft)
    reply = post(survey, body_with(survey, values, own_coin=True))
    page = reply.content.decode()
    assert (reply.status_code, Response.objects.count()) == (400, 0)
    assert all(words in page for words in said)


@pytest.mark.parametrize(("add", "options", "fields", "offered"), OFFERED)
def test_an_own_coin_asks_what_coins_and_a_die_can_send(draft, add, options, fields, offered):
    assert item_of(add(draft, *options, **fields)).is_offered_with_own_coin == offered
