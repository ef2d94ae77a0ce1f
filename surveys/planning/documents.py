"""plan_document: a plan as JSON; asked_plan: the plan that texts of the planner's fields ask."""

import math
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS

from surveys.planning.forms import PlanForm
from surveys.planning.plans import PlanReport, PlanRow
from surveys.planning.samples import SampleReport
from surveys.planning.tests_and_prices import PlanExtras


def asked_plan(typed: Mapping[str, str]) -> tuple[PlanReport | None, list[tuple[str, str]]]:
    """The plan, or what is wrong: the name of the field, empty for several together, and why."""
    form = PlanForm.from_query(typed)
    if form.is_valid():
        return form.report, []
    return None, [
        ("" if name == NON_FIELD_ERRORS else name, str(words))
        for name, problems in form.errors.items()
        for words in problems
    ]


def plan_document(report: PlanReport) -> dict[str, Any]:
    """A plan as JSON, for files and programs: numbers, and words where no number answers."""
    asked = report.request
    return {
        "n": report.n,
        "people": report.people,
        "design": report.design_words,
        "epsilon": report.epsilon if math.isfinite(report.epsilon) else None,
        "error": float(asked.error),
        "failure_probability": float(asked.failure),
        "method": asked.method,
        "meaning": asked.meaning.name.lower(),
        "population": asked.population,
        "assumption": report.assumption,
        "reading": asked.reading.value,
        "readings": {
            row.reading.value: {"people": row.people.value, "error": row.error.value}
            for row in report.readings.rows
        },
        **({"sample": _sample(report.sample)} if report.sample else {}),
        "sizes": {row.method: _values(row) for row in report.sizes},
        "errors": {row.method: _values(row) for row in report.errors},
        **_extras(report.extras),
    }


def _sample(report: SampleReport) -> dict[str, Any]:
    sample = report.sample
    return {
        "invitations": sample.invitations,
        "clusters": sample.clusters,
        "design_effect": sample.design_effect,
        "weights_effect": float(sample.effects.weights),
        "clusters_effect": float(sample.effects.clusters),
        "effective_n": sample.effective_n,
        "arms": [
            {"share": float(arm.share), "people": arm.people, "answers": arm.answers}
            for arm in sample.arms
        ],
    }


def _extras(extras: PlanExtras) -> dict[str, Any]:
    power, budget, comparison = extras.power, extras.budget, extras.comparison
    return {
        "test": power
        and {
            "n": power.test.plan.n,
            "other_n": power.test.plan.other_n,
            "power": power.test.plan.power,
            "exact_power": power.test.exact,
            "power_of_responses": power.test.at_responses and power.test.at_responses.power,
            **({"invitations": invited} if (invited := power.test.invitations) else {}),
        },
        "price_of_privacy": [
            {"epsilon": row.point.epsilon, "n": row.point.n, "times_direct": row.point.times_direct}
            for row in extras.price
        ],
        "budget": budget
        and {
            "epsilons": list(budget.allocation.epsilons),
            "variances_times_n": list(budget.allocation.variances_times_n),
            "value": budget.allocation.value,
            "even_value": budget.allocation.even_value,
        },
        "designs": comparison
        and [
            {
                "name": row.name,
                "times_best": row.times_best,
                "standard_error": row.standard_error,
                "power": row.power,
                "exact_power": row.exact_power,
            }
            for row in comparison.rows
        ],
        "reasons": list(extras.reasons),
    }


def _values(row: PlanRow) -> dict[str, float | None]:
    return {"respondents": row.respondents.value, "population": row.population.value}
