"""ComparisonReport: how differently groups answer a question, as a document; its settings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from analytics.comparison.groups import KnownGroup, Scale
from analytics.comparison.hidden import HiddenGroups, compare_hidden
from analytics.comparison.inference import (
    DRAWS,
    Declined,
    GroupComparison,
    PairComparison,
    TestedPair,
    compare_groups,
)
from analytics.kinds.documents import StoredReport
from analytics.kinds.settings import LARGEST_SEED, PlainSettings, SettingsError, Watch
from surveys.randomized_response.messages import figure, sentence

VERSION = 1
LEVELS = (0.9, 0.95, 0.99)
# More groups have hundreds of pairs, which no reader goes through.
MOST_GROUPS = 12
MOST_DRAWS = 20_000


@dataclass(frozen=True)
class ComparisonSettings(PlainSettings):
    """What is compared: the question (numbered from 1), ``by`` another one, or between surveys.

    Exactly one of ``by`` and ``surveys`` (keys of other surveys with the same question) is given.
    ``seed`` is that of the simulated surveys. ``metric`` are distances between the answers of a
    question without an order, a row each. Raises SettingsError.
    """

    remedy = sentence("these are not settings for comparing groups")

    question: int
    by: int | None = None
    surveys: tuple[str, ...] = ()
    level: float = 0.95
    draws: int = DRAWS
    seed: int = 0
    metric: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        if (self.by is None) == (not self.surveys):
            raise SettingsError(
                "by",
                self.by,
                sentence("choose a question that forms the groups, or choose other surveys"),
            )
        if self.by == self.question:
            raise SettingsError(
                "by", self.by, sentence("choose another question to form the groups")
            )
        if len(self.surveys) >= MOST_GROUPS:
            remedy = sentence("compare at most {most} surveys", most=MOST_GROUPS)
            raise SettingsError("surveys", len(self.surveys), remedy)
        if self.level not in LEVELS:
            raise SettingsError("level", self.level, sentence("give 0.9, 0.95 or 0.99"))
        if not 100 <= self.draws <= MOST_DRAWS:
            raise SettingsError(
                "draws",
                self.draws,
                sentence("give {fewest} to {most} draws", fewest=100, most=figure(MOST_DRAWS)),
            )
        if not 0 <= self.seed <= LARGEST_SEED:
            raise SettingsError("seed", self.seed, sentence("give a whole number of at least 0"))


@dataclass(frozen=True)
class ComparedPair(TestedPair):
    """Two groups of a report; see ``PairComparison``. ``plan[i][j]`` moves from level i to j."""

    corrected: float
    test: str
    detectable: float | None
    plan: tuple[tuple[float, ...], ...] = ()
    declined: Declined | None = None


@dataclass(frozen=True)
class ComparisonReport(StoredReport):
    """One report. ``levels`` name the ``positions``; ``unit`` is what one step is called.

    ``laws`` are unbiased shares of each group (they may lie outside 0 and 1), ``shown`` the same
    made presentable; ``average`` are the points and masses of the average pattern, ``to_average``
    each group's distance to it. ``are_hidden``: who belongs to which group is known only through a
    randomized report, so that ``sizes`` are estimates.
    """

    # Documents from before groups could be hidden do not say that theirs are not.
    before = MappingProxyType({"are_hidden": False})

    kind: str
    question: str
    unit: str
    levels: tuple[str, ...]
    positions: tuple[float, ...]
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    laws: tuple[tuple[float, ...], ...]
    shown: tuple[tuple[float, ...], ...]
    pairs: tuple[ComparedPair, ...]
    average: tuple[tuple[float, float], ...]
    to_average: tuple[float, ...]
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    are_hidden: bool = False
    version: int = field(default=VERSION)


@dataclass(frozen=True)
class ComparedWords:
    """The words of what is compared: the question, its levels, and notes for the reader."""

    question: str
    levels: tuple[str, ...]
    notes: tuple[str, ...] = ()


def report_comparison(
    groups: Sequence[KnownGroup] | HiddenGroups,
    scale: Scale,
    asked: ComparedWords,
    settings: ComparisonSettings,
    watch: Watch,
) -> ComparisonReport:
    """Compare groups and write down what was found. Raises ComparisonError, SettingsError."""
    names = groups.names if isinstance(groups, HiddenGroups) else groups
    if len(names) > MOST_GROUPS:
        remedy = sentence(
            "choose a question with fewer options to form the groups, because at most {most} "
            "groups can be compared",
            most=MOST_GROUPS,
        )
        raise SettingsError("groups", len(names), remedy)
    comparison = _found(groups, scale, settings, watch)
    return ComparisonReport(
        "comparison",
        asked.question,
        scale.unit,
        asked.levels,
        tuple(scale.positions.tolist()),
        comparison.names,
        comparison.sizes,
        _tuples(comparison.laws.tolist()),
        _tuples(comparison.shown.tolist()),
        tuple(
            _described(pair, is_shown=len(asked.levels) <= SHOWN_LEVELS)
            for pair in comparison.pairs
        ),
        _points(comparison),
        tuple(comparison.to_average.tolist()),
        settings.to_data(),
        (*asked.notes, *_unclear(groups, comparison)),
        isinstance(groups, HiddenGroups),
    )


def _found(
    groups: Sequence[KnownGroup] | HiddenGroups,
    scale: Scale,
    settings: ComparisonSettings,
    watch: Watch,
) -> GroupComparison:
    rng = np.random.default_rng(settings.seed)

    def reach(fraction: float) -> None:
        watch.reach(sentence("Comparing groups"), fraction)

    if isinstance(groups, HiddenGroups):
        return compare_hidden(
            groups, scale, rng, level=settings.level, draws=settings.draws, watch=reach
        )
    return compare_groups(
        groups, scale, rng, level=settings.level, draws=settings.draws, watch=reach
    )


def _unclear(
    groups: Sequence[KnownGroup] | HiddenGroups, comparison: GroupComparison
) -> Iterator[str]:
    if isinstance(groups, HiddenGroups) and len(comparison.names) < len(groups.names):
        left = [name for name in groups.names if name not in comparison.names]
        yield sentence(
            "These groups have too few people, so their estimated sizes could be due to chance. "
            "The groups are left out: {names}.",
            names="; ".join(left),
        )


# A plan between more levels is a table that no reader goes through.
SHOWN_LEVELS = 12


def _described(pair: PairComparison, *, is_shown: bool) -> ComparedPair:
    values = {name: getattr(pair, name) for name in ComparedPair.__dataclass_fields__}
    plan = _tuples(pair.plan.tolist()) if is_shown else ()
    return ComparedPair(**{**values, "plan": plan})


def _points(comparison: GroupComparison) -> tuple[tuple[float, float], ...]:
    average = comparison.average
    if average is None:
        return ()
    return tuple(zip(average.points.tolist(), average.masses.tolist(), strict=True))


def _tuples(value: Any) -> Any:
    return tuple(_tuples(entry) for entry in value) if isinstance(value, list | tuple) else value
