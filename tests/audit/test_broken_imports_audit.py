"""Sixty broken files are planned with all remarks, in 20 seconds and 300 MB each, by a process."""

import json

import pytest

from tests.audit.programs import PEAK, python_prints
from tests.surveys.definitions.imports.making import dictionary, structure, workbook
from tests.surveys.definitions.imports.test_broken_files import FIELD, READ, STOPPED, TEXT, made

pytestmark = pytest.mark.audit
MOST_SECONDS, MOST_MEMORY = 20, 300  # of CPU; MB of the whole process
PLAN = """
import json, resource, sys
import django
django.setup()
from pathlib import Path
from surveys.definitions.imports.files import plan_import
file = Path(sys.argv[1])
plan = plan_import(file.read_bytes(), file.name)
used = resource.getrusage(resource.RUSAGE_SELF)
said = [str(each.outcome) for each in plan.remarks], [str(each.remedy) for each in plan.remarks]
print(json.dumps([used.ru_utime + used.ru_stime, peak(), *said]))
"""
LONG = {"type": "select_one long", "name": "q2", "label": "Q"}
SHOWN = {"type": "integer", "name": "q2", "label": "Q"}
MORE = {
    "100,000 rows": lambda: dictionary(*[FIELD] * 100_000),
    "100,000 columns": lambda: b",".join([b"field_name"] * 100_000) + b"\n",
    "a list of 5,000": lambda: workbook(
        TEXT, LONG, choices=[("long", f"a{n}", f"Answer {n}") for n in range(4990)]
    ),
    "rules on lost questions": lambda: workbook(
        {"type": "geopoint", "name": "q1", "label": "Q"},
        *({**SHOWN, "name": f"r{n}", "relevant": "${q1} = 1"} for n in range(200)),
    ),
    "a rule of 30,000 letters": lambda: workbook(
        {**SHOWN, "name": "q1"}, {**SHOWN, "relevant": " or ".join(["${q1} = 1"] * 2300)}
    ),
    "brackets 10,000 deep": lambda: workbook(
        {**SHOWN, "name": "q1"}, {**SHOWN, "relevant": "(" * 10_000 + "${q1} = 1" + ")" * 10_000}
    ),
    "line ends in cells": lambda: dictionary({**FIELD, "field_label": "a\nb\r\nc\td"}),
    "classes in any order": lambda: structure(
        *({"class": name, "name": "x", "text": "t"} for name in ("A", "SQ", "G", "S", "SL") * 200)
    ),
    "JSON 100,000 deep": lambda: b'{"deniable_draft": ' + b"[" * 100_000,
    "JSON with NaN": lambda: b'{"deniable_draft": 1, "title": NaN}',
    "JSON with a name twice": lambda: b'{"deniable_draft": 1, "title": {}, "title": {}}',
    "JSON of one number": lambda: b"9" * 100_000,
}
CASES = {
    **{case: (lambda case=case: made(case)) for case in STOPPED},
    **{case: (lambda case=case: READ[case][0]) for case in READ},
    **MORE,
}


def test_there_are_sixty():
    assert len(CASES) >= 60


@pytest.mark.parametrize("case", CASES)
def test_a_broken_file_is_planned_in_bounds(case, tmp_path, capsys):
    file = tmp_path / "form.xlsx"
    file.write_bytes(CASES[case]())
    seconds, memory, outcomes, remedies = json.loads(python_prints(PEAK + PLAN, file))
    with capsys.disabled():
        print(f"\n{case}: {seconds:.1f} s, {memory:.0f} MB, {len(outcomes)} remarks")
    assert seconds < MOST_SECONDS
    assert memory < MOST_MEMORY
    assert all(remedies)
    assert outcomes or case in READ
