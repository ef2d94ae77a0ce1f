"""``manage.py plan``: the planner's fields as options, questions from JSON or CSV, and output."""

import csv
import io
import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS
from django.core.management.base import BaseCommand, CommandError

from surveys.planning.documents import plan_document
from surveys.planning.forms import PlanForm
from surveys.planning.plans import PlanReport, PlanRow
from surveys.planning.samples import SampleReport
from surveys.planning.tests_and_prices import PlanExtras
from surveys.randomized_response.planning import REQUEST_FIELDS, Meaning
from surveys.randomized_response.planning.request_fields import OfferedNames
from surveys.wording.language.messages import translated


class Command(BaseCommand):
    help = "Calculate how many people to ask, by every method."

    def add_arguments(self, parser: ArgumentParser) -> None:
        for name, asked in REQUEST_FIELDS.items():
            default = f" Default: {asked.usual}." if asked.usual else ""
            choices = list(asked.labels) if isinstance(asked, OfferedNames) else None
            # argparse formats help texts with %, and the page's words speak of "20 %".
            words = (translated(asked.help or asked.label) + default).replace("%", "%%")
            parser.add_argument(f"--{name}", choices=choices, help=words)
        parser.add_argument("--format", choices=["text", "json"], default="text")
        parser.add_argument(
            "--input",
            help="A file of questions: .json with an object or a list of objects, or .csv with a "
            "header. Use the names of these options. The answers are printed as JSON, in "
            "the same order.",
        )

    def handle(self, **options: Any) -> str:
        """Print the plan. Raises CommandError that names every option that cannot be used."""
        typed = {name: options[name] for name in REQUEST_FIELDS if options.get(name)}
        if options.get("input"):
            requests = _requests(Path(options["input"]))
            plans = [plan_document(_report(typed | texts, f"{line}: ")) for line, texts in requests]
            return json.dumps(plans, indent=1)
        report = _report(typed)
        if options["format"] == "json":
            return json.dumps(plan_document(report), indent=1)
        return "\n".join(_lines(report))


def _report(typed: dict[str, str], line: str = "") -> PlanReport:
    form = PlanForm.from_query(typed)
    if not form.is_valid():
        reasons = (
            line + (reason if name == NON_FIELD_ERRORS else f"--{name}: {reason}")
            for name in form.errors
            for reason in _reason(form, name).splitlines()
        )
        raise CommandError("\n".join(reasons))
    return form.report


def _requests(path: Path) -> list[tuple[str, dict[str, str]]]:
    """(its line or number, texts by field) for every request in a file. Raises CommandError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as problem:
        raise CommandError(f"--input: {path} cannot be read: {problem.strerror}.") from None
    except UnicodeDecodeError as problem:
        raise CommandError(f"--input: {path} cannot be read as text in UTF-8: {problem}") from None
    read = {".json": _from_json, ".csv": _from_csv}.get(path.suffix.lower())
    if read is None:
        raise CommandError("--input: give a file whose name ends in .json or .csv.")
    requests = [(line, _checked(line, request)) for line, request in read(text)]
    if not requests:
        raise CommandError(f"--input: {path} contains no question.")
    return requests


def _from_json(text: str) -> Iterator[tuple[str, Any]]:
    try:
        content = json.loads(text, parse_float=str, parse_int=str)
    except (ValueError, RecursionError) as problem:
        raise CommandError(f"--input: the file is not JSON: {problem}") from None
    questions = content if isinstance(content, list) else [content]
    yield from ((f"question {i}", question) for i, question in enumerate(questions, start=1))


def _from_csv(text: str) -> Iterator[tuple[str, Any]]:
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    names = rows.fieldnames or []
    if len(set(names)) != len(names):
        raise CommandError("--input: the header names a column twice.")
    try:
        yield from ((f"line {rows.line_num}", row) for row in rows)
    except csv.Error as problem:
        raise CommandError(
            f"--input: the file is not CSV: line {rows.line_num}: {problem}"
        ) from None


def _checked(line: str, request: Any) -> dict[str, str]:
    """Known names with texts; empty cells mean the default."""
    if not isinstance(request, dict):
        raise CommandError(f"{line}: write an object with the names of the options.")
    for name, text in request.items():
        if name not in REQUEST_FIELDS:
            known = ", ".join(REQUEST_FIELDS)
            raise CommandError(f"{line}: {name!r} is not an option. The options are {known}.")
        if text is not None and not isinstance(text, str):
            raise CommandError(f"{line}: {name}: write a number or a text.")
    return {name: text for name, text in request.items() if text}


def _reason(form: PlanForm, name: str) -> str:
    """The page's words, with options in place of what is chosen from a list."""
    if form.has_error(name, "invalid_choice"):
        choices = ", ".join(value for value, _ in getattr(form.fields[name], "choices", ()))
        return f"{form[name].value()} is not a choice. Write one of these: {choices}."
    words = " ".join(map(str, form.errors[name]))
    for meaning in Meaning:
        words = words.replace(f"“{meaning.value}”", f"--meaning {meaning.name.lower()}")
    return words


