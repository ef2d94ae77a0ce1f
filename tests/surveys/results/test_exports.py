"""Downloads: whole, safe to open, and enough to estimate from."""

import csv
import datetime
import io
import json
import random
import sys
from collections import Counter

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.parquet as pq
import pytest
from django.urls import reverse

from surveys import VERSION
from surveys.authoring.services import close, launch
from surveys.collecting.services import receive
from surveys.models import AuditEntry, Comment, Question, Response, Survey
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.estimates import estimate_distribution
from surveys.results import exports
from surveys.results.columns import MISSING
from surveys.web import downloads as web_downloads
from surveys.web.downloads import cell_text, file_name
from tests import factories
from tests.arms import COINS, DIRECT, codes_in, make_arms_survey
from tests.bodies import body_of
from tests.routed import make_routed_survey
from tests.stored import store_rows
from tests.surveys.counts.test_kept_counts import all_kinds, send

REPORTS = "?columns=reports"  # the files without debiased columns
CODES = f"{REPORTS}&values=codes"
NAMES = [f"q{number:03d}_rep" for number in range(1, 6)] + ["q006", "q007", "q007_missing"]


def rows(client, survey, query: str = REPORTS) -> list[list[str]]:
    client.force_login(survey.owner)
    response = client.get(reverse("surveys:responses", args=[survey.pk]) + query)
    text = b"".join(response.streaming_content).decode()
    return list(csv.reader(io.StringIO(text)))


def parquet_table(client, survey, query: str = REPORTS) -> pyarrow.Table:
    client.force_login(survey.owner)
    response = client.get(reverse("surveys:responses-parquet", args=[survey.pk]) + query)
    assert response.streaming
    table = pq.read_table(io.BytesIO(b"".join(response.streaming_content)))
    assert table.schema.metadata[b"survey"] == str(survey.pk).encode()
    return table


def parquet(client, survey, query: str = REPORTS) -> list[list[str]]:
    """The cells of the CSV out of the Parquet file."""
    columns = parquet_table(client, survey, query).to_pydict()
    cells = zip(*([cell_text(cell) for cell in column] for column in columns.values()), strict=True)
    return [list(columns), *map(list, cells)]


def codebook(client, survey) -> dict:
    client.force_login(survey.owner)
    return client.get(reverse("surveys:codebook", args=[survey.pk])).json()


def launched(owner, *options: str, **fields) -> Survey:
    survey = factories.make_survey(owner, title=fields.pop("title", "A survey"))
    factories.add_question(survey, *options, **fields)
    launch(survey=survey, by=owner)
    return Survey.objects.get(pk=survey.pk)


def answer(survey, codes=None, **fields) -> None:
    body = body_of(survey.revision, codes, **fields)
    receive(survey_id=survey.pk, body=body)


@pytest.mark.parametrize("query", ["", "?values=codes", REPORTS, CODES])
def test_the_parquet_file_is_the_csv_whatever_its_blocks(client, owner, query, monkeypatch):
    """Of every kind of question, and of arms."""
    monkeypatch.setattr(exports, "BLOCK", 7)
    survey, in_arms = all_kinds(owner, batch_size=5), make_arms_survey(owner, batch_size=5)
    send(survey, 20)
    questionnaire, chance = questionnaire_of(in_arms.revision), random.Random(3)
    arms = [arm.code for arm in questionnaire.arms] * 5
    for arm in arms[:10]:
        pairs = zip(questionnaire.items, codes_in(questionnaire, arm, chance=chance), strict=True)
        row = "".join(code for item, code in pairs if item.width)
        store_rows(in_arms.revision, [row + arm])
    for one, count in ((survey, 20), (in_arms, 10)):
        found = parquet(client, one, query)
        assert found == rows(client, one, query)
        assert len(found) == 1 + count


def test_a_column_of_reports_says_so_in_its_name_and_the_codebook_has_both_names(client, owner):
    """Its mean is no estimate: 40.5 % where the estimate is 30.9 %, in the demonstration."""
    survey = all_kinds(owner, batch_size=5)
    entries = codebook(client, survey)["columns"]
    pairs = [
        (column["name"], column["column"], entry["protected"] and "_item" not in column["name"])
        for entry in entries
        for column in entry.get("columns", [entry])
    ]
    header = [name for name in rows(client, survey)[0] if not name.endswith(MISSING)]
    assert [heading for _, heading, _ in pairs] == header
    assert all(
        heading == f"{name}_rep" if is_report else heading == name
        for name, heading, is_report in pairs
    )
    assert ("q001", "q001_rep", True) in pairs
    assert ("q003", "q003", False) in pairs
    assert "_rep holds reports, not true answers" in codebook(client, survey)["how_to_read"]


