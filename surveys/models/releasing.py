"""Releaser: what an app above does for surveys that only release tables of direct answers.

It hands it over itself (``register``): surveys do not know who uses them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from surveys.questionnaire.document import Questionnaire

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from surveys.models.surveys import Revision

# Direct answers by the number of the opening that counted them first: rows as they are stored.
KeptRows = Mapping[int, list[str]]
# (table, columns) to the cells of every row of a backup.
DumpedRows = Callable[[str, Sequence[str]], Iterator[tuple[str, ...]]]


@dataclass(frozen=True)
class Releaser:
    """``reasons``: why such a survey cannot be launched. ``launched``: charge all of its releases,
    in the transaction of the launch. ``foretold``: what its tables will tell, before the launch.

    ``prepared`` draws the release of an opening (revision, number of the opening, whether it is the
    last, the rows of all openings so far) and returns what stores it, for the transaction that
    finishes the opening: a release that was not stored was seen by no one.

    ``drawn`` counts the openings that were drawn, by revision, in this database or in a backup, and
    ``is_later``: does a published document (revision, document) tell of a draw that this database
    has not? It raises ValueError if the document is of other tables.

    ``locked_reasons``: why a survey cannot be launched whose tables count locked answers, since
    what opening them is charged would not fit. ``listed``: charge what opening these tables of a
    revision costs, in the transaction that makes their lists of ballots available.
    """

    reasons: Callable[[Questionnaire], Iterator[str]]
    launched: "Callable[[Revision, User], None]"
    prepared: Callable[[UUID, int, bool, KeptRows], Callable[[], None]]
    foretold: Callable[[Questionnaire], Iterator[str]]
    drawn: Callable[[DumpedRows | None], dict[UUID, int]]
    is_later: Callable[[UUID, Mapping[str, Any]], bool]
    locked_reasons: Callable[[Questionnaire], Iterator[str]]
    listed: Callable[[UUID, Sequence[int]], None]


_RELEASERS: list[Releaser] = []


def register(releaser: Releaser) -> None:
    """Let this one release tables at openings, instead of one that came before."""
    _RELEASERS[:] = [releaser]


def registered() -> Releaser | None:
    """The one that releases tables; None where no app does."""
    return _RELEASERS[0] if _RELEASERS else None
