"""A database as a busy installation has it, filled through the services that people use."""

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal

import numpy as np
from django.contrib.auth.models import User
from django.test import override_settings
from django.utils import timezone

from analytics import services as reports
from ranking.methods.registry import Method, read_prior
from ranking.queries import rated_questions
from ranking.services import choose_method, put_up_import
from surveys.authoring.services import close
from surveys.collecting.services import receive
from surveys.kinds.day.promise import DayQuestion
from surveys.kinds.levels.promise import Leveled
from surveys.kinds.long_list.promise import ListQuestion
from surveys.kinds.number.promise import NumberQuestion
from surveys.kinds.ranking.promise import RankingQuestion
from surveys.kinds.text.promise import TextQuestion
from surveys.models import Catalogue, Membership, Survey
from surveys.models.queries import questionnaire_of
from surveys.operations import retention
from surveys.questionnaire.kinds.parts import SlottedQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table
from surveys.staff.members.services import add_member
from tests import factories
from tests.analytics import reporting, tabulating
from tests.bodies import a_code, body_of, rating_code
from tests.surveys.fieldwork import mailing

OPEN, WAITING = 60, 7  # submissions; the last of them wait for their batch
BATCH = 20
MAIL = "django.core.mail.backends.locmem.EmailBackend"


def fill(rng: np.random.Generator) -> None:
    """Surveys in every state, with all that can be stored beside them. Needs an empty database."""
    ada = factories.make_user("ada", superuser=True)
    ben, cyd = factories.make_user("ben"), factories.make_user("cyd")
    _erased(ada, rng)  # first: it moves the clock, and nothing else may be due then
    _draft(ada, ben)
    for name, survey in _all_kinds(ada):
        answer(survey, OPEN + WAITING, rng)
        add_member(survey=survey, username="cyd", role=Membership.Role.ANALYST, by=ada)
        if name == "closed":
            close(survey=survey, by=ada)
    _invited(ben, rng)
    _ratings(ada, rng)
    _texts(cyd)
    _tables(cyd)


def _erased(owner: User, rng: np.random.Generator) -> None:
    tomorrow = timezone.now() + timedelta(days=1)
    draft = factories.make_survey(owner, title="Erased", delete_on=tomorrow.date())
    factories.add_question(draft)
    answer(factories.launched(draft), 5, rng)
    retention.keep_dates(now=tomorrow, trust_clock=True)


def _draft(owner: User, editor: User) -> None:
    draft = factories.make_survey(owner, title="Draft", batch_size=BATCH)
    factories.add_one_of_each(draft)
    factories.add_text(draft)
    factories.add_budget(draft)
    add_member(survey=draft, username=editor.username, role=Membership.Role.EDITOR, by=owner)
    catalogue = Catalogue.objects.create(owner=owner, name="Still empty")
    put_up_import(catalogue=catalogue, content=b"item,1,2\nTea,3,4\n", form="csv", by=owner)


def _all_kinds(owner: User) -> list[tuple[str, Survey]]:
    """The same questions twice, of every kind and design: answers wait in one, one is closed."""
    made = []
    for name in ("open", "closed"):
        draft = factories.make_survey(owner, title=f"Everything, {name}", batch_size=BATCH)
        factories.add_one_of_each(draft)
        factories.add_other_designs(draft)
        factories.add_long_list(draft, *factories.PLACES[:12])
        factories.add_text(draft)
        made.append((name, factories.launched(draft)))
    return made


def _invited(owner: User, rng: np.random.Generator) -> None:
    """Codes on paper, half of them used; a mailing that is half sent, and one that is a draft."""
    survey = factories.make_invited_survey(owner, title="Invited", batch_size=5)
    invitations = factories.invite(survey, 16)
    answer(survey, 8, rng, invitations)
    with override_settings(EMAIL_BACKEND=MAIL, MAILS_PER_MINUTE=1):
        mailing.start(mailing.prepare(survey, mailing.people(12)))
        mailing.run_next()
        mailing.prepare(survey, mailing.people(3, "later"))


def _ratings(owner: User, rng: np.random.Generator) -> None:
    for survey in (
        factories.make_rating_survey(owner, title="Rated", batch_size=5),
        factories.make_adaptive_survey(owner, title="Rated, the promising more often"),
    ):
        answer(survey, 40, rng)
        first = rated_questions(survey)[0]
        utilities = tuple(float(place) for place in range(len(first.scale)))
        method = Method(utilities, read_prior("average:2"), "cautious", 0.9)
        choose_method(revision=first.revision, item=first.item, method=method, by=owner)


