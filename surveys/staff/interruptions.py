"""Keep a form that staff typed when their session or its token expires, and offer it again.

A form that arrives without a login is answered with a page that carries what was typed, as hidden
fields of a form to the same address. The person logs in in a second tab, with all factors that
takes, comes back and sends again. So what was typed stays where it was, in the browser's tab: not
in a session, which would be open to the next person who logs in and to floods of texts; not in an
address, which is logged; and no cookie or script is needed. It is as large as the post that
brought it, at most.

- A login gives the browser a new token against forged posts, so the first post after it is always
  refused. That refusal is answered with the same page, which now names the account: nothing that
  was typed under one account is ever sent unasked under another.
- A forged post must not be offered for sending. A form without a login gets here only if its token
  fits its cookie; one whose token does not fit, only if the browser itself says that the post came
  from this site, which needs no Referer.
- Passwords and files are left out, and forms below /accounts/ come back empty, as ever.
"""

from collections.abc import Iterator
from urllib.parse import urlencode, urlsplit

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.http.response import HttpResponseBase
from django.shortcuts import render, resolve_url
from django.urls import reverse
from django.views.decorators.http import require_safe

from surveys.web.error_pages import forbidden_form
from surveys.web.requests import is_same_origin

OWN_ACCOUNT = "/accounts/"
NEVER_KEPT = ("csrfmiddlewaretoken", "password")  # parts of names of fields


def keep_form(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Instead of a login that forgets the form that was sent, a page that keeps it."""
    if not _leads_to_login(response) or _is_own_account(request):
        return response
    return _offer_again(request) if request.user.is_anonymous else response


def expired_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form whose token does not fit (any more): after another login it may be sent again."""
    if not is_same_origin(request) or _is_own_account(request):
        return forbidden_form(request, reason)
    return _offer_again(request)


@login_required
@require_safe
def logged_in_again(request: HttpRequest) -> HttpResponse:
    """Where the login in the second tab ends."""
    return render(request, "account/logged_in_again.html")


def _offer_again(request: HttpRequest) -> HttpResponse:
    try:
        fields, files = list(_typed(request)), [str(file) for file in request.FILES.values()]
    except UnreadablePostError:  # the connection broke, so there is nothing to keep
        fields, files = [], []
    next_page = urlencode({"next": reverse("logged_in_again")})
    context = {
        "fields": fields,
        "files": files,
        "send_to": request.get_full_path(),
        "log_in": f"{reverse('login')}?{next_page}",
    }
    return render(request, "account/send_again.html", context, status=403)


def _typed(request: HttpRequest) -> Iterator[tuple[str, str]]:
    """Every field with each of its values, without secrets."""
    for name, values in request.POST.lists():
        if not any(part in name.lower() for part in NEVER_KEPT):
            yield from ((name, str(value)) for value in values)


def _leads_to_login(response: HttpResponseBase) -> bool:
    """Whether staff's pages, or the admin, ask for a login first."""
    if response.status_code != 302:
        return False
    return urlsplit(response["Location"]).path in (resolve_url("login"), reverse("admin:login"))


def _is_own_account(request: HttpRequest) -> bool:
    return request.path.startswith(OWN_ACCOUNT)
