"""Ready pages: rendered once, the same as ever, but for a submission key of each fetch's own."""

import gzip
import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override

from surveys.authoring.services import close
from surveys.collecting.pages import FORM
from surveys.collecting.published.ready import (
    launched_page,
    ready_form,
    ready_how_it_works,
    ready_own_coin,
    ready_start,
)
from surveys.collecting.published.renderings import (
    how_it_works_page,
    own_coin_form,
    own_coin_page,
    start_page,
)
from surveys.collecting.scripts import CURVES_FILE
from surveys.models import Survey
from surveys.models.queries import languages_of
from surveys.web import static_files
from surveys.web.locales import speaking
from tests.factories import (
    add_question,
    invite,
    launched,
    make_adaptive_survey,
    make_invited_survey,
    make_open_survey,
    make_rating_survey,
    make_survey,
)
from tests.surveys.authoring.trustees import counted_draft
from tests.translated import translate_all

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_static_files")]
KEY = re.compile(r'name="key" value="([0-9a-f]{32})"')
FETCHES = 200
FIXED = [(ready_start, start_page), (ready_how_it_works, how_it_works_page)]


def fetched(client, survey: Survey, name: str, **headers: str) -> str:
    page = client.get(reverse(f"respondent:{name}", args=[survey.pk]), headers=headers)
    assert page.status_code == 200
    coded = page.headers.get("Content-Encoding") == "gzip"
    return (gzip.decompress(page.content) if coded else page.content).decode()


def moved(survey: Survey, days: int) -> None:
    day = timezone.now().date() + timedelta(days=days)
    Survey.objects.filter(pk=survey.pk).update(close_on=day)


@pytest.mark.parametrize(("ready", "rendered"), FIXED)
def test_a_page_is_rendered_once_and_is_what_it_was(owner, ready, rendered):
    survey = make_open_survey(owner)
    with override("en"):
        shown = survey.pk, "en", None
        assert ready(*shown).plain.decode() == rendered(launched_page(*shown))
        assert ready(*shown) is ready(*shown)


@pytest.mark.parametrize("make", [make_open_survey, make_invited_survey])
def test_the_form_for_one_s_own_coin_is_what_it_was_but_for_its_key(owner, make):
    survey = make(owner)
    shown = survey.pk, "en", None
    with speaking(launched_page(*shown).questionnaire):
        fresh = own_coin_page(launched_page(*shown))
        assert KEY.sub("", ready_own_coin(*shown).plain.decode()) == KEY.sub("", fresh)


def test_the_form_that_a_code_opens_is_what_it_was_but_for_its_key(owner):
    survey = make_invited_survey(owner)
    shown = survey.pk, "en", None
    with speaking(launched_page(*shown).questionnaire):
        for code in ("0" * 16, "abcdefgh23456789"):
            fresh = own_coin_form(launched_page(*shown), code=code)
            assert code in fresh
            assert KEY.sub("", ready_form(*shown, code).plain.decode()) == KEY.sub("", fresh)


@pytest.mark.parametrize("headers", [{}, {"Accept-Encoding": "gzip"}])
def test_two_fetches_of_a_form_never_share_a_submission_key(client, owner, headers):
    survey = make_open_survey(owner)
    pages = [fetched(client, survey, "own-coin", **headers) for _ in range(FETCHES)]
    keys = [KEY.findall(page) for page in pages]
    assert {len(one) for one in keys} == {1}
    assert len({one for (one,) in keys}) == FETCHES
    assert len({KEY.sub("", page) for page in pages}) == 1


def test_two_fetches_of_a_form_behind_the_door_never_share_a_key_either(client, owner):
    survey = make_invited_survey(owner)
    tokens = invite(survey, 2)
    address = reverse("respondent:door", args=[survey.pk])
    pages = [
        client.post(
            address,
            f"path=owncoin&invitation={token}".encode(),
            content_type=FORM,
            headers={"Sec-Fetch-Site": "same-origin"},
        ).content.decode()
        for token in (*tokens, tokens[0])
    ]
    assert len({key for page in pages for key in KEY.findall(page)}) == 3
    assert [tokens[0] in page for page in pages] == [True, False, True]


