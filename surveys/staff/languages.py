"""The page on which a member of staff chooses the language of staff pages."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods

from surveys.web.languages import CHOSEN


@require_http_methods(["GET", "HEAD", "POST"])
def choose_language(request: HttpRequest) -> HttpResponse:
    """By POST, keep the language until the session ends, and go back. Respondents never see it."""
    back = _own_address(request)
    if request.POST.get("language") in dict(settings.STAFF_LANGUAGES):
        request.session[CHOSEN] = request.POST["language"]
        return redirect(back)
    context = {"next": back, "languages": settings.STAFF_LANGUAGES}
    return render(request, "account/language.html", context)


def _own_address(request: HttpRequest) -> str:
    """Where the person came from; never another site."""
    wanted = request.POST.get("next") or request.GET.get("next", "")
    is_ours = wanted.startswith("/") and url_has_allowed_host_and_scheme(wanted, allowed_hosts=None)
    return wanted if is_ours else reverse("surveys:list")
