"""A field manager, an editor of a launched survey, invites people and reminds them."""

from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from surveys.models import Addressee, Mailing, Survey
from surveys.staff.members.services import add_member
from tests import factories
from tests.audit.walks.conftest import WITH_AND_WITHOUT_SCRIPT
from tests.audit.walks.walking import Walk
from tests.conftest import serving
from tests.surveys.fieldwork import mailing as mailings
from tests.surveys.fieldwork.mailing import people

pytestmark = [
    pytest.mark.browser,
    pytest.mark.audit,
    pytest.mark.django_db(transaction=True),
    WITH_AND_WITHOUT_SCRIPT,
]
SHEETS, ADDRESSES = 3, 30
SUBJECT = "Please take part"


@pytest.fixture
def server(django_db_setup, _static_files, tmp_path):
    """A site that can send mail; a worker would hand it over, and the test does."""
    mail_server = {
        "DENIABLE_EMAIL_URL": "smtp://127.0.0.1:25",
        "DENIABLE_MAIL_FROM": "Surveys <surveys@example.org>",
    }
    with serving(tmp_path / "log.txt", **mail_server) as running:
        yield running


@pytest.fixture
def invited(transactional_db) -> Survey:
    survey = factories.make_invited_survey(factories.make_user("ada"))
    factories.make_user("grace")
    add_member(survey=survey, username="grace", role="editor", by=survey.owner)
    return survey


def test_a_field_manager_invites_and_reminds_people(somebody, invited):
    manager = somebody()
    manager.log_in("grace")
    manager.follow(invited.title)
    manager.follow("Invitations")
    prints_sheets(manager)
    writes_a_mailing(manager)
    sends_it(manager)
    plans_reminders(manager)
    schedules_reminders(manager)
    sees_how_far_it_is(manager, invited)


def prints_sheets(manager: Walk) -> None:
    """And takes a table of as many codes away, which are others."""
    manager.fill("How many", str(SHEETS))
    manager.press("Make sheets to print")
    assert manager.page.locator(".sheet").count() == SHEETS
    manager.follow("Invitations")
    manager.fill("How many", str(SHEETS))
    table = manager.download("Make a table (CSV)").read_text()
    assert len(table.splitlines()) == SHEETS + 1


def writes_a_mailing(manager: Walk) -> None:
    """A line without an address is said, and left out where that is wanted."""
    manager.follow("Write a mailing")
    manager.fill("Or paste the addresses", "\n".join([*people(ADDRESSES), "nobody"]))
    manager.fill("Subject", SUBJECT)
    manager.press("Save and preview", "a line without an address", expects_errors=True)
    manager.sees("'nobody'")
    assert not Addressee.objects.exists()
    manager.field("Leave out lines without a usable address").check()
    manager.press("Save and preview")
    manager.sees(f"Addresses saved: {ADDRESSES}")
    manager.sees_heading("Preview of the mail")


def sends_it(manager: Walk) -> None:
    manager.press(f"Send to {ADDRESSES} addresses", "sending")
    mailings.run_all()
    assert len(mail.outbox) == ADDRESSES
    manager.follow("Reload this page", "sent")
    manager.sees(f"{ADDRESSES} of {ADDRESSES} mails sent")


def plans_reminders(manager: Walk) -> None:
    """Against another sender, who asks the same people."""
    tomorrow = timezone.now().date() + timedelta(days=1)
    manager.use_tool("Reminders")
    manager.fill("First day", str(tomorrow))
    manager.fill("Deadline", str(tomorrow + timedelta(days=9)))
    manager.press("Plan reminders", "planned")
    manager.sees_heading("Your schedule, drawn by chance")
    assert manager.download("This plan (CSV)").read_text().count("\n") > 10
    calendar = manager.download("This schedule as calendar file (iCalendar)")
    assert calendar.read_text().startswith("BEGIN:VCALENDAR")


def schedules_reminders(manager: Walk) -> None:
    manager.fill("Number of the rival's mails", "0")
    manager.press("Plan reminders", "without a rival")
    manager.sees_heading("Let Deniable send these reminders")
    manager.press("Schedule these reminders")
    manager.sees("Reminders scheduled: 3.")


def sees_how_far_it_is(manager: Walk, survey: Survey) -> None:
    manager.sees(f"Invitations issued: {2 * SHEETS + ADDRESSES}")
    reminder = Mailing.objects.exclude(reminds=None).first()
    manager.go_by(manager.link(reminder.subject).first, "a reminder")
    manager.sees("The reminder is sent on")
    manager.follow("Dashboard")
    manager.sees(f"of {2 * SHEETS + ADDRESSES} invitations")
