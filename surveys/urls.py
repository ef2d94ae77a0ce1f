"""Researchers' pages, below /surveys/."""

from surveys.fieldwork import urls as fieldwork
from surveys.planning import urls as planning
from surveys.programs import urls as programs
from surveys.results import urls as results
from surveys.staff import urls as staff

app_name = "surveys"
urlpatterns = [
    *planning.urlpatterns,
    *staff.urlpatterns,
    *results.urlpatterns,
    *fieldwork.urlpatterns,
    *programs.urlpatterns,
]
