"""The app that makes reports on collected answers and keeps the privacy ledger."""

from typing import TYPE_CHECKING

from django.apps import AppConfig
from django.conf import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any
    from uuid import UUID

    from django.contrib.auth.models import User

    from surveys.models import Revision
    from surveys.models.releasing import DumpedRows, KeptRows
    from surveys.questionnaire.document import Questionnaire
    from surveys.results.deposit.releases import PublishedFile


class AnalyticsConfig(AppConfig):
    name = "analytics"
    default_auto_field = "django.db.models.BigAutoField"
    checkup = "analytics.checks"  # what doctor looks at besides its own

    def ready(self) -> None:
        """Hand over what this app shows on a survey's dashboard, and does at its openings."""
        from surveys.models import releasing
        from surveys.results.deposit import releases

        releasing.register(
            releasing.Releaser(
                _reasons,
                _launched,
                _prepared,
                _foretold,
                _drawn,
                _is_later,
                _locked_reasons,
                _listed,
            )
        )
        releases.register("tables", _release_files)
        if settings.HAS_STAFF_PAGES:  # other roles show no dashboard, and load no page of one
            _show_panels()
            _answer_programs()


def _show_panels() -> None:
    from analytics.pages.answers.panel import PANEL
    from analytics.pages.releases.panel import RELEASED
    from surveys.results import panels

    panels.register(RELEASED)
    panels.register(PANEL)


def _answer_programs() -> None:
    from analytics.pages.programs import LEDGER
    from surveys.programs import registry

    registry.register(LEDGER)


# The noise library takes half a second to load: only launches and openings load it.


def _reasons(questionnaire: "Questionnaire") -> "Iterator[str]":
    from analytics.services import schedules

    return schedules.reasons(questionnaire)


def _foretold(questionnaire: "Questionnaire") -> "Iterator[str]":
    from analytics.services import schedules

    return schedules.foretold(questionnaire)


def _launched(revision: "Revision", by: "User") -> None:
    from analytics.services import schedules

    schedules.launched(revision, by)


def _prepared(
    revision_id: "UUID", number: int, is_last: bool, rows: "KeptRows"
) -> "Callable[[], None]":
    from analytics.privacy.mechanisms import VettedNoise
    from analytics.services import schedules

    return schedules.prepared(VettedNoise(), revision_id, number, is_last, rows)


def _drawn(rows: "DumpedRows | None") -> "dict[UUID, int]":
    from analytics.queries import drawn_openings, drawn_openings_in

    return drawn_openings() if rows is None else drawn_openings_in(rows)


def _is_later(revision_id: "UUID", document: "Mapping[str, Any]") -> bool:
    from analytics.services import schedules

    return schedules.is_later(revision_id, document)


def _locked_reasons(questionnaire: "Questionnaire") -> "Iterator[str]":
    from analytics.services import locked_tables

    return locked_tables.reasons(questionnaire)


def _release_files(revision: "Revision") -> "Iterator[PublishedFile]":
    from analytics.pages.releases import published

    return published.release_files(revision)


def _listed(revision_id: "UUID", tables: "Sequence[int]") -> None:
    from analytics.services import locked_tables

    locked_tables.charge(revision_id, tables)
