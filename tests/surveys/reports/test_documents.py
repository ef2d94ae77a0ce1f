"""A result is a document of blocks: one table is what a page shows and what a file holds."""

from django.template.loader import render_to_string

from surveys.reports.documents import (
    Card,
    Document,
    Fold,
    Items,
    Lead,
    ResultColumn,
    ResultTable,
    Text,
    chart_card,
)
from surveys.web.drawing.figures import Figure

TABLE = ResultTable(
    "Shares, the largest first",
    (
        ResultColumn("first"),
        ResultColumn("", "Group", lambda row: f"“{row['first']}”"),
        ResultColumn("share", "Share", lambda row: f"{100 * row['share']:.0f} %", is_number=True),
        ResultColumn("note", "Remark"),
    ),
    (
        {"first": "A <b>", "share": 0.25, "note": "few"},
        {"first": "B", "share": 0.5, "note": "many"},
    ),
    order=lambda row: -row["share"],
)
FIGURE = Figure("bars", "Bars", "Two bars.", lambda width: {})
DOCUMENT = Document(
    (
        Card("found", "What was found", (Lead("Half."), Text("Few people.", is_warning=True))),
        Card("rows", "All rows", (TABLE, Fold("As computed", (Items(("one", "two")),)))),
        chart_card(FIGURE),
    )
)


def page(document: Document) -> str:
    blocks = [block for block in document.blocks if not Document((block,)).figures]
    return " ".join(render_to_string("surveys/reports/blocks.html", {"blocks": blocks}).split())


def test_a_file_holds_the_values_of_the_columns_that_have_a_name_in_their_order():
    assert list(TABLE.file_rows()) == [
        {"first": "A <b>", "share": 0.25, "note": "few"},
        {"first": "B", "share": 0.5, "note": "many"},
    ]


def test_a_page_says_the_cells_of_the_columns_that_have_a_title_by_its_own_order():
    assert [[cell.words for cell in line.cells] for line in TABLE.lines] == [
        ["“B”", "50 %", "many"],
        ["“A <b>”", "25 %", "few"],
    ]
    assert [column.title for column in TABLE.shown] == ["Group", "Share", "Remark"]


def test_blocks_are_found_at_any_depth():
    assert DOCUMENT.lead == "Half."
    assert DOCUMENT.table is TABLE
    assert DOCUMENT.all_of(Items) == [Items(("one", "two"))]
    assert DOCUMENT.figure("bars") is FIGURE
    assert DOCUMENT.figure("plan") is None


def test_a_page_names_its_tables_by_their_heading_and_hides_no_markup_of_people():
    shown = page(DOCUMENT)
    assert 'aria-labelledby="rows"' in shown
    assert '<th scope="row">“A &lt;b&gt;”</th>' in shown
    assert '<td class="number">25 %</td>' in shown
    assert '<p class="warning">Few people.</p>' in shown
    assert "<summary>As computed</summary>" in shown


def test_a_table_with_a_label_of_its_own_is_named_by_it():
    named = ResultTable("Caption", (ResultColumn("a", "A"),), ({"a": "x"},), "What it is of")
    assert 'aria-label="What it is of"' in page(Document((Card("s", "S", (named,)),)))
