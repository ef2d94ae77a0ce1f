"""Members of a survey and the audit log."""

from django.urls import path

from surveys.staff.audit import pages as audit
from surveys.staff.members import pages as members

urlpatterns = [
    path("audit/", audit.audit, name="audit-all"),
    path("audit.csv", audit.audit_csv, name="audit-all-csv"),
    path("<uuid:survey_id>/members/", members.members, name="members"),
    path("<uuid:survey_id>/members/add/", members.add, name="add-member"),
    path("<uuid:survey_id>/members/hand-over/", members.hand_over, name="hand-over"),
    path("<uuid:survey_id>/members/<uuid:member_id>/", members.change, name="change-member"),
    path("<uuid:survey_id>/members/<uuid:member_id>/remove/", members.remove, name="remove-member"),
    path("<uuid:survey_id>/audit/", audit.audit, name="audit"),
    path("<uuid:survey_id>/audit.csv", audit.audit_csv, name="audit-csv"),
]
