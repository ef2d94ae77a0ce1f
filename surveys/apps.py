"""The app that collects randomized answers and estimates from them."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class SurveysConfig(AppConfig):
    name = "surveys"
    verbose_name = gettext_lazy("Surveys")
    default_auto_field = "django.db.models.BigAutoField"
