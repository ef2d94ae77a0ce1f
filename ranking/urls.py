"""Rankings of a survey's rated items, below /surveys/."""

from django.urls import path

from ranking.pages import views

app_name = "ranking"
BASE = "<uuid:survey_id>/ranking/"
urlpatterns = [
    path(BASE, views.overview, name="overview"),
    path(f"{BASE}<int:number>/", views.table, name="table"),
    path(f"{BASE}<int:number>/preview/", views.fragment, name="fragment"),
    path(f"{BASE}<int:number>/save/", views.save, name="save"),
    path(f"{BASE}<int:number>/history/", views.history, name="history"),
    path(f"{BASE}<int:number>/ranking.svg", views.picture, name="picture"),
    path(f"{BASE}<int:number>/ranking.csv", views.table_csv_file, name="csv"),
    path(f"{BASE}<int:number>/ranking.json", views.table_json, name="json"),
    path(f"{BASE}<int:number>/ranking.parquet", views.table_parquet, name="parquet"),
    path(f"{BASE}<int:number>/histograms.csv", views.histograms_csv, name="histograms"),
]
