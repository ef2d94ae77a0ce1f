"""1,000 random ways through real forms: the imported drafts ask the same people the same questions.

The forms' own conditions are evaluated here as their programs do, from their cells and without the
reader that is tested. What is compared is every question without a remark that something of it is
lost.
"""

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from typing import Any

import numpy as np
import openpyxl
import pytest
from django.utils.translation import override

from surveys.authoring.draft.rules import ruled
from surveys.authoring.drafts import NotReady, item_of
from surveys.authoring.importing.fitting import fitted
from surveys.authoring.importing.services import store
from surveys.definitions.imports.plans import ImportPlan
from surveys.kinds.silent.promise import InformationQuestion
from surveys.models import Question
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.questionnaire.logic.rules import Given, asked_of
from tests.audit.test_forms_audit import path_of, plan_of

pytestmark = [pytest.mark.audit, pytest.mark.django_db]
WAYS = 1_000
YES = {"yes", "ja", "1", "y", "oui"}


class Said(str):
    """An answer as XPath compares it: as a number where the other one is a number."""

    __slots__ = ()

    def _number(self) -> float:
        try:
            return float(self)
        except ValueError:
            return float("nan")

    def __eq__(self, other: object) -> bool:
        return self._number() == other if isinstance(other, int | float) else str(self) == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: Any) -> bool:
        return self._number() < float(other)

    def __le__(self, other: Any) -> bool:
        return self._number() <= float(other)

    def __gt__(self, other: Any) -> bool:
        return self._number() > float(other)

    def __ge__(self, other: Any) -> bool:
        return self._number() >= float(other)

    __hash__ = str.__hash__


@dataclass(frozen=True)
class FormRow:
    """A question of a form: its answers, and what it is asked by, its groups' conditions too."""

    name: str
    values: tuple[str, ...]  # of its options, in their order
    is_ticked: bool
    conditions: tuple[str, ...]


Answers = dict[str, Any]  # a text, or a set of the values that are ticked


def holds(condition: str, answers: Answers) -> bool:
    """Whether a condition of a form is true of the answers to what was asked."""

    def one(name: str) -> Said:
        value = answers.get(name, "")
        return Said(" ".join(sorted(value)) if isinstance(value, set) else value)

    def selected(name: str, value: str) -> bool:
        given = answers.get(name, "")
        return value in (given if isinstance(given, set) else given.split())

    def count(name: str) -> int:
        return len(answers.get(name, "") or ())

    words = re.sub(r"selected\(\s*\$\{(\w+)\}\s*,", r"selected('\1',", condition)
    words = re.sub(r"count-selected\(\s*\$\{(\w+)\}\s*\)", r"count('\1')", words)
    words = re.sub(r"\[(\w+)\((\w+)\)\]\s*=\s*['\"]1['\"]", r"selected('\1', '\2')", words)
    words = re.sub(r"\$\{(\w+)\}|\[(\w+)\]", lambda m: f"one('{m[1] or m[2]}')", words)
    words = re.sub(r"(?<![<>!=])=(?!=)", "==", words).replace("<>", "!=")
    known = {"one": one, "selected": selected, "count": count, "__builtins__": {}}
    # Cells of the three forms alone, with these names alone.
    return bool(eval(" ".join(words.split()), known))


def xlsform_rows(name: str) -> dict[int, FormRow]:
    """By their row in the sheet."""
    workbook = openpyxl.load_workbook(path_of(name))
    lists: dict[str, list[str]] = {}
    for cells in _dicts(workbook["choices"]):
        lists.setdefault(cells.get("list_name", ""), []).append(cells.get("name", ""))
    rows: dict[int, FormRow] = {}
    groups: list[str] = []
    for number, cells in enumerate(_dicts(workbook["survey"]), start=2):
        kind, _, rest = cells.get("type", "").strip().partition(" ")
        kind = kind.replace("_", " ").split(" ")[0] + kind[kind.find("_") :] * ("_" in kind)
        relevant = cells.get("relevant", "").strip()
        if kind in ("begin_group", "begin_repeat") or (kind == "begin" and rest):
            groups.append(relevant)
        elif kind in ("end_group", "end_repeat") or (kind == "end" and rest in ("group", "repeat")):
            groups.pop()
        elif cells.get("name"):
            values = tuple(lists.get(rest.split()[0], ())) if kind.startswith("select_") else ()
            asked_by = tuple(filter(None, [*groups, relevant]))
            rows[number] = FormRow(cells["name"], values, kind == "select_multiple", asked_by)
    return rows


def _dicts(sheet: Any) -> Iterator[dict[str, str]]:
    header, *rows = sheet.iter_rows(values_only=True)
    for cells in rows:
        pairs = zip(header, cells, strict=False)
        yield {str(key): str(cell) for key, cell in pairs if key and cell is not None}


