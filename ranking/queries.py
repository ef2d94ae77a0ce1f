"""Reads of rankings: rated questions and items, ranked tables in a cache, the chosen method."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING
from uuid import UUID

import numpy as np
from django.db.models import QuerySet

from ranking.methods.registry import (
    PLAIN,
    Method,
    Order,
    Origin,
    Prior,
    check_origin,
    learned_prior,
    read_prior,
    read_utilities,
)
from ranking.methods.tables import (
    IntegerArray,
    RankedTable,
    hidden_scores,
    rank_table,
    table_of_draws,
)
from ranking.models import PendingImport, RankingChoice
from ranking.posterior.checks import FloatArray
from ranking.posterior.gibbs import MOST_ITEMS, GibbsScores
from surveys.catalogues.queries import names_of, rating_counts, rating_questions, starting_counts
from surveys.kinds.rating.promise import RatingQuestion
from surveys.models import Catalogue, Revision, Survey
from surveys.models.queries import questionnaire_of_id, revision_of
from surveys.randomized_response.designs import Channel
from surveys.results.queries import response_count

if TYPE_CHECKING:
    from django.contrib.auth.models import User

# Gibbs sampling takes time in proportion to items times the square of the reported levels: so many
# keep a page to some seconds, and with fewer items more sweeps take no longer. All readers
# see the same draws of the same counts.
MOST_SAMPLED_CELLS = 12_500
FEWEST_SWEEPS, MOST_SWEEPS = 2000, 10_000
_SEED = 20
_sampling = Lock()


@dataclass(frozen=True)
class RatedQuestion:
    """A rating question of a launched survey, as a ranking needs it. ``number`` is from 1."""

    revision: Revision
    number: int
    item: RatingQuestion

    @property
    def scale(self) -> tuple[str, ...]:
        """The labels of the levels that order items, lowest first."""
        return tuple(level.text for level in self.item.levels if not level.declines)

    @property
    def channel(self) -> Channel | None:
        return self.item.channel if self.item.is_randomized else None

    @property
    def declines(self) -> bool:
        """Whether a randomized report can stand for "not rated"."""
        return self.item.is_randomized and self.item.decline_level is not None

    @property
    def most_sampled(self) -> int:
        """Up to so many items a page offers Gibbs sampling over the hidden ratings."""
        return min(MOST_SAMPLED_CELLS // len(self.item.levels) ** 2, MOST_ITEMS)

    @property
    def offers_sampling(self) -> bool:
        """Whether the ratings are randomized, and the items few enough to sample at once."""
        return self.item.is_randomized and self.item.items.size <= self.most_sampled

    def method(
        self,
        utilities: tuple[float, ...],
        prior: Prior,
        order: Order,
        level: float,
        *,
        hidden: bool = False,
    ) -> Method:
        """The method with this question's channel."""
        return Method(utilities, prior, order, level, self.channel, self.declines, hidden)


@dataclass(frozen=True)
class RatedCounts:
    """Names, and what was counted of each item: ``counts`` (items, reported levels).

    ``reported`` are the ratings of this survey among them; the others are starting counts.
    ``is_adaptive`` says that promising items were shown more often.
    """

    names: tuple[str, ...]
    counts: FloatArray
    reported: int
    is_adaptive: bool = False

    @property
    def starting(self) -> int:
        return round(float(self.counts.sum())) - self.reported

    @property
    def origin(self) -> Origin:
        """How numbers of ratings came about, where they say nothing about the items."""
        if self.is_adaptive:
            return "adaptive"
        return "imported" if self.starting else ""


def rated_questions(survey: Survey) -> list[RatedQuestion]:
    """The rating questions of a survey; none of a draft."""
    revision = revision_of(survey)
    if revision is None:
        return []
    return [RatedQuestion(revision, number, item) for number, item in rating_questions(survey)]


def rated_question(survey: Survey, number: int) -> RatedQuestion | None:
    """One of them; None if that question rates nothing."""
    questions = (question for question in rated_questions(survey) if question.number == number)
    return next(questions, None)


def version_of(question: RatedQuestion) -> int:
    """A number that grows with every change of the counts.

    The flush that changes them stores responses in the same transaction, responses are never
    changed, and starting counts are frozen, so that the number of responses is exact. A caller
    that keeps something by it has to read it before the counts.
    """
    return response_count(question.revision)


def rated_items(question: RatedQuestion, version: int) -> RatedCounts:
    """Names and counts of a question's items."""
    return _rated_items(question.revision.pk, question.item.id, version)


def ranked(question: RatedQuestion, version: int, method: Method) -> RankedTable:
    """The items in their order by this method. Raises StatisticsError."""
    return _ranked(question.revision.pk, question.item.id, version, method)


