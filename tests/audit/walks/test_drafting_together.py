"""Two authors with one question open at once, and a translator who has never seen the draft."""

import pytest
from playwright.sync_api import expect

from surveys.models import Membership, Question, Survey
from surveys.staff.members.services import add_member
from tests import factories
from tests.audit.walks.conftest import WITH_AND_WITHOUT_SCRIPT
from tests.audit.walks.walking import Walk

pytestmark = [
    pytest.mark.browser,
    pytest.mark.audit,
    pytest.mark.django_db(transaction=True),
    WITH_AND_WITHOUT_SCRIPT,
]
TITLE, QUESTION = "Habits and health", "Have you ever shoplifted?"
FIRST_WORDS, SECOND_WORDS = "Have you stolen from a shop?", "Did you ever steal in a shop?"
HINT = "Shops of all kinds count."


@pytest.fixture
def draft(transactional_db) -> Survey:
    draft = factories.make_survey(factories.make_user("ada"), also_in="de")
    factories.add_question(draft, text=QUESTION)
    options = ("Never", "Sometimes", "Often")
    factories.add_question(draft, *options, text="How often?", kind="scale", design="direct")
    factories.make_user("grace")
    return draft


def test_two_authors_who_open_one_question_lose_nothing(somebody, draft):
    ada, grace = somebody(), somebody()
    ada.log_in("ada")
    makes_an_editor(ada, "grace")
    grace.log_in("grace")
    for author in (ada, grace):
        opens_the_question(author)
    ada.fill("Text", FIRST_WORDS)
    ada.press("Save")
    grace.fill("Text", SECOND_WORDS)
    grace.fill("Help", HINT)
    grace.press("Save", "changed by another person", expects_errors=True)
    reads_both_versions(grace)
    grace.press("Save")
    grace.sees(SECOND_WORDS)
    saved = draft.questions.get(position=0)
    assert (saved.text, saved.help) == (SECOND_WORDS, HINT)
    both_stand_in_the_log(ada)


def makes_an_editor(owner: Walk, name: str) -> None:
    owner.follow(TITLE)
    owner.use_tool("Members")
    adding = owner.page.get_by_role("region", name="Add a member")
    adding.get_by_label("User name").fill(name)
    adding.get_by_label("Role").select_option("Editor")
    owner.press("Add")
    owner.sees(f"{name} is an editor of this survey now.")
    assert Membership.objects.get().role == "editor"


def opens_the_question(author: Walk) -> None:
    """From the list of surveys, which the name of the site leads to."""
    if author.link("Surveys").count():
        author.go_by(author.link("Surveys").first)
    author.follow(f"Edit {TITLE}")
    author.go_by(author.page.get_by_role("main").get_by_role("link", name="Questions", exact=True))
    author.follow(QUESTION)


def reads_both_versions(author: Walk) -> None:
    author.sees("because another person changed this question")
    author.sees(f"Text is now: {FIRST_WORDS}")
    assert author.field("Text").input_value() == SECOND_WORDS
    assert author.field("Help").input_value() == HINT
    assert Question.objects.get(position=0).text == FIRST_WORDS


def both_stand_in_the_log(owner: Walk) -> None:
    """What the first wrote is not gone either: the audit log has each edit."""
    owner.follow("View site")
    owner.follow(TITLE)
    owner.use_tool("Audit log")
    for words in (FIRST_WORDS, SECOND_WORDS):
        owner.sees(words)


def test_a_translator_sees_what_is_missing_and_translates_all_of_it(somebody, draft):
    add_member(survey=draft, username="grace", role="editor", by=draft.owner)
    translator = somebody()
    translator.log_in("grace")
    translator.follow(f"Edit {TITLE}")
    translator.follow("Translations: de")
    fields = translator.page.locator(".translation input, .translation textarea")
    total = fields.count()
    translator.sees(f"Missing: {total} of {total} texts.")
    fields.nth(0).fill("Gewohnheiten und Gesundheit")
    translator.press("Save")
    translator.sees(f"Missing: {total - 1} of {total} texts.")
    assert translator.page.locator(".missing").count() == total - 1
    translate_the_rest(translator)
    translator.sees(f"All {total} texts are translated.")
    reads_the_preview(translator)
    nothing_is_said_to_be_missing(translator)


def translate_the_rest(translator: Walk) -> None:
    """Each text in German, as anybody can tell: it ends with letters that English lacks."""
    for row in translator.page.locator(".translation").all():
        field = row.locator("input, textarea")
        if not field.input_value():
            field.fill(f"{row.locator('.source').inner_text()} äöü")
    translator.press("Save")


def reads_the_preview(translator: Walk) -> None:
    translator.follow("Preview")
    translator.follow("Deutsch", "in German")
    translator.sees_heading("Gewohnheiten und Gesundheit")
    expect(translator.page.locator("html")).to_have_attribute("lang", "de")
    translator.sees("äöü")
    translator.go_by(translator.page.get_by_role("note").get_by_role("link").last)


def nothing_is_said_to_be_missing(translator: Walk) -> None:
    assert "not translated" not in translator.page.locator("main").inner_text()
    translator.follow("Checklist")
    assert "translat" not in missing_in(translator)


def missing_in(walk: Walk) -> str:
    """What the checklist says is missing, in one text."""
    missing = walk.page.locator(".standing", has_text="Missing")
    return " ".join(walk.page.locator(".check", has=missing).all_inner_texts())
