"""``manage.py plan_reminders``: the planning page's fields as options; CSV and iCalendar files."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS
from django.core.management.base import BaseCommand, CommandError
from django.http import QueryDict

from surveys.fieldwork.reminder_forms import PlanRemindersForm
from surveys.fieldwork.reminder_rows import plan_page
from surveys.fieldwork.reminders.calendars import calendar_of, plan_rows
from surveys.web.downloads import table_csv

# No survey is named here, so that there is no progress to fit to.
OPTIONS = {n: field for n, field in PlanRemindersForm.base_fields.items() if n != "use_progress"}


class Command(BaseCommand):
    help = (
        "Plan when to send reminders against a rival, and print one schedule that is drawn at "
        "random."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        for name, field in OPTIONS.items():
            default = f" Default: {field.initial}." if field.initial else ""
            words = f"{field.label}. {field.help_text}{default}".replace("%", "%%")
            parser.add_argument(f"--{name.replace('_', '-')}", help=words)
        parser.add_argument("--csv", type=Path, help="Write the plan day by day to this file.")
        parser.add_argument("--ics", type=Path, help="Write the schedule to this iCalendar file.")
        parser.add_argument("--title", default="Survey", help="How the calendar names the survey.")

    def handle(self, **options: Any) -> str:
        """Print the plan. Raises CommandError for options that cannot be used."""
        form = _planned(options)
        if options["csv"]:
            _write(options["csv"], "".join(table_csv(plan_rows(form.plan, form.slots))))
        if options["ics"]:
            _write(options["ics"], calendar_of(form.plan, form.slots, options["title"]))
        return "\n".join(_lines(form))


def _planned(options: dict[str, Any]) -> PlanRemindersForm:
    query = QueryDict(mutable=True)
    for name in OPTIONS:
        if options.get(name) is not None:
            query[name] = str(options[name])
    form = PlanRemindersForm(query)
    if not form.is_bound:
        raise CommandError("--first: give the first day, such as 2026-12-01.")
    if not form.is_valid():
        raise CommandError("\n".join(_reasons(form)))
    return form


def _reasons(form: PlanRemindersForm) -> list[str]:
    return [
        str(reason) if name == NON_FIELD_ERRORS else f"--{name.replace('_', '-')}: {reason}"
        for name, reasons in form.errors.items()
        for reason in reasons
    ]


def _lines(form: PlanRemindersForm) -> list[str]:
    page = plan_page(form.plan, form.slots)
    lines = [*form.plan.warnings, page.sentence, f"Seed {form.plan.seed} draws:"]
    lines += [f"  {moment:%Y-%m-%d %H:%M} UTC" for moment in page.moments]
    lines += [f"{row.name:26}{row.days:40}{row.margin:>14}" for row in page.habits]
    return lines


def _write(path: Path, text: str) -> None:
    try:
        # As the format has them: a calendar's lines end in CR LF on every machine.
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as problem:
        raise CommandError(f"{path} cannot be written: {problem.strerror}.") from None