def _lines(report: PlanReport) -> list[str]:
    lines = [
        *(_sample_lines(report.sample) if report.sample else [f"Ask {report.people:,} people."]),
        *([report.drawn_words] if report.drawn_words else []),
        *([report.beside] if report.beside else []),
        report.assumption,
        f"{report.design_words}. Epsilon of one answer: {report.epsilon_words}.",
        "",
        *_reading_lines(report),
        "",
        f"{'Method':26}{'people taking part':>18}{'the population':>18}",
    ]
    lines += [_line(row, row.respondents.shown, row.population.shown) for row in report.sizes]
    if report.errors:
        lines += ["", f"The error with {report.request.responses:,} responses:"]
    lines += [
        _line(row, row.respondents.shown_error, row.population.shown_error) for row in report.errors
    ]
    lines += _extra_lines(report.extras)
    return [*lines, *(["", *report.reasons] if report.reasons else [])]


def _sample_lines(sample: SampleReport) -> Iterator[str]:
    yield f"Invite {sample.invitations:,} people."
    yield from sample.lines
    for row in sample.arms:
        yield f"{row.name:26}{row.cells[0]:>18}{row.cells[1]:>18}"


def _reading_lines(report: PlanReport) -> Iterator[str]:
    readings = report.readings
    yield f"{'Read':26}{'for ' + readings.error:>18}{'of ' + readings.answers:>18}"
    for row in readings.rows:
        mark = " *" if row.is_chosen else ""
        yield f"{row.name + mark:26}{row.people.shown:>18}{row.error.shown_error:>18}"


def _extra_lines(extras: PlanExtras) -> list[str]:
    lines: list[str] = []
    if extras.power:
        lines += ["", *extras.power.lines]
    if extras.comparison:
        head = f"{'Design':32}{'times people':>14}{'std. error':>12}{'power':>10}{'exact':>10}"
        lines += ["", extras.comparison.words, head]
        for row, (times, error, power, exact) in extras.comparison.shown:
            lines.append(f"{row.name:32}{times:>14}{error:>12}{power:>10}{exact:>10}")
    if extras.price:
        lines += ["", f"{'Epsilon':26}{'people':>18}{'times direct':>18}"]
        lines += ["{:26}{:>18}{:>18}".format(*row.shown) for row in extras.price]
    if extras.budget:
        lines += ["", extras.budget.words, f"{'Question':10}{'answers':>10}{'epsilon':>12}"]
        lines += [
            f"{row.number:<10}{row.shown[0]:>10}{row.shown[1]:>12}" for row in extras.budget.rows
        ]
    return [*lines, *(["", *extras.reasons] if extras.reasons else [])]


def _line(row: PlanRow, respondents: str, population: str) -> str:
    mark = " *" if row.is_chosen else ""
    return f"{row.name + mark:26}{respondents:>18}{population:>18}"
