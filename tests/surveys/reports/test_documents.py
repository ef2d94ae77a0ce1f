"""A result is a document of blocks: one table is what a page shows and what a file holds."""

from django.template.loader import render_to_string

from surveys.reports.documents import (
    Card,
    Document,
    Facts,
    Fold,
    Groups,
    Heading,
    Items,
    Lead,
    Pair,
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


def test_rows_may_be_marked_and_named_by_several_columns_or_none():
    columns = (ResultColumn("a", "A"), ResultColumn("b", "B"), ResultColumn("c", "C"))
    rows = ({"a": "x", "b": "y", "c": "z"},)
    named = ResultTable("", columns, rows, "Both", names=2, mark=lambda row: "within")
    shown = page(Document((named,)))
    assert '<tr class="within">' in shown
    assert shown.count('<th scope="row">') == 2
    assert "<caption>" not in shown
    assert '<th scope="row">' not in page(Document((ResultTable("", columns, rows, names=0),)))


def test_texts_of_people_run_in_their_own_direction_and_hold_no_markup():
    table = ResultTable("", (ResultColumn("w", "Word", is_quoted=True),), ({"w": "<i>"},), "Words")
    blocks = (table, Items(("<b>",), is_quoted=True), Groups((("2 texts", ("<u>",)),)))
    shown = page(Document(blocks))
    assert [f"<bdi>&lt;{name}&gt;</bdi>" in shown for name in "ibu"] == [True] * 3


def test_facts_have_no_head_and_a_number_stands_before_a_title():
    facts = Card("made", "How this report was made", (Facts((("Seed", "1"),)),), number=3)
    shown = page(Document((facts, Heading("Typical", "typical"))))
    assert "<thead>" not in shown
    assert '<th scope="row">Seed</th><td>1</td>' in shown
    assert '<span class="place">3.</span> How this report was made' in shown
    assert '<h3 id="typical">Typical</h3>' in shown


def test_the_table_and_the_chart_of_a_pair_are_those_of_its_document():
    document = Document((Pair((*chart_card(FIGURE).blocks, TABLE)),))
    assert document.table is TABLE
    assert document.figure("bars") is FIGURE
