"""Invitations and mailings."""

from django.urls import path

from surveys.fieldwork import pages

urlpatterns = [
    path("<uuid:survey_id>/invitations/", pages.overview, name="invitations"),
    path("<uuid:survey_id>/invitations/sheets/", pages.sheets, name="invitation-sheets"),
    path("<uuid:survey_id>/invitations/mailings/", pages.new_mailing, name="new-mailing"),
    path("<uuid:survey_id>/invitations/mailings/<uuid:mailing_id>/", pages.mailing, name="mailing"),
    path(
        "<uuid:survey_id>/invitations/mailings/<uuid:mailing_id>/<slug:action>/",
        pages.act,
        name="mailing-action",
    ),
]