@pytest.mark.parametrize("page", ["surveys:dashboard", "surveys:exports"])
def test_the_text_beside_the_downloads_says_which_columns_hold_reports(client, owner, page):
    words = "Columns <code>…_rep</code> contain reported answers"
    client.force_login(owner)
    for design, is_said in (("two_coins", True), ("direct", False)):
        survey = launched(owner, title=design, design=design)
        assert (words in client.get(reverse(page, args=[survey.pk])).content.decode()) == is_said


@pytest.mark.parametrize("query", [REPORTS, CODES])
def test_numbers_and_dates_are_such_and_why_one_is_missing_stands_beside(
    client, owner, query, monkeypatch
):
    """In a block without any number, too; pandas needs to be told nothing but which are dates."""
    monkeypatch.setattr(exports, "BLOCK", 1)
    draft = factories.make_survey(owner)
    factories.add_question(
        draft, text="Since when?", kind="date", design="direct",
        first_day=datetime.date(2025, 1, 1), last_day=datetime.date(2025, 12, 31),
    )  # fmt: skip
    for text, places in (("How old are you?", 0), ("How many litres?", 2)):
        factories.add_question(
            draft, text=text, kind="number", design="direct",
            minimum=-5, maximum=120, decimal_places=places,
        )  # fmt: skip
    survey = factories.launched(draft)
    store_rows(
        survey.revision,
        ["2025-03-01018003.25", "2025-12-31-05-05.00", "xxxxxxxxxx---......"],
    )
    table = parquet_table(client, survey, query)
    types = [str(field.type) for field in table.schema]
    assert types == ["date32[day]", "string", "int64", "string", "double", "string"]
    client.force_login(owner)
    reply = client.get(reverse("surveys:responses", args=[survey.pk]) + query)
    file = io.BytesIO(b"".join(reply.streaming_content))
    in_csv = pd.read_csv(file, parse_dates=["q001"])
    for read in (table.to_pandas(), in_csv):
        assert read["q002"].mean() == 6.5
        assert read["q003"].mean() == -0.875
        assert pd.to_datetime(read["q001"]).max() == pd.Timestamp(2025, 12, 31)
    declined, unasked = "Prefer not to say", "(not asked)"
    words = ("xxxxxxxxxx", "---", "......") if query == CODES else (declined, declined, unasked)
    for name, word in zip(("q001", "q002", "q003"), words, strict=True):
        for read in (table.to_pandas(), in_csv):
            assert list(read[f"{name}_missing"].dropna()) == [word]
            assert (read[name].isna() == read[f"{name}_missing"].notna()).all()
    for entry in codebook(client, survey)["columns"]:
        assert entry["column_of_reasons"] == f"{entry['column']}_missing"


def test_of_no_answers_the_parquet_file_has_columns_and_no_rows(client, owner):
    survey = factories.make_open_survey(owner)
    assert parquet(client, survey) == [NAMES]
    assert AuditEntry.objects.filter(action="responses downloaded").count() == 1


def test_words_are_not_guarded_in_a_file_that_no_spreadsheet_runs(client, owner):
    survey = launched(owner, "=1+1", "-2", text="Which?", kind="choice", design="direct")
    store_rows(survey.revision, ["00", "01"])
    assert sorted(parquet(client, survey)[1:]) == [["-2"], ["=1+1"]]
    assert sorted(rows(client, survey)[1:]) == [["'=1+1"], ["-2"]]


def test_without_the_library_of_parquet_the_page_says_what_to_do(client, owner, monkeypatch):
    survey = factories.make_open_survey(owner)
    client.force_login(owner)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    reply = client.get(reverse("surveys:responses-parquet", args=[survey.pk]))
    assert reply.status_code == 404
    assert b"pip install" in reply.content


def test_one_row_per_response_with_every_answer_and_without_the_path(client, survey):
    answer(survey)
    answer(survey, own_coin=True)
    header, *body = rows(client, survey)
    assert header == NAMES
    by_coin, by_browser = sorted(body, key=lambda row: row[2])
    assert by_browser == ["No", "No", "Never", "No", "Bus", "No", "18", ""]
    assert by_coin[2] == "(not asked)"


