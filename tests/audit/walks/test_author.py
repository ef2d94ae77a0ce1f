"""An author begins a survey, asks questions of several kinds, and launches it."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from surveys.models import Question, Survey
from surveys.models.queries import questionnaire_of
from tests import factories
from tests.audit.walks.conftest import WITH_AND_WITHOUT_SCRIPT
from tests.audit.walks.walking import Walk

pytestmark = [
    pytest.mark.browser,
    pytest.mark.audit,
    pytest.mark.django_db(transaction=True),
    WITH_AND_WITHOUT_SCRIPT,
]
TITLE = "Habits and health"
DIRECT, TWO_COINS = str(Question.Design.DIRECT.label), str(Question.Design.TWO_COINS.label)
KINDS = Question.Kind
TOWN, AGE, STOLEN = "Where do you live?", "How old are you?", "Have you ever shoplifted?"
LATELY, LIKED, ELSE = "Was that last year?", "How do you like the town?", "What else?"
SECTIONS, RULES = "Sections, screens and random order", "How conditions are read"


def test_an_author_begins_a_survey_and_launches_it(somebody):
    factories.make_user("ada")
    author = somebody()
    author.log_in("ada")
    begin(author)
    ask_everything(author)
    sees_all_questions(author)
    set_days_and_plan(author)
    launch(author)
    sees_the_link(author)
    launched = questionnaire_of(Survey.objects.get().revision)
    assert [item.text for item in launched.items if item.is_sent][:3] == [TOWN, AGE, STOLEN]
    assert "family" in {item.kind for item in launched.items}


def begin(author: Walk) -> None:
    author.sees("No surveys yet")
    author.follow("New survey")
    author.fill("Title", TITLE)
    author.fill("Introduction", "We ask how common some habits are.")
    author.fill("Who asks", "Institute of Public Health")
    author.fill("Contact", "habits@example.org")
    author.choose("Your language", "English")
    author.press("Save")


def ask_everything(author: Walk) -> None:
    begin_question(author, TOWN, KINDS.CHOICE, DIRECT)
    author.fill("Options", "In a town\nIn a village")
    begin_section(author, "About you")
    author.press("Save and add another")
    begin_question(author, AGE, KINDS.NUMBER, DIRECT)
    author.fill("Minimum", "18")
    author.fill("Maximum", "99")
    author.press("Save and add another")
    begin_question(author, STOLEN, KINDS.YES_NO, TWO_COINS)
    begin_section(author, "Shops")
    reads_what_it_reveals(author)
    author.press("Save and add another")
    begin_question(author, LATELY, KINDS.YES_NO, TWO_COINS)
    ask_only_if(author, f"3. {STOLEN}", "Yes")
    author.press("Save and add another")
    begin_question(author, LIKED, KINDS.SCALE, DIRECT)
    author.fill("Options", "Not at all\nA little\nA lot")
    ask_only_if(author, f"1. {TOWN}", "In a town")
    author.press("Save and add another")
    begin_question(author, ELSE, KINDS.TEXT, DIRECT)
    author.press("Save")


def begin_question(author: Walk, text: str, kind: Question.Kind, design: str) -> None:
    """Without a script a question that is saved shows the fields of its kind."""
    author.fill("Text", text)
    author.choose("Kind", str(kind.label))
    author.choose("Design", design)
    if not author.has_script and kind not in (KINDS.YES_NO, KINDS.TEXT):
        author.press("Save and continue editing", f"of the kind {kind.value}")


def begin_section(author: Walk, title: str) -> None:
    author.unfold(SECTIONS)
    author.fill("Title of a section that begins here", title)


def ask_only_if(author: Walk, source: str, answer: str) -> None:
    author.unfold(RULES)
    author.page.get_by_label("The answer to", exact=True).first.select_option(source)
    author.page.get_by_label("Value", exact=True).first.fill(answer)


def reads_what_it_reveals(author: Walk) -> None:
    """Before it is saved: its odds, and the page that respondents will see."""
    author.press("See what it reveals", "tried")
    author.sees("Nothing is saved yet.")
    expect(author.page.locator("#sketch")).to_contain_text(STOLEN)
    assert author.field("Text").input_value() == STOLEN


def sees_all_questions(author: Walk) -> None:
    rows = author.page.get_by_role("region", name="Questions")
    for text in (TOWN, AGE, STOLEN, LATELY, LIKED, ELSE):
        expect(rows.get_by_role("link", name=text, exact=True)).to_be_visible()
    for title in ("About you", "Shops"):
        author.sees(title)
    author.follow("Preview")
    author.sees_heading(TITLE)
    author.follow("Back to the questions")


def set_days_and_plan(author: Walk) -> None:
    last_day = timezone.now().date() + timedelta(days=14)
    author.follow("Title, promises and days")
    author.fill("Last day", str(last_day))
    author.fill("Delete answers on", str(last_day + timedelta(days=90)))
    author.fill("Planned responses", "1500")
    author.press("Save and continue editing")


def launch(author: Walk) -> None:
    author.follow("Checklist")
    author.sees("The survey can be launched.")
    author.follow("Continue to launch…")
    author.sees("You cannot undo this.")
    for box in author.page.get_by_role("checkbox").all():
        box.check()
    author.press("Launch for good")


def sees_the_link(author: Walk) -> None:
    survey = Survey.objects.get()
    assert survey.state == Survey.State.OPEN
    author.go_by(author.page.locator(".messagelist").get_by_role("link"))
    author.sees_heading(TITLE)
    assert str(survey.pk) in author.page.url