def _texts(owner: User) -> None:
    """A report of each fate; two were charged to the ledger, and one reserves its part of it."""
    survey = reporting.make_text_survey(owner, comments=450)
    paid = reporting.ask_and_make(survey)
    reports.rename_topics(report=paid, names=["Gardens", "", "Bread"], by=owner)
    reporting.ask_and_make(survey, seed=2)
    reporting.ask_and_make(survey, kind="exact_topics")
    reporting.cancel(reporting.ask(survey, seed=3))
    reporting.ask(survey, seed=4)


def _tables(owner: User) -> None:
    """A release of tables that was charged, and one that is paid for and waits."""
    survey = tabulating.make_tabulated_survey(owner, 60)
    tabulating.release(survey)
    tabulating.ask(survey)


def answer(
    survey: Survey, times: int, rng: np.random.Generator, invitations: Sequence[str] = ()
) -> None:
    """Submissions as browsers send them; every fourth comes with a coin of their own."""
    items = questionnaire_of(survey.revision).items
    for place in range(times):
        own_coin = place % 4 == 3
        codes = [_code(item, rng, own_coin=own_coin) for item in items]
        invitation = invitations[place] if invitations else None
        receive(
            survey_id=survey.pk,
            body=body_of(survey.revision, codes, own_coin=own_coin, invitation=invitation),
        )


def _code(item: Question, rng: np.random.Generator, *, own_coin: bool) -> str:
    if own_coin and not item.is_offered_with_own_coin:
        return item.not_asked
    return CODES(item, rng, own_coin)


def _level(item: Leveled, rng: np.random.Generator, own_coin: bool) -> str:
    codes = [level.code for level in item.reported_levels]
    return codes[min(rng.geometric(0.5), len(codes)) - 1]  # some answers are rarer than others


def _marks(item: ListQuestion, rng: np.random.Generator, own_coin: bool) -> str:
    return a_code(item.marks, int(rng.integers(item.marks.options)))


def _number(item: NumberQuestion, rng: np.random.Generator, own_coin: bool) -> str:
    low, high = (int(Decimal(bound)) for bound in item.number.bounds)
    if item.number.special and rng.random() < 1 / 4:
        return str(rng.choice([*item.number.special_by_sent]))
    return item.number.encode(Decimal(int(rng.integers(low, high + 1))))


def _day(item: DayQuestion, rng: np.random.Generator, own_coin: bool) -> str:
    first, last = (date.fromisoformat(day) for day in (item.days.first, item.days.last))
    return date.fromordinal(int(rng.integers(first.toordinal(), last.toordinal() + 1))).isoformat()


def _order(item: RankingQuestion, rng: np.random.Generator, own_coin: bool) -> str:
    ranks = rng.permutation(item.size).tolist()
    return rating_code(item, dict(enumerate(ranks, start=1)))


def _text(item: TextQuestion, rng: np.random.Generator, own_coin: bool) -> str:
    written = reporting.a_comment(int(rng.integers(1000)))
    return "" if own_coin else item.encode(written[: item.longest])


def _rating(item: SlottedQuestion, rng: np.random.Generator, own_coin: bool) -> str:
    shown = rng.choice(item.size, item.slots, replace=False) + 1
    levels = rng.integers(len(item.levels), size=item.slots)
    return rating_code(item, dict(zip(shown.tolist(), levels.tolist(), strict=True)))


def _nothing(item: Question, rng: np.random.Generator, own_coin: bool) -> str:
    return ""


CODES: Table[[np.random.Generator, bool], str] = Table(
    levels=_level,
    long_scale=_level,
    paired=_level,
    compared=_level,
    grouped=_level,
    long_list=_marks,
    number=_number,
    text=_text,
    other=_text,
    rating=_rating,
    information=_nothing,
    consent=_nothing,
    ticks=_rating,
    matrix=_rating,
    rounded=_level,
    day=_day,
    ranking=_order,
    ranked_pair=_rating,
    family=_level,
    follow_up=_nothing,
    counted=_nothing,
    picked=_level,
)
