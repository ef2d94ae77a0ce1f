"""Groups that are known only through a randomized report of each person: their laws, compared.

Given both true answers the two reports of a person are drawn independently, so the channel of the
pair (group, answer) is the Kronecker product of both channels. Undone, the table of reports is the
unbiased joint law of group and answer; a group's law is its row, divided by the row's sum. Several
randomized questions at once: Barabesi, Franceschi and Marcheselli (2012); distances of the laws
undone, their noise and the rule for small groups are our derivation.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np

from analytics.comparison.checks import ComparisonError, FloatArray, IntArray
from analytics.comparison.groups import KnownGroup, Scale, distances_of, laws_of
from analytics.comparison.inference import (
    DRAWS,
    GroupComparison,
    PairComparison,
    Tested,
    Watch,
    assembled,
    draws_for,
    pair_of,
)
from analytics.comparison.noise import DistanceNoise
from analytics.comparison.permutation import FEW_LEVELS, batches, drawn_p_value
from surveys.randomized_response.checks import checked_level
from surveys.randomized_response.designs import DesignLike, channel_of, scores_of
from surveys.randomized_response.messages import figure, sentence, together

# A ratio to a group's share is no estimate unless that share is clear of 0. The number was chosen
# by simulation; ``make audit`` holds intervals at it in twelve settings.
CLEAR = 3.0
# As for groups that are known: fewer people have no law.
FEWEST = 10


@dataclass(frozen=True, eq=False)
class HiddenGroups:
    """Counts of reports, shape (reported groups, reported levels or patterns), of one survey.

    ``names`` are those of the true groups, ``membership`` the channel of the question that tells
    them. ``design`` and ``patterns`` are those of the answers, as in ``KnownGroup``. Raises
    ComparisonError.
    """

    names: tuple[str, ...]
    counts: IntArray
    membership: DesignLike
    design: DesignLike | None = None
    patterns: FloatArray | None = None

    def __post_init__(self) -> None:
        channel = channel_of(self.membership)
        counts = np.asarray(self.counts)
        if counts.ndim != 2 or len(counts) != channel.reported_levels:
            remedy = f"give {channel.reported_levels} rows, one for each reported group"
            raise ComparisonError("counts", counts.shape, remedy)
        if len(self.names) != channel.true_levels:
            remedy = f"name {channel.true_levels} groups, one for each true answer"
            raise ComparisonError("names", self.names, remedy)
        checked = KnownGroup("reports", counts.ravel()).counts.reshape(counts.shape)
        object.__setattr__(self, "counts", checked)

    @cached_property
    def people(self) -> KnownGroup:
        """All people together: what undoes the channel of their answers."""
        return KnownGroup("all people", self.counts.sum(axis=0), self.design, self.patterns)

    @property
    def n(self) -> int:
        """How many people reported both."""
        return self.people.n

    def joint(self, frequencies: FloatArray) -> FloatArray:
        """Unbiased joint shares (..., true groups, true levels) from frequencies of all cells."""
        patterns = self.people.patterns
        return self._undone(frequencies if patterns is None else frequencies @ patterns)

    def answered(self, scale: Scale) -> tuple[FloatArray, FloatArray]:
        """The share of people who are in each group and answered, and its standard error."""
        placed = np.zeros(self.people.levels)
        placed[scale.placed] = 1.0
        patterns = self.people.patterns
        reports = np.eye(self.counts.shape[1]) if patterns is None else patterns
        scores = np.multiply.outer(scores_of(self.membership), self.people.shares(reports) @ placed)
        chances = self.counts / self.n
        shares = (scores * chances).sum(axis=(1, 2))
        spread = (scores**2 * chances).sum(axis=(1, 2)) - shares**2
        return shares, np.sqrt(np.maximum(spread, 0.0) / max(1, self.n - 1))

    def redrawn(
        self, draws: int, rng: np.random.Generator
    ) -> tuple[Iterator[FloatArray], FloatArray]:
        """Batches of joint shares of surveys drawn anew, and their centre.

        Half a person more stands at each level, in the reported groups by their sizes, so that
        unseen levels are not impossible and no group changes its size.
        """
        sizes = self.counts.sum(axis=1, keepdims=True) / self.n
        patterns = self.people.patterns
        if patterns is None:
            cells, columns = self.counts + 0.5 * sizes, None
        else:
            levels = patterns.shape[1]
            cells = np.hstack([self.counts, 0.5 * sizes * np.ones(levels)])
            columns = np.concatenate([patterns, np.eye(levels)])
        chances = cells / cells.sum()

        def joint(shares: FloatArray) -> FloatArray:
            return self._undone(shares if columns is None else shares @ columns)

        def parts() -> Iterator[FloatArray]:
            for size in batches(draws, chances.size):
                drawn = rng.multinomial(self.n, chances.ravel(), size=size) / self.n
                yield joint(drawn.reshape(size, *chances.shape))

        return parts(), joint(chances)

    def _undone(self, reported: FloatArray) -> FloatArray:
        """From shares of (reported group, reported level): by both channels together."""
        undone: FloatArray = scores_of(self.membership) @ self.people.shares(reported)
        return undone


def clear_groups(groups: HiddenGroups, scale: Scale) -> list[int]:
    """Return the places of the groups that are large enough to be compared.

    Raises ComparisonError if they are fewer than two.
    """
    shares, errors = groups.answered(scale)
    is_clear = (shares >= CLEAR * errors) & (shares * groups.n >= FEWEST)
    places = [int(position) for position in np.flatnonzero(is_clear)]
    if len(places) < 2:
        raise ComparisonError("by", _sizes(groups, shares, errors), _remedy(groups, shares, errors))
    return places


def compare_hidden(
    groups: HiddenGroups,
    scale: Scale,
    rng: np.random.Generator,
    *,
    draws: int = DRAWS,
    level: float = 0.95,
    watch: Watch = lambda fraction: None,
) -> GroupComparison:
    """Compare every pair of groups that are large enough, as ``compare_groups`` does.

    Raises ComparisonError.
    """
    places = clear_groups(groups, scale)
    wanted = list(combinations(range(len(places)), 2))
    each = 1 - (1 - checked_level(level)) / len(wanted)
    draws = draws_for(draws, scale, len(wanted), each)
    joint = groups.joint(groups.counts / groups.n)[places]
    sizes = joint.sum(axis=1, keepdims=True)
    shares = joint / sizes
    laws = laws_of(shares, scale)
    watch(0.0)
    noises = _noises(groups, places, scale, draws, rng)
    pairs: list[PairComparison] = []
    for number, (first, second) in enumerate(wanted):
        watch((1 + number) / (1 + len(wanted)))
        chosen = [first, second]
        distance = float(distances_of(laws[first] - laws[second], scale))
        noise = noises[first, second]
        tested = _tested(groups, [places[x] for x in chosen], scale, distance, noise, rng)
        names = (groups.names[places[first]], groups.names[places[second]])
        two = list(laws[chosen]), list(shares[chosen])
        pairs.append(pair_of(names, *two, noise, tested, scale, each))
    people = tuple(round(groups.n * float(size)) for size in sizes[:, 0])
    return assembled(tuple(groups.names[x] for x in places), people, laws, pairs, scale)


def independence_draws(
    groups: HiddenGroups,
    pair: Sequence[int],
    scale: Scale,
    draws: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return W1 of two groups' laws in ``draws`` random pairings of group reports with answers.

    If membership and answers are independent, so are their reports, and every pairing is as likely:
    the test is exact. Sizes of groups follow from the group reports alone and stay as they are.
    """
    columns, rows = groups.counts.sum(axis=0), groups.counts.sum(axis=1)
    distances = []
    for size in batches(draws, groups.counts.size):
        tables = np.stack(list(_paired(columns, rows, size, rng)), axis=1)
        joint = groups.joint(tables / groups.n)[:, list(pair)]
        laws = laws_of(joint / joint.sum(axis=2, keepdims=True), scale)
        distances.append(distances_of(laws[:, 0] - laws[:, 1], scale))
    return np.concatenate(distances)


