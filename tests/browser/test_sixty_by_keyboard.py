"""Ten people answer sixty questions by keyboard alone, on a narrow screen, in light and in dark.

Two of them have the script off and flip their own coin. What is stored is what an observer works
out from the true answers: those that are sent as they are given, and of every other one that
something was sent, or that a rule left it out.
"""

import random
from collections.abc import Sequence

import pytest
from playwright.sync_api import Browser, Page

from surveys.kinds.rating.promise import RatingQuestion
from surveys.models import Comment, Response, Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import was_asked
from surveys.questionnaire.kinds.registry import kind_name
from surveys.questionnaire.submission import Submission, body_length, parse
from tests import accessible
from tests.bodies import body_of
from tests.browser import answering, by_keyboard
from tests.sixty import ARM_CODES, COUNT, make_sixty, random_codes
from tests.true_answers import (
    TrueAnswer,
    asked_in_page,
    direct_code,
    given_in_page,
    true_answers,
)

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_database,
    pytest.mark.audit,
]
SCREEN = {"width": 320, "height": 640}
SCHEMES = ("light", "dark")
WITH_SCRIPT, BY_HAND = range(8), range(8, 10)


def parsed(survey: Survey, body: str) -> Submission:
    questionnaire, revision = questionnaire_of(survey.revision), str(survey.revision.pk)
    return parse(body.encode(), questionnaire=questionnaire, revision=revision)


def require_accessible(page: Page, state: object) -> None:
    assert accessible.violations(page) == [], state
    assert page.evaluate(accessible.SMALL_TARGETS) == [], state


class Looker:
    """Looks at each kind of screen once on a walk: by the kinds of questions that it shows."""

    def __init__(self, page: Page, questionnaire: Questionnaire) -> None:
        self.page, self.items = page, questionnaire.items
        self.seen: set[frozenset[str]] = set()

    def __call__(self, step: str, shown: tuple[int, ...]) -> None:
        kinds = frozenset([step, *(kind_name(self.items[number - 1]) for number in shown)])
        if kinds not in self.seen:
            require_accessible(self.page, sorted(kinds))
        self.seen.add(kinds)


def require_stored(survey: Survey, sent: Submission) -> None:
    """One row with these answers, and beside it the texts that were written."""
    assert Response.objects.get().answers == sent.answers
    texts = dict(Comment.objects.values_list("question", "text"))
    items = questionnaire_of(survey.revision).items
    written = zip(items, sent.codes, strict=False)  # the arm is the last code
    assert texts == {
        n: code for n, (item, code) in enumerate(written, 1) if item.text_bytes and code
    }


def require_as_observed(
    questionnaire: Questionnaire, answers: Sequence[TrueAnswer], sent: Submission
) -> None:
    """Of each question what the rules and the true answers say, as far as chance leaves it."""
    asked = questionnaire.routes.asked_of(sent.codes)
    for place, (item, answer) in enumerate(zip(questionnaire.items, answers, strict=True)):
        code, direct = sent.codes[place], direct_code(item, answer)
        if not asked[place]:
            assert code == item.not_asked, place + 1
        elif direct is not None:
            assert code == direct, place + 1
        else:
            assert was_asked(item, code), place + 1


@pytest.mark.parametrize("seed", WITH_SCRIPT)
def test_by_keyboard_with_the_script(page, server, owner, seed):
    survey = make_sixty(owner, quotes=seed % 4 == 3)
    questionnaire, chance = questionnaire_of(survey.revision), random.Random(seed)
    answers, arm = true_answers(questionnaire, chance), ARM_CODES[seed % len(ARM_CODES)]
    posted: list[str] = []
    page.on("request", lambda r: posted.append(r.post_data or "") if r.method == "POST" else None)
    page.set_viewport_size(SCREEN)
    page.emulate_media(color_scheme=SCHEMES[seed % 2], reduced_motion="reduce")
    by_keyboard.start(page, server, survey, arm)
    looker = Looker(page, questionnaire)
    walk = by_keyboard.Walk(page, given_in_page(answers), looker)
    walk.to_the_receipt()
    require_accessible(page, "receipt")
    asked = asked_in_page(questionnaire, answers, arm)
    assert sorted(walk.shown) == [number for number, one in enumerate(asked, start=1) if one]
    (body,) = posted
    assert answering.raw(page) == body
    assert len(body) == body_length(questionnaire)
    sent = parsed(survey, body)
    assert sent.codes[-1] == arm
    require_as_observed(questionnaire, answers, sent)
    require_stored(survey, sent)
    print(
        f"Respondent {seed}: {len(walk.shown)} of {COUNT} asked, {walk.presses} presses, "
        f"{len(looker.seen)} kinds of screens"
    )


def fields_by_hand(survey: Survey, body: str) -> dict[str, str | list[str] | None]:
    """What is chosen or typed: a number, a date or a text that is not asked stays as it is.

    Things that are rated stand in an order of the page's own.
    """
    fields: dict[str, str | list[str] | None] = dict(one.split("=") for one in body.split("&"))
    sent = parsed(survey, body)
    asked = questionnaire_of(survey.revision).routes.asked_of(sent.codes)
    for place, item in enumerate(questionnaire_of(survey.revision).items):
        if not asked[place] and kind_name(item) in {"number", "day", "text", "other"}:
            fields[item.fields(place)[0]] = None
        if isinstance(item, RatingQuestion):
            names = item.fields(place)
            fields |= {key: [str(fields[name]) for name in names] for key in names}
    return fields


def without_script(browser: Browser, scheme: str) -> Page:
    context = browser.new_context(
        java_script_enabled=False, viewport=SCREEN, color_scheme=scheme, reduced_motion="reduce"
    )
    return context.new_page()


@pytest.mark.parametrize("seed", BY_HAND)
def test_by_keyboard_with_their_own_coin(browser, page, server, owner, seed):
    """Chance is in the body here, as it is in the hand of a person with a coin."""
    survey, arm = make_sixty(owner), ARM_CODES[seed % len(ARM_CODES)]
    questionnaire = questionnaire_of(survey.revision)
    codes = random_codes(questionnaire, arm, random.Random(seed), own_coin=True)
    body = body_of(survey.revision, codes, arm=arm, own_coin=True).decode()
    bare = without_script(browser, SCHEMES[seed % 2])
    bare.goto(answering.address(server, survey))
    bare.get_by_role("link", name="Use my own coin").last.press("Enter")
    bare.wait_for_url("**/own-coin/")
    walk = by_keyboard.Walk(bare, fields_by_hand(survey, body))
    walk.through_the_form()
    require_stored(survey, parsed(survey, body))
    print(f"Respondent {seed}: by their own coin, {walk.presses} presses")
    bare.context.close()
    # What searches a page needs a script to run in it: the form is the same with one.
    page.set_viewport_size(SCREEN)
    page.emulate_media(color_scheme=SCHEMES[seed % 2], reduced_motion="reduce")
    page.goto(answering.address(server, survey, "own-coin"))
    require_accessible(page, "own coin")
