"""Addresses of respondents and of monitors: all that ``DENIABLE_ROLE=web`` answers.

It imports nothing of staff's pages, whose libraries that role need not have.
"""

from django.conf import settings
from django.urls import include, path, re_path

from surveys.collecting.pages import by_short_name
from surveys.collecting.urls import for_all_languages
from surveys.operations.health import health
from surveys.web.addresses import Pattern, elsewhere, not_here
from surveys.web.locales import below_languages
from surveys.web.release import release

pages: list[Pattern] = [
    *below_languages(
        path("s/<uuid:survey_id>/", include("surveys.collecting.urls")),
        re_path("^s/(?P<name>[^/]{8,20})/?$", by_short_name, name="short"),
    ),
    path("s/<uuid:survey_id>/", include((for_all_languages, "posted"))),
]
# In each role: the others link to respondents' pages, too.
shared: list[Pattern] = [
    *(pages if settings.HAS_RESPONDENT_PAGES else elsewhere(pages)),
    path("health/", health),
    path("release.json", release),
]
# Every page of respondents leads to the source, which staff's processes show.
urlpatterns = [*shared, path("source/", not_here, name="source")]
handler400 = "surveys.web.error_pages.bad_request"
handler403 = "surveys.web.error_pages.forbidden"
handler404 = "surveys.web.error_pages.not_found"
handler500 = "surveys.web.error_pages.server_error"
