"""Reports as files: every row says by which promise its numbers came about; comments stay here."""

import csv
import io
import json

from analytics.kinds.registry import KINDS
from analytics.reports.kind import ReportFacts
from analytics.reports.topics.kind import INTERNAL, TopicsKind
from surveys.web.downloads import table_csv
from tests.analytics.examples import a_report, a_topic, an_internal_report

ABOUT = {"survey": "Habits", "question": "What?"}


def read(report, names=()):
    document = TopicsKind(KINDS[report.kind]).show(report, ReportFacts(names))
    lines = "".join(table_csv({**row, **ABOUT} for row in document.table.file_rows()))
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
    kind = TopicsKind(KINDS["private_topics"])
    content = kind.content(a_report(), ReportFacts(["Green", ""]))
    read_again = json.loads(json.dumps(content, allow_nan=False))
    assert read_again["charges"][0]["mu_squared"] == "0.02"
    assert read_again["topics"][0]["name"] == "Green"


def test_an_internal_report_s_files_say_so_and_lead_to_no_comment():
    report = an_internal_report("key-of-a-comment")
    kind = TopicsKind(KINDS[report.kind])
    assert kind.about_file(report)["use"] == INTERNAL
    assert "key-of-a-comment" not in json.dumps(kind.content(report, ReportFacts()))
    assert read(report)[0]["use"] == INTERNAL
