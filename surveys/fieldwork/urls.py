"""Invitations and mailings."""

from django.urls import path

from surveys.fieldwork import pages, reminder_pages

urlpatterns = [
    path("<uuid:survey_id>/invitations/", pages.overview, name="invitations"),
    path("<uuid:survey_id>/reminders/", reminder_pages.reminders, name="reminders"),
    path("<uuid:survey_id>/reminders/send/", reminder_pages.send_reminders, name="send-reminders"),
    path("<uuid:survey_id>/reminders.csv", reminder_pages.reminders_csv, name="reminders-csv"),
    path("<uuid:survey_id>/reminders.ics", reminder_pages.reminders_calendar, name="reminders-ics"),
    path("<uuid:survey_id>/reminders.svg", reminder_pages.reminders_picture, name="reminders-svg"),
    path("<uuid:survey_id>/invitations/sheets/", pages.sheets, name="invitation-sheets"),
    path("<uuid:survey_id>/invitations/mailings/", pages.new_mailing, name="new-mailing"),
    path("<uuid:survey_id>/invitations/mailings/<uuid:mailing_id>/", pages.mailing, name="mailing"),
    path(
        "<uuid:survey_id>/invitations/mailings/<uuid:mailing_id>/<slug:action>/",
        pages.act,
        name="mailing-action",
    ),
]
