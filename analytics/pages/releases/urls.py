"""Releases that are open to all, below /releases/: outside of everything that needs a login."""

from django.urls import path

from analytics.pages.releases import outsiders

app_name = "releases"
ONE = "<uuid:report_id>/"
urlpatterns = [
    path(ONE, outsiders.page, name="page"),
    path(f"{ONE}release.csv", outsiders.file, {"name": "csv"}, name="csv"),
    path(f"{ONE}covariance.csv", outsiders.file, {"name": "covariance"}, name="covariance"),
    path(f"{ONE}release.json", outsiders.file, {"name": "json"}, name="json"),
    path(f"{ONE}release.parquet", outsiders.file, {"name": "parquet"}, name="parquet"),
]