def redcap_rows(name: str) -> dict[int, FormRow]:
    """By their line in the file."""
    content = path_of(name).read_bytes().decode("cp1252")
    rows = {}
    for number, cells in enumerate(csv.DictReader(StringIO(content)), start=2):
        field = {key.split(" (")[0]: cell for key, cell in cells.items() if key}
        kind = field["Field Type"]
        choices = next(cell for key, cell in field.items() if key.startswith("Choices"))
        values = tuple(part.partition(",")[0].strip() for part in choices.split("|"))
        if kind == "yesno":
            values = ("1", "0")
        is_chosen = kind in ("radio", "dropdown", "checkbox", "yesno", "truefalse")
        logic = next(cell for key, cell in field.items() if key.startswith("Branching"))
        asked_by = (logic,) if logic.strip() else ()
        named = next(iter(field.values()))
        rows[number] = FormRow(named, values if is_chosen else (), kind == "checkbox", asked_by)
    return rows


def drawn(
    row: FormRow, item: PromisedQuestion, rng: np.random.Generator
) -> tuple[Any, Given | None]:
    """An answer as the form has it, and as our rules read it; often none."""
    if rng.random() < 0.2:
        return "", None
    if row.values:
        return _chosen(row, item, rng)
    if "less" in item.in_rules.readable:
        low, high = (int(bound) for bound in item.decimals)  # type: ignore[attr-defined]
        number = int(rng.integers(low, min(high, low + 40) + 1))
        return str(number), Given(number=number * 10**item.number.decimal_places)  # type: ignore[attr-defined]
    return "said", Given()


def _chosen(
    row: FormRow, item: PromisedQuestion, rng: np.random.Generator
) -> tuple[Any, Given | None]:
    codes = list(item.in_rules.nameable)
    if row.is_ticked:
        places = [at for at in range(len(row.values)) if rng.random() < 0.3]
        ticked = {row.values[at] for at in places}
        return ticked, Given(tuple(codes[at] for at in places))
    at = int(rng.integers(len(row.values)))
    value = row.values[at]
    if item.kind == Question.Kind.YES_NO:
        is_yes = value.casefold() in YES
        texts = {text.casefold(): code for code, text in item.in_rules.nameable.items()}
        return value, Given((next(c for t, c in texts.items() if (t in YES) == is_yes),))
    return value, Given((codes[at],)) if codes else Given()


@pytest.mark.parametrize(
    ("name", "rows_of"),
    [
        ("mitwirken_umfrage.xlsx", xlsform_rows),
        ("liberiaCoverage.xlsx", xlsform_rows),
        ("redcap_longitudinal_dictionary.csv", redcap_rows),
    ],
)
def test_each_way_asks_what_the_form_asks(
    owner, capsys, name: str, rows_of: Callable[[str], Mapping[int, FormRow]]
):
    plan, rng = plan_of(name), np.random.default_rng(1)
    form, items = rows_of(name), _items(plan, owner)
    whole = [
        (planned.spot.row, at) for at, planned in enumerate(plan.questions) if planned.is_whole
    ]
    compared = [(number, at) for number, at in whole if number in form and _is_one(plan, at)]
    assert len(compared) > len(plan.questions) * 0.1
    differing: set[str] = set()
    behind = 0
    for _ in range(WAYS):
        given: list[Given | None] = [None] * len(items)
        answers: Answers = {}
        by_row = {planned.spot.row: at for at, planned in enumerate(plan.questions)}
        asked_by_form: dict[int, bool] = {}
        for number, row in form.items():
            asked_by_form[number] = _is_asked(row, answers)
            at = by_row.get(number)
            if at is None or not asked_by_form[number]:
                continue
            answers[row.name], given[at] = drawn(row, items[at], rng)
        asked = asked_of([item.rule for item in items], given)
        differing |= {form[n].name for n, at in compared if asked[at] != asked_by_form[n]}
        behind += sum(not asked[at] for _, at in compared)
    ruled_count = sum(bool(form[number].conditions) for number, _ in compared)
    with capsys.disabled():
        print(f"\n{name}: {len(compared)} questions compared, {ruled_count} of them by conditions")
    assert differing == set()
    assert behind > WAYS  # rules left out questions on most ways


def _is_asked(row: FormRow, answers: Answers) -> bool:
    """Of conditions that compute, and which no question that is compared has, nothing is said."""
    try:
        return all(holds(condition, answers) for condition in row.conditions)
    except (SyntaxError, NameError, TypeError):
        return True


def _is_one(plan: ImportPlan, at: int) -> bool:
    """No table, which stands for several rows of its form."""
    assert plan.definition is not None
    return list(plan.definition.questions)[at].kind != "matrix"


def _items(plan: ImportPlan, owner: Any) -> list[PromisedQuestion]:
    """The questions of the draft with their rules; what its author must finish is a page."""
    survey = store(fitted(plan), by=owner)
    rows = list(survey.questions.prefetch_related("options", "conditions"))
    with override(survey.language):
        items, reasons = ruled(survey, rows, [_item(row) for row in rows])
    assert reasons == []
    return items


def _item(row: Question) -> PromisedQuestion:
    try:
        return item_of(row)
    except NotReady:
        return InformationQuestion(
            id=str(row.pk), text=row.text, help="", required=False, kind="info", design="direct"
        )