def test_codes_are_what_was_sent(client, survey):
    answer(survey)
    assert rows(client, survey, CODES)[1] == [
        "00",
        "00",
        "00",
        "00",
        "00",
        "00",
        "18",
        "",
    ]


@pytest.mark.both_databases
def test_rows_come_in_the_order_of_their_random_keys(client, owner):
    survey = launched(owner, kind="number", design="direct", required=True, minimum=0, maximum=99)
    for place in range(30):
        answer(survey, [f"{place:02d}"])
    by_key = Response.objects.order_by("pk").values_list("answers", flat=True)
    assert [row[0] for row in rows(client, survey)[1:]] == [str(int(one)) for one in by_key]


def test_no_time_key_or_address_is_in_the_download(client, survey):
    answer(survey, key="ab" * 16)
    text = str(rows(client, survey))
    response = Response.objects.get()
    assert str(response.pk) not in text
    assert "ab" * 16 not in text


@pytest.mark.parametrize("label", ["=1+1", "+1", "@SUM(A1)", "-2+3", "＝1", "\tx", "\r=1"])
def test_no_cell_is_run_as_a_formula(label):
    assert web_downloads.guarded(label) == "'" + label


@pytest.mark.parametrize("cell", ["-5", "-5.25", "12", "Yes", "a=b", ""])
def test_numbers_and_plain_text_stay_as_they_are(cell):
    assert web_downloads.guarded(cell) == cell


@pytest.mark.parametrize(
    "parts",
    [
        [["a"], ["b", ""]],
        [["a,b", 'said "no"'], ["two\nlines"], [""]],
        [[""]],
        [[""], [""]],
        [["\r"], [" x"], ["'=1"]],
    ],
)
def test_a_line_that_is_put_together_is_what_the_writer_of_csv_makes_of_its_cells(parts):
    whole = [cell for cells in parts for cell in cells]
    line = web_downloads.csv_joined([web_downloads.csv_cells(cells) for cells in parts])
    assert line == web_downloads.csv_line(whole)
    assert list(csv.reader(io.StringIO(line, newline=""))) == [whole]


def test_an_option_that_is_a_formula_is_guarded_in_the_file(client, owner):
    survey = launched(
        owner,
        "=cmd|' /C calc'!A0",
        'Other, with "quotes"\nand a line',
        kind="choice",
        required=True,
    )
    answer(survey)
    answer(survey, ["01"])
    cells = {row[0] for row in rows(client, survey)[1:]}
    assert cells == {"'=cmd|' /C calc'!A0", 'Other, with "quotes"\nand a line'}


def test_a_declined_number_of_two_digits_was_asked(client, owner):
    survey = launched(
        owner, kind=Question.Kind.NUMBER, design=Question.Design.DIRECT, minimum=0, maximum=24
    )
    answer(survey, ["--"])
    assert rows(client, survey)[1] == ["", "Prefer not to say"]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Habits and health", f"habits-and-health-deniable-{VERSION}-responses.csv"),
        ('"; filename=evil.exe\r\nX: y', f"filenameevilexe-x-y-deniable-{VERSION}-responses.csv"),
        ("../../etc/passwd", f"etcpasswd-deniable-{VERSION}-responses.csv"),
        ("調査 😀", f"survey-deniable-{VERSION}-responses.csv"),
        ("x" * 200, "x" * 60 + f"-deniable-{VERSION}-responses.csv"),
    ],
)
def test_file_names_are_safe(title, name):
    assert file_name(title, "responses.csv") == name


def test_downloads_are_attachments(client, survey):
    client.force_login(survey.owner)
    for name, ending in (("responses", "responses.csv"), ("codebook", "codebook.json")):
        header = client.get(reverse(f"surveys:{name}", args=[survey.pk]))["Content-Disposition"]
        assert header == f'attachment; filename="habits-and-health-deniable-{VERSION}-{ending}"'


@pytest.mark.both_databases
def test_a_large_download_is_streamed(client, survey):
    client.force_login(survey.owner)
    assert client.get(reverse("surveys:responses", args=[survey.pk])).streaming


def test_the_codebook_and_the_csv_are_enough_to_estimate(client, survey):
    rng = np.random.default_rng(7)
    for level in rng.integers(0, 3, 60):
        codes = ["00", f"{level:02d}", "00", "00", "00", "00", "018"]
        answer(survey, codes)
    column = next(c for c in codebook(client, survey)["columns"] if c["name"] == "q002")
    labels = [level["label"] for level in column["levels"]]
    counts = Counter(row[1] for row in rows(client, survey)[1:])
    channel = np.array(column["weights"]).T / column["denominator"]
    shares = np.linalg.solve(channel, [counts[label] / 60 for label in labels])
    item = questionnaire_of(survey.revision).items[1]
    expected = estimate_distribution(item.channel, [counts[label] for label in labels])
    assert shares == pytest.approx(expected.shares)


