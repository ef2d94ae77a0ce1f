"""``manage.py plan_reminders`` prints what the page says, and writes both files."""

import pytest
from django.core.management import CommandError, call_command

DAYS = {"first": "2026-12-01", "last": "2026-12-28"}


def planned(**options: object) -> str:
    return call_command("plan_reminders", **{**DAYS, **options})


def test_it_prints_the_drawn_days_and_writes_both_files(tmp_path):
    table, calendar = tmp_path / "plan.csv", tmp_path / "plan.ics"
    printed = planned(csv=table, ics=calendar, title="Habits")
    assert printed.startswith("A shared calendar is better for both")
    assert printed.count(" UTC") == calendar.read_text().count("BEGIN:VEVENT") == 3
    assert len(table.read_text().splitlines()) == 29
    assert b"\r\n" in calendar.read_bytes()


def test_without_a_rival_it_says_so():
    assert planned(rival_sends="0").startswith(
        "Without a rival, the chance that a mail succeeds depends only on its day"
    )


def test_a_rising_curve_is_fitted_to_daily_totals():
    totals = "day,answers\n1,10\n2,28\n3,60\n"
    assert "Seed 1 draws:" in planned(totals=totals, asked="100")


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ({"chances": "50 20"}, "the chance falls on this day"),
        ({"chances": "0"}, "no mail can succeed"),
        ({"chances": "1 2 3"}, "two percentages \\(for the first and the last day\\) or 28"),
        ({"chances": "-5"}, "write percentages"),
        ({"chances": "5", "totals": "1\n2"}, "not both"),
        ({"totals": "1\n2"}, "how many people were asked"),
        ({"totals": "1\nmany", "asked": "9"}, "day 2 needs a whole number"),
        ({"sends": "29"}, "plan at most 28 mails"),
        ({"rival_sends": "29"}, "plan at most 28 mails"),
        ({"rival_sends": "-1"}, "--rival-sends: "),
        ({"rival_chances": "50 20"}, "the chance falls on this day"),
        ({"rival_chances": "0"}, "no mail can succeed"),
        ({"chances": "150"}, "between 0 and 1"),
        ({"sends": "0"}, "--sends: "),
        ({"last": "2027-12-01"}, "plan at most 120 days"),
        ({"last": "2026-11-01"}, "choose the first day or a later day"),
        ({"first": "soon"}, "--first: "),
    ],
)
def test_what_cannot_be_planned_is_refused_with_its_remedy(options, remedy):
    with pytest.raises(CommandError, match=remedy):
        planned(**options)


def test_chances_above_0_on_the_first_day_are_planned_with_a_warning():
    printed = planned(chances="30 60")
    assert "A mail can already succeed on the first day" in printed
    assert "Seed 1 draws:" in printed


def test_a_first_day_is_needed_and_a_file_that_can_be_written(tmp_path):
    with pytest.raises(CommandError, match="give the first day"):
        call_command("plan_reminders")
    with pytest.raises(CommandError, match="cannot be written"):
        planned(csv=tmp_path / "no" / "plan.csv")
