"""The list of surveys, dashboards, analyses and downloads."""

from django.urls import path

from surveys.results import pages
from surveys.results.analyses import pages as analyses
from surveys.results.taking import pages as taking

urlpatterns = [
    path("", pages.survey_list, name="list"),
    path("<uuid:survey_id>/", pages.dashboard, name="dashboard"),
    path("<uuid:survey_id>/questions/<int:number>.svg", pages.chart, name="chart"),
    path("<uuid:survey_id>/responses.csv", pages.responses_csv, name="responses"),
    path("<uuid:survey_id>/responses.parquet", pages.responses_parquet, name="responses-parquet"),
    path("<uuid:survey_id>/exports/", taking.overview, name="exports"),
    path("<uuid:survey_id>/exports/ask/", taking.ask_for, name="ask-export"),
    path("<uuid:survey_id>/exports/<uuid:key>/", taking.take, name="export"),
    path("<uuid:survey_id>/texts.csv", pages.texts_csv, name="texts"),
    path("<uuid:survey_id>/report.html", pages.report_html, name="report"),
    path("<uuid:survey_id>/codebook.json", pages.codebook_json, name="codebook"),
    path("<uuid:survey_id>/break-down/", analyses.break_down, name="break-down"),
    path(
        "<uuid:survey_id>/break-down/<int:place>.svg",
        analyses.break_down_picture,
        name="break-down-picture",
    ),
    path("<uuid:survey_id>/break-down.csv", analyses.break_down_csv, name="break-down-csv"),
    path("<uuid:survey_id>/break-down.json", analyses.break_down_json, name="break-down-json"),
    path("<uuid:survey_id>/weights/", analyses.weighted, name="weighted"),
    path("<uuid:survey_id>/weighted.csv", analyses.weighted_csv, name="weighted-csv"),
    path("<uuid:survey_id>/weighted.json", analyses.weighted_json, name="weighted-json"),
    path("<uuid:survey_id>/regression/", analyses.regression_page, name="regression"),
    path("<uuid:survey_id>/regression.svg", analyses.regression_picture, name="regression-picture"),
    path("<uuid:survey_id>/regression.csv", analyses.regression_csv, name="regression-csv"),
    path("<uuid:survey_id>/regression.json", analyses.regression_json, name="regression-json"),
]
