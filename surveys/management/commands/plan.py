"""The planner on the command line: the same fields, the same numbers as its page."""

import json
import math
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from surveys.forms import PlanForm
from surveys.plans import PlanReport, PlanRow


class Command(BaseCommand):
    help = "Work out how many people to ask, by every method."

    def add_arguments(self, parser: ArgumentParser) -> None:
        for name, field in PlanForm.base_fields.items():
            words = str(field.help_text or field.label or name.capitalize())
            default = f" Default: {field.initial}." if field.initial else ""
            choices = [value for value, _ in getattr(field, "choices", ())] or None
            parser.add_argument(f"--{name}", choices=choices, help=words + default)
        parser.add_argument("--format", choices=["text", "json"], default="text")

    def handle(self, **options: Any) -> str:
        """Print the plan. Raises CommandError that names every option that cannot be used."""
        asked = {name: options[name] for name in PlanForm.base_fields if options.get(name)}
        form = PlanForm.from_query(asked)
        if not form.is_valid():
            raise CommandError(_refusal(form))
        if options["format"] == "json":
            return json.dumps(_as_data(form.report), indent=1)
        return "\n".join(_lines(form.report))


def _refusal(form: PlanForm) -> str:
    reasons = (f"--{name}: {' '.join(map(str, errors))}" for name, errors in form.errors.items())
    return "\n".join(reasons).replace("--__all__: ", "")


def _as_data(report: PlanReport) -> dict[str, Any]:
    question = report.question
    return {
        "n": report.n,
        "design": report.design_words,
        "epsilon": report.epsilon if math.isfinite(report.epsilon) else None,
        "error": float(question.error),
        "failure_probability": float(question.failure),
        "method": question.method,
        "meaning": question.meaning.name.lower(),
        "population": question.population,
        "assumption": report.assumption,
        "sizes": {row.method: _values(row) for row in report.sizes},
        "errors": {row.method: _values(row) for row in report.errors},
    }


def _values(row: PlanRow) -> dict[str, float | None]:
    return {"respondents": row.respondents.value, "population": row.population.value}


def _lines(report: PlanReport) -> list[str]:
    lines = [
        f"Ask {report.n:,} people.",
        report.assumption,
        f"{report.design_words}. Epsilon of one answer: {report.epsilon_words}.",
        "",
        f"{'Method':26}{'these n people':>18}{'the population':>18}",
    ]
    lines += [_line(row, row.respondents.shown, row.population.shown) for row in report.sizes]
    if report.errors:
        lines += ["", f"The error that {report.question.responses:,} responses buy:"]
    lines += [
        _line(row, row.respondents.shown_error, row.population.shown_error) for row in report.errors
    ]
    return [*lines, *(["", *report.reasons] if report.reasons else [])]


def _line(row: PlanRow, respondents: str, population: str) -> str:
    mark = " *" if row.is_chosen else ""
    return f"{row.name + mark:26}{respondents:>18}{population:>18}"
