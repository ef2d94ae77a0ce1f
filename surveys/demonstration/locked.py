"""The demonstration's surveys whose codes no one can link, and whose answers are counted locked.

One is open, to be tried with a code. Simulated people have answered the other, which is over: their
codes were exchanged, their answers locked and its last day closed by the services that real people
meet. Its trustees' noise is drawn where all noise is (``analytics.demonstration``).
"""

import secrets
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import chain, repeat
from uuid import UUID, uuid5

import numpy as np
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA384
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from surveys.authoring.services import finish, launch
from surveys.collecting import openings, spool
from surveys.collecting.keys import signing_keys
from surveys.collecting.services import exchange, receive
from surveys.demonstration.affairs import NAMESPACE, ask
from surveys.demonstration.trustees import add_trustees
from surveys.fieldwork.invitations import issue
from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.text.promise import based
from surveys.models import PrivacyBudget, Question, Revision, Survey, TallyTable
from surveys.models.queries import digest_of_revision, questionnaire_of, table_to_lock
from surveys.questionnaire.kinds.registry import of_kind
from surveys.randomized_response.drawing import draw_reports
from surveys.trust.tally.ballots import make_ballot
from surveys.trust.vouchers import EXPONENT, SALT_BYTES, SIZE, SigningKey, voucher_message

TRIAL_ID, OVER_ID = uuid5(NAMESPACE, "locked trial"), uuid5(NAMESPACE, "locked")
# Not a year: its page names the last day without one.
OPEN_FOR = timedelta(days=180)
# What its page says of trustees is true where they keep their keys themselves.
INTRODUCTION = (
    "How do students get their marks? This is a demonstration: the keys of both trustees lie on "
    "the machine that runs it, so the person who runs it could open what you answer here."
)
TABLE, SIGMA, HOMEWORK = 1, "4", ("Never", "Sometimes", "Often")
PAID = 2  # the question's number
# Simulated people: by whether they have paid for a paper, and by how often they copy homework.
PEOPLE = ((70, 62, 21), (4, 15, 28))
COPIED_IN_EXAM = 0.3


@transaction.atomic
def open_trial_survey(owner: User) -> Survey:
    """The one to try by hand; opened once, found again afterwards. Raises what ``launch`` does."""
    last = timezone.now().date() + OPEN_FOR
    survey, _ = _open(TRIAL_ID, owner, "Honest studies (try it with a code)", last)
    return survey


@transaction.atomic
def open_survey(owner: User, people: Sequence[Sequence[int]] = PEOPLE) -> Survey:
    """The one that is over, whose totals wait for the trustees. Raises what ``launch`` does."""
    today = timezone.now().date()
    title = "Honest studies (demonstration, counted while locked)"
    survey, is_new = _open(OVER_ID, owner, title, today)
    if is_new:
        simulate_people(survey, people)
        _end(survey)
    return survey


def paid_for_papers() -> int:
    """What the opened count of the second question can be compared with."""
    return sum(PEOPLE[1])


def new_code(survey: Survey) -> str:
    """A fresh invitation. Raises NotPossible once the survey is over."""
    (code,) = issue(survey=survey, number=1, by=survey.owner)
    return code


def simulate_people(survey: Survey, people: Sequence[Sequence[int]]) -> None:
    """Let invited people answer, so many in each cell: each exchanges a code before it sends."""
    counts = list(chain.from_iterable(people))
    cells = list(chain.from_iterable(repeat(cell, count) for cell, count in enumerate(counts)))
    secrets.SystemRandom().shuffle(cells)
    codes = issue(survey=survey, number=len(cells), by=survey.owner)
    reports = _reports(survey.revision, len(cells))
    for code, report, cell in zip(codes, reports, cells, strict=True):
        receive(survey_id=survey.pk, body=_body(survey, code, report, cell))


