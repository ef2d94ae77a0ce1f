"""What ODK reads of our workbooks: pyxform takes them without a warning, and drops our columns."""

import pytest
from pyxform.xls2xform import convert

from surveys.definitions.definition import DraftQuestion, SpecialAnswer
from surveys.definitions.xlsforms.files import workbook_of
from tests.surveys.definitions.drafts import EVERYTHING
from tests.surveys.definitions.xlsforms.making import HARD, draft

HARD_DRAFT = draft(
    *(
        DraftQuestion(name=name, kind="yes_no", text={"en": text})
        for name, text in zip(["meta", *"abcdefghijklmnopqrstuvwxyz"], HARD, strict=False)
    )
)


REPEATED = draft(
    DraftQuestion(
        name="days",
        kind="number",
        text={"en": "Days?"},
        special=tuple(SpecialAnswer(code="-9", text={"en": text}) for text in ("No", "Unknown")),
    )
)


@pytest.mark.parametrize(
    "definition",
    [EVERYTHING, HARD_DRAFT, REPEATED, draft()],
    ids=["every part", "hard texts", "repeated", "empty"],
)
def test_pyxform_reads_it_without_a_warning(definition):
    assert convert(workbook_of(definition), file_type=".xlsx").warnings == []


def test_pyxform_keeps_questions_and_conditions_and_drops_what_protects():
    form = convert(workbook_of(EVERYTHING), file_type=".xlsx").xform
    assert "Did you?" in form
    assert "هل فعلت؟" in form
    assert "/data/section_1/drug  = 'yes'" in form
    assert "Born in May?" not in form
    assert "unrelated_shown" not in form
