"""Reports of a survey, its releases of tables and its ledger, below /surveys/."""

from django.urls import path

from analytics.pages import comparing, ledger_views, permits, views
from analytics.pages.answers import private_trees
from analytics.pages.answers import views as answer_views
from analytics.pages.releases import views as release_views
from analytics.reports.registry import ANSWER_KINDS

app_name = "analytics"
BASE = "<uuid:survey_id>/reports/"
ONE = f"{BASE}<uuid:report_id>/"
RELEASE = "<uuid:survey_id>/releases/<uuid:report_id>/"
FILE = release_views.release_file
urlpatterns = [
    path(BASE, views.overview, name="overview"),
    path(f"{BASE}new/", views.ask, name="ask"),
    path(f"{BASE}compare/", comparing.compare, name="compare"),
    path(f"{BASE}ledger/", ledger_views.ledger, name="ledger"),
    path(f"{BASE}ledger.svg", ledger_views.ledger_picture, name="ledger-picture"),
    *(
        path(f"{BASE}{kind.address}/{more}", view, {"kind": kind.name}, f"{name}{kind.address}")
        for kind in ANSWER_KINDS.values()
        for more, name, view in (("", "", answer_views.page), ("new/", "ask-", answer_views.ask))
    ),
    path(f"{BASE}groups/compare/", comparing.compare_groups, name="compare-groups"),
    path(f"{BASE}private-tree/", private_trees.tree_page, name="private-tree"),
    path(f"{BASE}private-tree/new/", private_trees.ask_tree, name="ask-private-tree"),
    path("<uuid:survey_id>/releases/", release_views.builder, name="releases"),
    path("<uuid:survey_id>/releases/publish/", release_views.publish, name="publish"),
    path(RELEASE, release_views.release, name="release"),
    path(f"{RELEASE}release.csv", FILE, {"name": "csv"}, name="release-csv"),
    path(f"{RELEASE}covariance.csv", FILE, {"name": "covariance"}, name="release-covariance"),
    path(f"{RELEASE}release.json", FILE, {"name": "json"}, name="release-json"),
    path(f"{RELEASE}release.parquet", FILE, {"name": "parquet"}, name="release-parquet"),
    path(ONE, views.report, name="report"),
    path(f"{ONE}progress/", views.progress, name="progress"),
    path(f"{ONE}cancel/", views.cancel, name="cancel"),
    path(f"{ONE}repeat/", views.repeat, name="repeat"),
    path(f"{ONE}again/", answer_views.ask_again, name="again"),
    path(f"{ONE}names/", views.rename, name="names"),
    path(f"{BASE}permit/", permits.give, name="give-permit"),
    path(f"{ONE}permit/", permits.page, name="permit"),
    path(f"{ONE}permit.json", permits.file, name="permit-file"),
    path(f"{ONE}permit/close/", permits.close, name="close-permit"),
    path(f"{ONE}report.csv", views.report_csv, name="csv"),
    path(f"{ONE}report.json", views.report_json, name="json"),
    path(f"{ONE}<slug:name>/look.svg", views.picture_shown, name="picture"),
]