@pytest.mark.one_database  # on PostgreSQL these statements pass Django, which counts none of them
def test_no_page_asks_the_database_for_more_than_whether_the_survey_takes_answers(
    client, owner, django_assert_num_queries
):
    survey = make_open_survey(owner)
    for name in ("start", "own-coin", "how-it-works"):
        fetched(client, survey, name)
        with django_assert_num_queries(1):
            fetched(client, survey, name)


def test_a_last_day_that_is_moved_stands_on_the_next_page(client, owner):
    day = timezone.now().date() + timedelta(days=3)
    survey = make_open_survey(owner, opening=Survey.Opening.CLOSE, batch_size=20, close_on=day)
    pages = [fetched(client, survey, "start")]
    for days in (5, 9):
        moved(survey, days)
        pages.append(fetched(client, survey, "start"))
    assert len(set(pages)) == 3


@pytest.mark.parametrize("name", ["start", "own-coin", "how-it-works"])
def test_a_survey_that_ended_or_was_closed_is_not_shown_any_more(client, owner, name):
    survey, address = make_open_survey(owner), f"respondent:{name}"
    fetched(client, survey, name)
    moved(survey, -1)
    assert client.get(reverse(address, args=[survey.pk])).status_code == 410
    moved(survey, 1)
    fetched(client, survey, name)
    close(survey=survey, by=owner)
    assert client.get(reverse(address, args=[survey.pk])).status_code == 410


@pytest.mark.parametrize("name", ["start", "own-coin", "how-it-works"])
@pytest.mark.parametrize("headers", [{}, {"Accept-Encoding": "gzip"}])
def test_a_head_says_how_long_the_page_is(client, owner, name, headers):
    address = reverse(f"respondent:{name}", args=[make_open_survey(owner).pk])
    page, head = client.get(address, headers=headers), client.head(address, headers=headers)
    assert head.headers == page.headers
    assert not head.content


def test_drafts_and_unknown_surveys_are_said_to_be_so(client, owner):
    draft = make_survey(owner)
    assert client.get(reverse("respondent:start", args=[draft.pk])).status_code == 410
    assert client.get(reverse("respondent:start", args=[uuid4()])).status_code == 404


def test_a_page_whose_script_is_missing_is_shown_once_it_is_there(client, owner):
    survey = launched(counted_draft(owner))
    address = reverse("respondent:start", args=[survey.pk])
    script = static_files._served(CURVES_FILE.path)
    away = script.rename(script.with_suffix(".away"))
    try:
        assert client.get(address).status_code == 503
    finally:
        away.rename(script)
    assert client.get(address).status_code == 200


def test_a_page_is_kept_in_the_words_of_its_language_whatever_is_active(owner):
    draft = make_survey(owner, also_in="de")
    add_question(draft)
    translate_all(draft, "de")
    survey = launched(draft)
    with override("en"):
        kept = ready_start(survey.pk, "de", None).plain.decode()
    with override("de"):
        assert kept == start_page(launched_page(survey.pk, "de", None))


def test_each_language_has_its_own_page(client, owner):
    draft = make_survey(owner, also_in="de")
    add_question(draft)
    translate_all(draft, "de")
    survey = launched(draft)
    assert languages_of(survey.revision.pk) == ("en", "de")
    english, german = (
        client.get(f"/{language}/s/{survey.pk}/").content for language in ("en", "de")
    )
    assert b'lang="en"' in english
    assert b'lang="de"' in german


def test_where_a_server_draws_rated_items_each_page_is_rendered_anew(client, owner):
    survey = make_adaptive_survey(owner)
    assert len({fetched(client, survey, "start") for _ in range(20)}) > 1
    assert len({KEY.sub("", fetched(client, survey, "own-coin")) for _ in range(20)}) > 1


def test_without_a_script_the_server_draws_what_a_page_draws_by_itself(client, owner):
    survey = make_rating_survey(owner)
    assert len({fetched(client, survey, "start") for _ in range(5)}) == 1
    assert len({KEY.sub("", fetched(client, survey, "own-coin")) for _ in range(20)}) > 1


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_connection_that_the_database_ended_is_made_anew_before_anyone_notices(client, owner):
    survey = make_open_survey(owner)
    fetched(client, survey, "start")
    if connection.vendor == "postgresql":
        other = connection.copy()
        with other.cursor() as cursor:
            pid = connection.connection.info.backend_pid
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
        other.close()
    fetched(client, survey, "start")