def _paired(
    columns: IntArray, rows: IntArray, draws: int, rng: np.random.Generator
) -> Iterator[IntArray]:
    """Row by row, tables with these margins: who is not in the rows so far is in the rest."""
    method: Literal["marginals", "count"] = "marginals" if len(columns) <= FEW_LEVELS else "count"
    left = np.tile(columns, (draws, 1))
    for row in rows[:-1]:
        drawn = [rng.multivariate_hypergeometric(margins, row, method=method) for margins in left]
        table = np.stack(drawn)
        yield table
        left = left - table
    yield left


def _tested(
    groups: HiddenGroups,
    pair: Sequence[int],
    scale: Scale,
    distance: float,
    noise: DistanceNoise,
    rng: np.random.Generator,
) -> Tested:
    """Of two groups an exact test; of more, the noise of both stands for a difference of 0.

    It tests that the groups and all reports are independent, declining included: where only those
    who decline differ, it is approximate.

    Pairings of all reports would test that no group differs at all, not that these two do not.
    """
    draws = len(noise.distances)
    if len(groups.names) > 2:
        words = sentence(
            "the noise of {draws} simulated surveys (an approximation)", draws=figure(draws)
        )
        return Tested(noise.distances, drawn_p_value(noise.distances, distance), words)
    null = independence_draws(groups, pair, scale, draws, rng)
    words = sentence(
        "{draws} random pairings: the reported answers that form the groups are paired again, "
        "at random, with the reported answers to compare",
        draws=figure(draws),
    )
    return Tested(null, drawn_p_value(null, distance), words)


