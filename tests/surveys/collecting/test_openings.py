"""Openings: what stays sealed, what is opened when, and what a killed opening leaves behind."""

import secrets
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.db import connection
from django.urls import reverse

from surveys.authoring.services import close, stop
from surveys.collecting import openings, records
from surveys.collecting.services import receive
from surveys.models import Comment, Openings, Response, Sealed, Survey, Waiting
from surveys.models.queries import opened_responses, questionnaire_of
from surveys.models.refusals import NotPossible
from surveys.operations.openings import open_due
from surveys.operations.retention import keep_dates
from surveys.questionnaire.document import Questionnaire
from surveys.staff.access import search_surveys
from tests.bodies import body_of
from tests.days import DAY, today
from tests.factories import (
    add_question,
    add_rating,
    add_serial_number,
    after_the_close,
    invite,
    launched,
    make_survey,
    sealed_survey,
)
from tests.rivals import at_once
from tests.traces import files

pytestmark = pytest.mark.django_db(transaction=True)


def answer(
    survey: Survey,
    count: int,
    *,
    first: int = 0,
    tokens: list[str] | None = None,
    word: str = "text",
) -> None:
    """So many people answer, each with a number and a text of their own."""
    _, text = Questionnaire.from_document(survey.revision.document).items
    for place in range(count):
        codes = [f"{first + place:05d}", text.encode(f"{word} {first + place}")]
        token = tokens[place] if tokens else None
        receive(survey_id=survey.pk, body=body_of(survey.revision, codes, invitation=token))


def shown(survey: Survey) -> list[int]:
    return sorted(int(row.answers) for row in opened_responses(survey.revision.pk))


def on_disk() -> bytes:
    return b"".join(content for _, content in files())


def every(owner, days: int = 7, *, batch_size: int = 5, last_day: int = 55, **fields) -> Survey:
    """A survey that opens every few days, for 56 days by default: eight weeks."""
    return sealed_survey(
        owner,
        opening=Survey.Opening.EVERY,
        opening_days=days,
        batch_size=batch_size,
        close_on=today() + last_day * DAY,
        planned_responses=100_000,
        **fields,
    )


def at(survey: Survey, days: int) -> datetime:
    """Noon, so many days from now."""
    return datetime.combine(today() + days * DAY, datetime.min.time(), UTC) + timedelta(hours=12)


def test_before_the_close_nothing_is_readable_and_afterwards_everything_is(owner):
    survey, word = sealed_survey(owner, invitation_only=True), secrets.token_hex(8)
    answer(survey, 12, tokens=invite(survey, 12), word=word)
    keep_dates(now=at(survey, 29))
    assert shown(survey) == []
    assert (Sealed.objects.filter(kind="row").count(), Waiting.objects.count()) == (10, 2)
    assert not Response.objects.exists()
    assert word.encode() not in on_disk()
    keep_dates(now=after_the_close(survey))
    assert shown(survey) == list(range(12))
    texts = sorted(Comment.objects.values_list("text", flat=True))
    assert texts == sorted(f"{word} {n}" for n in range(12))
    assert not Sealed.objects.exists()


def test_records_of_one_kind_are_equally_long_whatever_was_written(owner):
    survey = sealed_survey(owner)
    _, text = questionnaire_of(survey.revision).items
    for place, words in enumerate(["", "a", "b" * 100, "c", "d"]):
        codes = [f"{place:05d}", text.encode(words)]
        receive(survey_id=survey.pk, body=body_of(survey.revision, codes))
    for kind in (records.ROW, records.TEXT):
        found = [bytes(one.content) for one in Sealed.objects.filter(kind=kind)]
        assert (len(found), len({len(one) for one in found})) == (5, 1)


