"""ChannelRow: the channel of a question as a table of truths and reports."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext

from surveys.kinds.levels.promise import Leveled, ThroughChannel, Weights
from surveys.kinds.number.promise import RoundedQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table
from surveys.wording.reports import per_hundred


@dataclass(frozen=True)
class ChannelRow:
    """Of 100 people with this true answer: how many send each answer."""

    truth: str
    shares: tuple[str, ...]


def channel_rows(item: Question) -> list[ChannelRow]:
    """The channel as a table; levels and columns in the order in which they are shown.

    Empty for questions without such a table.
    """
    return CHANNEL_ROWS(item)


def _no_rows(item: Question) -> list[ChannelRow]:
    return []


def _rows(item: ThroughChannel) -> list[ChannelRow]:
    """A row for each true answer."""
    return [
        _row(item.levels[truth].text, item.weights[truth], item.denominator, item.display)
        for truth in (item.display if item.is_randomized else ())
    ]


def _rows_of_numbers(item: RoundedQuestion) -> list[ChannelRow]:
    """A row for the least, the middle and the largest number, and for each special answer."""
    last = len(item.grid) - 1
    truths = {truth: str(item.grid[truth]) for truth in (0, last // 2, last)}
    truths |= {last + 1 + at: each.text for at, each in enumerate(item.number.special)}
    return [
        _row(words, item.weights[truth], item.denominator, item.display)
        for truth, words in truths.items()
    ]


def _pair_rows(item: Leveled, pairs: Weights, order: Iterable[int]) -> list[ChannelRow]:
    """A row for each pair of answers, the one to the question itself first."""
    columns = tuple(order)
    words = gettext("{answer}, and {other} to the second question")
    return [
        _row(
            words.format(answer=item.levels[truth].text, other=item.levels[other].text),
            pairs[len(item.levels) * truth + other],
            item.denominator,
            columns,
        )
        for truth in item.display
        for other in item.display
    ]


def _row(truth: str, weights: Sequence[int], denominator: int, order: Sequence[int]) -> ChannelRow:
    shares = tuple(per_hundred(Fraction(100 * weights[report], denominator)) for report in order)
    return ChannelRow(truth, shares)


CHANNEL_ROWS: Table[[], list[ChannelRow]] = Table.mostly(
    _no_rows,
    levels=_rows,
    long_scale=_no_rows,
    paired=lambda item: _pair_rows(item, item.pairs, item.display),
    compared=_rows,
    grouped=lambda item: _pair_rows(item, item.pairs, range(len(item.reports))),
    rating=_rows,
    ticks=_rows,
    matrix=_rows,
    rounded=_rows_of_numbers,
    ranked_pair=_rows,
    family=_rows,
)
