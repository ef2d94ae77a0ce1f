"""200 random drafts as workbooks: pyxform reads each, and the same JSON comes back."""

import pytest
from hypothesis import given, settings
from pyxform.xls2xform import convert

from surveys.definitions.documents import to_bytes
from surveys.definitions.imports.files import plan_import
from surveys.definitions.xlsforms.files import workbook_of
from tests.surveys.definitions.xlsforms.making import hard_drafts

pytestmark = pytest.mark.audit


@settings(max_examples=200)
@given(hard_drafts())
def test_other_programs_read_each_draft_and_it_comes_back_with_the_same_bytes(definition):
    content = workbook_of(definition)
    convert(content, file_type=".xlsx")
    plan = plan_import(content, "draft.xlsx")
    assert plan.remarks == ()
    assert to_bytes(plan.definition) == to_bytes(definition)
