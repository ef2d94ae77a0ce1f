"""Each kind of question says why an author cannot ask it as it is, and is not launched.

A new kind adds its line to ``CASES``: how a question of it is made, and the fields with which it
cannot be asked. A text below “Other” is refused by what stands above it (``kinds/test_other.py``).
"""

from datetime import date
from decimal import Decimal

import pytest

from surveys.authoring.drafts import NotReady
from surveys.authoring.services import launch
from surveys.models import Question
from tests import factories
from tests.factories import BIRTHDAY, PLACES, SEVEN
from tests.unready import why

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
KINDS, DESIGNS = Question.Kind, Question.Design
K_ARY, NUMBER = {"design": DESIGNS.K_ARY}, {"kind": KINDS.NUMBER, "design": DESIGNS.DIRECT}
SHOWN = dict(design=DESIGNS.UNRELATED_SHOWN, p_sensitive="2/3", harmless=BIRTHDAY)
CROSSWISE = dict(design=DESIGNS.CROSSWISE, harmless=BIRTHDAY)
GROUPS = dict(design=DESIGNS.TWO_GROUPS, p_sensitive="3/4, 1/4", harmless=BIRTHDAY)
QUARTERS = {"harmless_yes": "1/4, 3/4"}
WARNER, UNRELATED = dict(design=DESIGNS.WARNER), dict(design=DESIGNS.UNRELATED)


def numbered(count: int) -> list[str]:
    return [str(number) for number in range(count)]


def add_required(draft, *options, **fields):
    return factories.add_question(draft, *options, **{"required": True, **fields})


def add_choice(draft, *options, **fields):
    return factories.add_question(draft, *options, kind=KINDS.CHOICE, **fields)


def add_number(draft, **fields):
    return factories.add_question(draft, **{**NUMBER, **fields})


def add_page(draft, **fields):
    return factories.add_question(draft, **{"kind": KINDS.CONSENT, **fields})


def add_trust(draft, **fields):
    return factories.add_question(draft, **{"kind": KINDS.TRUST, **fields})


def add_promising(draft, **fields):
    """Ratings of which promising items are shown more often."""
    return factories.add_rating(draft, adaptive=True, **fields)