def test_an_opening_keeps_half_and_at_least_a_batch_and_texts_until_the_close(owner):
    survey = every(owner)
    answer(survey, 31)
    open_due(at(survey, 7))
    assert len(shown(survey)) == 15
    assert Sealed.objects.filter(kind="row").count() == 16
    assert not Comment.objects.exists()
    answer(survey, 1, first=31)
    open_due(at(survey, 14))
    assert len(shown(survey)) == 15 + 8
    keep_dates(now=after_the_close(survey))
    assert shown(survey) == list(range(32))
    assert Comment.objects.count() == 32


def test_fewer_than_two_batches_wait_for_the_next_date(owner):
    survey = every(owner)
    answer(survey, 9)
    open_due(at(survey, 7))
    assert shown(survey) == []
    answer(survey, 1, first=9)
    open_due(at(survey, 8))
    assert shown(survey) == []
    open_due(at(survey, 14))
    assert len(shown(survey)) == 5


def test_nothing_opens_before_its_hour_or_with_a_clock_that_was_set_back(owner):
    survey = every(owner, opening_hour=13)
    answer(survey, 20)
    assert not open_due(at(survey, 7)).surveys
    back = open_due(at(survey, 7) - timedelta(days=30))
    assert "Correct the clock" in back.problems[0]
    assert shown(survey) == []
    assert open_due(at(survey, 7) + timedelta(hours=1)).surveys == [survey]


def test_a_late_worker_opens_once_and_the_dates_stay(owner):
    survey = every(owner)
    answer(survey, 40)
    open_due(at(survey, 24))
    assert len(shown(survey)) == 20
    assert Openings.objects.get().since == today() + 21 * DAY


@pytest.mark.parametrize("chunk", [1, 3, 7])
def test_an_opening_that_is_killed_anywhere_goes_on_and_keeps_exactly_half(
    owner, monkeypatch, chunk
):
    """Chunks of a few records; the process dies at every commit of the opening, one run each."""
    monkeypatch.setattr(openings, "CHUNK", chunk)
    survey = every(owner)
    answer(survey, 20)
    openings.begin(survey.pk, at(survey, 7))
    while Openings.objects.get().is_running:
        before = Sealed.objects.filter(kind="row").count() + Response.objects.count()
        with_one_commit(monkeypatch, lambda: openings.run(survey))
        assert before == Sealed.objects.filter(kind="row").count() + Response.objects.count() == 20
        assert len(shown(survey)) in (0, 10)
    assert len(shown(survey)) == 10


class Killed(RuntimeError):
    pass


def with_one_commit(monkeypatch, act) -> None:
    """Run until one chunk is committed, then die."""
    real, left = openings._open_rows, [1]

    def counted(*arguments):
        if not left:
            raise Killed
        left.pop()
        real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(openings, "_open_rows", counted)
        try:
            act()
        except Killed:
            return


def test_while_an_opening_runs_nothing_of_it_is_shown(owner, client, monkeypatch):
    survey = every(owner)
    answer(survey, 20)
    openings.begin(survey.pk, at(survey, 7))
    monkeypatch.setattr(openings, "CHUNK", 11)  # one more than stay: some of a chunk leave
    with_one_commit(monkeypatch, lambda: openings.run(survey))
    assert Response.objects.exists()
    assert shown(survey) == []
    assert search_surveys(owner, "").get().response_count == 0
    client.force_login(owner)
    lines = client.get(reverse("surveys:responses", args=[survey.pk]))
    assert len(b"".join(lines).splitlines()) == 1
    openings.run(survey)
    assert search_surveys(owner, "").get().response_count == 10


def test_two_workers_that_open_at_once_open_every_row_once(owner, monkeypatch):
    monkeypatch.setattr(openings, "CHUNK", 3)
    survey = every(owner)
    answer(survey, 40)
    openings.begin(survey.pk, at(survey, 7))

    def work() -> None:
        try:
            openings.run(survey)
        except openings.Overtaken:
            openings.run(survey)

    def persist() -> None:
        for _ in range(50):
            try:
                work()
                return
            except openings.Overtaken:
                continue

    at_once(persist, persist)
    assert len(shown(survey)) == 20
    assert Counter(row.answers for row in Response.objects.all()).most_common(1)[0][1] == 1


