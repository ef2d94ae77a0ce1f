"""What a report keeps in words is kept as messages, and what earlier versions kept became some."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.utils.translation import override

from analytics.models import Report
from surveys.models import Extract
from surveys.randomized_response.messages import figure, sentence, together
from surveys.wording.language.messages import translated
from tests.analytics import answering
from tests.factories import make_user

pytestmark = pytest.mark.django_db
migration = import_module("analytics.migrations.0009_messages")


@pytest.fixture(scope="module")
def launched_survey(made_once):
    return made_once(lambda: answering.make_compared_survey(make_user()))


@pytest.fixture
def report(survey) -> Report:
    return answering.compared(survey)


def kept(report: Report) -> Report:
    return Report.objects.select_related("extract").get(pk=report.pk)


def raw(report: Report, column: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {column} FROM analytics_report")
        ((found,),) = cursor.fetchall()
    return found


def test_a_page_says_what_was_kept_in_its_own_language(report):
    told = kept(report).extract.document["pairs"][0]["test"]
    assert told.endswith("random splits of the reported answers")
    with override("de"):
        assert translated(told) == "200 zufällige Aufteilungen der gesendeten Antworten"


def test_what_was_kept_in_words_that_changed_since_is_still_said_in_german(report):
    old = sentence("{draws} random splits of the reports", draws=200)
    Report.objects.filter(pk=report.pk).update(problem=old)
    with override("de"):
        assert translated(kept(report).problem) == "200 zufällige Aufteilungen des Gesendeten"


def test_a_problem_is_kept_with_its_values(report):
    problem = sentence("compare at most {most} surveys", most=figure(1200))
    Report.objects.filter(pk=report.pk).update(problem=problem, stage="as a test wrote it")
    assert '"figure": "1200"' in raw(report, "problem")
    found = kept(report)
    assert found.problem == "compare at most 1,200 surveys"
    assert found.problem.pattern == problem.pattern
    assert found.stage == "as a test wrote it"


def converted(report: Report, capsys, *, problem: str, notes: list[str]) -> tuple[Report, str]:
    """A report as the version before kept it, after the migration; and what that printed."""
    Report.objects.filter(pk=report.pk).update(problem=problem)
    document = {"notes": notes, "names": ["sliced", "Ada"], "pairs": [{"method": "sliced"}]}
    Extract.objects.filter(pk=report.extract_id).update(document=document)
    migration.convert(apps, None)  # what it converts needs no editor of schemas
    return kept(report), capsys.readouterr().out


def test_sentences_that_were_stored_become_messages(report, capsys):
    problem = (
        "names = 'no answers' cannot be used: compare at most 12: choose a question with fewer "
        "answers"
    )
    notes = [
        "There are 1,234 different numbers. Neighbours are taken together, which moves no answer "
        "by more than 0.5.",
        "Pooled, so that no figure is about a few people: 1,000 Elm; A.",
    ]
    found, printed = converted(report, capsys, problem=problem, notes=notes)
    assert printed == ""
    assert found.extract.document["notes"] == notes
    assert found.extract.document["pairs"][0]["method"].pattern == "sliced"
    assert not hasattr(found.extract.document["names"][0], "pattern")
    assert found.problem == problem.replace("'", "")
    with override("de"):
        assert translated(found.problem).startswith("names = keine Antworten ist nicht möglich")
        numbers, pooled = map(translated, found.extract.document["notes"])
    assert "1.234 verschiedene Zahlen" in numbers
    assert "0,5" in numbers
    assert pooled.endswith("1,000 Elm; A.")  # an author's words, whose comma is none of ours


def test_a_persons_own_words_within_a_stored_value_are_not_translated(report, capsys):
    problem = "names = 'no answers; blue' cannot be used: compare at most 12 surveys"
    found, _ = converted(report, capsys, problem=problem, notes=[])
    assert found.problem == problem
    with override("de"):
        assert "'no answers; blue'" in translated(found.problem)


def test_the_longest_pattern_that_fits_is_taken(report, capsys):
    found, _ = converted(
        report, capsys, problem="", notes=["Iteration 1 of 5: how well topics fit the texts"]
    )
    with override("de"):
        assert translated(found.extract.document["notes"][0]).startswith("Iteration 1 von 5: wie")


def test_what_no_pattern_fits_stays_and_is_counted(report, capsys):
    found, printed = converted(report, capsys, problem="", notes=["Written by an older version."])
    assert found.extract.document["notes"] == ["Written by an older version."]
    assert printed == " 1 stored sentences fit no pattern and stay English "
    with override("de"):
        assert translated(found.extract.document["notes"][0]) == "Written by an older version."


def test_several_sizes_are_one_value(report, capsys):
    sizes = "“A” 10.5 ± 3.0 % answered; “B” 89.5 ± 3.0 % answered"
    problem = (
        f"by = '{sizes}' cannot be used: a group must be clear of 0 by 4 standard errors and hold "
        "20 people"
    )
    found, _ = converted(report, capsys, problem=problem, notes=[])
    one, other = (
        sentence(
            "“{name}” {share} ± {error} % answered", name=name, share=share, error=figure(3, ".1f")
        )
        for name, share in (("A", figure(10.5, ".1f")), ("B", figure(89.5, ".1f")))
    )
    assert found.problem.values["value"] == together(one, other, between="; ")
    with override("de"):
        assert "„A“ 10,5 ± 3,0 % haben so geantwortet; „B“ 89,5" in translated(found.problem)
