"""P7 against the counts: they never say what an opening does not, at any moment, in any order.

The attacker reads the tables of counts besides the rows: when everybody answered is known, and so
is what each of their own answers changed. The attacks are those of ``test_p7_openings.py``;
`make audit` runs them at greater size (``tests/audit/test_p7_counts_audit.py``).
"""

import secrets
from collections import Counter
from collections.abc import Iterator

import pytest
from django.db import connection

from surveys.collecting import openings
from surveys.collecting.openings import count_anew
from surveys.counts import joint
from surveys.counts.cells import RESPONSES, SHOWN, Cell, tallied
from surveys.models import AnswerCount, Comment, JointCount, Openings, RatingCount, Response, Survey
from surveys.models.queries import questionnaire_of
from surveys.operations.openings import open_due
from surveys.operations.retention import keep_dates
from tests.days import DAY, today
from tests.factories import after_the_close, launched
from tests.promises.test_p7_openings import (
    FALSE,
    PHYSICAL,
    bound,
    draft,
    noon,
    send,
)
from tests.surveys.collecting.test_openings import answer, at, every, with_one_commit

pytestmark = pytest.mark.django_db(transaction=True)
NUMBERS = 10_000  # codes below it are honest people's


def counts(survey: Survey) -> dict[int, Counter[Cell]]:
    """Everything that a thief finds in the table of counts, by the opening that it stands for."""
    found: dict[int, Counter[Cell]] = {}
    rows = AnswerCount.objects.filter(revision=survey.revision)
    for opening, number, cell, count in rows.values_list("opening", "question", "cell", "count"):
        found.setdefault(opening, Counter())[number, cell] = count
    return found


def told_by_rows(survey: Survey) -> dict[int, Counter[Cell]]:
    """What the rows and texts that stand readably beside them say already."""
    done = Openings.objects.get(pk=survey.revision.pk).done
    rows = Response.objects.filter(revision=survey.revision).values_list("opening", "answers")
    texts = Comment.objects.filter(revision=survey.revision).values_list("opening", "question")
    return tallied(questionnaire_of(survey.revision), done, rows, texts)


def moments(survey: Survey, monkeypatch, act) -> Iterator[str]:
    """After each transaction of an opening that ``act`` runs."""
    while True:
        before = Response.objects.count()
        with_one_commit(monkeypatch, act)
        yield f"after {Response.objects.count()} rows"
        if Response.objects.count() == before:
            return


@pytest.mark.both_databases
def test_at_every_moment_counts_are_what_the_readable_rows_say_and_no_more(owner, monkeypatch):
    monkeypatch.setattr(openings, "CHUNK", 4)
    survey = every(owner)
    for place in range(23):  # most are sealed, some wait for their batch
        answer(survey, 1, first=place)
        assert counts(survey) == told_by_rows(survey) == {}
    openings.begin(survey.pk, at(survey, 7))
    assert counts(survey) == {}
    for moment in moments(survey, monkeypatch, lambda: openings.run(survey)):
        assert counts(survey) == told_by_rows(survey), moment
        shown = counts(survey).get(SHOWN, Counter())
        state = Openings.objects.get(pk=survey.revision.pk)
        assert shown[RESPONSES] == (Response.objects.count() if state.done else 0), moment
    answer(survey, 7, first=23)
    before = counts(survey)
    count_anew(survey, today())
    assert counts(survey) == before == told_by_rows(survey)  # nothing of who came since
    keep_dates(now=after_the_close(survey))
    assert counts(survey) == told_by_rows(survey)
    assert counts(survey)[SHOWN][RESPONSES] == 30
    assert not RatingCount.objects.exists()


