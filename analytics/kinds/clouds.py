"""CloudReport: how far apart groups are on several numeric questions at once; its settings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from analytics.comparison.checks import FloatArray
from analytics.comparison.clouds import CloudDistance, Metric, cloud_distance
from analytics.comparison.permutation import drawn_p_value, holm
from analytics.kinds.comparisons import MOST_GROUPS
from analytics.kinds.documents import DocumentError
from analytics.kinds.settings import LARGEST_SEED, SettingsError, Watch

VERSION = 1
FEWEST, MOST_QUESTIONS = 2, 8
# Each draw is a distance of its own, of up to a second for clouds of 250 people.
DRAWS = 99


@dataclass(frozen=True)
class CloudSettings:
    """What is compared: numeric ``questions`` (numbered from 1), between the answers to ``by``.

    ``metric`` is that between two people whose answers are divided by their spread. Raises
    SettingsError.
    """

    questions: tuple[int, ...]
    by: int
    metric: str = Metric.EUCLIDEAN.value
    seed: int = 0

    def __post_init__(self) -> None:
        if not FEWEST <= len(set(self.questions)) <= MOST_QUESTIONS:
            remedy = f"choose {FEWEST} to {MOST_QUESTIONS} questions with numbers"
            raise SettingsError("questions", self.questions, remedy)
        if self.by in self.questions:
            raise SettingsError("by", self.by, "choose another question to tell groups apart")
        if self.metric not in list(Metric):
            raise SettingsError("metric", self.metric, f"give one of {', '.join(Metric)}")
        if not 0 <= self.seed <= LARGEST_SEED:
            raise SettingsError("seed", self.seed, "give a whole number of at least 0")

    @property
    def question(self) -> int:
        """The first question, which names the report in lists."""
        return self.questions[0]

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "CloudSettings":
        """The settings of a mapping of plain values. Raises SettingsError."""
        try:
            return cls(**{**data, "questions": tuple(data["questions"])})
        except (TypeError, KeyError):
            raise SettingsError("settings", sorted(data), "these are no clouds'") from None

    def to_data(self) -> dict[str, Any]:
        """Plain values for JSON; ``from_data`` reads them."""
        return {**asdict(self), "questions": list(self.questions)}


@dataclass(frozen=True)
class CloudPair:
    """Two groups: their distance in spreads, how it was found, and the test of no difference."""

    first: str
    second: str
    distance: float
    method: str
    standard_error: float
    null_median: float
    p_value: float
    corrected: float = 1.0


@dataclass(frozen=True)
class CloudReport:
    """One report. ``spreads`` are the standard deviations by which answers were divided.

    ``means`` (groups, questions) are in the questions' own units.
    """

    kind: str
    questions: tuple[str, ...]
    spreads: tuple[float, ...]
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    means: tuple[tuple[float, ...], ...]
    pairs: tuple[CloudPair, ...]
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    version: int = field(default=VERSION)

    def to_document(self) -> dict[str, Any]:
        """Plain values for JSON, without NaN."""
        return asdict(self)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "CloudReport":
        """The report that ``to_document`` wrote. Raises DocumentError."""
        if not isinstance(document, Mapping) or document.get("version") != VERSION:
            raise DocumentError("version", VERSION, "make the report anew")
        try:
            lists = {n: tuple(document[n]) for n in ("questions", "spreads", "names", "sizes")}
            means = tuple(tuple(row) for row in document["means"])
            pairs = tuple(CloudPair(**one) for one in document["pairs"])
            notes = tuple(document["notes"])
            return cls(**{**document, **lists, "means": means, "pairs": pairs, "notes": notes})
        except (KeyError, TypeError) as problem:
            raise DocumentError("document", problem, "make the report anew") from None


def report_clouds(
    clouds: Mapping[str, FloatArray],
    questions: Sequence[str],
    settings: CloudSettings,
    notes: tuple[str, ...],
    watch: Watch,
) -> CloudReport:
    """Compare clouds (people, questions) of at least two groups, all pairs.

    Raises ComparisonError, SettingsError.
    """
    if not 2 <= len(clouds) <= MOST_GROUPS:
        remedy = f"a comparison needs 2 to {MOST_GROUPS} groups"
        raise SettingsError("by", f"{len(clouds)} group(s)", remedy)
    together = np.concatenate(list(clouds.values()))
    spreads = together.std(axis=0)
    # A question that all answered alike tells nothing, and divides by nothing.
    scaled = {name: cloud / np.where(spreads > 0, spreads, 1.0) for name, cloud in clouds.items()}
    wanted = list(combinations(scaled, 2))
    rng = np.random.default_rng(settings.seed)
    pairs = []
    for place, (first, second) in enumerate(wanted):
        reach = _reach(watch, place / len(wanted), 1 / len(wanted))
        pairs.append(_pair(first, second, scaled, settings, rng, reach))
    corrected = holm([pair.p_value for pair in pairs])
    return CloudReport(
        "clouds",
        tuple(questions),
        tuple(spreads.tolist()),
        tuple(clouds),
        tuple(len(cloud) for cloud in clouds.values()),
        tuple(tuple(cloud.mean(axis=0).tolist()) for cloud in clouds.values()),
        tuple(
            CloudPair(**{**asdict(pair), "corrected": float(p)})
            for pair, p in zip(pairs, corrected, strict=True)
        ),
        settings.to_data(),
        notes,
    )


def _reach(watch: Watch, start: float, share: float) -> Callable[[float], None]:
    return lambda fraction: watch.reach("Comparing clouds", start + share * fraction)


def _pair(
    first: str,
    second: str,
    clouds: Mapping[str, FloatArray],
    settings: CloudSettings,
    rng: np.random.Generator,
    reach: Callable[[float], None],
) -> CloudPair:
    """People are exchangeable if groups do not differ: they are split at random."""
    x, y = clouds[first], clouds[second]
    found = _distance(x, y, settings)
    people, size = np.concatenate([x, y]), len(x)
    null = np.empty(DRAWS)
    for draw in range(DRAWS):
        reach(draw / DRAWS)
        mixed = rng.permutation(people)
        null[draw] = _distance(mixed[:size], mixed[size:], settings).value
    return CloudPair(
        first,
        second,
        found.value,
        str(found.method),
        found.standard_error,
        float(np.median(null)),
        drawn_p_value(null, found.value),
    )


def _distance(x: FloatArray, y: FloatArray, settings: CloudSettings) -> CloudDistance:
    """Sliced distances all look along the same directions, so that draws can be compared."""
    rng = np.random.default_rng(settings.seed)
    return cloud_distance(x, y, metric=Metric(settings.metric), rng=rng)
