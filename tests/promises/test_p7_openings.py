"""P7 against people who act: whoever sends many answers finds a person's at most once in h.

The attacker sends as many answers as they like, knows when everybody answered, recognises their own
rows, and reads every page and download before and after. h are the honest people of an opening.
The acceptance tests of the design, short; `make audit` runs them at full size.
"""

import math
import re
import secrets
from datetime import UTC, datetime, timedelta
from io import StringIO
from uuid import UUID

import numpy as np
import pytest
from django.core.management import call_command
from django.db import connection
from django.urls import reverse

from surveys.collecting import records
from surveys.collecting.keys import opening_keys
from surveys.collecting.openings import count_anew
from surveys.collecting.services import receive
from surveys.models import Membership, Response, Sealed, Survey
from surveys.models.queries import opened_responses, questionnaire_of
from surveys.operations.openings import open_due
from surveys.operations.retention import keep_dates
from surveys.questionnaire.document import Questionnaire
from surveys.trust import sealing
from tests.bodies import body_of
from tests.days import DAY, today
from tests.factories import (
    add_question,
    add_serial_number,
    after_the_close,
    invite,
    launched,
    launched_before,
    make_survey,
    make_user,
    sealed_survey,
)
from tests.traces import files

pytestmark = pytest.mark.django_db(transaction=True)
WORDS = f"Zyxoquartz{secrets.token_hex(4)}"  # in every text that is sent
FALSE = 90_000  # from here on, answers are the attacker's
# Attackers choose their arm, so that in the other one all rows are of honest people.
FALSE_ARM = "00"
ARMS = {"arms": "Asked directly: 1\nWith coins: 1"}
# With arms the attacker has more to go by; without them the same runs in `make audit`.
ALL_ALIKE_AND_ARMS = pytest.mark.parametrize(
    "fields", [pytest.param({}, marks=pytest.mark.audit), ARMS], ids=["alike", "arms"]
)
PHYSICAL = {"sqlite": "rowid", "postgresql": "ctid"}


def bound(p: float, n: int) -> float:
    """The mean of a share p among n tries, and five standard deviations."""
    return p + 5 * math.sqrt(p * (1 - p) / n)


def draft(owner, **fields: object) -> Survey:
    usual = {"batch_size": 5, "close_on": today() + 55 * DAY, "planned_responses": 100_000}
    survey = make_survey(owner, **{**usual, **fields})
    add_serial_number(survey, width=5)
    if survey.arms:
        add_question(survey, text="Drunk?", design="direct", arms="Asked directly", required=True)
        add_question(survey, text="Drunk?", arms="With coins", required=True)
    return survey


def send(survey: Survey, number: int, token: str | None = None) -> None:
    """What a person with this number sends; in a survey with arms, in one that chance drew."""
    codes, arm = [f"{number:05d}"], None
    if questionnaire_of(survey.revision).arms:
        codes, arm = in_an_arm(codes, FALSE_ARM if number == FALSE else None)
    receive(survey_id=survey.pk, body=body_of(survey.revision, codes, invitation=token, arm=arm))


def in_an_arm(codes: list[str], arm: str | None = None) -> tuple[list[str], str]:
    """The codes with an answer to the question of one arm, and that arm."""
    arm = arm or secrets.choice(["00", "01"])
    return [*codes, *(["01", "--"] if arm == "00" else ["--", "01"])], arm


def noon(days: int) -> datetime:
    return datetime.combine(today() + days * DAY, datetime.min.time(), UTC) + timedelta(hours=12)


def as_stored(survey: Survey) -> list[int]:
    """The numbers that people gave, in the order in which the database keeps their rows."""
    return [int(answers[:5]) for answers in rows_as_stored(survey)]


def rows_as_stored(survey: Survey) -> list[str]:
    """What is shown, in the order in which the database keeps it: the most it could tell."""
    key = survey.revision.pk if connection.vendor == "postgresql" else survey.revision.pk.hex
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT answers FROM surveys_response WHERE revision_id = %s"
            f" ORDER BY {PHYSICAL[connection.vendor]}",
            [key],
        )
        return [answers for (answers,) in cursor.fetchall()]


# 1. Answers around a target.


