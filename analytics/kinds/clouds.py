"""CloudReport: how far apart groups are on several questions at once; its settings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from analytics.comparison.checks import FloatArray
from analytics.comparison.clouds import Metric
from analytics.comparison.grids import GridClouds, compare_grids
from analytics.comparison.people import CloudComparison, compare_people
from analytics.kinds.comparisons import MOST_GROUPS
from analytics.kinds.documents import StoredReport
from analytics.kinds.settings import LARGEST_SEED, PlainSettings, SettingsError, Watch
from surveys.randomized_response.messages import figure, sentence

VERSION = 3
FEWEST, MOST_QUESTIONS = 2, 8
MOST_PEOPLE = 1_000


@dataclass(frozen=True)
class CloudSettings(PlainSettings):
    """What is compared: ``questions`` (numbered from 1) with numbers or scales, between groups.

    ``by`` is the question whose answers tell the groups, ``metric`` the distance of two people
    whose answers are divided by their spread, or half the range. Raises SettingsError.
    """

    remedy = sentence("these are not settings for comparing groups on several questions")

    questions: tuple[int, ...]
    by: int
    metric: str = Metric.EUCLIDEAN.value
    seed: int = 0

    def __post_init__(self) -> None:
        if not FEWEST <= len(set(self.questions)) <= MOST_QUESTIONS:
            remedy = sentence(
                "choose {fewest} to {most} questions with numbers or scales",
                fewest=FEWEST,
                most=MOST_QUESTIONS,
            )
            raise SettingsError("questions", self.questions, remedy)
        if self.by in self.questions:
            raise SettingsError(
                "by", self.by, sentence("choose another question to form the groups")
            )
        if self.metric not in list(Metric):
            raise SettingsError(
                "metric", self.metric, sentence("give one of {kinds}", kinds=", ".join(Metric))
            )
        if not 0 <= self.seed <= LARGEST_SEED:
            raise SettingsError("seed", self.seed, sentence("give a whole number of at least 0"))

    @property
    def question(self) -> int:
        """The first question, which names the report in lists."""
        return self.questions[0]


@dataclass(frozen=True)
class CloudReport(StoredReport):
    """One report. ``units`` are what the answers to each question were divided by.

    That is their standard deviation, or half their range if they were randomized. ``means``
    (groups, questions) are in the questions' own units. ``is_on_grid``: combinations of answers
    were compared, not people. ``are_randomized``: some answers went through channels, so that means
    are estimates.
    """

    kind: str
    questions: tuple[str, ...]
    units: tuple[float, ...]
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    means: tuple[tuple[float, ...], ...]
    pairs: tuple[CloudComparison, ...]
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    is_on_grid: bool = False
    are_randomized: bool = False
    version: int = field(default=VERSION)


def report_clouds(
    clouds: Mapping[str, FloatArray] | GridClouds,
    questions: Sequence[str],
    settings: CloudSettings,
    notes: tuple[str, ...],
    watch: Watch,
) -> CloudReport:
    """Compare clouds (people, questions) of at least two groups, or clouds on a grid, all pairs.

    Of very large groups some people are drawn. Raises ComparisonError, SettingsError.
    """
    count = len(clouds.counts) if isinstance(clouds, GridClouds) else len(clouds)
    if not 2 <= count <= MOST_GROUPS:
        remedy = sentence(
            "a comparison needs {fewest} to {most} groups", fewest=2, most=MOST_GROUPS
        )
        raise SettingsError("by", f"{count} group(s)", remedy)
    if isinstance(clouds, GridClouds):
        return _on_a_grid(clouds, questions, settings, notes, watch)
    drawn, more = _fewer(clouds, settings.seed)
    spreads = np.concatenate(list(drawn.values())).std(axis=0)
    # A question that all answered alike tells nothing, and divides by nothing.
    units = np.where(spreads > 0, spreads, 1.0)
    scaled = {name: cloud / units for name, cloud in drawn.items()}
    metric = Metric(settings.metric)
    pairs = compare_people(scaled, metric, settings.seed, _reach(watch))
    return CloudReport(
        "clouds",
        tuple(questions),
        tuple(units.tolist()),
        tuple(clouds),
        tuple(len(cloud) for cloud in clouds.values()),
        tuple(tuple(cloud.mean(axis=0).tolist()) for cloud in clouds.values()),
        pairs,
        settings.to_data(),
        (*notes, *more),
    )


def _on_a_grid(
    clouds: GridClouds,
    questions: Sequence[str],
    settings: CloudSettings,
    notes: tuple[str, ...],
    watch: Watch,
) -> CloudReport:
    rng = np.random.default_rng(settings.seed)
    units = clouds.units.tolist()
    pairs = compare_grids(clouds, units, Metric(settings.metric), rng, _reach(watch))
    return CloudReport(
        "clouds",
        tuple(questions),
        tuple(units),
        tuple(clouds.counts),
        clouds.sizes,
        tuple(tuple(row) for row in clouds.means.tolist()),
        pairs,
        settings.to_data(),
        notes,
        is_on_grid=True,
        are_randomized=clouds.grid.is_randomized,
    )


def _fewer(
    clouds: Mapping[str, FloatArray], seed: int
) -> tuple[dict[str, FloatArray], tuple[str, ...]]:
    """Clouds of at most 1,000 people: hundreds of distances of more would take hours."""
    rng = np.random.default_rng(seed)
    drawn = {
        name: rng.permutation(cloud)[:MOST_PEOPLE] if len(cloud) > MOST_PEOPLE else cloud
        for name, cloud in clouds.items()
    }
    large = [name for name, cloud in clouds.items() if len(cloud) > MOST_PEOPLE]
    if not large:
        return drawn, ()
    words = sentence(
        "For these large groups, the distances are computed from {count} randomly drawn people of "
        "each group: {names}.",
        count=figure(MOST_PEOPLE),
        names="; ".join(large),
    )
    return drawn, (words,)


def _reach(watch: Watch) -> Callable[[float], None]:
    return lambda fraction: watch.reach(sentence("Comparing groups on several questions"), fraction)