# How a question is made, and (its options, its fields, what is said).
CASES = {
    add_required: (
        ((), {**CROSSWISE, "harmless_yes": "1/2"}, "says nothing"),
        ((), {**CROSSWISE, "harmless_yes": "0"}, "epsilon is infinite"),
        ((), {**CROSSWISE, "harmless_yes": "1"}, "epsilon is infinite"),
        ((), {**CROSSWISE, "harmless_yes": "1/1000"}, "nearly gives the truth away"),
        ((), {**CROSSWISE, "harmless_yes": ""}, "Give the share of Yes"),
        ((), {**CROSSWISE, "harmless_yes": "5/4"}, "not a probability"),
        ((), {**CROSSWISE, "harmless_yes": "NaN"}, "not a probability"),
        ((), {**CROSSWISE, "harmless_yes": "1/0"}, "not a probability"),
        ((), {**CROSSWISE, "harmless_yes": "½"}, "not a probability"),
        ((), {**SHOWN, "harmless_yes": "0"}, "epsilon is infinite"),
        ((), {**SHOWN, "harmless_yes": "1"}, "epsilon is infinite"),
        ((), {**SHOWN, "harmless_yes": "1/100003", "p_sensitive": "500/999983"}, "simpler ones"),
        ((), {**GROUPS, "harmless_yes": "1/4"}, "two values"),
        ((), {**GROUPS, "harmless_yes": "3/4, 1/4"}, "smaller bound first"),
        ((), {**GROUPS, "harmless_yes": "0, 1/2"}, "epsilon is infinite"),
        ((), {**GROUPS, "harmless_yes": "1/2, 1"}, "epsilon is infinite"),
        ((), {**GROUPS, "harmless_yes": "1/4, x"}, "not a probability"),
        ((), {**GROUPS, **QUARTERS, "p_sensitive": "1/2, 1/2"}, "different ones"),
        ((), {**GROUPS, **QUARTERS, "p_sensitive": "1/2"}, "two values"),
        ((), {**WARNER, "p_sensitive": ""}, "Give the probability"),
        ((), {**WARNER, "p_sensitive": "1/2"}, "says nothing"),
        ((), {**WARNER, "p_sensitive": "1/4"}, "write 3/4 in its place"),
        ((), {**WARNER, "p_sensitive": "1"}, "epsilon is infinite"),
        ((), {**WARNER, "p_sensitive": "999/1000"}, "nearly gives the truth away"),
        ((), {**UNRELATED, "harmless_yes": "1/2", "p_sensitive": "0"}, "must be asked sometimes"),
        ((), {**UNRELATED, "harmless_yes": "1/2", "p_sensitive": "1"}, "epsilon is infinite"),
        ((), {**UNRELATED, "harmless_yes": "0", "p_sensitive": "1/2"}, "epsilon is infinite"),
        (
            (),
            {"design": DESIGNS.FORCED_RESPONSE, "forced": "1/1000, 1/1000"},
            "nearly gives the truth away",
        ),
        (
            (),
            {"design": DESIGNS.FORCED_RESPONSE, "forced": "0,25; 0,125"},
            "Write forced probabilities as fractions or decimals: 1/6, 1/6.",
        ),
        ((), {"design": DESIGNS.OUE, "epsilon": 1, "required": False}, "choose “Single choice”"),
        ((), {**K_ARY, "required": False}, "epsilon"),
    ),
    add_choice: (
        (("one",), {}, "between 2 and 20"),
        (numbered(21), {}, "between 2 and 20"),
        (("Yes", "yes "), {}, "read the same"),
        (("a", "prefer not to say"), {}, "offered already"),
    ),
    add_number: (
        ((), {}, "smallest and the largest"),
        ((), {"minimum": 5, "maximum": 5}, "below"),
        ((), {"minimum": Decimal("0.5"), "maximum": Decimal(5)}, "decimal places"),
        ((), {"minimum": 0, "maximum": 5, "design": DESIGNS.TWO_COINS}, "directly"),
    ),
    add_page: (
        ((), {}, "choose the design “Direct”"),
        ((), {"kind": KINDS.INFORMATION}, "choose the design “Direct”"),
    ),
    add_trust: (
        ((), {}, "asked directly: choose that"),
        ((), {"kind": KINDS.HONEST}, "asked directly"),
    ),
    factories.add_text: (((), {"design": DESIGNS.TWO_COINS}, "directly"),),
    factories.add_ticks: (
        ("a", {}, "Give between 2 and 32 options; it has 1."),
        (numbered(33), {}, "Give between 2 and 32 options; it has 33."),
        ("aA", {}, "Two options read the same."),
        ("ab", {"most": 3}, "At most 3 of 2 options may be ticked"),
        ("ab", {"shown": 3}, "3 are to be sent, but there are only 2"),
        ("ab", K_ARY, "Write epsilon"),
        ("ab", {**WARNER, "p_sensitive": "3/4"}, "choose one of these"),
        ("abcde", {"shown": 5}, "Epsilon is 5.49: above 5"),
        ("ab", {**K_ARY, "epsilon": Decimal("0.0001")}, "cannot be worked out"),
    ),
    factories.add_matrix: (
        ("ab", {"table_rows": "Walk"}, "Give between 2 and 20 rows; it has 1."),
        ("ab", {"table_rows": ""}, "Give between 2 and 20 rows; it has 0."),
        ("ab", {"table_rows": "\n".join(numbered(21))}, "between 2 and 20 rows; it has 21."),
        ("ab", {"table_rows": "Walk\nwalk"}, "Two rows read the same."),
        ("ab", {"table_rows": f"Walk\n{'a' * 201}"}, "shorten it to 200 characters"),
        (numbered(12), {}, "Give between 2 and 11 columns; it has 12."),
        ("ab", {"shown": 4}, "4 are to be sent, but there are only 3: send at most 3."),
        ("ab", K_ARY, "Write epsilon"),
    ),
    factories.add_ranking: (
        ("a", {}, "Give between 2 and 8 options; it has 1."),
        ("abcdefghi", {}, "Give between 2 and 8 options; it has 9."),
        ("aA", {}, "Two options read the same."),
        ("ab", {"required": False}, "tick “required”, or ask directly"),
        ("ab", K_ARY, "Write epsilon"),
        ("ab", WARNER, "choose one of these"),
    ),
    factories.add_rounded: (
        ((), {"maximum": 101}, "There are 102 numbers between the bounds; a device takes at most"),
        ((), {"decimal_places": 1}, "There are 1,001 numbers"),
        ((), {"required": False}, "tick “required”, or ask directly"),
        ((), {"epsilon": None}, "Write epsilon"),
        ((), {"maximum": None}, "Give the smallest and the largest number."),
        ((), {"design": DESIGNS.TWO_COINS}, "asked directly or with the k-ary design"),
    ),
    factories.add_day: (
        ((), {"first_day": None}, "Give the first and the last day."),
        ((), {"last_day": date(2025, 3, 15)}, "The first day must be before the last."),
        ((), {"design": DESIGNS.OUE}, "choose one of these"),
        (
            (),
            {"design": DESIGNS.TWO_COINS, "last_day": date(2057, 1, 1)},
            "These are 33 years; a device takes at most 32 periods",
        ),
        (
            (),
            {"design": DESIGNS.TWO_COINS, "last_day": date(2025, 3, 31)},
            "All days lie in one month",
        ),
    ),
    factories.add_long_scale: (
        (SEVEN[:6], {}, "7 to 11 answers; this question has 6"),
        (numbered(12), {}, "7 to 11 answers; this question has 12"),
        (SEVEN, {"required": False}, "tick “required”"),
        (SEVEN, {"epsilon": None}, "needs its epsilon"),
        (SEVEN, {"kind": "choice"}, "choose “Scale”"),
    ),
    factories.add_long_list: (
        ([f"Option {n}" for n in range(201)], {}, "between 2 and 200 options; it has 201"),
        (["one"], {}, "between 2 and 200"),
        (["same", "Same "], {}, "read the same"),
        (["a" * 190 + str(n) for n in range(50)], {}, "more than 8,000 characters"),
        (PLACES, {"epsilon": None}, "needs its epsilon"),
        (PLACES, {"kind": "scale"}, "choose “Single choice”"),
        (
            PLACES,
            K_ARY,
            "between 2 and 20 options; it has 200. A design for long lists takes up to 200",
        ),
    ),
    factories.add_rating: (
        ((), {"catalogue": None}, "Choose the catalogue whose items are rated."),
        ((), {"size": 0}, "is empty: add its items first"),
        ((), {"shown": 5}, "has only 4: show at most 4, or 0 for all"),
        ((), {"size": 51}, "say how many each respondent rates, at most 50"),
        ((), {"size": 60, "shown": 51}, "No one rates more than 50 items"),
        (("One",), {}, "between 2 and 11 levels as options, the lowest first; it has 1"),
        (tuple("ABCDEFGHIJKL"), {}, "it has 12"),
        (("Good", " good"), {}, "Two levels of the scale read the same"),
        (("Bad", "not rated"), {}, "is offered already"),
        ((), K_ARY, "Write epsilon"),
        ((), {**K_ARY, "epsilon": 6}, "above 5"),
        ((), {**K_ARY, "epsilon": Decimal("0.01"), "size": 50}, "show fewer items"),
        ((), {"design": DESIGNS.TWO_COINS}, "directly or with the k-ary design"),
    ),
    add_promising: (
        ((), {}, "All respondents see all 4 items"),
        ((), {"shown": 4}, "All respondents see all 4 items"),
        (
            (),
            {**K_ARY, "shown": 2, "epsilon": Decimal("3.99")},
            "from an epsilon of 2 for each item; shared among 2, epsilon 3.9900 leaves 1.995",
        ),
        (
            (),
            {**K_ARY, "shown": 2, "epsilon": Decimal(3)},
            "leaves 1.5. Show items evenly, show fewer, allow more epsilon, or ask directly.",
        ),
    ),
}


@pytest.mark.parametrize(
    ("add", "options", "fields", "said"),
    [
        pytest.param(add, options, fields, said, id=f"{add.__name__}-{number}")
        for add, cases in CASES.items()
        for number, (options, fields, said) in enumerate(cases)
    ],
)
def test_a_question_that_cannot_be_asked_says_why_and_is_not_launched(
    draft, add, options, fields, said
):
    question = add(draft, *options, **fields)
    assert said in why(question)
    with pytest.raises(NotReady):
        launch(survey=draft, by=draft.owner)


def test_every_kind_has_something_to_say(draft):
    kinds = {
        add(draft, *options, **fields).kind
        for add, cases in CASES.items()
        for options, fields, _ in (cases[0], cases[-1])
    }
    assert kinds == set(KINDS) - {KINDS.OTHER}
