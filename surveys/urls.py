"""Researchers' pages, below /surveys/."""

from django.urls import path

from surveys.views import analysis, audit, invitations, members, researcher, trials

app_name = "surveys"
urlpatterns = [
    path("", researcher.survey_list, name="list"),
    path("plan/", researcher.planner, name="planner"),
    path("plan/save/", researcher.save_plan, name="save-plan"),
    path("plan/curve.svg", researcher.planner_curve, name="planner-curve"),
    path("plan/price.svg", researcher.planner_price, name="planner-price"),
    path("audit/", audit.audit, name="audit-all"),
    path("audit.csv", audit.audit_csv, name="audit-all-csv"),
    path("<uuid:survey_id>/", researcher.dashboard, name="dashboard"),
    path("<uuid:survey_id>/questions/<int:number>.svg", researcher.chart, name="chart"),
    path("<uuid:survey_id>/responses.csv", researcher.responses_csv, name="responses"),
    path("<uuid:survey_id>/texts.csv", researcher.texts_csv, name="texts"),
    path("<uuid:survey_id>/codebook.json", researcher.codebook_json, name="codebook"),
    path("<uuid:survey_id>/break-down/", analysis.break_down, name="break-down"),
    path(
        "<uuid:survey_id>/break-down/<int:place>.svg",
        analysis.break_down_picture,
        name="break-down-picture",
    ),
    path("<uuid:survey_id>/break-down.csv", analysis.break_down_csv, name="break-down-csv"),
    path("<uuid:survey_id>/break-down.json", analysis.break_down_json, name="break-down-json"),
    path("<uuid:survey_id>/weights/", analysis.weighted, name="weighted"),
    path("<uuid:survey_id>/weighted.csv", analysis.weighted_csv, name="weighted-csv"),
    path("<uuid:survey_id>/weighted.json", analysis.weighted_json, name="weighted-json"),
    path("<uuid:survey_id>/regression/", analysis.regression_page, name="regression"),
    path("<uuid:survey_id>/regression.svg", analysis.regression_picture, name="regression-picture"),
    path("<uuid:survey_id>/regression.csv", analysis.regression_csv, name="regression-csv"),
    path("<uuid:survey_id>/regression.json", analysis.regression_json, name="regression-json"),
    path("<uuid:survey_id>/trial/", trials.trial, name="trial"),
    path("<uuid:survey_id>/members/", members.members, name="members"),
    path("<uuid:survey_id>/members/add/", members.add, name="add-member"),
    path("<uuid:survey_id>/members/hand-over/", members.hand_over, name="hand-over"),
    path("<uuid:survey_id>/members/<uuid:member_id>/", members.change, name="change-member"),
    path("<uuid:survey_id>/members/<uuid:member_id>/remove/", members.remove, name="remove-member"),
    path("<uuid:survey_id>/audit/", audit.audit, name="audit"),
    path("<uuid:survey_id>/audit.csv", audit.audit_csv, name="audit-csv"),
    path("<uuid:survey_id>/invitations/", invitations.overview, name="invitations"),
    path("<uuid:survey_id>/invitations/sheets/", invitations.sheets, name="invitation-sheets"),
    path("<uuid:survey_id>/invitations/mailings/", invitations.new_mailing, name="new-mailing"),
    path(
        "<uuid:survey_id>/invitations/mailings/<uuid:mailing_id>/",
        invitations.mailing,
        name="mailing",
    ),
    path(
        "<uuid:survey_id>/invitations/mailings/<uuid:mailing_id>/<slug:action>/",
        invitations.act,
        name="mailing-action",
    ),
]
