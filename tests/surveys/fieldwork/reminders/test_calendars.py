"""A plan as a table and as an iCalendar file that calendars can read."""

from datetime import date

import numpy as np
import pytest

from surveys.fieldwork.reminders.calendars import Slots, calendar_of, plan_rows
from surveys.fieldwork.reminders.errors import ReminderError
from surveys.fieldwork.reminders.plans import Situation, plan_reminders

SLOTS = Slots(date(2026, 12, 1), date(2026, 12, 28), 9)
LINE = np.arange(1, 29) / 28
PLAN = plan_reminders(Situation(LINE, LINE, 3, 3), 1)


def test_a_calendar_has_one_event_a_send_in_lines_that_end_in_cr_lf():
    text = calendar_of(PLAN, SLOTS, "Habits")
    assert text.startswith("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n")
    starts = [line[8:] for line in text.split("\r\n") if line.startswith("DTSTART:")]
    assert starts == [f"{SLOTS.moment(slot):%Y%m%dT%H%M%SZ}" for slot in PLAN.schedule]
    assert text == calendar_of(PLAN, SLOTS, "Habits")


def test_titles_are_escaped_and_long_lines_folded_between_letters():
    text = calendar_of(PLAN, SLOTS, "Über, alle; \\ Maßen\n" * 9)
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    unfolded = text.replace("\r\n ", "")
    assert "Über\\, alle\\; \\\\ Maßen Über" in unfolded


def test_the_table_has_a_row_for_each_day():
    rows = list(plan_rows(PLAN, SLOTS))
    assert (len(rows), rows[0]["day"], rows[-1]["day"]) == (28, "2026-12-01", "2026-12-28")
    assert [row["slot"] - 1 for row in rows if row["drawn"]] == list(PLAN.schedule)
    assert sum(row["we_send_with_chance"] for row in rows) <= 3 + 1e-9


def test_a_deadline_before_the_first_day_and_an_hour_of_no_day_are_refused():
    with pytest.raises(ReminderError, match="choose the first day or a later day"):
        Slots(date(2026, 12, 2), date(2026, 12, 1))
    with pytest.raises(ReminderError, match="0 to 23"):
        Slots(date(2026, 12, 1), date(2026, 12, 1), 24)
