"""The list of surveys, dashboards, analyses and downloads."""

from collections.abc import Iterator

from django.urls import URLPattern, path

from surveys.results import pages
from surveys.results.analyses import pages as analyses
from surveys.results.analyses.kind import AnalysisKind
from surveys.results.analyses.registry import ANALYSES
from surveys.results.deposit import pages as deposit
from surveys.results.labelled import pages as labelled
from surveys.results.labelled.syntax import LANGUAGES
from surveys.results.locked import pages as locked
from surveys.results.taking import pages as taking


def _of_analysis(kind: AnalysisKind) -> Iterator[URLPattern]:
    """The page of an analysis, its charts if it has some, and its files."""
    survey, name, about = "<uuid:survey_id>", kind.name, {"kind": kind.name}
    yield path(f"{survey}/{kind.path}/", analyses.page, about, name=name)
    if kind.picture:
        yield path(f"{survey}/{kind.picture}", analyses.picture, about, name=f"{name}-picture")
    yield path(f"{survey}/{name}.csv", analyses.table, about, name=f"{name}-csv")
    yield path(f"{survey}/{name}.json", analyses.document, about, name=f"{name}-json")


TABLE = "<uuid:survey_id>/table-<int:number>"
urlpatterns = [
    path("", pages.survey_list, name="list"),
    path("<uuid:survey_id>/", pages.dashboard, name="dashboard"),
    path("<uuid:survey_id>/questions/<int:number>.svg", pages.chart, name="chart"),
    path("<uuid:survey_id>/responses.csv", pages.responses_csv, name="responses"),
    path("<uuid:survey_id>/responses.parquet", pages.responses_parquet, name="responses-parquet"),
    path("<uuid:survey_id>/exports/", taking.overview, name="exports"),
    path("<uuid:survey_id>/exports/ask/", taking.ask_for, name="ask-export"),
    path("<uuid:survey_id>/exports/<uuid:key>/", taking.take, name="export"),
    path("<uuid:survey_id>/deposit/", deposit.overview, name="deposit"),
    path("<uuid:survey_id>/deposit/ask/", deposit.ask_for, name="ask-deposit"),
    path("<uuid:survey_id>/texts.csv", pages.texts_csv, name="texts"),
    path("<uuid:survey_id>/texts-<int:number>.json", pages.sealed_texts, name="sealed-texts"),
    path(f"{TABLE}.ballots", pages.locked_table, name="locked-table"),
    path("<uuid:survey_id>/locked/", locked.overview, name="locked"),
    path("<uuid:survey_id>/locked/<int:number>/take/", locked.take, name="take-trustee-file"),
    *(
        path(f"{TABLE}-{kind}-<int:trustee>.json", locked.file, {"kind": kind}, f"trustee-{kind}")
        for kind in ("noise", "share")
    ),
    path("<uuid:survey_id>/locked-<int:number>.csv", locked.counts_csv, name="locked-csv"),
    path("<uuid:survey_id>/locked-<int:number>.json", locked.counts_json, name="locked-json"),
    path("<uuid:survey_id>/report.html", pages.report_html, name="report"),
    path("<uuid:survey_id>/codebook.json", pages.codebook_json, name="codebook"),
    path("<uuid:survey_id>/codebook.md", pages.codebook_markdown, name="codebook-md"),
    *(
        path(f"<uuid:survey_id>/syntax.{one}", labelled.syntax, {"language": one}, f"syntax-{one}")
        for one in LANGUAGES
    ),
    *(address for kind in ANALYSES.values() for address in _of_analysis(kind)),
]
