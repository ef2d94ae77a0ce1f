"""ExportRow: what the page of exports says of each kind of file."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext_lazy

from surveys.models import Export
from surveys.results.taking import files
from surveys.results.taking.formats import Format
from surveys.results.taking.queries import KEPT, is_being_written
from surveys.wording.language.messages import looked_up

MISSING = gettext_lazy("The file is missing on this server. Create the file again.")
SILENT = gettext_lazy(
    "The file was not finished: the background program (worker) has not responded for ten "
    "minutes. Create the file again."
)


@dataclass(frozen=True)
class ExportRow:
    """``until``: when the file goes; None while there is none to take away."""

    kind: str
    title: str
    export: Export | None
    is_being_written: bool
    problem: str
    until: datetime | None

    @property
    def may_be_asked(self) -> bool:
        return not self.is_being_written


def export_rows(kinds: Mapping[str, Format], asked: Iterable[Export]) -> list[ExportRow]:
    """A row for each of these kinds, asked for or not."""
    by_kind = {export.kind: export for export in asked}
    return [_row(kind, str(form.title), by_kind.get(kind)) for kind, form in kinds.items()]


def _row(kind: str, title: str, export: Export | None) -> ExportRow:
    is_running = export is not None and is_being_written(export)
    problem = _problem(export) if export and not is_running else ""
    is_whole = export is not None and export.finished_at is not None and not problem
    until = export.finished_at + KEPT if is_whole and export and export.finished_at else None
    return ExportRow(kind, title, export, is_running, problem, until)


def _problem(export: Export) -> str:
    if export.finished_at is None:
        return str(SILENT)
    if export.problem:
        return looked_up(export.problem)
    return "" if files.is_there(export.pk) else str(MISSING)
