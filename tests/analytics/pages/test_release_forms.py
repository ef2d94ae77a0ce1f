"""The builder's form: every choice is checked before anything is planned."""

from dataclasses import replace

import pytest
from django.http import QueryDict
from django.utils.translation import override

from analytics.pages.releases.forms import BuilderForm
from analytics.workloads.asks import Ask
from surveys.kinds.levels.promise import Level, LevelQuestion
from surveys.kinds.number.promise import NumberQuestion, NumberRange

LEVELS = tuple(Level(f"{n:02}", text) for n, text in enumerate(("A", "B", "C")))


def levels(text: str, kind: str) -> LevelQuestion:
    display = (0, 1, 2)
    common = {"id": text, "text": text, "help": "", "required": True, "design": "direct"}
    return LevelQuestion(**common, kind=kind, levels=LEVELS, display=display)


AGE = NumberQuestion(
    id="n",
    text="Age?",
    help="",
    required=True,
    kind="number",
    design="direct",
    number=NumberRange("18", "99", 0),
)
ITEMS = [(1, levels("Town?", "choice")), (2, levels("Mood?", "scale")), (4, AGE)]
PLAN = {
    "ask1": "counts",
    "ask2": "cdf",
    "ask4": "counts",
    "cuts4": "30, 45",
    "which": "alone",
    "listed": "4 1",
    "percent": "12.5",
    "audience": "staff",
}


def form(**changes: str) -> BuilderForm:
    return BuilderForm({**PLAN, **changes}, items=ITEMS)


def test_a_plan_is_questions_tables_and_a_share():
    chosen = form()
    assert chosen.is_valid(), chosen.errors
    found = chosen.settings
    assert [(one.number, one.ask, one.cuts) for one in found.questions] == [
        (1, Ask.COUNTS, ()),
        (2, Ask.CDF, ()),
        (4, Ask.COUNTS, ("30", "45")),
    ]
    assert found.tables == ((1,), (2,), (4,), (1, 4))
    assert not found.is_public
    assert float(chosen.share) == 0.125


def test_pairs_are_every_two_questions_and_listed_ones_are_not_asked_twice():
    chosen = form(which="pairs", audience="link")
    assert chosen.is_valid(), chosen.errors
    assert chosen.settings.tables == ((1,), (2,), (4,), (1, 2), (1, 4), (2, 4))
    assert chosen.settings.is_public


def test_only_listed_tables_need_only_their_questions():
    chosen = form(which="listed", ask2="", listed="1\n4, 1\n")
    assert chosen.is_valid(), chosen.errors
    assert chosen.settings.tables == ((1,), (1, 4))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"percent": "0"}, "Give more than 0"),
        ({"percent": "NaN"}, "Enter a number"),
        ({"percent": "1e400"}, "no more than 6 digits"),
        ({"percent": "-1"}, "greater than or equal to 0"),
        ({"percent": "100.001"}, "less than or equal to 100"),
        ({"percent": ""}, "This field is required"),
        ({"cuts4": "45, 30"}, "write the numbers from low to high"),
        ({"cuts4": "x"}, "write numbers, such as 30"),
        ({"listed": "2, x"}, "Write numbers of questions"),
        ({"listed": "1 3"}, "only numbers of questions that you chose"),
        ({"listed": "1 1"}, "list each question of a table only once"),
        ({"ask1": "cdf"}, "not one of the available choices"),
        ({"which": "listed", "listed": ""}, "choose at least one table"),
        ({"ask1": "", "ask2": "", "ask4": "", "listed": ""}, "choose 1 to 40"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_with_the_reason(change, said):
    refused = form(**change)
    assert not refused.is_valid()
    assert said in str(refused.errors)


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("typed", ["12.5", "12,5", "12.500"])
def test_a_share_of_the_budget_may_have_a_comma_as_other_percentages(language, typed):
    with override(language):
        chosen = form(percent=typed)
        assert chosen.is_valid(), chosen.errors
        assert float(chosen.share) == 0.125
        assert chosen["percent"].value() == typed


def test_a_link_asks_for_the_same_again():
    again = BuilderForm(QueryDict(form().permalink), items=ITEMS)
    assert again.is_valid(), again.errors
    assert again.settings == _settings(form())


def _settings(chosen: BuilderForm):
    assert chosen.is_valid()
    return chosen.settings


@pytest.mark.parametrize("typed", ["30;45", "30 45", "30, 45", "30; 45"])
@pytest.mark.parametrize("language", ["en", "de"])
def test_cuts_are_parted_by_semicolons_blanks_and_commas_before_blanks(language, typed):
    with override(language):
        chosen = form(cuts4=typed)
        assert chosen.is_valid(), chosen.errors
        assert chosen.settings.questions[-1].cuts == ("30", "45")


def test_where_thousands_have_a_point_no_budget_is_spent_on_a_cut_that_is_another():
    income = replace(AGE, number=NumberRange("0", "5000", 0))
    plan = {**PLAN, "cuts4": "1.000; 2.000"}
    with override("de"):
        chosen = BuilderForm(plan, items=[*ITEMS[:2], (4, income)])
        assert chosen.errors == {
            "cuts4": ["„1.000“ lässt sich auf zwei Weisen lesen. Schreiben Sie 1000 oder 1.0000."]
        }


def test_where_decimals_have_a_comma_no_budget_is_spent_on_two_cuts_that_are_one():
    english = form(cuts4="30,45")
    assert english.is_valid()
    assert english.settings.questions[-1].cuts == ("30", "45")
    with override("de"):
        chosen = form(cuts4="30,45")
        assert not chosen.is_valid()
        assert chosen.errors == {
            "cuts4": [
                "Schreiben Sie Dezimalzahlen mit Punkt, und setzen Sie zwischen Zahlen ein "
                "Semikolon oder Leerzeichen."
            ]
        }
        assert "30; 45" in chosen["cuts4"].help_text
        assert "Semikolon" in chosen["cuts4"].help_text
