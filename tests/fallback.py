"""A database that falls back: what it had at one moment is all that it has, and keys go on."""

from django.db.models import Model

from surveys.models import (
    AnswerCount,
    Comment,
    Invitation,
    Openings,
    Response,
    Sealed,
    SetAside,
    SpentBatch,
    Spool,
    SubmissionKey,
    Waiting,
)

# What collecting writes, in an order in which it can be deleted.
WRITTEN: tuple[type[Model], ...] = (
    AnswerCount,
    Response,
    Comment,
    Waiting,
    SetAside,
    Sealed,
    SubmissionKey,
    SpentBatch,
    Spool,
    Openings,
    Invitation,
)


class Snapshot:
    """What collecting has written by now, to be put back later."""

    def __init__(self) -> None:
        self._rows = {model: list(model._default_manager.all()) for model in WRITTEN}

    def put_back(self) -> None:
        """Everything that was written since is forgotten; files are as they are now."""
        for model, rows in self._rows.items():
            model._default_manager.all().delete()
            model._default_manager.bulk_create(rows)
