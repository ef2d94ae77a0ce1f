"""A survey's results as one file: whole, harmless, and the same numbers as the dashboard's."""

import re
from base64 import b64encode
from datetime import date
from html import unescape

import pytest
from django.urls import reverse

from surveys import PROGRAM, VERSION
from surveys.authoring.services import close, launch
from surveys.models import AuditEntry, Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.results.handover.report import citation, question_tables, report_html
from surveys.results.questions import all_reports
from surveys.results.reading import Reading
from surveys.results.rows.compared import PlannedMarks
from tests import factories, families
from tests.analytics.releasing import make_released_survey
from tests.stored import store_rows

DAY = date(2026, 3, 4)


@pytest.fixture
def answered(survey):
    """Sixty answers to each question, a third of them yes."""
    rows = ["000000000000018", "000000000000035", "010101010101042"]
    store_rows(survey.revision, rows * 20)
    return survey


def html(survey, reading: Reading | None = None) -> str:
    return report_html(survey, survey.revision, reading or Reading(), PlannedMarks(0), DAY)


def words(page: str) -> str:
    text = re.sub(r"<style>.*?</style>|<[^>]+>", " ", page, flags=re.S)
    return unescape(" ".join(text.split()))


def test_it_has_fieldwork_promise_method_results_checklist_and_codebook_in_this_order(answered):
    page = html(answered)
    headings = [unescape(found) for found in re.findall(r"<h[12][^>]*>(.*?)</h[12]>", page)]
    assert headings == [
        answered.title,
        "How the survey was done",
        "What respondents were promised",
        "How the numbers were made",
        "Results",
        "STROBE checklist for cross-sectional studies",
        "Codebook",
        "Citation and sources",
    ]
    assert "60 responses" in words(page)
    assert (
        "Results of 4 March 2026. The survey is still open: these results are not final."
        in words(page)
    )


def test_the_promise_is_what_respondents_read(answered, client):
    read = words(client.get(reverse("respondent:start", args=[answered.pk])).content.decode())
    promises = re.findall(r"<li>(.*?)</li>", html(answered).partition("How the numbers")[0])
    kept = [line for line in map(unescape, promises) if line in read]
    assert any("stored" in line for line in kept)
    assert any("All in all" in line for line in kept)


def test_every_question_has_its_picture_and_all_its_numbers(answered):
    page = html(answered)
    reports = [report for report, _ in all_reports(answered.revision, Reading())]
    assert (
        page.count("<img") == len(re.findall(r'alt="[^"]*[0-9][^"]*"', page)) == len(reports) == 7
    )
    for report in reports:
        for table in question_tables(report):
            for row in table.rows:
                assert all(cell in words(page) for cell in row)


def test_each_question_has_its_wording_its_answers_and_its_design(answered):
    page = words(html(answered))
    scale = page.partition("3. How often did you drive drunk?")[2]
    assert "Answers: Never · Once · Often · Prefer not to say" in scale
    odds = "the odds of a guess about a person change at most 4.48-fold"
    assert f"Randomized. Epsilon 1.50 ({odds}). Design: k-ary" in scale
    number = page.partition("7. How old are you?")[2]
    assert number.index("Numbers: 18 to 120") < number.index("Asked directly, not protected.")


def test_a_help_text_is_shown_as_it_was_read(owner):
    draft = factories.make_survey(owner)
    factories.add_question(draft, help="Think of the last <12> months.")
    page = html(factories.launched(draft))
    assert "Think of the last &lt;12&gt; months." in page


def test_a_long_table_stands_at_the_end_so_that_its_question_keeps_to_a_page(owner):
    draft = factories.make_survey(owner)
    many = [f"Town {number}" for number in range(1, 21)]
    kind, design = Question.Kind.CHOICE, Question.Design.DIRECT
    factories.add_question(draft, *many, kind=kind, design=design, required=True)
    survey = factories.launched(draft)
    store_rows(survey.revision, [f"{row:02d}" for row in range(20)])
    question, _, rest = html(survey).partition("STROBE checklist")
    results = question.partition(">Results<")[2]
    assert "The tables of this question are in “Long tables”." in results
    assert "<table>" not in results
    assert "Town 20" in rest.partition(">Long tables<")[2]


def test_a_short_table_stands_beside_its_picture(answered):
    page = html(answered)
    assert page.partition(">Results<")[2].partition("STROBE")[0].count("<table>") >= 7
    assert "Long tables" not in page


