"""failing: what keeps this server from taking answers, for the health endpoint."""

from collections.abc import Callable

from django.db import Error, connection

from surveys.operations.checks import installation
from surveys.web.upkeep import maintenance
from surveys.web.upkeep.tables import TablesWatch

_watch = TablesWatch()


def failing() -> list[str]:
    """The names of what keeps answers from being taken, and nothing more; cheap."""
    if maintenance.is_ordered():
        return ["maintenance"]
    if name := _unusable():
        return [name]
    checks: dict[str, Callable[[], bool]] = {
        "keys": installation.keys_are_there,
        "disk": installation.has_room,
        "pages": installation.static_files_are_there,
    }
    return [name for name, holds in checks.items() if not _holds(holds)]


def _holds(check: Callable[[], bool]) -> bool:
    try:
        return check()
    except (Error, OSError):
        return False


def _unusable() -> str:
    """The name of what makes all other checks of the database void; one query if nothing does."""
    try:
        return "" if _watch.fits() else "migrations"
    except Error:
        return "migrations" if _holds(_answers) else "database"


def _answers() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return True
