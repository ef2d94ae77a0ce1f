"""All addresses of the site: the admin, accounts, second factors, every app, error handlers."""

from allauth.account import views as account
from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from allauth.mfa.base.views import IndexView
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect
from django.urls import include, path
from django.views.generic import RedirectView, TemplateView
from django_tasks_db.models import DBTaskResult

from config import respondent_urls
from surveys.staff.access import for_accounts, for_staff, post_only
from surveys.staff.interruptions import logged_in_again
from surveys.staff.languages import choose_language
from surveys.staff.login import ActivateAppView
from surveys.web.addresses import Pattern
from surveys.web.documentation import documentation, source

admin.site.site_header = admin.site.site_title = "Deniable"
admin.site.site_url = "/surveys/"
# The admin takes no passwords: a second factor would not be asked for there.
admin.site.login = secure_admin_login(  # type: ignore[method-assign]
    lambda request, extra_context=None: redirect("admin:index")
)
# Addresses are not used, factors are their owner's affair, and tasks are those of the worker.
admin.site.unregister([EmailAddress, Authenticator, DBTaskResult])

log_in, log_out = account.login, post_only("surveys:list")(account.logout)
leave_admin = post_only("admin:index")(admin.site.admin_view(admin.site.logout))
no_password = login_required(TemplateView.as_view(template_name="account/no_password.html"))
second_factors = IndexView.as_view(extra_context={"is_required": lambda: settings.REQUIRE_MFA})

accounts = [
    path("login/", log_in, name="login"),
    path("login/", log_in, name="account_login"),
    path("logout/", log_out, name="logout"),
    path("logout/", log_out, name="account_logout"),
    path("language/", choose_language, name="staff_language"),
    path("again/", logged_in_again, name="logged_in_again"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("password/", account.password_change, name="account_change_password"),
    # Under the name to which allauth sends accounts that have none.
    path("password/missing/", no_password, name="account_set_password"),
    path("confirm/", account.reauthenticate, name="account_reauthenticate"),
    path("second-factors/", second_factors, name="mfa_index"),
    # Before allauth's own page of this name, which would let the code count once more.
    path("second-factors/totp/activate/", ActivateAppView.as_view(), name="mfa_activate_totp"),
    path("second-factors/", include("allauth.mfa.urls")),
]
staff: list[Pattern] = [
    path("surveys/", include("surveys.urls")),
    path("surveys/", include("ranking.urls")),
    path("surveys/", include("analytics.urls")),
    path("admin/password_change/", RedirectView.as_view(pattern_name="account_change_password")),
    path("admin/logout/", leave_admin),
    path("admin/", admin.site.urls),
]
urlpatterns = [
    # First, because respondents are the most.
    *respondent_urls.shared,
    path("", RedirectView.as_view(pattern_name="surveys:list")),
    path("source/", source, name="source"),
    path("docs/<path:path>", documentation),
    path("docs/", documentation, {"path": "index.html"}, name="documentation"),
    path("releases/", include("analytics.pages.releases.urls")),
    path("api/", include("surveys.programs.addresses")),
    *for_accounts([path("accounts/", include(accounts))]),
    *for_staff(staff),
]
handler400 = respondent_urls.handler400
handler403 = respondent_urls.handler403
handler404 = respondent_urls.handler404
handler500 = respondent_urls.handler500
