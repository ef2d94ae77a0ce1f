"""Panel, register: what apps above show on a survey's dashboard. They hand it over themselves."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from surveys.models import Survey


@dataclass(frozen=True)
class Panel:
    """One part of the dashboard: a template, and ``panel`` in its context for a person's look.

    ``context`` is asked only for launched surveys whose answers are there.
    """

    name: str
    template: str
    context: "Callable[[User, Survey], dict[str, Any]]"


_PANELS: dict[str, Panel] = {}


def register(panel: Panel) -> None:
    """Show a panel on every dashboard, after those that came before; once for each name."""
    _PANELS[panel.name] = panel


def registered() -> tuple[Panel, ...]:
    """All panels in the order in which they came."""
    return tuple(_PANELS.values())
