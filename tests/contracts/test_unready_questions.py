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
        ((), {**CROSSWISE, "harmless_yes": "1/1000"}, "nearly reveals the truth"),
        (
            (),
            {**CROSSWISE, "harmless_yes": ""},
            "The share of Yes to the second question is missing",
        ),
        ((), {**CROSSWISE, "harmless_yes": "5/4"}, "not a probability"),
        ((), {**CROSSWISE, "harmless_yes": "NaN"}, "not a probability"),
        ((), {**CROSSWISE, "harmless_yes": "1/0"}, "not a probability"),
        ((), {**CROSSWISE, "harmless_yes": "½"}, "not a probability"),
        ((), {**SHOWN, "harmless_yes": "0"}, "epsilon is infinite"),
        ((), {**SHOWN, "harmless_yes": "1"}, "epsilon is infinite"),
        (
            (),
            {**SHOWN, "harmless_yes": "1/100003", "p_sensitive": "500/999983"},
            "Write simpler fractions",
        ),
        ((), {**GROUPS, "harmless_yes": "1/4"}, "two values"),
        ((), {**GROUPS, "harmless_yes": "3/4, 1/4"}, "Write the smaller of the two numbers first"),
        ((), {**GROUPS, "harmless_yes": "0, 1/2"}, "epsilon is infinite"),
        ((), {**GROUPS, "harmless_yes": "1/2, 1"}, "epsilon is infinite"),
        ((), {**GROUPS, "harmless_yes": "1/4, x"}, "not a probability"),
        (
            (),
            {**GROUPS, **QUARTERS, "p_sensitive": "1/2, 1/2"},
            "Give the groups different probabilities",
        ),
        ((), {**GROUPS, **QUARTERS, "p_sensitive": "1/2"}, "two values"),
        ((), {**WARNER, "p_sensitive": ""}, "The probability of the question is missing"),
        ((), {**WARNER, "p_sensitive": "1/2"}, "says nothing"),
        ((), {**WARNER, "p_sensitive": "1/4"}, "Write 3/4 instead"),
        ((), {**WARNER, "p_sensitive": "1"}, "epsilon is infinite"),
        ((), {**WARNER, "p_sensitive": "999/1000"}, "nearly reveals the truth"),
        ((), {**UNRELATED, "harmless_yes": "1/2", "p_sensitive": "0"}, "must be asked sometimes"),
        ((), {**UNRELATED, "harmless_yes": "1/2", "p_sensitive": "1"}, "epsilon is infinite"),
        ((), {**UNRELATED, "harmless_yes": "0", "p_sensitive": "1/2"}, "epsilon is infinite"),
        (
            (),
            {"design": DESIGNS.FORCED_RESPONSE, "forced": "1/1000, 1/1000"},
            "nearly reveals the truth",
        ),
        (
            (),
            {"design": DESIGNS.FORCED_RESPONSE, "forced": "0,25; 0,125"},
            "Enter the probabilities of forced answers as fractions or decimals, such as 1/6, 1/6.",
        ),
        (
            (),
            {"design": DESIGNS.OUE, "epsilon": 1, "required": False},
            "Choose the kind “Single choice”",
        ),
        ((), {**K_ARY, "required": False}, "epsilon"),
    ),
    add_choice: (
        (("one",), {}, "between 2 and 20"),
        (numbered(21), {}, "between 2 and 20"),
        (("Yes", "yes "), {}, "have the same words"),
        (("a", "prefer not to say"), {}, "Remove the option “Prefer not to say”"),
    ),
    add_number: (
        ((), {}, "smallest and the largest"),
        ((), {"minimum": 5, "maximum": 5}, "below"),
        ((), {"minimum": Decimal("0.5"), "maximum": Decimal(5)}, "decimal places"),
        ((), {"minimum": 0, "maximum": 5, "design": DESIGNS.TWO_COINS}, "directly"),
    ),
    add_page: (
        ((), {}, "Choose the design “Direct”"),
        ((), {"kind": KINDS.INFORMATION}, "Choose the design “Direct”"),
    ),
    add_trust: (
        ((), {}, "can only be asked directly. Choose the design “Direct”"),
        ((), {"kind": KINDS.HONEST}, "can only be asked directly"),
    ),
    factories.add_text: (((), {"design": DESIGNS.TWO_COINS}, "directly"),),
    factories.add_ticks: (
        ("a", {}, "Enter between 2 and 32 options. This question has 1."),
        (numbered(33), {}, "Enter between 2 and 32 options. This question has 33."),
        ("aA", {}, "Two options have the same words. Change one of the options."),
        ("ab", {"most": 3}, "The limit of 3 ticked options does not fit the 2 options"),
        (
            "ab",
            {"shown": 3},
            "You chose to send 3 options or rows from each person, but this question has only 2.",
        ),
        ("ab", K_ARY, "Enter epsilon"),
        (
            "ab",
            {**WARNER, "p_sensitive": "3/4"},
            "choose one of these designs: direct, two coins, or k-ary.",
        ),
        ("abcde", {"shown": 5}, "Epsilon is 5.49, but 5 is the most that is allowed."),
        ("ab", {**K_ARY, "epsilon": Decimal("0.0001")}, "cannot be calculated"),
    ),
    factories.add_matrix: (
        ("ab", {"table_rows": "Walk"}, "Enter between 2 and 20 rows. This question has 1."),
        ("ab", {"table_rows": ""}, "Enter between 2 and 20 rows. This question has 0."),
        (
            "ab",
            {"table_rows": "\n".join(numbered(21))},
            "between 2 and 20 rows. This question has 21.",
        ),
        (
            "ab",
            {"table_rows": "Walk\nwalk"},
            "Two rows have the same text. Change or remove one row.",
        ),
        ("ab", {"table_rows": f"Walk\n{'a' * 201}"}, "shorten it to 200 characters"),
        (numbered(12), {}, "Enter between 2 and 11 columns. This question has 12."),
        (
            "ab",
            {"shown": 4},
            "You chose to send 4 options or rows from each person, but this question has only 3. "
            "Enter at most 3.",
        ),
        ("ab", K_ARY, "Enter epsilon"),
    ),
    factories.add_ranking: (
        ("a", {}, "Enter between 2 and 8 options. This question has 1."),
        ("abcdefghi", {}, "Enter between 2 and 8 options. This question has 9."),
        ("aA", {}, "Two options have the same words. Change one of the options."),
        ("ab", {"required": False}, "Tick “required”, or ask the question directly"),
        ("ab", K_ARY, "Enter epsilon"),
        ("ab", WARNER, "choose one of these designs: direct, two coins, or k-ary."),
    ),
    factories.add_rounded: (
        (
            (),
            {"maximum": 101},
            "There are 102 numbers between the bounds, but a protected question can have at most",
        ),
        ((), {"decimal_places": 1}, "There are 1,001 numbers"),
        ((), {"required": False}, "Tick “required”, or ask the question directly"),
        ((), {"epsilon": None}, "Enter epsilon"),
        ((), {"maximum": None}, "Enter the smallest and the largest number."),
        ((), {"design": DESIGNS.TWO_COINS}, "asked directly or with the k-ary design"),
    ),
    factories.add_day: (
        ((), {"first_day": None}, "Enter the first and the last day."),
        ((), {"last_day": date(2025, 3, 15)}, "The first day must be before the last day."),
        ((), {"design": DESIGNS.OUE}, "Choose one of these designs"),
        (
            (),
            {"design": DESIGNS.TWO_COINS, "last_day": date(2057, 1, 1)},
            "span 33 years. This is too long: a protected question can have at most 32 periods",
        ),
        (
            (),
            {"design": DESIGNS.TWO_COINS, "last_day": date(2025, 3, 31)},
            "All days are in one month",
        ),
    ),
    factories.add_long_scale: (
        (SEVEN[:6], {}, "7 to 11 options, but this question has 6 options"),
        (numbered(12), {}, "7 to 11 options, but this question has 12 options"),
        (SEVEN, {"required": False}, "Tick “required”"),
        (SEVEN, {"epsilon": None}, "needs an epsilon. Enter epsilon."),
        (SEVEN, {"kind": "choice"}, "Choose the kind “Scale”"),
    ),
    factories.add_long_list: (
        (
            [f"Option {n}" for n in range(201)],
            {},
            "Offer between 2 and 200 options. This question has 201.",
        ),
        (["one"], {}, "between 2 and 200"),
        (["same", "Same "], {}, "have the same words"),
        (["a" * 190 + str(n) for n in range(50)], {}, "more than 8,000 characters"),
        (PLACES, {"epsilon": None}, "needs an epsilon. Enter epsilon."),
        (PLACES, {"kind": "scale"}, "Choose the kind “Single choice”"),
        (
            PLACES,
            K_ARY,
            "between 2 and 20 options. This question has 200. "
            "To offer more options, choose a design for long lists, with up to 200 options.",
        ),
    ),
    factories.add_rating: (
        ((), {"catalogue": None}, "Choose the catalogue of items that respondents rate."),
        ((), {"size": 0}, "is empty. Add items to the catalogue first."),
        ((), {"shown": 5}, "has only 4 items. Show at most 4 items, or enter 0 for all"),
        ((), {"size": 51}, "Enter how many items each respondent rates, at most 50"),
        ((), {"size": 60, "shown": 51}, "no one rates more than 50 items with care"),
        (("One",), {}, "options for the scale, the lowest option first. This scale has 1."),
        (tuple("ABCDEFGHIJKL"), {}, "This scale has 12."),
        (("Good", " good"), {}, "Two options of the scale have the same text"),
        (("Bad", "not rated"), {}, "Remove the option “Not rated”"),
        ((), K_ARY, "Enter epsilon"),
        ((), {**K_ARY, "epsilon": 6}, "Epsilon is 6.00, but 5 is the most that is allowed."),
        ((), {**K_ARY, "epsilon": Decimal("0.01"), "size": 50}, "Show fewer items"),
        ((), {"design": DESIGNS.TWO_COINS}, "directly or with the k-ary design"),
    ),
    add_promising: (
        ((), {}, "all respondents see all 4 items"),
        ((), {"shown": 4}, "all respondents see all 4 items"),
        (
            (),
            {**K_ARY, "shown": 2, "epsilon": Decimal("3.99")},
            "each item needs an epsilon of at least 2. "
            "Epsilon 3.9900 is shared among 2 items, so each item has only 1.995.",
        ),
        (
            (),
            {**K_ARY, "shown": 2, "epsilon": Decimal(3)},
            "so each item has only 1.5. "
            "Show items evenly, show fewer items, choose a larger epsilon, or ask for the ratings "
            "directly.",
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