def found_by_flooding(survey: Survey, windows: int, honest: int, false: int) -> float:
    """How often the attacker's best guess is the target, who is the last to answer in a window.

    A window is a week. Some of the false answers come among the others', a batch of them right
    before the target's and a batch right after it. If that shows a row, it is the target's; else
    the attacker waits for the opening, and takes of the rows that are new and not theirs the last.
    """
    k, found, known = survey.batch_size, 0, set[int]()
    rng = secrets.SystemRandom()
    for window in range(windows):
        *others, target = range(window * honest, (window + 1) * honest)
        order = [*others, *[FALSE] * (false - 2 * k)]
        rng.shuffle(order)
        for number in [*order, *[FALSE] * k]:
            send(survey, number)
        known |= set(new_rows(survey, known))
        for number in [target, *[FALSE] * k]:
            send(survey, number)
        new = new_rows(survey, known)
        shown = opened_responses(survey.revision.pk)
        before = shown.count()
        open_due(noon(7 * (window + 1)))
        assert shown.count() > before, "nothing was opened on its day"
        new = new or new_rows(survey, known)  # by chance, all of the honest may stay sealed
        known |= set(new)
        found += new[-1:] == [target]
    return found / windows


def new_rows(survey: Survey, known: set[int]) -> list[int]:
    """The rows that are shown now, are not the attacker's and were not known, as they are kept."""
    honest = opened_responses(survey.revision.pk).exclude(answers__startswith=str(FALSE))
    if honest.count() == len(known):
        return []
    return [row for row in as_stored(survey) if row not in known and row != FALSE]


@ALL_ALIKE_AND_ARMS
def test_with_openings_every_week_a_flood_finds_one_in_as_many_as_are_honest(owner, fields):
    windows, honest = 16, 5
    survey = launched(
        draft(
            owner,
            **fields,
            opening="every",
            close_on=today() + (7 * (windows + 1) - 1) * DAY,
            planned_responses=10**6,
        )
    )
    rate = found_by_flooding(survey, windows, honest, false=15)
    assert rate <= bound(1 / honest, windows)


def found_with_spare_codes(owner, **fields: object) -> int:
    """Every one of 20 honest people is a target; the owner answered with 80 spare codes.

    Returns how many keep their place among the honest, which is the owner's best guess.
    """
    sealed = {"opening": "close", "invitation_only": True, "batch_size": 20}
    survey = launched(draft(owner, **sealed, **fields))
    order = [*range(20), *[FALSE] * 80]
    secrets.SystemRandom().shuffle(order)
    for number, token in zip(order, invite(survey, 100), strict=True):
        send(survey, number, token)
    assert not as_stored(survey), "shown before the close"
    keep_dates(now=after_the_close(survey))
    arrived = [number for number in order if number != FALSE]
    stored = [number for number in as_stored(survey) if number != FALSE]
    assert sorted(stored) == list(range(20))
    return sum(one == other for one, other in zip(arrived, stored, strict=True))


@ALL_ALIKE_AND_ARMS
def test_at_the_close_everybody_who_was_invited_hides_among_all_the_honest(owner, fields):
    assert found_with_spare_codes(owner, **fields) / 20 <= bound(1 / 20, 20)


