"""What ODK reads of our workbooks: pyxform takes them without a warning, and drops our columns."""

import pytest
from pyxform.xls2xform import convert

from surveys.definitions.definition import DraftQuestion
from surveys.definitions.xlsforms.files import workbook_of
from tests.surveys.definitions.drafts import EVERYTHING
from tests.surveys.definitions.xlsforms.making import HARD, draft

HARD_DRAFT = draft(
    *(
        DraftQuestion(name=name, kind="yes_no", text={"en": text})
        for name, text in zip(["meta", *"abcdefghijklmnopqrstuvwxyz"], HARD, strict=False)
    )
)


@pytest.mark.parametrize(
    "definition", [EVERYTHING, HARD_DRAFT, draft()], ids=["every part", "hard texts", "empty"]
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
