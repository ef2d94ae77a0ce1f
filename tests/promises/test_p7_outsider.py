"""P7 against an outsider, who has read the documentation and not the code, over HTTP alone.

The attacks are in ``tests/outsider.py``; `make audit` drives the same against a running server.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, time, timedelta
from urllib.parse import urlencode

import pytest

from surveys.models import Membership, Survey
from surveys.operations.openings import open_due
from surveys.operations.retention import keep_dates
from tests import outsider
from tests.factories import (
    add_question,
    add_serial_number,
    add_text,
    after_the_close,
    launched,
    make_survey,
    make_user,
)
from tests.outsider import Outsider

pytestmark = pytest.mark.django_db(transaction=True)
DAY = timedelta(days=1)
K = 5


class Site:
    """Django's own client, logged in as somebody with a role in the survey."""

    def __init__(self, client, user) -> None:
        self.client, self.user = client, user
        self.log_in()

    def log_in(self) -> None:
        """Anew, after days have passed: sessions end by themselves."""
        self.client.force_login(self.user)

    def read(self, path: str) -> str:
        reply = self.client.get(path)
        assert reply.status_code in (200, 410), (path, reply.status_code)  # 410: it is closed
        return reply.getvalue().decode()

    def press(self, path: str, fields: Mapping[str, str]) -> str:
        reply = self.client.post(path, fields, follow=True)
        assert reply.status_code == 200, (path, fields, reply.status_code)
        return reply.content.decode()

    def post(self, path: str, fields: Mapping[str, str]) -> str:
        form, origin = "application/x-www-form-urlencoded", {"sec-fetch-site": "same-origin"}
        reply = self.client.post(path, urlencode(fields), content_type=form, headers=origin)
        assert reply.status_code == 200, (fields, reply.status_code)
        return reply.content.decode()


def survey_of(owner, *, text: bool = False, **fields: object) -> Survey:
    """A survey with a number, a question that no coin can ask, and perhaps a text."""
    last_day = datetime.now(UTC).date() + 55 * DAY
    usual = {"opening": "close", "batch_size": K, "close_on": last_day, "planned_responses": 10**5}
    draft = make_survey(owner, **{**usual, **fields})
    add_serial_number(draft, width=5)
    add_question(draft, text="Drunk?", design="warner", p_sensitive="0.7310586", required=True)
    if text:
        add_text(draft)
    return launched(draft)


@pytest.fixture
def site(client, owner) -> Site:
    return Site(client, owner)


def attacker_of(site: Site, survey: Survey) -> Outsider:
    return Outsider(site, str(survey.pk), {"q002": "01"})


def close(attacker: Outsider) -> None:
    keep_dates(now=after_the_close(Survey.objects.get(pk=attacker.key)))
    attacker.site.log_in()


def weeks() -> Iterator[datetime]:
    today = datetime.now(UTC).date()
    for week in range(1, 8):
        yield datetime.combine(today + 7 * week * DAY, time(12), UTC)


def test_false_answers_with_a_coin_take_no_company_from_who_used_one(client, owner):
    """A member who may only read fills the rows of the own-coin path: 40 of 40 were found once."""
    survey, analyst = survey_of(owner), make_user("analyst")
    Membership.objects.create(survey=survey, user=analyst, role=Membership.Role.ANALYST)
    attacker = attacker_of(Site(client, analyst), survey)
    company = outsider.coin_among_fillers(attacker, close, honest=30, fillers=K - 1)
    assert company >= 1 + K


def test_who_used_a_coin_in_a_survey_that_goes_quiet_hides_among_a_tenth_of_the_honest(owner, site):
    """Openings leave few of the honest for the close, and the attacker sends most of the rest."""
    survey, coming = survey_of(owner, opening="every"), weeks()
    company = outsider.coin_before_a_flood(
        attacker_of(site, survey),
        lambda attacker: open_due(next(coming)),
        close,
        honest=100,
        periods=4,
        flood=60,
    )
    # Of 101, openings let 50, 25 and 13 out, but for a tenth of each, rounded down.
    assert company >= 1 + 5 + 2 + 1 - 1  # the target's own may have been one of the tenth


def test_nothing_but_missing_answers_marks_a_row_or_text_of_a_coin(owner, site):
    attacker = attacker_of(site, survey_of(owner, text=True))
    assert outsider.marks_of_a_coin(attacker, close, honest=12) == set()


def test_the_order_of_rows_and_texts_is_neither_that_in_which_people_came_nor_each_others(
    owner, site
):
    people = 60
    attacker = attacker_of(site, survey_of(owner, text=True))
    kept = outsider.kept_places(attacker, close, people=people)
    # A place is kept by chance once in each file, with a standard deviation of one.
    assert max(kept) <= 1 + 5


def test_no_page_and_no_file_says_what_only_a_receipt_says(owner, site):
    attacker = attacker_of(site, survey_of(owner, text=True))
    assert outsider.told_by_receipts(attacker, close, people=6) == set()


def test_neither_pages_nor_what_they_ask_before_an_act_change_with_43_answers(owner, site):
    attacker = attacker_of(site, survey_of(owner))
    keep_dates(now=datetime.now(UTC))  # today's number of answers is on the pages
    listed = site.read("/admin/surveys/survey/")
    assert 'value="stop"' in listed, "no page asks before answers are destroyed"
    assert outsider.moved_by_answers(attacker, people=43) == set()