def found_live(owner, targets: int, batch_size: int, **fields: object) -> int:
    """How many are found by filling a batch of a live survey around each."""
    survey, found = launched(draft(owner, opening="live", batch_size=batch_size, **fields)), 0
    for target in range(targets):
        before = set(as_stored(survey))
        for number in (*[FALSE] * (batch_size // 2), target, *[FALSE] * ((batch_size - 1) // 2)):
            send(survey, number)
        found += set(as_stored(survey)) - before - {FALSE} == {target}
    return found


def test_live_the_attack_works_and_respondents_read_that_it_does(client, owner):
    assert found_live(owner, targets=10, batch_size=5) == 10
    page = client.get(reverse("respondent:start", args=[Survey.objects.get().pk])).content.decode()
    warning = "Someone who sends the 4 answers stored together with yours can recognise yours."
    assert warning in " ".join(page.split())


# 2. Between openings nothing tells that somebody answered.


NONCES = re.compile(r'(csrfmiddlewaretoken" value=|nonce=|value=)"[A-Za-z0-9_-]{20,}"')


def seen(client, survey: Survey, roles: list) -> dict[str, bytes]:
    """Every page and download of a survey, for every role, and what operators can ask for."""
    names = ("dashboard", "responses", "texts", "codebook", "invitations", "members")
    addresses = [reverse(f"surveys:{name}", args=[survey.pk]) for name in names]
    addresses += [
        reverse("surveys:list"),
        reverse("respondent:start", args=[survey.pk]),
        reverse("admin:surveys_survey_change", args=[survey.pk]),
        reverse("admin:surveys_survey_changelist"),
    ]
    found: dict[str, bytes] = {}
    for user in roles:
        client.logout()
        if user:
            client.force_login(user)
        for address in addresses:
            reply = client.get(address)
            content = b"".join(reply) if reply.streaming else reply.content
            text = NONCES.sub("", content.decode())
            found[f"{user} {address}"] = f"{reply.status_code} {text}".encode()
    out = StringIO()
    call_command("spool", stdout=out)
    return found | {"spool": out.getvalue().encode()}


@pytest.mark.parametrize(
    ("opening", "fields"),
    # At the close and without arms, test_p7_outsider.py looks at what the owner can see.
    [
        *(pytest.param(opening, {}, marks=pytest.mark.audit) for opening in ("close", "every")),
        ("every", ARMS),
    ],
)
def test_pages_downloads_and_commands_are_the_same_after_many_answers_of_one_day(
    client, owner, opening, fields
):
    people = 43  # some of them wait for their batch
    survey = launched(draft(owner, opening=opening, invitation_only=True, **fields))
    tokens = invite(survey, people)
    count_anew(survey, today())
    analyst = make_user("analyst")
    Membership.objects.create(survey=survey, user=analyst, role=Membership.Role.ANALYST)
    roles = [owner, analyst, make_user("root", superuser=True), None]
    before = seen(client, survey, roles)
    for number, token in enumerate(tokens):
        send(survey, number, token)
    count_anew(survey, today())
    after = seen(client, survey, roles)
    assert {name for name in before if before[name] != after[name]} == set()


# 3. Fewer than a batch.


def test_too_few_are_destroyed_unread_and_nothing_of_them_is_on_the_disk(owner):
    word = secrets.token_hex(8)
    survey = sealed_survey(owner, batch_size=20, below_k=Survey.BelowK.DESTROY)
    _, text = Questionnaire.from_document(survey.revision.document).items
    for place in range(19):
        codes = [f"{place:05d}", text.encode(f"{word} {place}")]
        receive(survey_id=survey.pk, body=body_of(survey.revision, codes))
    keep_dates(now=after_the_close(survey))
    assert Survey.objects.get(pk=survey.pk).state == Survey.State.CLOSED
    assert not Response.objects.exists()
    assert word.encode() not in b"".join(content for _, content in files())


# 4. The path that somebody took.


def found_by_their_path(owner, surveys: int, people: int, batch_size: int, **fields: object) -> int:
    """Two people used their own coin, and the attacker knows who; how often one is found.

    The attacker takes a row that shows the path, as early in the database's order as the person
    was among those who answered: the first.
    """
    made = [_with_two_own_coins(owner, people, batch_size, **fields) for _ in range(surveys)]
    keep_dates(now=after_the_close(made[0]))
    return sum(_is_first_hidden(survey, batch_size) for survey in made)


def _with_two_own_coins(owner, people: int, batch_size: int, **fields: object) -> Survey:
    unsent = draft(owner, opening="close", batch_size=batch_size, **fields)
    add_question(unsent, text="Late?", design="warner", p_sensitive="0.7310586", required=True)
    survey = launched(unsent)
    items = questionnaire_of(survey.revision).items
    assert not items[-1].is_offered_with_own_coin
    for place in range(people):
        codes, arm = [f"{place:05d}"], None
        if survey.arms:
            codes, arm = in_an_arm(codes)
        codes.append(items[-1].not_asked if place < 2 else items[-1].levels[0].code)
        body = body_of(survey.revision, codes, own_coin=place < 2, arm=arm)
        receive(survey_id=survey.pk, body=body)
    return survey


def _is_first_hidden(survey: Survey, batch_size: int) -> bool:
    questionnaire = questionnaire_of(survey.revision)
    late = questionnaire.items[-1]
    place = questionnaire.row.place_of(late)
    rows = rows_as_stored(survey)
    hidden = [row for row in rows if row[place : place + late.width] == late.not_asked]
    # The two, and a batch of others: of those who used a coin, some may be the attacker's.
    assert len(hidden) == 2 + batch_size
    assert opened_responses(survey.revision.pk).count() == len(rows)
    return hidden[0].startswith("00000")


@ALL_ALIKE_AND_ARMS
def test_who_is_known_to_have_used_their_own_coin_hides_among_a_batch_at_least(owner, fields):
    found = found_by_their_path(owner, surveys=4, people=40, batch_size=10, **fields)
    assert found / 4 <= bound(1 / 10, 4)


# 7. What a thief reads.


def test_the_database_and_the_keys_of_batches_open_no_sealed_record(owner, settings, tmp_path):
    settings.BATCH_KEYS_DIR = tmp_path / "batches"  # other tests' keys are no thief's concern
    survey = sealed_survey(owner)
    for place in range(12):
        send_with_text(survey, place)
    taken = [bytes(one.content) for one in Sealed.objects.all()]
    assert len(taken) == 20
    keys = [path.read_bytes() for path in settings.BATCH_KEYS_DIR.glob("*")]
    assert keys
    for content in taken:
        for key in keys:
            for half in (key[start : start + 32] for start in range(0, len(key) - 31, 16)):
                for kind in Sealed.Kind:
                    with pytest.raises(sealing.NotSealedFor):
                        sealing.unseal(half, records.about(survey.revision.pk, kind), content)


@ALL_ALIKE_AND_ARMS
def test_who_has_the_opening_key_and_the_database_links_one_in_a_batch(owner, fields):
    people, k = 100, 5
    survey = launched(draft(owner, opening="close", batch_size=k, **fields))
    for place in range(people):
        send(survey, place)
    found = opened_by_a_thief(survey)
    assert sorted(found) == list(range(people))
    linked = np.mean([place == person for place, person in enumerate(found)])
    assert linked <= 1 / k + 5 / math.sqrt(people * k)


def opened_by_a_thief(survey: Survey) -> list[int]:
    """Who sent each sealed row, in the database's order, for those who have the opening key."""
    plan = questionnaire_of(survey.revision).opening
    private = opening_keys.read(survey.pk, plan.public_key)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT id FROM surveys_sealed ORDER BY {PHYSICAL[connection.vendor]}")
        keys = [row[0] for row in cursor.fetchall()]
    by_key = {str(one.pk): one for one in Sealed.objects.all()}
    return [
        int(records.open_row(survey.revision.pk, private, by_key[str(as_uuid(key))]).answers[:5])
        for key in keys
    ]


def as_uuid(key: object) -> UUID:
    return key if isinstance(key, UUID) else UUID(str(key))


def send_with_text(survey: Survey, place: int) -> None:
    _, text = Questionnaire.from_document(survey.revision.document).items
    codes = [f"{place:05d}", text.encode(f"{WORDS} {place}")]
    receive(survey_id=survey.pk, body=body_of(survey.revision, codes))


# 9. Launched before there were openings.


BEFORE = (
    "No name, address, time or device is stored beside your answers. They wait, encrypted, until "
    "at least 5 people have sent theirs, and are then stored in random order. When the survey "
    "closes, the last ones may be stored with fewer."
)


def test_a_survey_from_before_keeps_its_sentences_and_closes_as_promised(client, owner):
    survey = launched_before(draft(owner, close_on=today(), opening="live"))
    page = " ".join(
        client.get(reverse("respondent:start", args=[survey.pk])).content.decode().split()
    )
    assert BEFORE in page
    for word in ("sealed", "Live", "answer honestly", "nearly all other answers"):
        assert word not in page
    for place in range(7):
        send(survey, place)
    assert len(as_stored(survey)) == 5
    keep_dates(now=noon(1))
    assert sorted(as_stored(survey)) == list(range(7))
