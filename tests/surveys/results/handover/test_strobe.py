"""STROBE's checklist: 22 items, what the survey knows of them, and what only its authors know."""

from datetime import date

import pytest

from surveys.authoring.services import close
from surveys.models import Survey
from surveys.results.handover.fieldwork import fieldwork_of
from surveys.results.handover.report import report_html
from surveys.results.handover.strobe import StrobeItem, strobe
from surveys.results.overview import overview
from surveys.results.progress import progress_of
from surveys.results.queries import response_count
from surveys.results.questions import all_reports
from surveys.results.reading import Reading
from surveys.results.rows.compared import PlannedMarks
from tests import factories
from tests.arms import make_arms_survey
from tests.stored import store_rows

TITLES = (
    "Title and abstract",
    "Background",
    "Objectives",
    "Study design",
    "Setting",
    "Participants",
    "Variables",
    "Data sources and measurement",
    "Bias",
    "Study size",
    "Quantitative variables",
    "Statistical methods",
    "Numbers of participants",
    "Descriptive data",
    "Outcome data",
    "Main results",
    "Other analyses",
    "Key results",
    "Limitations",
    "Interpretation",
    "Generalisability",
    "Funding",
)


def items(survey: Survey) -> dict[str, StrobeItem]:
    revision, reading = survey.revision, Reading()
    progress, responses = progress_of(survey, revision), response_count(revision)
    fieldwork = fieldwork_of(survey, revision, progress, responses)
    reports = [report for report, _ in all_reports(revision, reading)]
    first_lines = overview(survey, progress, responses, reports)
    return {item.title: item for item in strobe(fieldwork, first_lines, reading)}


def test_it_has_all_items_in_their_order_with_their_numbers(survey):
    listed = items(survey)
    assert tuple(listed) == TITLES
    assert [item.number for item in listed.values()] == list(range(1, 23))
    assert all(item.known or item.missing for item in listed.values())


def test_the_report_lists_them_as_a_numbered_list(survey):
    page = report_html(survey, survey.revision, Reading(), PlannedMarks(0), date(2026, 3, 4))
    listed = page.partition('<ol class="strobe">')[2].partition("</ol>")[0]
    assert listed.count("<li>") == 22
    assert listed.count("To fill in:") == sum(bool(one.missing) for one in items(survey).values())


@pytest.mark.parametrize(
    "title", ["Background", "Objectives", "Key results", "Interpretation", "Funding"]
)
def test_what_only_authors_know_is_left_to_them(survey, title):
    assert items(survey)[title].known == ""
    assert items(survey)[title].missing


def test_design_setting_and_participants_are_those_of_the_survey(survey):
    listed = items(survey)
    assert listed["Study design"].known == (
        "Cross-sectional: 7 questions (5 randomized), each asked of a person at most once."
    )
    assert f"Since {survey.revision.launched_at:%-d %B %Y}." in listed["Setting"].known
    assert "Everyone with the link" in listed["Participants"].known
    assert "0 responses are counted in these results." in listed["Numbers of participants"].known
    assert "no partial answers" in listed["Numbers of participants"].known


def test_arms_are_part_of_the_design(owner):
    survey = make_arms_survey(owner)
    said = items(survey)["Study design"].known
    assert "Chance put each person into one of these groups (arms):" in said


def test_the_study_size_is_that_of_the_plan(owner, survey):
    assert items(survey)["Study size"].known == "No number of responses was planned."
    draft = factories.make_survey(owner, planned_responses=1574)
    factories.add_question(draft)
    known = items(factories.launched(draft))["Study size"].known
    assert known.startswith("1,574 responses were planned. Planned looks at the results: once.")


def test_the_method_is_the_reading_of_the_report(survey):
    known = items(survey)["Statistical methods"].known
    assert (
        "Confidence level: 95 %. Method for the intervals: Exact (Clopper-Pearson) where possible, "
        "otherwise score."
    ) in known


def test_the_widest_interval_is_that_of_the_first_page(survey):
    assert "widest" not in items(survey)["Main results"].known
    store_rows(survey.revision, ["000000000000018", "000000000000035", "010101010101042"] * 20)
    page = report_html(survey, survey.revision, Reading(), PlannedMarks(0), date(2026, 3, 4))
    known = items(survey)["Main results"].known
    reach = known.partition("± ")[2].partition(",")[0]
    assert f", at most ± {reach}" in " ".join(page.split())


def test_limitations_follow_from_how_people_were_asked(owner, survey):
    known = items(survey)["Limitations"].known
    assert "not final" in known
    assert "Respondents chose to take part themselves" in known
    invited = factories.make_invited_survey(owner)
    assert "Respondents chose to take part themselves" not in items(invited)["Limitations"].known
    close(survey=survey, by=survey.owner)
    assert "not final" not in items(Survey.objects.get(pk=survey.pk))["Limitations"].known