def test_the_codebook_is_plain_json_and_says_what_is_not_protected(client, survey):
    client.force_login(survey.owner)
    text = client.get(reverse("surveys:codebook", args=[survey.pk])).content.decode()

    def refuse(constant: str):
        raise AssertionError(f"{constant} is not JSON")

    columns = json.loads(text, parse_constant=refuse)["columns"]
    assert [column["protected"] for column in columns] == [True] * 5 + [False] * 2
    assert columns[5]["epsilon"] is None
    assert columns[0]["epsilon"] == pytest.approx(1.0986, abs=1e-4)


# Free texts.

WRITTEN = ["Better light", "=HYPERLINK(evil)", 'With "quotes", commas\nand 😀', "-12", "@SUM(A1)"]


def written(owner, texts: list[str] = WRITTEN, **fields: object) -> Survey:
    """A closed survey whose second question is a free text, with these texts and an empty one."""
    survey = factories.make_invited_survey(owner, **fields)
    _, item = questionnaire_of(survey.revision).numbered.texts[0]
    codes = [item.encode(text) for text in [*texts, ""]]
    for code, token in zip(codes, factories.invite(survey, len(codes)), strict=True):
        answer(survey, ["00", code], invitation=token)
    close(survey=survey, by=owner)
    return Survey.objects.get(pk=survey.pk)


def text_rows(client, survey) -> list[list[str]]:
    client.force_login(survey.owner)
    reply = client.get(reverse("surveys:texts", args=[survey.pk]))
    assert reply["Content-Disposition"].endswith('-texts.csv"')
    return list(csv.reader(io.StringIO(b"".join(reply.streaming_content).decode())))


def test_texts_are_a_file_of_their_own_with_number_and_question(client, owner):
    header, *found = text_rows(client, written(owner))
    assert header == ["number", "question", "text"]
    assert {tuple(row[:2]) for row in found} == {("2", "What would help?")}
    guarded = ["'" + text if text[0] in "=@" else text for text in WRITTEN]
    assert sorted(row[2] for row in found) == sorted(guarded)


@pytest.mark.both_databases
def test_texts_come_in_the_order_of_their_random_keys(client, owner):
    survey = written(owner, [f"text {number}" for number in range(30)])
    stored = Comment.objects.order_by("pk").values_list("text", flat=True)
    assert [row[2] for row in text_rows(client, survey)[1:]] == list(stored)


@pytest.mark.both_databases
def test_the_order_of_the_texts_says_nothing_about_the_responses(client, owner):
    """Thirty people whose text names their place among them, yet the orders agree by chance."""
    survey = written(owner, [f"text {number:02d}" for number in range(30)])
    order = [int(row[2][-2:]) for row in text_rows(client, survey)[1:]]
    assert sorted(order) == list(range(30))
    assert order not in (list(range(30)), list(range(30))[::-1])


def test_a_survey_without_texts_has_an_empty_file(client, survey):
    assert text_rows(client, survey) == [["number", "question", "text"]]


def test_texts_are_not_among_the_responses_and_the_codebook_says_where_they_are(client, owner):
    survey = written(owner)
    header, *body = rows(client, survey)
    assert header == ["q001_rep"]
    assert {len(row) for row in body} == {1}
    assert not [text for text in WRITTEN if text in str(body)]
    book = codebook(client, survey)
    assert [column["name"] for column in book["columns"]] == ["q001"]
    assert book["texts"] == [
        {"number": 2, "text": "What would help?", "required": False, "longest": 100}
    ]
    assert "texts.csv" in book["how_to_read_texts"]


def test_the_codebook_says_what_was_promised_about_reports_on_texts(client, owner):
    assert codebook(client, written(owner))["budget"] is None
    draft = factories.make_survey(owner)
    factories.add_text(draft)
    factories.add_budget(draft, adjacency="replace_one")
    launch(survey=draft, by=owner)
    book = codebook(client, Survey.objects.get(pk=draft.pk))
    assert book["budget"] == {
        "epsilon": "4",
        "delta": "0.000001",
        "adjacency": "replace_one",
        "source": "text",
    }
    assert "all reports on their texts together" in book["how_to_read_the_budget"]
    assert "budget" not in codebook(client, factories.make_open_survey(owner))


