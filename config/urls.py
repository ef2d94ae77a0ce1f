"""Where everything is."""

from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.contrib.auth import views as auth_views
from django.urls import include, path
from django.views.generic import RedirectView

admin.site.site_header = admin.site.site_title = "Deniable"
admin.site.index_title = "Surveys and staff"
admin.site.site_url = "/surveys/"

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="surveys:list")),
    path("surveys/", include("surveys.urls")),
    path("accounts/login/", auth_views.LoginView.as_view(), name="login"),
    path("accounts/logout/", auth_views.LogoutView.as_view(), name="logout"),
    path("admin/", admin.site.urls),
    *i18n_patterns(path("s/<uuid:survey_id>/", include("surveys.respondent_urls"))),
]
handler400 = "surveys.views.errors.bad_request"
handler403 = "surveys.views.errors.forbidden"
handler404 = "surveys.views.errors.not_found"
handler500 = "surveys.views.errors.server_error"
