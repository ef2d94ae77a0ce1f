"""Researchers' pages, below /surveys/."""

from django.urls import path

from surveys.views import researcher

app_name = "surveys"
urlpatterns = [
    path("", researcher.survey_list, name="list"),
    path("plan/", researcher.planner, name="planner"),
    path("plan/save/", researcher.save_plan, name="save-plan"),
    path("plan/curve.svg", researcher.planner_curve, name="planner-curve"),
    path("<uuid:survey_id>/", researcher.dashboard, name="dashboard"),
    path("<uuid:survey_id>/questions/<int:number>.svg", researcher.chart, name="chart"),
    path("<uuid:survey_id>/responses.csv", researcher.responses_csv, name="responses"),
    path("<uuid:survey_id>/codebook.json", researcher.codebook_json, name="codebook"),
]