def test_a_text_before_other_questions_moves_no_column(client, owner):
    draft = factories.make_survey(owner)
    text = {"kind": Question.Kind.TEXT, "design": Question.Design.DIRECT, "longest": 10}
    factories.add_question(draft, text="Why?", **text)
    factories.add_question(draft, required=True)
    launch(survey=draft, by=owner)
    survey = Survey.objects.get(pk=draft.pk)
    item = questionnaire_of(survey.revision).items[0]
    answer(survey, [item.encode("because"), "01"])
    assert rows(client, survey) == [["q002_rep"], ["Yes"]]
    assert rows(client, survey, CODES) == [["q002_rep"], ["01"]]
    assert text_rows(client, survey)[1:] == [["1", "Why?", "because"]]


def test_the_codebook_says_how_answers_were_collected_and_when_they_go(client, owner):
    survey = written(owner, batch_size=7, delete_on=datetime.date(2999, 2, 1))
    Survey.objects.update(delete_on=datetime.date(2999, 1, 1))
    book = codebook(client, survey)
    assert (book["batch_size"], book["invitation_only"]) == (7, True)
    assert book["delete_on"] == "2999-01-01"
    assert codebook(client, factories.make_open_survey(owner))["delete_on"] is None


def test_the_codebook_says_whom_a_rule_asked_and_how_others_are_marked(client, owner):
    survey = make_routed_survey(owner)
    columns = {column["name"]: column for column in codebook(client, survey)["columns"]}
    drunk, money = columns["q003"], columns["q005"]
    assert "they answered “Yes” to question 1" in drunk["asked_only"]
    assert "asked_only" not in columns["q001"]
    item = questionnaire_of(survey.revision).items[4]
    assert money["not_asked"] == item.not_asked != money["declined"]


def test_parts_that_were_not_asked_are_marked_as_the_codebook_says(client, owner):
    draft = factories.make_survey(owner)
    factories.add_ticks(draft, shown=2, most=3)
    survey = factories.launched(draft)
    (item,) = questionnaire_of(survey.revision).items
    store_rows(survey.revision, [item.not_asked])
    (column,) = codebook(client, survey)["columns"]
    assert rows(client, survey, CODES)[1] == [column["not_asked"]] * 4


def test_the_codebook_says_what_came_in_a_random_order(client, owner):
    draft = factories.make_survey(owner)
    factories.add_ticks(draft, section="Travel", random_section=True, random_options=True)
    factories.add_question(draft, text="Do you own a car?", section="Cars", random_section=True)
    book = codebook(client, factories.launched(draft))
    assert book["random_order"] == {
        "answers_of_questions": ["q001"],
        "screens_of_sections": [],
        "sections": ["Travel", "Cars"],
    }
    assert "No order was sent or stored" in book["how_to_read_the_order"]
    assert "random_order" not in codebook(client, factories.make_open_survey(owner))


def test_the_arm_is_the_last_column_and_the_codebook_says_how_to_read_it(client, owner):
    survey = make_arms_survey(owner)
    questionnaire = questionnaire_of(survey.revision)
    for arm in (DIRECT, COINS):
        answer(survey, codes_in(questionnaire, arm), arm=arm)
    header, *body = rows(client, survey)
    names = ["q001", "q002", "q003_rep", "q004_rep", "q005", "q005_missing", "q007_rep", "arm"]
    assert header == names
    asked, unasked = "No", "(not asked)"
    assert {line[-1]: line[:-1] for line in body} == {
        "Asked directly": ["No", asked, unasked, unasked, "", unasked, "No"],
        "With coins": ["No", unasked, asked, unasked, "", unasked, "No"],
    }
    codes = {line[-1]: line for line in rows(client, survey, CODES)[1:]}
    assert codes[DIRECT][1:4] == ["00", "--", "--"]
    assert codes[COINS][1:4] == ["--", "00", "--"]
    found = codebook(client, survey)
    assert found["arm_column"] == "arm"
    assert [arm["weight"] for arm in found["arms"]] == [1, 2, 1]
    assert [column["asked_in_arms"] for column in found["columns"]] == [
        ["00", "01", "02"], ["00"], ["01"], ["02"], ["01", "02"], ["00", "01", "02"],
    ]  # fmt: skip
    assert "Chance put each person into one arm" in found["how_to_read_arms"]