def _noises(
    groups: HiddenGroups, places: Sequence[int], scale: Scale, draws: int, rng: np.random.Generator
) -> dict[tuple[int, int], DistanceNoise]:
    """The noise of each pair. All groups come from the same people, so it is drawn together."""
    batches_of, centre = groups.redrawn(draws, rng)
    middle, gone = _laws(centre[list(places)], scale)
    wanted = list(combinations(range(len(places)), 2))
    parts: dict[tuple[int, int], list[DistanceNoise]] = {pair: [] for pair in wanted}
    for joint in batches_of:
        laws, declined = _laws(joint[:, list(places)], scale)
        errors, apart = laws - middle, declined - gone
        for first, second in wanted:
            moved, more = errors[:, first] - errors[:, second], apart[:, second] - apart[:, first]
            parts[first, second].append(DistanceNoise.of_errors(moved, more, scale))
    return {pair: DistanceNoise.joined(batches) for pair, batches in parts.items()}


def _laws(joint: FloatArray, scale: Scale) -> tuple[FloatArray, FloatArray]:
    """Laws (..., groups, placed levels) and shares that declined (..., groups)."""
    sizes = joint.sum(axis=-1, keepdims=True)
    # A drawn group of hardly any people has no law; groups are clear of 0, so it is rare.
    shares = joint / np.maximum(sizes, 1e-6)
    declined = np.zeros(shares.shape[:-1])
    return laws_of(shares, scale), declined if scale.declined is None else shares[
        ..., scale.declined
    ]


def _sizes(groups: HiddenGroups, shares: FloatArray, errors: FloatArray) -> str:
    rows = zip(groups.names, shares, errors, strict=True)
    sizes = (
        sentence(
            "“{name}”: an estimated {share} ± {error} %",
            name=name,
            share=figure(100 * s, ".1f"),
            error=figure(100 * e, ".1f"),
        )
        for name, s, e in rows
    )
    return together(*sizes, between="; ")


def _remedy(groups: HiddenGroups, shares: FloatArray, errors: FloatArray) -> str:
    """What would do: errors fall with the root of the number of people."""
    second = np.sort(shares / np.maximum(errors, 1e-12))[-2]
    if second <= 0:
        return sentence(
            "the estimated size of a group must be at least {errors} standard errors above 0, and "
            "a group must have at least {fewest} people",
            errors=figure(CLEAR, "g"),
            fewest=FEWEST,
        )
    people = int(np.ceil(groups.n * max(1.0, (CLEAR / second) ** 2)))
    return sentence(
        "the estimated size of a group must be at least {errors} standard errors above 0, and a "
        "group must have at least {fewest} people. Wait for more answers: answers from about "
        "{people} people would be enough. So far, {count} people answered",
        errors=figure(CLEAR, "g"),
        fewest=FEWEST,
        people=figure(people),
        count=figure(groups.n),
    )
