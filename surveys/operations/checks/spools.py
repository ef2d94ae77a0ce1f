"""SpoolState: is a batch stuck or lost in an open spool, which keys are missing or left over.

How many answers wait is said to no one, operators included: who sees the number change knows
that a person answered just now.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from django.db.models import Count

from surveys.collecting import flushing, lost_batches
from surveys.collecting import spool as spooling
from surveys.collecting.keys import batch_keys, signing_keys
from surveys.models import Spool, Survey
from surveys.models.queries import questionnaire_of_id


@dataclass(frozen=True)
class SpoolState:
    """One open survey's spool; ``waiting`` is never shown unless a key is lost.

    ``seen_at`` is when it was read, by the monotonic clock.
    """

    survey: Survey
    waiting: int
    lost: int
    batch_size: int
    batch: UUID
    seen_at: float

    @property
    def is_stuck(self) -> bool:
        """Whether a whole batch waits that should have been stored.

        Processes flush beside their requests, so one may only just have become whole: it has twice
        the time that they gather for, counted for all surveys at once.
        """
        if self.waiting < self.batch_size or self.lost:
            return False
        while Spool.objects.filter(survey=self.survey, batch=self.batch).exists():
            if time.monotonic() >= self.seen_at + 2 * flushing.GATHERING:
                return True
            time.sleep(flushing.GATHERING / 10)
        return False

    @property
    def loss_in_words(self) -> str:
        """What is lost, exactly."""
        of = "" if self.lost == self.waiting else f" of {self.waiting:,}"
        answers = "answer" if self.lost == 1 else "answers"
        return f'{self.lost:,}{of} waiting {answers} to "{self.survey}" cannot be read'


def states() -> list[SpoolState]:
    """Every open survey's spool, in the order of their titles; reads what waits to know."""
    spools = (
        Spool.objects.select_related("survey")
        .annotate(waiting=Count("revision__waiting"))
        .order_by("survey__title", "pk")
    )
    return [
        SpoolState(
            survey=spool.survey,
            waiting=spool.waiting,
            lost=len(lost_batches.lost_rows(spool)) if spool.waiting else 0,
            batch_size=questionnaire_of_id(spool.revision_id).batch_size,
            batch=spool.batch,
            seen_at=time.monotonic(),
        )
        for spool in spools
    ]


def with_answers_set_aside() -> list[Survey]:
    """The surveys, open or closed, to which answers are set aside, in the order of titles."""
    surveys = Survey.objects.filter(revision__set_aside__isnull=False).distinct()
    return list(surveys.order_by("title", "pk"))


def orphans() -> list[Path]:
    """Files of keys that belong to no open survey."""
    directory = spooling.keys_directory()
    files = set(batch_keys.paths(directory)) | set(signing_keys.paths(directory))
    signing = Survey.objects.filter(state=Survey.State.OPEN).exclude(voucher_wait=None)
    known = {signing_keys.path_of(directory, key) for key in signing.values_list("pk", flat=True)}
    known |= {
        path
        for batch in Spool.objects.values_list("batch", flat=True)
        for path in batch_keys.paths_of(directory, batch)
    }
    # A survey that was closed meanwhile has taken its file along.
    return sorted(path for path in files - known if path.exists())