def _open(key: UUID, owner: User, title: str, last: date) -> tuple[Survey, bool]:
    """The survey, launched, and whether that was now."""
    survey, is_new = Survey.objects.get_or_create(
        pk=key,
        defaults=dict(
            owner=owner,
            title=title,
            introduction=INTRODUCTION,
            organisation="Deniable's demonstration",
            contact="the person who runs this demonstration",
            minutes=1,
            invitation_only=True,
            voucher_wait=0,
            opening=Survey.Opening.CLOSE,
            close_on=last,
            batch_size=5,
        ),
    )
    if is_new:
        _draft(survey)
        launch(survey=survey, by=owner)
        survey.refresh_from_db()
    return survey, is_new


def _draft(survey: Survey) -> None:
    ask(survey, "Have you ever copied in an exam?", required=True)
    counted = dict(design=Question.Design.DIRECT, required=True, counted_table=TABLE)
    ask(survey, "Have you ever paid for a paper that you handed in?", **counted)
    scale = Question.Kind.SCALE
    ask(survey, "How often do you copy homework?", *HOMEWORK, kind=scale, **counted)
    add_trustees(survey)
    TallyTable.objects.create(survey=survey, table=TABLE, sigma=SIGMA)
    PrivacyBudget.objects.create(
        survey=survey,
        source=PrivacyBudget.Source.ALL,
        adjacency=PrivacyBudget.Adjacency.REPLACE,
    )


def _end(survey: Survey) -> None:
    """As if its last day, today, were over."""
    finish(Survey.objects.select_for_update().get(pk=survey.pk), by=None)
    survey.refresh_from_db()
    openings.run(survey)


def _reports(revision: Revision, people: int) -> list[str]:
    """What coins make of their answers to the first question."""
    rng = np.random.default_rng(secrets.randbits(128))
    _, question = next(of_kind(LevelQuestion, questionnaire_of(revision).items))
    truth = (rng.random(people) < COPIED_IN_EXAM).astype(int)
    levels = draw_reports(question.integer_channel, truth, rng)
    return [question.levels[level].code for level in levels]


def _body(survey: Survey, code: str, report: str, cell: int) -> bytes:
    """What a page sends once it has exchanged the code."""
    revision, key = survey.revision, secrets.token_bytes(16)
    ballot = make_ballot(table_to_lock(revision.pk, TABLE), cell)
    return (
        f"revision={revision.pk}&key={key.hex()}&path=browser"
        f"&voucher={based(_voucher(survey, code, key))}&q001={report}&t01={based(ballot)}"
    ).encode()


def _voucher(survey: Survey, code: str, key: bytes) -> bytes:
    """A voucher for a code.

    A page encodes a message, blinds it, and unblinds its signature. Here the library signs first,
    with the key of this very server, and the encoded message is what the signature gives back.
    """
    path = signing_keys.path_of(spool.keys_directory(), survey.pk)
    signing = SigningKey.from_bytes(path.read_bytes())
    n = signing.p * signing.q
    message = voucher_message(digest_of_revision(survey.revision.pk), key)
    signature = int.from_bytes(_signed(signing, message))
    factor = secrets.randbelow(n - 2) + 2
    blinded = pow(signature * factor, EXPONENT, n).to_bytes(SIZE)
    answer = int.from_bytes(exchange(survey_id=survey.pk, typed=code, blinded=blinded))
    return (answer * pow(factor, -1, n) % n).to_bytes(SIZE)


def _signed(signing: SigningKey, message: bytes) -> bytes:
    p, q = signing.p, signing.q
    public = rsa.RSAPublicNumbers(EXPONENT, p * q)
    d = pow(EXPONENT, -1, (p - 1) * (q - 1))
    halves = (rsa.rsa_crt_dmp1(d, p), rsa.rsa_crt_dmq1(d, q), rsa.rsa_crt_iqmp(p, q))
    private = rsa.RSAPrivateNumbers(p, q, d, *halves, public).private_key()
    law = padding.PSS(padding.MGF1(SHA384()), SALT_BYTES)
    return private.sign(message, law, SHA384())
