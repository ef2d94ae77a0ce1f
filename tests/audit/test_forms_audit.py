"""Real forms of other people, read from a folder: what is held, and which losses are named.

DENIABLE_FORMS names the folder; the forms are not ours to copy. The lists below were written by
hand, from the forms.
"""

import os
from collections import Counter
from pathlib import Path

import pytest

from surveys.definitions.documents import from_bytes, to_bytes
from surveys.definitions.imports.files import plan_import
from surveys.definitions.imports.plans import ImportPlan
from surveys.definitions.imports.remarks import Grade

pytestmark = pytest.mark.audit


def path_of(name: str) -> Path:
    folder = os.environ.get("AUDITED_FORMS")  # tests/settings.py renames it
    assert folder, "DENIABLE_FORMS names the folder of the forms: make audit sets it"
    path = Path(folder) / name
    assert path.is_file(), f"there is no {path}"
    return path


def plan_of(name: str) -> ImportPlan:
    plan = plan_import(path_of(name).read_bytes(), name)
    assert plan.definition is not None, plan.remarks
    assert from_bytes(to_bytes(plan.definition)) == plan.definition
    assert all(remark.outcome and remark.remedy for remark in plan.remarks)
    return plan


def rows_lost(plan: ImportPlan) -> dict[int, int]:
    """How many remarks each row has that name a loss."""
    lost = (remark.spot for remark in plan.remarks if remark.grade == Grade.LEFT_OUT)
    return dict(Counter(spot.row for spot in lost))


def unfinished(plan: ImportPlan) -> list[str]:
    assert plan.definition is not None
    return [question.name for question in plan.definition.questions if question.unfinished]


def test_needs_of_associations_41_of_42():
    """Self-completed, German.

    Lost: the pattern of an address (row 54). The text of row 28 asks for an option "other", which
    its list forgot: it is added. And/or in rules, numbers without bounds and a note of 640 letters
    are held.
    """
    plan = plan_of("mitwirken_umfrage.xlsx")
    assert (plan.asked, plan.held_count) == (42, 41)
    assert rows_lost(plan) == {54: 1}
    assert unfinished(plan) == []
    assert [each.name for each in plan.questions if not each.is_whole] == ["email"]
    kinds = Counter(question.kind for question in plan.definition.questions)
    assert kinds == {
        "ticks": 12,
        "choice": 4,
        "yes_no": 4,
        "number": 2,
        "info": 4,
        "other": 8,
        "text": 8,
    }
    changed = Counter(remark.spot.sheet for remark in plan.remarks if remark.grade == Grade.CHANGED)
    # 2 bounds, 8 "other, please specify" and one added answer, 4 yes or no, 6 names, 5 labels with
    # markup; 2 values.
    assert changed == {"survey": 26, "choices": 2}


def test_nutrition_coverage_12_of_105():
    """Household interviews: 60 questions stand in a repeat, 59 calculations decide the rest."""
    plan = plan_of("liberiaCoverage.xlsx")
    assert (plan.asked, plan.held_count) == (105, 12)
    assert [each.name for each in plan.questions if each.is_whole] == [
        *("sdate", "cid", "team", "consent1", "consent2", "mname", "m2", "ch", "mcheck1"),
        *("no_children", "no_consent", "end"),
    ]
    # Both groups on iron, on counselling, powder and vitamins, and two notes compute with "mod".
    assert len(unfinished(plan)) == 9 + 5 + 8 + 5 + 2
    reasons = Counter(
        str(remark.outcome).partition(",")[0]
        for remark in plan.remarks
        if remark.grade == Grade.LEFT_OUT
        and "because the form asks it repeatedly" in remark.outcome
    )
    assert reasons == {"The question is left out": 60}
    rows = rows_lost(plan)
    calculated = {3, 8, 13, 21, 50, 57, 66, 224, 225, 226, 227}
    assert calculated <= rows.keys()
    assert {9, 10, 12, 20, 28, 30, 42, 228, 230, 241} <= rows.keys()
    questions = {each.spot.row for each in plan.questions if not each.is_whole}
    groups = {number for number in rows if number in (30, 42, 230, 241)}
    assert groups == {30, 42, 230, 241}
    # Each question that is not whole says so in its own row, or in that of its group.
    below = {*range(31, 40), *range(43, 48), *range(231, 239), *range(242, 247)}
    assert questions - rows.keys() <= below


def test_a_longitudinal_dictionary_84_of_93():
    """95 fields, 2 of them calculations. Lost: the record id, 5 identifiers, 2 phones, a file."""
    plan = plan_of("redcap_longitudinal_dictionary.csv")
    assert (plan.asked, plan.held_count) == (93, 84)
    record, file, identifiers, phones, calculations = [2], [4], [5, 6, 7, 8, 9], [26, 30], [24, 34]
    lost = [*record, *file, *identifiers, *phones, *calculations]
    assert rows_lost(plan) == dict.fromkeys(lost, 1)
    assert unfinished(plan) == []
    kinds = Counter(question.kind for question in plan.definition.questions)
    assert kinds == {"choice": 15, "yes_no": 21, "number": 29, "date": 7, "text": 7, "ticks": 5}
    rules = {each.name for each in plan.definition.questions if each.rule}
    assert rules == {"given_birth", "num_children"}
