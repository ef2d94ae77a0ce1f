"""The planner and trials of a draft."""

from django.urls import path

from surveys.planning import pages, trial_pages

urlpatterns = [
    path("plan/", pages.planner, name="planner"),
    path("plan/save/", pages.save_plan, name="save-plan"),
    path("plan/curve.svg", pages.planner_curve, name="planner-curve"),
    path("plan/price.svg", pages.planner_price, name="planner-price"),
    path("<uuid:survey_id>/trial/", trial_pages.trial, name="trial"),
]
