"""How each kind of question was asked, as the report says it: answers, ranges, parts, design."""

import pytest

from surveys.authoring.drafts import draft_questionnaire
from surveys.models import Question
from surveys.questionnaire.kinds.question import Question as Promised
from surveys.results.handover.asked import asked_lines, design_words
from tests import factories, families


def asked(draft) -> Promised:
    (item, *_) = draft_questionnaire(draft).items
    return item


def test_a_choice_has_its_answers_in_the_order_shown(draft):
    factories.add_question(draft, "Tea", "Coffee", kind=Question.Kind.CHOICE)
    assert asked_lines(asked(draft)) == ["Answers: Tea · Coffee · Prefer not to say"]


def test_a_question_that_cannot_be_declined_says_so(draft):
    factories.add_question(draft, required=True)
    assert asked_lines(asked(draft)) == ["Answers: Yes · No"]
    assert design_words(asked(draft)) == "Design: Two coins. This question could not be declined."


@pytest.mark.parametrize(
    ("add", "line"),
    [
        (factories.add_ticks, "Options or rows: Bus · Car · Bicycle · On foot"),
        (factories.add_matrix, "Options or rows: Walk · Swim · Run"),
        (factories.add_ranking, "To be ranked: Bus · Car · Bicycle · On foot"),
        (factories.add_rounded, "Numbers: 0 to 100"),
        (factories.add_text, "A text of up to 100 characters."),
        (factories.add_long_list, "Answers: Albach … Kelwerder (200 in all)"),
        (factories.add_rating, "Each person rates 4 of 4 items."),
        (families.add_family, "Answers: Never · Once · Often"),
    ],
)
def test_what_is_offered_is_said_in_the_words_of_its_kind(draft, add, line):
    add(draft)
    assert asked_lines(asked(draft))[0].startswith(line)


def test_days_have_their_first_and_their_last(draft):
    factories.add_day(draft)
    item = asked(draft)
    assert asked_lines(item)[0] == f"Days: {item.days.first} to {item.days.last}"


def test_a_second_question_is_quoted(draft):
    factories.add_other_designs(draft)
    lines = [line for item in draft_questionnaire(draft).items for line in asked_lines(item)]
    assert f"The second question: {factories.BIRTHDAY}" in lines


def test_a_page_offers_nothing(draft):
    factories.add_question(draft)
    factories.add_pages(draft)
    _, *pages = draft_questionnaire(draft).items
    assert [asked_lines(page) for page in pages] == [[], []]


def test_a_design_has_the_name_by_which_its_author_chose_it(draft):
    factories.add_question(draft)
    assert design_words(asked(draft)) == "Design: Two coins."


def test_a_question_asked_directly_has_no_design(draft):
    factories.add_question(draft, design=Question.Design.DIRECT)
    assert design_words(asked(draft)) == ""
