"""A draft as flat values, and how two states of it differ: kept by the audit log for each edit."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

from surveys.definitions.names import valued_line
from surveys.models import Condition, Question, Survey

SURVEY_FIELDS = (*Survey.PROMISED, *Survey.PLAN, "close_on", "delete_on")
QUESTION_FIELDS = (
    *Question.WORDS_AND_DESIGN,
    "name",
    "unfinished",
    "minimum",
    "maximum",
    "decimal_places",
    "special",
    "longest",
    "catalogue_id",
    "shown",
    "most",
    "table_rows",
    "first_day",
    "last_day",
    "adaptive",
    "known_share",
    "counted_table",
    "rule_joins",
    "rule_shape",
    "section",
    "section_text",
    "section_shape",
    "same_screen",
    "random_options",
    "random_screens",
    "random_section",
    "arms",
)
BUDGET_FIELDS = ("epsilon", "delta", "adjacency")
Values = dict[str, Any]


@dataclass(frozen=True)
class Draft:
    """A survey's fields, and its questions' by their keys, in order."""

    survey: Values
    questions: Mapping[UUID, Values]

    def flat(self, names: Mapping[UUID, str] | None = None) -> Values:
        """One line for each field; questions go by their place unless they are named."""
        called = names or _places(self, "question")
        values = dict(self.survey)
        for key, fields in self.questions.items():
            values |= {f"{called[key]}: {name}": value for name, value in fields.items()}
        return values


def described(survey: Survey) -> Draft:
    """The survey as it is stored now."""
    stored = Survey.objects.get(pk=survey.pk)
    questions = stored.questions.prefetch_related("options", "conditions__source")
    return Draft(
        {name: _plain(getattr(stored, name)) for name in SURVEY_FIELDS}
        | _budgets(stored)
        | _text_keys(stored)
        | _tally(stored),
        {question.pk: _question(question) for question in questions},
    )


def described_flat(survey: Survey) -> Values:
    """All that the survey says now, for the log."""
    return kept_back(described(survey).flat(), {"contact"}, "not kept")


def between(before: Draft, after: Draft) -> tuple[Values, Values]:
    """What differs, as it was and as it is. Questions go by the place that they have now."""
    names = _places(before, "removed question") | _places(after, "question")
    old, new = changed(before.flat(names), after.flat(names))
    return kept_back(old, {"contact"}, "not kept"), kept_back(new, {"contact"}, "changed")


def kept_back(values: Values, names: Set[str], word: str) -> Values:
    """With a word in the place of an address: what is in the audit log can never be erased."""
    return {name: word if name in names else value for name, value in values.items()}


def changed(before: Values, after: Values) -> tuple[Values, Values]:
    """The entries of two descriptions that differ."""
    missing = object()
    return (
        {name: value for name, value in before.items() if after.get(name, missing) != value},
        {name: value for name, value in after.items() if before.get(name, missing) != value},
    )


def _places(draft: Draft, name: str) -> dict[UUID, str]:
    return {key: f"{name} {number}" for number, key in enumerate(draft.questions, start=1)}


def _question(question: Question) -> Values:
    fields = {name: _plain(getattr(question, name)) for name in QUESTION_FIELDS}
    return {
        **fields,
        "options": [
            valued_line(option.value, option.text, number)
            for number, option in enumerate(question.options.all(), start=1)
        ],
        "alone": [option.text for option in question.options.all() if option.stands_alone],
        "conditions": [_condition(condition) for condition in question.conditions.all()],
    }


def _condition(condition: Condition) -> str:
    """In words, after its number in the shape that joins it."""
    if condition.leaf is None:
        return str(condition)
    return f"{condition.leaf}: {condition}"


def _budgets(survey: Survey) -> Values:
    """The fields of each budget, by what its reports are on."""
    return {
        f"budget for reports on {budget.source}: {name}": _plain(getattr(budget, name))
        for budget in survey.budgets.all()
        for name in BUDGET_FIELDS
    }


def _text_keys(survey: Survey) -> Values:
    """Whose keys texts are sealed for, by layer."""
    return {
        f"key {key.layer} for sealed texts": f"{key.name}: {key.key}"
        for key in survey.text_keys.all()
    }


def _tally(survey: Survey) -> Values:
    """Who opens locked totals, in their order, and the noise of each table."""
    trustees = {
        f"trustee {trustee.position}": f"{trustee.name}: {trustee.key}"
        for trustee in survey.trustees.all()
    }
    noise = {f"noise of locked table {row}": row.sigma for row in survey.locked_tables.all()}
    return {**trustees, **noise}


def _plain(value: Any) -> Any:
    """A value that JSON has."""
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    if isinstance(value, UUID):
        return str(value)
    return value.isoformat() if isinstance(value, date) else value
