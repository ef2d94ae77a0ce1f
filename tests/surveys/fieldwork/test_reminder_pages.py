"""The page that plans reminders: asked in the address, taken away, put into the mailer."""

import csv
import io
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from surveys.models import DailyCount, Mailing, Membership
from surveys.staff.roles import Role
from tests import factories
from tests.surveys.fieldwork import mailing as mailings
from tests.surveys.fieldwork.mailing import people

pytestmark = [pytest.mark.django_db, pytest.mark.survey(make=factories.make_invited_survey)]
MAIL = {"subject": "Still open", "message": "If you have answered, thank you."}


@pytest.fixture(autouse=True)
def _mail(settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"


def query(**changes) -> dict[str, str]:
    first = timezone.now().date() + timedelta(days=2)
    last = first + timedelta(days=27)
    return {"first": str(first), "last": str(last), "sends": "3", "rival_sends": "3", **changes}


def rows(table: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table.decode("utf-8-sig"))))


def address(name: str, survey) -> str:
    return reverse(f"surveys:{name}", args=[survey.pk])


def test_a_plan_is_asked_for_read_and_taken_away(staff, survey):
    page = staff.get(address("reminders", survey), query()).content.decode()
    assert "A shared calendar is better for both" in page
    assert "Evenly spaced" in page
    words = " ".join(page.split())
    assert "drawn with the seed 1 (the starting number of the random draw)." in words
    table = b"".join(staff.get(address("reminders-csv", survey), query()))
    assert table.count(b"\n") == 29
    calendar = staff.get(address("reminders-ics", survey), query())
    assert calendar.headers["Content-Type"] == "text/calendar; charset=utf-8"
    assert calendar.content.count(b"BEGIN:VEVENT") == 3
    assert staff.get(address("reminders-svg", survey), query()).content.startswith(b"<svg")


def test_without_a_rival_the_page_says_that_there_is_no_game(staff, survey):
    page = staff.get(address("reminders", survey), query(rival_sends="0")).content.decode()
    assert "Schedule without a rival" in page
    assert staff.get(address("reminders-svg", survey), query(rival_sends="0")).status_code == 404


def test_what_cannot_be_planned_is_said_and_has_no_files(staff, survey):
    wrong = query(chances="50 20")
    assert (
        "the chance falls on this day"
        in staff.get(address("reminders", survey), wrong).content.decode()
    )
    for name in ("reminders-csv", "reminders-ics", "reminders-svg"):
        assert staff.get(address(name, survey), wrong).status_code == 404


def test_the_drawn_schedule_can_be_put_into_the_mailer(staff, survey):
    mailing = mailings.prepare(survey, people(20))
    mailings.start(mailing)
    mailings.run_all()
    link = f"{address('send-reminders', survey)}?" + "&".join(
        f"{name}={value}" for name, value in query().items()
    )
    coded = staff.post(link, {**MAIL, "mailing": mailing.pk, "message": "Your code: {code}"})
    assert coded.status_code == 400
    assert staff.post(link, {**MAIL, "mailing": mailing.pk}).status_code == 302
    made = Mailing.objects.filter(reminds=mailing)
    assert made.count() == 3
    page = staff.get(reverse("surveys:mailing", args=[survey.pk, made[0].pk])).content.decode()
    assert "goes to every address of the mailing “Please”" in page


def counted(survey, *at_least: int) -> None:
    """What pages said on the last days."""
    today = timezone.now().date()
    for ago, count in enumerate(reversed(at_least)):
        day = today - timedelta(days=ago)
        DailyCount.objects.create(revision=survey.revision, day=day, at_least=count)


def test_without_counts_of_two_days_there_is_no_progress_to_fit_to(staff, survey):
    counted(survey, 20)
    assert "Or use this survey&#x27;s progress" not in staff.get(
        address("reminders", survey)
    ).content.decode().replace("'", "&#x27;")
    sent = query(use_progress="on")
    assert (
        "Your schedule, drawn by chance"
        in staff.get(address("reminders", survey), sent).content.decode()
    )


def test_chances_are_fitted_to_what_pages_said_of_each_day(staff, survey):
    factories.invite(survey, 400)
    counted(survey, 0, 5, 10, 20, 40, 80)
    place = address("reminders", survey)
    assert "Or use this survey" in staff.get(place).content.decode()
    fitted = b"".join(staff.get(address("reminders-csv", survey), query(use_progress="on")))
    chances = [float(row["our_chance_of_success"]) for row in rows(fitted)]
    assert chances == sorted(chances)
    assert 0.05 < chances[-1] < 0.2
    typed = query(use_progress="on", chances="10")
    assert "use only one of these" in staff.get(place, typed).content.decode()
    few = query(use_progress="on", asked="50")
    assert (
        "write at least 80, because this many people answered"
        in staff.get(place, few).content.decode()
    )


def test_an_open_survey_says_first_how_many_were_asked(staff, owner):
    survey = factories.make_open_survey(owner)
    counted(survey, 0, 5, 10)
    page = staff.get(address("reminders", survey), query(use_progress="on")).content.decode()
    assert "how many people were asked" in page


def test_only_those_who_may_invite_plan_reminders(client, survey):
    analyst = factories.make_user("ben")
    Membership.objects.create(survey=survey, user=analyst, role=Role.ANALYST)
    client.force_login(analyst)
    for name in ("reminders", "reminders-csv", "reminders-ics", "reminders-svg"):
        assert client.get(address(name, survey), query()).status_code == 403
    assert client.post(address("send-reminders", survey), MAIL).status_code == 403