def test_fewer_than_a_batch_are_opened_together_or_destroyed_unread_as_announced(owner):
    survey = sealed_survey(owner)
    answer(survey, 4)
    keep_dates(now=after_the_close(survey))
    assert shown(survey) == [0, 1, 2, 3]
    other = sealed_survey(owner, below_k=Survey.BelowK.DESTROY)
    word = secrets.token_hex(8)
    answer(other, 4, first=90, word=word)
    keep_dates(now=after_the_close(other))
    assert shown(other) == []
    assert not Comment.objects.filter(revision=other.revision).exists()
    assert word.encode() not in on_disk()


def test_stopping_at_once_destroys_unread_what_was_not_opened(owner):
    survey, word = every(owner), secrets.token_hex(8)
    answer(survey, 20, word=word)
    open_due(at(survey, 7))
    with pytest.raises(NotPossible, match="stop the survey at once"):
        close(survey=survey, by=owner)
    stop(survey=survey, by=owner)
    assert len(shown(survey)) == 10
    assert not Sealed.objects.exists()
    assert Openings.objects.get().destroyed == 10
    assert word.encode() not in on_disk()
    assert Survey.objects.get().state == Survey.State.CLOSED


def test_ratings_are_counted_when_their_opening_is_done_and_not_before(owner, monkeypatch):
    draft = make_survey(
        owner,
        opening=Survey.Opening.EVERY,
        batch_size=5,
        planned_responses=10_000,
        close_on=today() + 55 * DAY,
    )
    add_rating(draft, text="Good?", required=True)
    survey = launched(draft)
    (item,) = questionnaire_of(survey.revision).items
    from surveys.catalogues.queries import rating_counts

    for _ in range(20):
        receive(survey_id=survey.pk, body=body_of(survey.revision))
    monkeypatch.setattr(openings, "CHUNK", 6)
    openings.begin(survey.pk, at(survey, 7))
    with_one_commit(monkeypatch, lambda: openings.run(survey))
    assert rating_counts(survey.revision, item.id).sum() == 0
    openings.run(survey)
    assert rating_counts(survey.revision, item.id).sum() == 10 * item.slots


def with_a_path(owner, **fields) -> Survey:
    """A survey with a question that the own-coin path cannot ask."""
    draft = make_survey(
        owner, **{"opening": "close", "batch_size": 5, "close_on": today() + 30 * DAY, **fields}
    )
    add_serial_number(draft, width=5)
    add_question(draft, text="Drunk?", design="warner", p_sensitive="0.7310586", required=True)
    return launched(draft)


def test_at_the_close_rows_of_the_own_coin_path_hide_among_others(owner):
    survey = with_a_path(owner)
    drunk = questionnaire_of(survey.revision).items[1]
    assert not drunk.is_offered_with_own_coin
    for place in range(30):
        own = place < 2
        code = drunk.not_asked if own else drunk.levels[0].code
        body = body_of(survey.revision, [f"{place:05d}", code], own_coin=own)
        receive(survey_id=survey.pk, body=body)
    keep_dates(now=after_the_close(survey))
    rows = [row.answers for row in opened_responses(survey.revision.pk)]
    assert sum(row.endswith(drunk.not_asked) for row in rows) == 2 + 5
    assert {row[:5] for row in rows if row.endswith(drunk.not_asked)} >= {"00000", "00001"}
    state = Openings.objects.get()
    assert (state.own_coin, state.withheld) == (2, 2 + 5)