@dataclass(frozen=True)
class Extras:
    """What costs a pass over all items for each: ranks, and the chance to beat the next item."""

    best: IntegerArray
    worst: IntegerArray
    beats: FloatArray


def extras(
    question: RatedQuestion,
    version: int,
    method: Method,
    items: Sequence[int],
    nexts: Sequence[int],
) -> Extras:
    """For some items, and those that follow them (one fewer where the last is the last of all)."""
    key = (question.revision.pk, question.item.id, version, method)
    return _extras(*key, tuple(items), tuple(nexts))


@lru_cache(maxsize=4)
def _rated_items(revision_id: UUID, item_id: str, version: int) -> RatedCounts:
    revision = Revision.objects.defer("document").get(pk=revision_id)
    items = {item.id: item for _, item in questionnaire_of_id(revision_id).numbered.ratings}
    item = items[item_id]
    names = names_of(item)
    counts = rating_counts(revision, item_id).astype(float)
    is_adaptive = item.items.adaptive
    if item.is_randomized:
        return RatedCounts(tuple(names.values()), counts, round(float(counts.sum())), is_adaptive)
    scale = [row for row, level in enumerate(item.levels) if not level.declines]
    rated = counts[:, scale]
    reported = round(float(rated.sum()))
    rated += starting_counts(item.items.catalogue, len(scale))
    return RatedCounts(tuple(names.values()), rated, reported, is_adaptive)


@lru_cache(maxsize=16)
def _ranked(revision_id: UUID, item_id: str, version: int, method: Method) -> RankedTable:
    rated = _rated_items(revision_id, item_id, version)
    counts = rated.counts
    if not method.hidden:
        check_origin(method.prior, rated.origin)
        return rank_table(counts, method)
    sampled = replace(method, order="score", level=0.95)  # draws serve every order and level
    with _sampling:  # who asks for the same meanwhile waits for it
        drawn = _drawn(revision_id, item_id, version, sampled)
    return table_of_draws(counts, method, drawn)


@lru_cache(maxsize=64)
def _learned_prior(
    revision_id: UUID, item_id: str, version: int, utilities: tuple[float, ...]
) -> Prior:
    rated = _rated_items(revision_id, item_id, version)
    return learned_prior(rated.counts, np.array(utilities), rated.origin)


@lru_cache(maxsize=2)
def _drawn(revision_id: UUID, item_id: str, version: int, method: Method) -> GibbsScores:
    counts = _rated_items(revision_id, item_id, version).counts
    cells = len(counts) * counts.shape[1] ** 2
    sweeps = min(FEWEST_SWEEPS * MOST_SAMPLED_CELLS // cells, MOST_SWEEPS)
    return hidden_scores(counts, method, rng=np.random.default_rng(_SEED), sweeps=sweeps)


@lru_cache(maxsize=256)
def _extras(
    revision_id: UUID,
    item_id: str,
    version: int,
    method: Method,
    items: tuple[int, ...],
    nexts: tuple[int, ...],
) -> Extras:
    table = _ranked(revision_id, item_id, version, method)
    chosen = np.array(items, dtype=np.int64)
    best, worst = table.plausible_ranks(chosen)
    return Extras(best, worst, table.beats(chosen[: len(nexts)], np.array(nexts, dtype=np.int64)))


# Who chose what.


def choices_of(question: RatedQuestion) -> "QuerySet[RankingChoice]":
    """Every method that was chosen for a question, newest first."""
    return RankingChoice.objects.filter(revision=question.revision, question=question.item.id)


def chosen_method(question: RatedQuestion) -> Method:
    """The method that counts: the newest of the history, or 1, 2, 3 ... and a learned prior.

    What is stored names its prior, and keeps it.
    """
    last = choices_of(question).first()
    if last is None:
        steps = tuple(float(step) for step in range(1, len(question.scale) + 1))
        return question.method(steps, _default_prior(question, steps), "score", 0.95)
    order: Order = "cautious" if last.order == "cautious" else "score"
    return question.method(read_utilities(last.utilities), read_prior(last.prior), order, 0.95)


def _default_prior(question: RatedQuestion, utilities: tuple[float, ...]) -> Prior:
    if question.channel is not None:
        return PLAIN["empirical"]  # unused: randomized ratings have a prior of their own
    return _learned_prior(question.revision.pk, question.item.id, version_of(question), utilities)


# Catalogues in the admin.


def catalogues_for(user: "User") -> "QuerySet[Catalogue]":
    """The catalogues that a user may see and fill: their own; all for superusers."""
    if not user.is_active:
        return Catalogue.objects.none()
    return Catalogue.objects.all() if user.is_superuser else Catalogue.objects.filter(owner=user)


def pending_import(catalogue: Catalogue) -> PendingImport | None:
    """The file that waits to be looked at, without its content: that may be of 20 MB."""
    return PendingImport.objects.filter(catalogue=catalogue).defer("content").first()