def test_a_follow_up_is_no_page_to_read_and_a_page_is_one(owner):
    results = html(families.make_family_survey(owner)).partition(">Results<")[2]
    sections = {
        words(one).partition(" Answers:")[0]: words(one)
        for one in results.split('<section class="question">')
    }
    assert (
        "The answers to this question are part of the reported answer to question 2."
        in sections["4. Did you tell anybody?"]
    )
    assert "This page is only for reading" not in sections["4. Did you tell anybody?"]
    assert (
        "This page is only for reading. It sends no answer."
        in words(results).partition("You can get")[2]
    )


def test_what_people_preferred_not_to_say_is_counted_beside_numbers(survey):
    store_rows(survey.revision, ["000000000000018", "000000000000---"])
    age = words(html(survey)).partition("7. How old are you?")[2]
    assert "People left out because they preferred not to say: 1." in age


def test_sources_are_named_and_not_linked(answered):
    page = words(html(answered))
    assert "von Elm E, Altman DG, Egger M" in page
    assert "Standard Definitions" in page


def test_its_pages_are_numbered_on_paper(answered):
    style = html(answered).partition("<style>")[2].partition("</style>")[0]
    assert 'content: counter(page) " / " counter(pages)' in style


def test_where_tables_alone_are_released_no_count_and_no_estimate_is_shown(owner):
    survey = make_released_survey(owner)
    store_rows(survey.revision, ["000130"] * 30)
    results = html(survey).partition(">Results<")[2].partition("STROBE checklist")[0]
    town, coin, age = results.split('<section class="question">')[1:]
    assert "Answers: " in town
    assert "Numbers: 18 to 99" in age
    for question in (town, age):
        assert "Asked directly, shown only in released tables." in words(question)
        assert "<table>" not in question
        assert "<img" not in question
    assert "<table>" in coin


def test_the_reading_is_named_and_used(answered):
    page = words(html(answered, Reading("wald", 0.9)))
    assert "Confidence level of the intervals: 90 %. Method: Wald (normal)." in page
    assert "fixed beforehand" in page
    live = words(html(answered, Reading("confidence-sequence")))
    assert (
        "The confidence level applies to the intervals of all looks together, however often you "
        "look." in live
    )


def test_it_is_cited_with_the_version(answered):
    cited = citation(questionnaire_of(answered.revision), DAY)
    assert "(2026)" in cited
    assert answered.title in cited
    page = words(html(answered))
    assert f"Cite as: {cited} Made with {PROGRAM}." in page


def test_nothing_is_fetched_and_no_script_runs(answered):
    page = html(answered)
    assert "default-src 'none'; img-src data:; style-src 'sha256-" in page
    assert not re.search(r"<(script|link|iframe|object|base|svg)\b|\bhref=|url\(|@import", page)
    assert {found[:5] for found in re.findall(r'\bsrc="([^"]*)"', page)} == {"data:"}
    assert "http://" not in page
    assert "https://" not in page


def test_whatever_people_wrote_into_the_survey_is_text(owner):
    draft = factories.make_survey(owner, title="<script>alert(1)</script>")
    factories.add_question(draft, text="<b>Bold?</b>")
    launch(survey=draft, by=owner)
    survey = Survey.objects.get()
    store_rows(survey.revision, ["00"])
    page = html(survey)
    assert "<script" not in page
    assert "<b>" not in page


def test_texts_are_counted_and_not_told(owner):
    survey = factories.make_invited_survey(owner)
    assert "0 people wrote something" in words(html(survey))


def test_a_closed_survey_says_since_when(answered):
    close(survey=answered, by=answered.owner)
    answered.refresh_from_db()
    assert f"The survey closed on {answered.closed_on:%-d %B %Y}" in words(html(answered))


def test_it_is_downloaded_by_one_link_of_the_dashboard_and_written_down(answered, client):
    client.force_login(answered.owner)
    dashboard = reverse("surveys:dashboard", args=[answered.pk]) + "?method=wald&level=99"
    page = unescape(client.get(dashboard).content.decode())
    (link,) = re.findall(r'href="([^"]*report\.html[^"]*)"', page)
    reply = client.get(link)
    assert f"-deniable-{VERSION}-report.html" in reply["Content-Disposition"]
    assert "Confidence level of the intervals: 99 %. Method: Wald" in words(reply.content.decode())
    assert AuditEntry.objects.filter(action="report downloaded").count() == 1


def test_a_draft_has_none(client, owner):
    draft = factories.make_survey(owner)
    client.force_login(owner)
    assert client.get(reverse("surveys:report", args=[draft.pk])).status_code == 404


def test_its_pictures_are_those_of_the_dashboard(answered, client):
    client.force_login(answered.owner)
    chart = reverse("surveys:chart", args=[answered.pk, 1]) + "?method=clopper-pearson"
    assert b64encode(client.get(chart).content).decode() in html(answered)
