"""An answer that is renamed on its question's page is renamed in the rules that name it."""

import html

import pytest
from django.urls import reverse

from surveys.authoring.editor.renames import LONGEST_VALUE, renamed, shifts
from surveys.models import Condition, Question
from tests.factories import add_condition, add_question
from tests.question_forms import question_form

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        ("Never Once Often", "Never Once Daily", {"Often": "Daily"}),
        ("Never Once Often", "No Twice Daily", {"Never": "No", "Once": "Twice", "Often": "Daily"}),
        ("Never Once Often", "Never Rarely Once Daily", {"Often": "Daily"}),
        ("Never Once Often", "Often Once Never", {}),
        ("Never Once Often", "Never Often Daily", {}),
        ("Never Once Often", "Never", {}),
        ("Never Once", "Never Twice Daily", {}),
        ("", "Never Once", {}),
        ("Never Once", "", {}),
    ],
)
def test_lines_that_stay_show_which_one_was_renamed(before, after, names) -> None:
    assert renamed(before.split(), after.split()) == names


@pytest.fixture
def often(draft) -> Question:
    return add_question(draft, "Never", "Once", "Often", kind="scale", design="direct")


def type_options(staff, question: Question, *options: str):
    form = question_form(
        text="How often?", kind="scale", design="direct", option_lines="\n".join(options)
    )
    address = reverse("admin:surveys_question_change", args=[question.pk])
    return staff.post(address, form, follow=True)


def values(question: Question) -> list[str]:
    return list(Condition.objects.filter(question=question).values_list("value", flat=True))


def test_rules_that_name_it_follow_and_the_page_says_so(staff, draft, often) -> None:
    reader = add_question(draft, text="Why?")
    add_condition(reader, often, "is", "once | often")
    add_condition(reader, often, "answered", "")
    page = type_options(staff, often, "Never", "Once", "Every day").content.decode()
    assert values(reader) == ["", "once | Every day"]
    rule = "1 was given and 1 is once or Every day"
    assert (
        "The conditions of question 2 now use the new words of the options that you changed. "
        f"Question 2 is asked if {rule}."
    ) in page
    log = staff.get(reverse("surveys:audit", args=[draft.pk])).content.decode()
    assert "Every day" in log


def test_a_limit_of_a_scale_follows_too(staff, draft, often) -> None:
    reader = add_question(draft)
    add_condition(reader, often, "more", "Never")
    type_options(staff, often, "Not once", "Once", "Often")
    assert values(reader) == ["Not once"]


def test_options_in_another_order_change_no_rule(staff, draft, often) -> None:
    reader = add_question(draft)
    add_condition(reader, often, "is", "Often")
    type_options(staff, often, "Often", "Once", "Never")
    assert values(reader) == ["Often"]


@pytest.mark.parametrize(
    ("comparison", "after", "met"),
    [
        ("more", "Once Never Often", ("Often",)),  # two are swapped
        ("least", "Never Rarely Once Daily", ("Rarely", "Once", "Daily")),  # one is new
        ("most", "Once Often Never", ("Once", "Often", "Never")),
        ("less", "Once Never Often", ("Once",)),
        ("more", "Never Once Daily", None),  # only renamed
        ("more", "Never Often Once", None),  # moved on one side of the limit
        ("is", "Often Once Never", None),
        ("more", "Once Often", None),  # launch says that the answer is gone
    ],
)
def test_a_limit_that_other_answers_meet_is_found(draft, often, comparison, after, met) -> None:
    before, typed = ["Never", "Once", "Often"], after.split()
    limit = "Rarely" if comparison == "least" else "Never"
    row = add_condition(add_question(draft), often, comparison, limit)
    names = renamed(before, typed)
    if limit == "Rarely":
        before, names = ["Never", "Rarely", "Often"], {"Often": "Daily"}
    found = list(shifts(often, before, typed, names))
    assert [shift.after for shift in found] == ([met] if met else [])
    assert all(shift.row == row for shift in found)


def test_a_scale_whose_answers_are_swapped_says_which_rule_means_something_else(
    staff, draft, often
) -> None:
    reader = add_question(draft)
    add_condition(reader, often, "more", "Never")
    page = html.unescape(type_options(staff, often, "Once", "Never", "Often").content.decode())
    assert (
        "So the condition “1 is more than Never” of question 2 is now met by these options: "
        "Often. Before your change, the condition was met by these options: Once, Often. Check "
        "that you want this change."
    ) in page
    assert values(reader) == ["Never"]


def test_an_answer_that_is_renamed_and_gets_a_neighbour_at_once_is_missed_by_its_rule(
    staff, draft, often
) -> None:
    reader = add_question(draft)
    add_condition(reader, often, "is", "Once")
    page = html.unescape(
        type_options(staff, often, "Never", "Twice", "Daily", "Often").content.decode()
    )
    assert values(reader) == ["Once"]
    assert "Still to do before launch:" in page
    assert "“Once”" in page


def test_a_rule_that_would_get_too_long_keeps_everything_as_it_was(staff, draft, often) -> None:
    reader = add_question(draft, text="Why?")
    many = " | ".join(["Often"] * 20)
    add_condition(reader, often, "is", many)
    page = type_options(staff, often, "Never", "Once", "x" * 90).content.decode()
    assert "Shorten the options. With these options, the rule of this question would be" in page
    assert values(reader) == [many]
    assert often.options.filter(text="Often").exists()
    assert LONGEST_VALUE < 20 * 90
