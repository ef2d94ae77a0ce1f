"""Joint counts for an analysis: those that are kept, or a job that counts them."""

from collections.abc import Iterable, Sequence

from surveys.models import Revision
from surveys.results.analyses.queries import CrossCounts, cross_counts
from surveys.tallies import joint
from surveys.tallies.tasks import count_later


def counted(revision: Revision, choices: Iterable[Sequence[int]]) -> list[CrossCounts]:
    """The counts of each choice of questions.

    Of a large survey those that were counted last; what is not counted as it stands now is asked
    for. Raises joint.BeingCounted while some were never counted, and what ``cross_counts`` does.
    """
    wanted = [list(numbers) for numbers in choices]
    found, waiting = [], []
    for numbers in wanted:
        try:
            found.append(cross_counts(revision, numbers))
        except joint.BeingCounted as reason:
            waiting.append(reason)
        joint.ask(revision.pk, numbers, later=count_later)
    if waiting:
        raise min(waiting, key=lambda reason: reason.counted)
    return found
