"""Ask for an export, write it, let it go: one of each kind at a time for a person, for a day."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, gettext_noop

from surveys.models import Export, Revision, Survey
from surveys.models.queries import is_erased
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.results.queries import response_count
from surveys.results.taking import files
from surveys.results.taking.formats import KINDS, Part
from surveys.results.taking.queries import KEPT, SILENCE, is_being_written
from surveys.staff.access import may
from surveys.staff.audit.services import record
from surveys.staff.roles import Ability
from surveys.web.downloads import LibraryMissing

if TYPE_CHECKING:
    from django.contrib.auth.models import User

ONE_AT_A_TIME = gettext_lazy(
    "A file of this kind is already being created for you. Wait until this file is finished, or "
    "create a file of another kind."
)
GONE = gettext_lazy("The answers were deleted.")
# Kept in English; a page looks it up in its own language.
NO_ROOM = gettext_noop("The file could not be written. Ask your operator whether the disk is full.")
Later = Callable[[str], None]


class _Gone(RuntimeError):
    """The export was given up while it was being written."""


@transaction.atomic
def ask(survey: Survey, kind: str, *, by: "User", later: Later) -> Export:
    """Have a file of all answers written; one that is being written already is not begun again.

    A finished one of the same kind is replaced. Raises NotAllowed, NotPossible.
    """
    if not may(by, survey, Ability.READ):
        raise NotAllowed(gettext("You may not download the responses. Ask the survey's owner."))
    if kind not in KINDS:
        raise NotPossible(
            gettext(
                "The file was not created: there is no kind of file called {kind}. Choose a "
                "kind from the list."
            ).format(kind=repr(kind))
        )
    if is_erased(survey, timezone.now().date()):
        raise NotPossible(str(GONE))
    # Two requests at once would both see no export, and two workers would write the same kind.
    get_user_model().objects.select_for_update().get(pk=by.pk)
    for other in Export.objects.filter(person=by, kind=kind):
        if not is_being_written(other):
            continue
        if other.revision_id == survey.revision.pk:
            return other
        raise NotPossible(str(ONE_AT_A_TIME))
    for old in Export.objects.filter(person=by, kind=kind, revision=survey.revision):
        give_up(old)
    export = Export.objects.create(
        revision=survey.revision,
        person=by,
        kind=kind,
        total=response_count(survey.revision),
        heard_at=timezone.now(),
    )
    record("export asked for", by=by, survey=survey, after={"kind": kind})
    # Before the commit a worker would see no row, and end.
    transaction.on_commit(lambda: later(str(export.pk)))
    return export


def write(key: UUID) -> None:
    """Write the file of an export. A worker's; may be repeated, and ends if the export is gone."""
    export = Export.objects.filter(pk=key, finished_at=None).first()
    if export is None:
        return
    try:
        size = files.write(key, _watched(export))
    except _Gone:
        return
    except (OSError, LibraryMissing, NotPossible) as problem:
        words = NO_ROOM if isinstance(problem, OSError) else str(problem)
        _update(export, problem=words[:200], finished_at=timezone.now())
        return
    done = {"written": export.total, "size": size, "finished_at": timezone.now()}
    if not _update(export, **done):
        files.destroy(key)  # its answers were erased while the last bytes were written


def give_up(export: Export) -> None:
    """Destroy an export's file and forget it."""
    # The row first: a worker that is still writing looks for it after each part, and stops.
    Export.objects.filter(pk=export.pk).delete()
    files.destroy(export.pk)


def destroy_files_of(survey: Survey) -> None:
    """Destroy the files of a survey whose answers go. Its exports go with the other rows."""
    for key in Export.objects.filter(revision__survey=survey).values_list("pk", flat=True):
        files.destroy(key)


def let_go(now: datetime) -> None:
    """Destroy what is older than a day, what no worker writes any more, and files of no export."""
    for export in Export.objects.filter(finished_at__lte=now - KEPT):
        give_up(export)
    for export in Export.objects.filter(finished_at=None, heard_at__lt=now - SILENCE):
        give_up(export)
    files.destroy_scratch((now - SILENCE).timestamp())
    # The files first: one that is begun while the rows are read has a row that was not read.
    written = files.keys()
    for key in written - set(Export.objects.values_list("pk", flat=True)):
        files.destroy(key)


def _watched(export: Export) -> Iterator[bytes]:
    """The bytes, while the export's row says how far it is. Raises _Gone once there is none."""
    written = 0
    revision = Revision.objects.select_related("survey").get(pk=export.revision_id)
    parts: Iterator[Part] = KINDS[export.kind].parts(revision)
    for content, rows in parts:
        yield content
        # More may have come to light since the file was asked for.
        written = min(written + rows, export.total)
        if not _update(export, written=written, heard_at=timezone.now()):
            raise _Gone


def _update(export: Export, **values: object) -> int:
    return Export.objects.filter(pk=export.pk).update(**values)