def test_questions_counted_together_are_of_rows_that_are_shown(owner, monkeypatch):
    monkeypatch.setattr(joint, "AT_ONCE", 1)
    monkeypatch.setattr(openings, "CHUNK", 13)  # one more than stay: some of a chunk leave
    survey = every(owner)
    answer(survey, 24)
    openings.begin(survey.pk, at(survey, 7))
    with_one_commit(monkeypatch, lambda: openings.run(survey))
    assert Response.objects.exists()  # of an opening that is not done
    for is_done in (False, True):
        if is_done:
            openings.run(survey)
        shown = Response.objects.filter(revision=survey.revision).count() if is_done else 0
        kept = JointCount.objects.create(revision=survey.revision, questions="1")
        joint.count(kept.pk)
        kept.refresh_from_db()
        assert kept.total == shown
        kept.delete()


# Guesses by the order in which the database keeps counts.


def numbers_as_stored(survey: Survey, *, opening: int | None = None) -> list[int]:
    """Honest people's numbers in the order in which the database keeps their counts."""
    key = survey.revision.pk if connection.vendor == "postgresql" else survey.revision.pk.hex
    of = "" if opening is None else f" AND opening = {opening}"
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT cell FROM surveys_answercount WHERE revision_id = %s AND question = 1"
            f"{of} ORDER BY {PHYSICAL[connection.vendor]}",
            [key],
        )
        found = [int(cell) for (cell,) in cursor.fetchall()]
    return [number for number in found if number < NUMBERS]


def numbers(count: int) -> list[int]:
    """Different ones in no order: what a person answers does not say when they came."""
    return secrets.SystemRandom().sample(range(NUMBERS), count)


def places_kept(arrived: list[int], stored: list[int]) -> float:
    """How often the place among the counts is the place among those who came."""
    assert sorted(arrived) == sorted(stored)
    return sum(one == other for one, other in zip(arrived, stored, strict=True)) / len(arrived)


def kept_at_the_close(owner, people: int, chunk: int, monkeypatch) -> float:
    """Of one survey that opens at its close, in chunks; everybody is a target."""
    monkeypatch.setattr(openings, "CHUNK", chunk)
    survey, arrived = launched(draft(owner, opening="close", batch_size=5)), numbers(people)
    for number in arrived:
        send(survey, number)
    assert not numbers_as_stored(survey), "counted before the close"
    keep_dates(now=after_the_close(survey))
    return places_kept(arrived, numbers_as_stored(survey))


@pytest.mark.both_databases
def test_the_order_of_counts_tells_nothing_of_who_came_when(owner, monkeypatch):
    people = 60
    rate = kept_at_the_close(owner, people, 7, monkeypatch)
    assert rate <= bound(1 / people, people)


def found_by_counts(owner, windows: int, honest: int, false: int) -> float:
    """How often a flood around a target finds it in the counts; see ``found_by_flooding``.

    Of the numbers that are counted new, the attacker takes the last in the table's order.
    """
    last_day = today() + (7 * (windows + 1) - 1) * DAY
    plan = {"opening": "every", "close_on": last_day, "planned_responses": 10**6}
    survey = launched(draft(owner, **plan))
    people, known, found = numbers(windows * honest), set[int](), 0
    rng, k = secrets.SystemRandom(), survey.batch_size
    for window in range(windows):
        *others, target = people[window * honest : (window + 1) * honest]
        order = [*others, *[FALSE] * (false - 2 * k)]
        rng.shuffle(order)
        for number in [*order, *[FALSE] * k, target, *[FALSE] * k]:
            send(survey, number)
        assert set(numbers_as_stored(survey)) == known, "counted before its opening"
        open_due(noon(7 * (window + 1)))
        new = [number for number in numbers_as_stored(survey) if number not in known]
        known |= set(new)
        found += new[-1:] == [target]
    return found / windows


def test_with_openings_every_week_a_flood_finds_no_more_in_the_counts(owner):
    windows, honest = 12, 5
    rate = found_by_counts(owner, windows, honest, false=15)
    assert rate <= bound(1 / honest, windows)


def test_what_waits_is_in_no_count_of_any_table(owner):
    """Each submission leaves all counts as they are, whole batches too."""
    survey = launched(draft(owner, opening="close", batch_size=5))
    for number in range(7):
        send(survey, number)
    assert not any(model.objects.exists() for model in (AnswerCount, RatingCount, JointCount))
