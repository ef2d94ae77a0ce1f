"""P1, P2, P3, P4, P6, P8 and P10 over sixty questions of every kind, all on one walk by keyboard.

Every draw of the page is 0 here, so that each channel sends its first level, whatever is true.
"""

import random
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import pytest
from django.core.management import call_command
from playwright.sync_api import Browser, Page, Response, ViewportSize
from pytest_django import DjangoDbBlocker

from surveys.kinds.levels.promise import Leveled
from surveys.kinds.text.promise import TextQuestion, unbased
from surveys.models import Revision
from surveys.models.queries import digest_of_revision, questionnaire_of
from surveys.operations.retention import keep_dates
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.parts import SlottedQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.submission import parse
from surveys.trust.keyfiles import PrivateKey
from surveys.trust.texts import open_text
from tests import accessible, patience, traces
from tests.bodies import body_of, rating_code
from tests.browser import by_keyboard
from tests.conftest import Server
from tests.factories import after_the_close, make_user
from tests.promises.test_p1_no_third_party import opened_by
from tests.promises.test_p2_no_identifiers import NOTHING, STORED, marks
from tests.promises.test_p3_truth_stays import ALWAYS_FIRST
from tests.promises.test_p4_channel import HELD, channels_of
from tests.promises.test_p8_strict_csp import REQUIRED, policy_in
from tests.sixty import make_sealed_sixty, make_sixty
from tests.surveys.authoring.text_keys import new_key
from tests.true_answers import (
    TrueAnswer,
    asked_in_page,
    direct_code,
    given_in_page,
    true_answers,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
# Who says yes to neither of two groups' questions, or to one of both: who says it to both of them
# reports a yes for certain, and no draw is the channel's first level.
PERSON = 58
ARM, NO_KEY = "01", "0" * 32
KEYS, WAYS = (new_key("Registry"), new_key("Institute")), ("readable texts", "sealed texts")
SCREEN: ViewportSize = {"width": accessible.NARROW, "height": 640}
# All screens with all their questions, one below the other, as no one sees them at once.
SHOW_ALL = """() => {
  window.hiddenAgain = [...document.querySelectorAll('[data-step], [data-question]')]
    .filter((one) => one.hidden);
  for (const one of window.hiddenAgain) one.hidden = false;
}"""
HIDE_AGAIN = """() => {
  for (const one of window.hiddenAgain) one.hidden = true;
  delete window.hiddenAgain;
}"""
LOW = """() => [...document.querySelectorAll(
    'label.choice, input:is([type=text], [type=date]), select, textarea')]
  .filter((one) => one.getBoundingClientRect().height < 44).map((one) => one.outerHTML)"""
FIELDS = "document.querySelectorAll('input, select, textarea, option').length"


@dataclass(frozen=True)
class Exchange:
    """A request of the page and the headers of its reply."""

    method: str
    url: str
    sent: str
    headers: dict[str, str]

    @classmethod
    def of(cls, reply: Response) -> Self:
        asked = reply.request
        return cls(asked.method, asked.url, asked.post_data or "", reply.all_headers())


@dataclass(frozen=True)
class Walked:
    """What an observer has of one respondent: all that was asked for, sent, kept and left.

    Texts are sealed for these ``keys``, if there are any.
    """

    keys: Sequence[PrivateKey]
    url: str
    agent: str
    revision: Revision
    answers: list[TrueAnswer]
    shown: list[int]
    exchanges: list[Exchange]
    asked_before_sending: int
    stored: list[object]  # by the browser: before Send, with the receipt, and in its profile
    channels: object
    found: dict[str, object]
    fields_left: int
    rows: str
    printed: str

    @property
    def items(self) -> Sequence[Question]:
        return questionnaire_of(self.revision).items


@pytest.fixture(scope="module", params=[(), pytest.param(KEYS, marks=pytest.mark.audit)], ids=WAYS)
def walked(
    request: pytest.FixtureRequest,
    browser: Browser,
    server: Server,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[Walked]:
    """One walk for all tests of this file, and an empty database behind it."""
    agent = f"Agent-{secrets.token_hex(12)}"
    context = browser.new_context(viewport=SCREEN, user_agent=agent, reduced_motion="reduce")
    context.set_default_timeout(patience.MILLISECONDS)
    context.add_init_script(f"{ALWAYS_FIRST};{accessible.WATCH}")
    with django_db_blocker.unblock():
        yield walk(context.new_page(), server, agent, request.param)
        call_command("flush", interactive=False, verbosity=0)
    context.close()


def walk(page: Page, server: Server, agent: str, keys: Sequence[PrivateKey]) -> Walked:
    survey = make_sealed_sixty(make_user(), keys=keys) if keys else make_sixty(make_user())
    answers = true_answers(questionnaire_of(survey.revision), random.Random(PERSON))
    replies: list[Response] = []
    page.on("response", lambda reply: replies.append(reply))
    by_keyboard.start(page, server, survey, ARM)
    channels, found = page.evaluate(HELD), look_at_all(page)
    asked, stored = [], []

    def at_screen(step: str, shown: tuple[int, ...]) -> None:
        if step == "send":
            asked.append(len(replies))
            stored.append(page.evaluate(STORED))

    way = by_keyboard.Walk(page, given_in_page(answers), at_screen)
    way.to_the_receipt()
    if keys:
        keep_dates(now=after_the_close(survey))
    return Walked(
        keys=keys,
        url=server.url,
        agent=agent,
        revision=survey.revision,
        answers=answers,
        shown=way.shown,
        exchanges=[Exchange.of(reply) for reply in replies],
        asked_before_sending=asked[0],
        stored=[*stored, page.evaluate(STORED), page.context.storage_state()],
        channels=channels,
        found={
            **found,
            "receipt": accessible.violations_of_each_way(page),
            "policy": page.evaluate("window.violations"),
        },
        fields_left=page.evaluate(FIELDS),
        rows="\n".join(traces.rows()),
        printed=server.printed(),
    )


def look_at_all(page: Page) -> dict[str, object]:
    """What is wrong with any screen: each list has to be empty."""
    page.evaluate(SHOW_ALL)
    wide = page.evaluate(by_keyboard.OVERFLOW)
    found = {
        "screens": accessible.violations_of_each_way(page),
        "targets": page.evaluate(LOW),
        "sideways": [wide] if wide > 0 else [],
    }
    page.evaluate(HIDE_AGAIN)
    return found


def test_p1_the_page_asks_its_own_server_alone_and_that_asks_no_one(walked):
    assert len(walked.exchanges) > 5
    assert [one.url for one in walked.exchanges if not one.url.startswith(f"{walked.url}/")] == []
    assert opened_by(walked.printed) == []


def test_p2_nothing_marks_the_browser(walked):
    assert walked.stored == [NOTHING, NOTHING, {"cookies": [], "origins": []}]
    assert [one.url for one in walked.exchanges if marks(one.headers)] == []


def test_p3_what_is_sent_follows_from_unprotected_answers_and_chance_alone(walked):
    """The observer knows no protected answer and writes the same body, as long and field by field.

    But for the order of things that are rated: the server draws it anew for each page.
    """
    questionnaire, revision = questionnaire_of(walked.revision), str(walked.revision.pk)
    codes = codes_without_truth(questionnaire, walked.answers)
    body = body_of(walked.revision, codes, arm=ARM, key=NO_KEY)
    (sent,) = [one.sent.encode() for one in walked.exchanges if one.method == "POST"]
    assert len(sent) == len(body)
    read = [parse(one, questionnaire=questionnaire, revision=revision) for one in (sent, body)]
    assert (read[0].key, unsealed(walked, read[0].codes)) == (read[1].key, read[1].codes)
    assert read[1].answers in walked.rows
    assert walked.asked_before_sending == len(walked.exchanges) - 1
    assert walked.fields_left == 0
    drawn = [item for item in walked.items if item.is_drawn]
    assert len(drawn) > 25


def unsealed(walked: Walked, codes: Sequence[str]) -> tuple[str, ...]:
    """With the keys, each text as it was before the page sealed it; behind all is the arm."""
    *answered, arm = codes
    numbered = enumerate(zip(walked.items, answered, strict=True), start=1)
    return *(unsealed_code(walked, number, *pair) for number, pair in numbered), arm


def unsealed_code(walked: Walked, number: int, item: Question, code: str) -> str:
    if not isinstance(item, TextQuestion) or not item.is_locked:
        return code
    text = open_text(
        unbased(code),
        [key.key for key in walked.keys],
        revision=digest_of_revision(walked.revision.pk),
        question=number,
        longest=item.longest,
    )
    return item.encode(text)


def test_p3_a_text_leaves_the_page_only_where_it_is_readable_or_sealed(walked):
    """Whoever reads along and has no key finds no word of it."""
    written = [
        answer.code
        for item, answer in zip(walked.items, walked.answers, strict=True)
        if isinstance(item, TextQuestion) and answer.code
    ]
    assert len(written) > 1
    left = "".join(one.sent for one in walked.exchanges) + walked.rows + walked.printed
    found = [text for text in written if text in left]
    assert (found == []) if walked.keys else found


def codes_without_truth(questionnaire: Questionnaire, answers: Sequence[TrueAnswer]) -> list[str]:
    """Every code as it is sent: the first one wherever chance draws."""
    known = [direct_code(*pair) for pair in zip(questionnaire.items, answers, strict=True)]
    firsts = [
        first_drawn(item) if code is None else code
        for item, code in zip(questionnaire.items, known, strict=True)
    ]
    asked = questionnaire.routes.asked_of([*firsts, ARM])
    return [
        item.encode(code if one else "")
        if isinstance(item, TextQuestion)
        else code
        if one
        else item.not_asked
        for item, code, one in zip(questionnaire.items, firsts, asked, strict=True)
    ]


def first_drawn(item: Question) -> str:
    if isinstance(item, SlottedQuestion):
        return rating_code(item, dict.fromkeys(range(1, item.slots + 1), 0))
    assert isinstance(item, Leveled)
    return item.reported_levels[0].code


def test_p4_the_page_holds_the_very_channels_of_the_revision(walked):
    assert walked.channels == channels_of(walked.items)


def test_p5_those_are_asked_whom_the_rules_name(walked):
    questionnaire = questionnaire_of(walked.revision)
    asked = asked_in_page(questionnaire, walked.answers, ARM)
    assert sorted(walked.shown) == [number for number, one in enumerate(asked, start=1) if one]


def test_p6_the_browser_is_named_nowhere(walked):
    assert "surveys_response: " in walked.rows
    assert walked.agent not in walked.rows + walked.printed


def test_p8_every_reply_has_the_policy_and_nothing_breaks_it(walked):
    kinds = [one.headers["content-type"].split(";")[0] for one in walked.exchanges]
    assert {"text/html", "application/json"} <= {*kinds}
    for one in walked.exchanges:
        assert policy_in(one.headers["content-security-policy"]) == REQUIRED
    assert walked.found["policy"] == []


def test_p10_no_screen_is_wrong_for_anybody(walked):
    assert len(walked.found) == 5
    assert {name: wrong for name, wrong in walked.found.items() if wrong} == {}
