"""Reports as files: every row says by which promise its numbers came about; comments stay here."""

import csv
import io
import json

from analytics.pages.exports import INTERNAL, report_document, report_rows
from surveys.web.downloads import table_csv
from tests.analytics.examples import a_report, a_topic, an_internal_report

ABOUT = {"survey": "Habits", "question": "What?"}


def read(report, names=()):
    lines = "".join(table_csv(report_rows(report, names, ABOUT)))
    return list(csv.DictReader(io.StringIO(lines.removeprefix("\ufeff"))))


def test_there_is_a_row_for_each_word_with_the_promise_in_it():
    rows = read(a_report(), ["Green"])
    assert len(rows) == sum(len(topic.words) for topic in a_report().topics)
    first = rows[0]
    assert (first["name"], first["word"], float(first["loading"])) == ("Green", "garden", 0.6)
    assert (first["epsilon"], first["adjacency"]) == ("1.2345", "add_or_remove_one")
    assert (first["use"], first["survey"]) == ("may be published", "Habits")


def test_a_word_that_a_spreadsheet_could_run_is_guarded():
    assert read(a_report(a_topic("=1+1")))[0]["word"] == "'=1+1"


def test_a_document_holds_the_report_and_is_plain_json():
    document = report_document(a_report(), ["Green", ""], ABOUT)
    told = json.loads(json.dumps(document, allow_nan=False))
    assert told["report"]["charges"][0]["mu_squared"] == "0.02"
    assert told["report"]["topics"][0]["name"] == "Green"


def test_an_internal_report_s_files_say_so_and_lead_to_no_comment():
    report = an_internal_report("key-of-a-comment")
    document = report_document(report, [], ABOUT)
    assert document["use"] == INTERNAL
    assert "key-of-a-comment" not in json.dumps(document)
    assert read(report)[0]["use"] == INTERNAL
