"""Any file makes a plan: random bytes, and forms with random cells, of each program."""

from hypothesis import given, settings
from hypothesis import strategies as st

from surveys.definitions.documents import from_bytes, to_bytes
from surveys.definitions.imports.files import plan_import
from tests.surveys.definitions.imports.making import (
    LIMESURVEY,
    REDCAP,
    dictionary,
    structure,
    workbook,
)

FORMULAS = "${a} [a] [a(1)] a.NAOK '1' 1 = != < not( ( ) selected( , . if( date( '2020-01-31' - 99"
MARKUP = "<b> ** | { } @HIDDEN ü \u202e yes a -oth- count-selected( 1,A|2,B"
PIECES = st.sampled_from([*FORMULAS.split(), *MARKUP.split(), " and ", " or ", "\n"])
FEW = settings(max_examples=8)  # each is a file of many cells
CELLS = st.lists(PIECES, max_size=8).map("".join)
OF_GROUPS = ("begin_group", "end_group", "begin_repeat", "end_repeat")
OF_LISTS = ("select_one l", "select_multiple l", "rank l")
PLAIN = ("text", "integer", "decimal", "date", "note", "calculate", "range", "acknowledge")
XLSFORM_TYPES = st.sampled_from([*OF_GROUPS, *OF_LISTS, *PLAIN])
REDCAP_TYPES = st.sampled_from(
    ["text", "radio", "checkbox", "yesno", "calc", "slider", "notes", "descriptive", "truefalse"]
)
CLASSES = st.sampled_from(["G", "Q", "SQ", "A", "S", "SL", "QTA", ""])


def filled(columns: list[str], **fixed: st.SearchStrategy[str]) -> st.SearchStrategy:
    """Rows whose cells are random, but for the ``fixed`` columns."""
    cells = {column: st.one_of(st.just(""), CELLS) for column in columns}
    return st.lists(st.fixed_dictionaries(cells | fixed), min_size=1, max_size=6)


def check(content: bytes, name: str) -> None:
    plan = plan_import(content, name)
    assert all(remark.outcome and remark.remedy for remark in plan.remarks)
    assert 0 <= plan.held_count <= plan.asked
    if plan.definition:
        assert from_bytes(to_bytes(plan.definition)) == plan.definition
    else:
        assert "stops" in {remark.grade for remark in plan.remarks}


@given(st.binary(max_size=300))
def test_of_random_bytes(content):
    check(content, "form")


@FEW
@given(filled(REDCAP, field_type=REDCAP_TYPES, field_name=st.sampled_from(["a", "b", "c", "a b"])))
def test_of_a_random_data_dictionary(rows):
    check(dictionary(*rows), "form.csv")


@FEW
@given(filled(LIMESURVEY, **{"class": CLASSES, "name": st.sampled_from(["a", "b", "language"])}))
def test_of_a_random_structure(rows):
    check(structure(*rows), "form.txt")


COLUMNS = ["label", "hint", "relevant", "constraint", "calculation", "required", "parameters"]


@FEW
@given(filled(COLUMNS, type=XLSFORM_TYPES, name=st.sampled_from(["a", "b", "c", ""])))
def test_of_a_random_xlsform(rows):
    plain = [{name: cell for name, cell in row.items() if not cell.startswith("=")} for row in rows]
    check(workbook(*plain, choices=[("l", "1", "A"), ("l", "2", "B")]), "form.xlsx")
