"""WeightedPeople: who counts alike and was drawn alike, through the gate for groups."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from django.utils.translation import gettext, gettext_lazy

from surveys.questionnaire.kinds.registry import Table
from surveys.results.analyses.grouping import ORDER, asked_by, cells_by, numbers_of
from surveys.results.analyses.queries import CrossCounts, Grouping
from surveys.results.disclosure import POOLED, Answers, Known, known_places, of_asked, partition
from surveys.wording.language.numbers import count_words

NEGATIVE = gettext_lazy(
    "The question that the weights come from allows numbers below 0, and a weight is never below "
    "0. Use another question."
)


@dataclass(frozen=True)
class SampleDesign:
    """What the questions after the first say of how people came into the sample.

    ``margins``: of the next questions, one by one, the share of the population by level code.
    ``has_weight``: the second question's number is the weight; then there are no margins.
    ``strata``, ``clusters``: the places of questions in the counts, which may be one of those.
    """

    margins: Sequence[Mapping[str, float]] = ()
    has_weight: bool = False
    strata: int | None = None
    clusters: int | None = None

    @property
    def is_sample(self) -> bool:
        """Whether people were drawn in units, or are raked: then errors are linearised."""
        return bool(self.unit_places) or len(self.margins) > 1

    @property
    def unit_places(self) -> list[int]:
        """Those of strata and clusters, each once."""
        return list(dict.fromkeys(x for x in (self.strata, self.clusters) if x is not None))

    @property
    def questions(self) -> list[int]:
        """Where all of them stand in the counts, those with margins first."""
        return list(dict.fromkeys([*range(1, len(self.margins) + 1), *self.unit_places]))


@dataclass(frozen=True)
class WeightedGroup:
    """People who count alike and were drawn alike.

    ``name``: of each question with margins the name of their group, or their weight. ``unit``:
    their stratum and their cluster, where there are any.
    """

    name: tuple[str, ...] | float
    unit: tuple[str, ...]
    answers: Answers


@dataclass(frozen=True)
class Units:
    """Of each group its stratum and its cluster in it, None without; how many of them there are."""

    strata: tuple[str, ...] | None
    clusters: tuple[str, ...] | None
    people: int

    @property
    def stratum_count(self) -> int:
        return len(set(self.strata)) if self.strata else 1

    @property
    def count(self) -> int:
        """Of units that were drawn: clusters in their strata, or people."""
        if self.clusters is None:
            return self.people
        strata = self.strata or self.clusters
        return len(set(zip(strata, self.clusters, strict=True)))

    @property
    def degrees(self) -> int:
        """Of freedom: units less strata."""
        return self.count - self.stratum_count

    @property
    def words(self) -> str:
        """How many there are."""
        strata, units = count_words(self.stratum_count), count_words(self.count)
        if self.clusters is None:
            return gettext("Standard errors follow the sample: {strata} strata.").format(
                strata=strata
            )
        if self.strata is None:
            return gettext("Standard errors follow the sample: {clusters} clusters.").format(
                clusters=units
            )
        words = gettext(
            "Standard errors follow the sample: {strata} strata, {clusters} clusters. A cluster "
            "whose people are in several strata counts as one in each."
        )
        return words.format(strata=strata, clusters=units)


@dataclass(frozen=True)
class WeightedPeople:
    """The groups, and of each question with margins the share of the population by name."""

    groups: tuple[WeightedGroup, ...] = ()
    sizes: Sequence[Mapping[str, float]] = ()
    notes: tuple[str, ...] = ()
    units: Units | None = None
    withheld: bool = False
    problem: str = ""


def weighted_people(counts: CrossCounts, design: SampleDesign) -> WeightedPeople:
    """All who were asked all questions, through the gate for groups."""
    known = known_places([counts.item])
    people = (_by_number if design.has_weight else _by_margins)(counts, design, known)
    if not design.unit_places or not people.groups:
        return people
    columns = zip(*(group.unit for group in people.groups), strict=True)
    named = dict(zip(design.unit_places, columns, strict=True))
    n = sum(group.answers.total() for group in people.groups)
    strata, clusters = (
        None if place is None else named[place] for place in (design.strata, design.clusters)
    )
    units = Units(strata, clusters, n)
    return replace(people, units=units, notes=(*people.notes, units.words))


def _by_margins(counts: CrossCounts, design: SampleDesign, known: Known) -> WeightedPeople:
    """Groups by all questions, as break-downs show them, which stand for the shares together.

    A group that makes up nothing of the population weighs nothing, so its people are left out,
    after the gate: whether a combination has people at all would tell the answers of one.
    """
    questions = design.questions
    cells = asked_by(counts, *questions)
    if not cells:
        return WeightedPeople()
    order = partial(_shown_order, counts, questions)
    parts = partition(cells_by(counts, *questions), known=known, order=order)
    if parts.withheld:
        return WeightedPeople(withheld=True)
    each = [(counts.items[x], pool) for x, pool in zip(questions, parts.pools, strict=True)]
    weighting = zip(each, design.margins, strict=False)
    sizes = [dict(_sizes(by, margins, pool)) for (by, pool), margins in weighting]
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], Answers] = {}
    for key, answers in cells.items():
        names = _group_names(key, each)
        name = names[: len(sizes)]
        unit = tuple(names[questions.index(x)] for x in design.unit_places)
        is_known = all(one in shares for one, shares in zip(name, sizes, strict=True))
        if is_known and all(unit):
            groups[name, unit] = groups.get((name, unit), Answers()) + answers
    pooled = _pooled_names(counts, questions, cells, parts.pools)
    # By name, so that no order follows what was pooled.
    made = tuple(WeightedGroup(*names, answers) for names, answers in sorted(groups.items()))
    return WeightedPeople(made, sizes, tuple(pooled_words(pooled)))


def _shown_order(
    counts: CrossCounts, places: Sequence[int], index: int, label: str | None
) -> tuple[int, str]:
    """Where an answer is shown; the label behind those of the places is a weight."""
    codes = ORDER(counts.items[places[index]]) if index < len(places) else []
    return codes.index(label) if label in codes else len(codes), str(label)


def _group_names(
    codes: Sequence[str | None], each: Sequence[tuple[Grouping, Collection[str | None]]]
) -> tuple[str, ...]:
    """Of each question, with what is pooled of it; empty of people who were not asked."""
    return tuple(
        str(POOLED) if code in pool else by.label(code) if code else ""
        for code, (by, pool) in zip(codes, each, strict=True)
    )


def _pooled_names(
    counts: CrossCounts,
    places: Sequence[int],
    keys: Collection[tuple[str | None, ...]],
    pools: Sequence[Collection[str | None]],
) -> list[str]:
    """Of each question the answers that are pooled, as they are shown: never as they came."""
    return [
        counts.group_name(x, counts.items[x].label(code))
        for at, (x, pool) in enumerate(zip(places, pools, strict=True))
        for code in ORDER(counts.items[x])
        if code in pool and code in {key[at] for key in keys}
    ]


def _sizes(
    by: Grouping, margins: Mapping[str, float], pool: Collection[str | None]
) -> Iterator[tuple[str, float]]:
    """Of one question the share of each group by its name, and of those that are pooled.

    An answer that no person gave stays as it is: then there is no estimate.
    """
    for code, size in margins.items():
        if size and code not in pool:
            yield by.label(code), size
    if pooled := sum(margins.get(code or "", 0.0) for code in pool):
        yield str(POOLED), pooled


def _by_number(counts: CrossCounts, design: SampleDesign, known: Known) -> WeightedPeople:
    """People with neighbouring weights, each with the mean of these; in each stratum and cluster.

    Strata and clusters are pooled until in each of them no weight is that of a few.
    """
    if CAN_BE_NEGATIVE(counts.by[0]):
        return WeightedPeople(problem=str(NEGATIVE))
    weights = numbers_of(counts, 1, known)
    if weights is None:
        return WeightedPeople(withheld=True)
    questions = design.unit_places
    by_weight: dict[tuple[str | None, ...], Answers] = {}
    for (code, *codes), answers in cells_by(counts, 1, *questions).items():
        key = (*codes, str(weights[code]) if code in weights else None)
        by_weight[key] = by_weight.get(key, Answers()) + answers
    order = partial(_shown_order, counts, questions)
    parts = partition(by_weight, known=known, fixed=1, order=order)
    if parts.withheld:
        return WeightedPeople(withheld=True)
    each = [(counts.items[x], pool) for x, pool in zip(questions, parts.pools, strict=False)]
    groups: dict[tuple[float, tuple[str, ...]], Answers] = {}
    for (*codes, weight), answers in by_weight.items():
        unit = _group_names(codes, each)
        asked = of_asked(answers)
        # Who has no weight, or counts for nothing.
        if asked and weight and float(weight) and all(unit):
            name = float(weight)
            groups[name, unit] = groups.get((name, unit), Answers()) + asked
    keys = [key[:-1] for key in by_weight]
    pooled = pooled_words(_pooled_names(counts, questions, keys, parts.pools[:-1]))
    neighbours = [neighbours_words()] if len(set(weights.values())) < len(weights) else []
    # In the order of weights, so that no order follows what was pooled.
    made = tuple(WeightedGroup(*names, answers) for names, answers in sorted(groups.items()))
    return WeightedPeople(made, notes=(*pooled, *neighbours))


def pooled_words(names: Sequence[str]) -> Iterator[str]:
    """That groups are taken together, if any are."""
    if names:
        yield gettext(
            "Combined into one group, so that no number describes only a few people: {groups}."
        ).format(groups="; ".join(names))


# Told by the question, not by answers: of these a single one below 0 would be told.
CAN_BE_NEGATIVE: Table[[], bool] = Table.mostly(
    lambda item: False, number=lambda item: item.decimals[0] < 0
)


def neighbours_words() -> str:
    """That numbers are not told apart one by one."""
    return gettext(
        "People with neighbouring numbers get the mean of these numbers in place of their own "
        "number. If only a few people entered no number, these people also get a mean. So no "
        "figure describes only a few people."
    )