def test_false_answers_with_a_coin_do_not_take_the_place_of_others_who_hide_one(owner):
    """An attacker sends many by coin: the person they look for hides all the same."""
    survey = with_a_path(owner)
    drunk = questionnaire_of(survey.revision).items[1]
    for place in range(60):
        own = place < 20
        code = drunk.not_asked if own else drunk.levels[0].code
        body = body_of(survey.revision, [f"{place:05d}", code], own_coin=own)
        receive(survey_id=survey.pk, body=body)
    keep_dates(now=after_the_close(survey))
    rows = [row.answers for row in opened_responses(survey.revision.pk)]
    hidden = {row[:5] for row in rows if row.endswith(drunk.not_asked)}
    false = {f"{place:05d}" for place in range(1, 20)}
    assert len(hidden - false) == 1 + 6  # the one, and a tenth of the 60


def test_where_few_browsers_answered_all_of_them_hide_those_with_a_coin(owner):
    survey = with_a_path(owner)
    drunk = questionnaire_of(survey.revision).items[1]
    for place in range(10):
        own = place < 7
        code = drunk.not_asked if own else drunk.levels[0].code
        body = body_of(survey.revision, [f"{place:05d}", code], own_coin=own)
        receive(survey_id=survey.pk, body=body)
    keep_dates(now=after_the_close(survey))
    rows = [row.answers for row in opened_responses(survey.revision.pk)]
    assert all(row.endswith(drunk.not_asked) for row in rows)
    assert Openings.objects.get().withheld == len(rows) == 10


def test_before_the_close_no_row_shows_the_own_coin_path(owner):
    survey = with_a_path(
        owner, opening="every", planned_responses=10_000, close_on=today() + 55 * DAY
    )
    drunk = questionnaire_of(survey.revision).items[1]
    for place in range(40):
        own = place < 20
        code = drunk.not_asked if own else drunk.levels[0].code
        body = body_of(survey.revision, [f"{place:05d}", code], own_coin=own)
        receive(survey_id=survey.pk, body=body)
    open_due(at(survey, 7))
    rows = [row.answers for row in opened_responses(survey.revision.pk)]
    assert rows
    assert not any(row.endswith(drunk.not_asked) for row in rows)


def drawing_two(owner, **fields) -> Survey:
    """Three protected questions, the last one not asked with a coin, of which two are drawn."""
    draft = make_survey(
        owner,
        **{
            "opening": "close",
            "batch_size": 5,
            "close_on": today() + 30 * DAY,
            "asked": 2,
            **fields,
        },
    )
    add_serial_number(draft, width=5)
    add_question(draft, text="First?", required=True)
    add_question(draft, text="Second?", required=True)
    add_question(draft, text="Drunk?", design="warner", p_sensitive="0.7310586", required=True)
    return launched(draft)


def answer_drawn(survey: Survey, place: int, drawn: str, *, own: bool = False) -> None:
    """One person answers with these codes, such as 01--00: the second was not drawn."""
    codes = [f"{place:05d}", drawn[:2], drawn[2:4], drawn[4:]]
    receive(survey_id=survey.pk, body=body_of(survey.revision, codes, own_coin=own))


def test_a_question_that_was_not_drawn_shows_no_path_and_hides_nothing(owner):
    survey = drawing_two(owner)
    answer_drawn(survey, 0, "01----", own=True)  # drew the one that no coin can ask
    answer_drawn(survey, 1, "0101--", own=True)  # drew the other two, as a browser may
    for place in range(2, 80):
        answer_drawn(survey, place, ("0000--", "00--00", "--0000")[place % 3])
    keep_dates(now=after_the_close(survey))
    rows = {row.answers[:5]: row.answers[5:] for row in opened_responses(survey.revision.pk)}
    short = {name: drawn for name, drawn in rows.items() if drawn.count("--") == 2}
    # The one, and a tenth of the 53 who drew what no coin can ask.
    assert (len(rows), len(short)) == (80, 1 + 6)
    assert short["00000"] == "01----"
    assert rows["00001"] == "0101--"
    assert all(drawn.endswith("--") for drawn in short.values())
    others = set(rows) - set(short) - {"00001"}
    assert all(rows[one] == ("0000--", "00--00", "--0000")[int(one) % 3] for one in others)
    state = Openings.objects.get()
    assert (state.own_coin, state.withheld) == (2, 1 + 6)


