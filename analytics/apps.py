"""The app that makes reports on collected answers and keeps the privacy ledger."""

from django.apps import AppConfig


class AnalyticsConfig(AppConfig):
    name = "analytics"
    default_auto_field = "django.db.models.BigAutoField"
    checkup = "analytics.checks"  # what doctor looks at besides its own

    def ready(self) -> None:
        """Hand over what this app shows on a survey's dashboard."""
        from analytics.pages.answers.panel import PANEL
        from surveys.results import panels

        panels.register(PANEL)
