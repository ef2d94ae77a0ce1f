"""ReleasedTotals: reported answers of randomized questions, counted exactly, with what that tells.

What is published are reports, which a device drew: they cost the ledger nothing. For a reader who
sees these totals and no more they tell less than the reports do (``randomized_response.totals``).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from analytics.privacy.checks import FloatArray
from surveys.kinds.levels.promise import LevelQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import kind_name
from surveys.randomized_response.designs import Channel
from surveys.randomized_response.estimates import estimate_distribution
from surveys.randomized_response.totals import (
    CentralStatement,
    PublishedTotal,
    central_statement,
)

# The chance with which the statement may fail, as for all totals.
DELTA = 1e-6
DEVIATIONS = 1.96
# What hides a report behind a second question holds against people who do not know that answer;
# a statement about all who read a table cannot say so of each.
_KINDS = ("levels", "long_scale")


@dataclass(frozen=True)
class EstimatedShare:
    """The estimated share of people with this answer, in percent, with its 95 % margin.

    The margin is 1.96 standard errors, the normal approximation; None for one report.
    """

    answer: str
    share: float
    margin: float | None


@dataclass(frozen=True)
class QuestionTotals:
    """``counts`` of the ``reports``, and the channel behind them as integers over a denominator.

    ``weights[answer][report]``; people who were not asked are not counted.
    """

    text: str
    reports: tuple[str, ...]
    counts: tuple[int, ...]
    answers: tuple[str, ...]
    weights: tuple[tuple[int, ...], ...]
    denominator: int

    @property
    def people(self) -> int:
        """How many people were asked."""
        return sum(self.counts)

    @property
    def channel(self) -> Channel:
        """What turned answers into reports."""
        return Channel.from_weights(self.weights, self.denominator)

    @property
    def shares(self) -> list[EstimatedShare]:
        """Unbiased shares of the true answers; none where no person was asked."""
        if not self.people:
            return []
        estimate = estimate_distribution(self.channel, self.counts)
        errors: FloatArray | list[None] = [None] * len(self.answers)
        if estimate.standard_errors is not None:
            errors = estimate.standard_errors
        return [
            EstimatedShare(
                answer,
                100 * float(share),
                None if error is None else 100 * DEVIATIONS * float(error),
            )
            for answer, share, error in zip(self.answers, estimate.shares, errors, strict=True)
        ]


@dataclass(frozen=True)
class ReleasedTotals:
    """Totals of several questions, and what all of them together tell of one person.

    ``statement`` is None where no person was asked any of them.
    """

    questions: tuple[QuestionTotals, ...]
    statement: CentralStatement | None

    @classmethod
    def of(cls, questions: Iterable[QuestionTotals]) -> "ReleasedTotals":
        """The totals with their statement, composed over all questions that people were asked."""
        counted = tuple(questions)
        asked = [
            PublishedTotal(totals.channel, totals.people) for totals in counted if totals.people
        ]
        return cls(counted, central_statement(asked, DELTA) if asked else None)


def has_totals(item: Question) -> bool:
    """Whether the reports of a question can be published as totals.

    Not where a rule over direct answers decides who is asked: how many were would tell of these.
    """
    return kind_name(item) in _KINDS and item.is_randomized and not item.rule


def totals_of(item: LevelQuestion, counts: tuple[int, ...]) -> QuestionTotals:
    """The totals of a question, in the order in which its channel has the reports."""
    channel = item.integer_channel
    return QuestionTotals(
        text=item.text,
        reports=tuple(level.text for level in item.reported_levels),
        counts=counts,
        answers=tuple(level.text for level in item.levels),
        weights=channel.weights,
        denominator=channel.denominator,
    )