def drawing_one_of_ten(owner, **fields) -> Survey:
    """Ten protected questions of which one is drawn, the last one not asked with a coin."""
    draft = make_survey(
        owner,
        **{
            "opening": "close",
            "batch_size": 5,
            "close_on": today() + 30 * DAY,
            "asked": 1,
            **fields,
        },
    )
    for place in range(9):
        add_question(draft, text=f"{place}?", required=True)
    add_question(draft, text="Drunk?", design="warner", p_sensitive="0.7310586", required=True)
    return launched(draft)


def test_one_respondent_with_a_coin_takes_few_answers_to_a_question_that_few_people_drew(owner):
    survey = drawing_one_of_ten(owner)
    receive(survey_id=survey.pk, body=body_of(survey.revision, ["--"] * 10, own_coin=True))
    for place in range(100):
        codes = ["--"] * 10
        codes[place % 10] = "00"
        receive(survey_id=survey.pk, body=body_of(survey.revision, codes))
    keep_dates(now=after_the_close(survey))
    rows = [row.answers for row in opened_responses(survey.revision.pk)]
    # A batch of 5 of the 10 browsers' answers hides the one.
    assert sum(row.endswith("00") for row in rows) == 5
    assert Openings.objects.get().withheld == 1 + 5


def test_rows_that_were_opened_before_count_among_those_that_show_their_path(owner):
    survey = with_a_path(
        owner, opening="every", planned_responses=10_000, close_on=today() + 55 * DAY
    )
    drunk = questionnaire_of(survey.revision).items[1]
    for place in range(120):
        own = place == 0
        code = drunk.not_asked if own else drunk.levels[0].code
        body = body_of(survey.revision, [f"{place:05d}", code], own_coin=own)
        receive(survey_id=survey.pk, body=body)
    open_due(at(survey, 7))
    assert opened_responses(survey.revision.pk).exists()
    keep_dates(now=after_the_close(survey))
    assert Openings.objects.get().withheld == 1 + 12  # a tenth of 120


def test_who_drew_no_such_question_makes_others_lose_nothing(owner):
    survey = drawing_two(owner)
    answer_drawn(survey, 0, "0101--", own=True)
    for place in range(1, 30):
        answer_drawn(survey, place, "00--00")
    keep_dates(now=after_the_close(survey))
    assert Openings.objects.get().withheld == 0
    rows = [row.answers for row in opened_responses(survey.revision.pk)]
    assert sum(row.endswith("--00") for row in rows) == 29


def test_rows_with_undrawn_questions_are_opened_before_the_close_on_both_paths(owner):
    survey = drawing_two(
        owner, opening="every", planned_responses=10_000, close_on=today() + 55 * DAY
    )
    for place in range(100):
        own = place < 40
        short = place < 5
        answer_drawn(survey, place, "01----" if short else "0101--", own=own)
    open_due(at(survey, 7))
    rows = {row.answers[:5]: row.answers[5:] for row in opened_responses(survey.revision.pk)}
    assert rows
    assert not any(drawn == "01----" for drawn in rows.values())
    assert any(int(name) < 40 for name in rows)  # all but surely: about 17


def test_a_launched_document_names_its_openings_and_the_public_half_alone(owner):
    survey = every(owner)
    plan = survey.revision.document["opening"]
    assert (plan["when"], plan["days"], plan["hour"], plan["below_k"]) == ("every", 7, 3, "open")
    private = next(settings.OPENING_KEYS_DIR.glob("*")).read_bytes()
    with connection.cursor() as cursor:
        cursor.execute("SELECT document FROM surveys_revision")
        assert private.hex() not in str(cursor.fetchone()[0])
