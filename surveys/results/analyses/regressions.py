"""RegressionReport: coefficients in words, odds, tests, notes; the people and columns used."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from django.utils.translation import gettext, gettext_lazy
from numpy.typing import NDArray

from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.number.promise import NumberQuestion
from surveys.questionnaire.kinds.question import Question, was_asked
from surveys.questionnaire.kinds.registry import Table, of_kind
from surveys.randomized_response.designs import Channel, Direct
from surveys.randomized_response.designs.channel import affine_row, one_answer_channel
from surveys.randomized_response.errors import DesignError, EstimationError, StatisticsError
from surveys.randomized_response.regression.outcome import OutcomeModel, fit_outcome_model
from surveys.results.analyses.grouping import ORDER, cells_by, numbers_of, reported
from surveys.results.analyses.queries import CrossCounts
from surveys.results.analyses.weighting import neighbours_words, pooled_words
from surveys.results.disclosure import (
    LEAST_GROUP,
    POOLED,
    UNASKED,
    Answers,
    Known,
    Partition,
    known_places,
    partition,
)
from surveys.results.reading import Reading
from surveys.wording.language.numbers import number_words

INTERCEPT = "intercept"
# Each test is a fit of its own; beyond this a page would take seconds.
MOST_TESTED_VALUES = 1_000_000
MOST_COLUMNS = 60
NOT_TESTED = gettext_lazy(
    "There are too many different answers to test each coefficient by its likelihood ratio. Use "
    "the intervals instead."
)
LONGEST_NAME = 40


@dataclass(frozen=True)
class Choice:
    """What is modelled: one answer of the first question, on the others."""

    answer: int
    link: str
    reading: Reading


@dataclass(frozen=True)
class CoefficientRow:
    """One coefficient, on the scale of the link; ``reference`` is what it is compared with."""

    name: str
    reference: str
    value: float
    standard_error: float
    low: float
    high: float
    statistic: float | None
    p_value: float | None

    @property
    def is_intercept(self) -> bool:
        return self.name == INTERCEPT


@dataclass(frozen=True)
class RegressionReport:
    """A fitted model with everything that was left out of it."""

    outcome: str
    predictors: tuple[str, ...]
    choice: Choice
    n: int
    left_out: int
    rows: tuple[CoefficientRow, ...]
    log_likelihood: float
    aic: float
    notes: tuple[str, ...]

    @property
    def drawn_rows(self) -> tuple[CoefficientRow, ...]:
        return tuple(row for row in self.rows if not row.is_intercept)


@dataclass(frozen=True)
class _Column:
    name: str
    reference: str
    values: NDArray[np.float64]


@dataclass(frozen=True)
class _RegressionPeople:
    """Combinations of codes that can be used, with how many people gave each.

    ``pools``: of each predictor the codes that are taken together, None for who was not asked.
    ``numbers``: of each predictor that is a number, the number that a code counts as.
    """

    codes: tuple[tuple[str, ...], ...]
    counts: NDArray[np.int64]
    pools: Mapping[int, frozenset[str | None]]
    numbers: Mapping[int, Mapping[str, float]]

    @property
    def n(self) -> int:
        return int(self.counts.sum())


def regression(counts: CrossCounts, choice: Choice) -> RegressionReport:
    """Fit it. Raises StatisticsError that names the question and the remedy."""
    outcome = counts.item
    design = outcome_design(outcome, choice.answer)
    people, notes = _usable(counts)
    columns = [
        column
        for index, item in enumerate(counts.by, start=1)
        for column in COLUMNS(item, counts.numbers[index], people, index)
    ]
    _check_columns(columns, people)
    # People who count alike are one row, so that not even rounding follows what was pooled.
    code = outcome.reported_levels[choice.answer].code
    reports = [int(codes[0] == code) for codes in people.codes]
    observed = np.column_stack([reports, *(column.values for column in columns)])
    rows, row_of_people = np.unique(observed, axis=0, return_inverse=True)
    model = fit_outcome_model(
        design,
        rows[:, 0].astype(np.int64),
        rows[:, 1:],
        names=[column.name for column in columns],
        link=choice.link,
        counts=np.bincount(row_of_people.ravel(), people.counts).astype(np.int64),
    )
    tests, untested = _tests(model, len(rows))
    remarks = [counts.as_of, *notes, *_outcome_notes(outcome, choice.answer), *untested]
    return RegressionReport(
        outcome=gettext("“{answer}” to “{question}”").format(
            answer=outcome.levels[choice.answer].text, question=outcome.text
        ),
        predictors=tuple(item.text for item in counts.by),
        choice=choice,
        n=people.n,
        left_out=counts.n - people.n,
        rows=tuple(_rows(model, columns, tests, choice)),
        log_likelihood=model.log_likelihood,
        aic=model.aic,
        notes=tuple(dict.fromkeys(filter(None, remarks))),
    )


def outcome_design(item: LevelQuestion, answer: int) -> Channel | Direct:
    """The yes/no design of "this answer or another". Raises DesignError."""
    if not item.is_randomized:
        return Direct(2)
    merged = one_answer_channel(item.channel, answer)
    if merged is None:
        if item.channel.reported_levels > item.channel.true_levels:
            remedy = gettext(
                "each reported answer to the outcome question is a group of options, not one "
                "option. Choose another question"
            )
            raise DesignError("question", item.text, remedy)
        remedy = gettext(
            "the design does not treat all other options of the outcome question alike. Choose "
            "another option"
        )
        raise DesignError("answer", item.levels[answer].text, remedy)
    return merged


def _usable(counts: CrossCounts) -> tuple[_RegressionPeople, list[str]]:
    """Who was asked everything and gave numbers where numbers are asked, through the gate.

    The groups of a predictor are those of a break-down by it, its reference among them; a number
    is one with its neighbours.
    """
    if not counts.n:
        raise _no_people(counts)
    known = known_places([counts.item])
    numbers = {x: _numbers_of(counts, x, known) for x, _ in of_kind(NumberQuestion, counts.by)}
    levels = [x for x, _ in enumerate(counts.by, start=1) if x not in numbers]
    pools = {x: _pools(partition(cells_by(counts, x), known=known), counts)[0] for x in levels}
    asked = {codes: n for codes, n in counts.by_codes.items() if was_asked(counts.item, codes[0])}
    kept = {
        codes: n
        for codes, n in asked.items()
        if all(
            _code(counts, x, codes) in pools[x] or not _is_missing(counts, x, codes) for x in levels
        )
        and all(codes[x] in counted for x, counted in numbers.items())
    }
    if not kept:
        raise _no_people(counts)
    for x in levels:
        pools[x] = _grown(counts, {x: pools[x]}, counts.by_codes, kept, known)[x]
    if known:
        # Where the outcome is known too, estimates and errors of two questions give back how often
        # each pair of their answers came.
        for pair in combinations(levels, 2):
            pools |= _grown(counts, {x: pools[x] for x in pair}, kept, kept, known)
    notes = [
        f"{counts.items[x].text}: {words}"
        for x in levels
        for words in pooled_words(
            [counts.items[x].label(code) for code in _codes_in(counts, x, pools[x])]
        )
    ]
    if any(len(set(counted.values())) < len(counted) for counted in numbers.values()):
        notes.append(neighbours_words())
    return _RegressionPeople(tuple(kept), np.array(list(kept.values())), pools, numbers), notes


def _code(counts: CrossCounts, index: int, codes: tuple[str, ...]) -> str | None:
    return codes[index] if was_asked(counts.items[index], codes[index]) else None


def _codes_in(counts: CrossCounts, index: int, pool: Collection[str | None]) -> list[str]:
    """The codes of a pool, in the order shown."""
    sent = {codes[index] for codes in counts.by_codes}
    return [code for code in ORDER(counts.items[index]) if code in pool and code in sent]


def _is_missing(counts: CrossCounts, index: int, codes: tuple[str, ...]) -> bool:
    """Not asked; or declined, where that is known and no answer of its own."""
    item, code = counts.items[index], codes[index]
    return not was_asked(item, code) or (not item.is_randomized and item.is_declined(code))


def _pools(parts: Partition[str], counts: CrossCounts) -> tuple[frozenset[str | None], ...]:
    """Raises EstimationError where nothing may be shown."""
    if parts.withheld:
        raise _too_small(counts)
    return parts.pools


def _no_people(counts: CrossCounts) -> EstimationError:
    remedy = gettext(
        "no one has answered all of these questions. Choose fewer questions, or wait for more "
        "answers"
    )
    return EstimationError("questions", counts.numbers, remedy)


def _too_small(counts: CrossCounts) -> EstimationError:
    remedy = gettext(
        "no groups of at least {least} people can be shown. Leave out some questions, or wait for "
        "more answers"
    )
    return EstimationError("questions", counts.numbers, remedy.format(least=LEAST_GROUP))


def _grown(
    counts: CrossCounts,
    pools: Mapping[int, frozenset[str | None]],
    people: Mapping[tuple[str, ...], int],
    kept: Collection[tuple[str, ...]],
    known: Known,
) -> dict[int, frozenset[str | None]]:
    """The pools, so that also within a group no one is among a few who are left out.

    Where the outcome is randomized, groups of those who stay keep the rule, and of those who were
    not asked it.
    """
    cells: dict[tuple[str | None, ...], Answers] = {}
    for codes, n in people.items():
        report = reported(counts, codes)
        stays = codes in kept or report == (UNASKED,)
        if stays or known:
            key = (*(_code(counts, x, codes) for x in pools), "in" if stays else "out")
            cells.setdefault(key, Answers())[report] += n
    ordered = dict(sorted(cells.items(), key=lambda cell: _shown_order(counts, pools, cell[0])))
    parts = partition(ordered, known=known, pools=tuple(pools.values()), fixed=1)
    return dict(zip(pools, _pools(parts, counts), strict=False))


def _shown_order(
    counts: CrossCounts, indexes: Iterable[int], key: Sequence[str | None]
) -> tuple[int, ...]:
    orders = [{code: at for at, code in enumerate(ORDER(counts.items[x]))} for x in indexes]
    return tuple(order.get(str(code), len(order)) for order, code in zip(orders, key, strict=False))


def _numbers_of(counts: CrossCounts, index: int, known: Known) -> dict[str, float]:
    """What each code counts as; none of who is left out."""
    counted = numbers_of(counts, index, known)
    if counted is None:
        raise _too_small(counts)
    not_asked = {x[index]: counted[None] for x in counts.by_codes if None in counted}
    return {**not_asked, **{code: number for code, number in counted.items() if code is not None}}


def _no_columns(
    item: Question, number: int, people: _RegressionPeople, index: int
) -> Iterator[_Column]:
    raise ValueError(item.text)  # ``cross_counts`` lets in none of these


def _numbers(
    item: NumberQuestion, number: int, people: _RegressionPeople, index: int
) -> Iterator[_Column]:
    values = np.array([people.numbers[index][codes[index]] for codes in people.codes])
    yield _Column(f"{number}. {_short(item.text)}", "", values)


def _answers(
    item: LevelQuestion, number: int, people: _RegressionPeople, index: int
) -> Iterator[_Column]:
    """Of groups as they are shown; the largest is the reference."""
    pool = people.pools[index]
    words = {level.code: level.text for level in item.shown_levels if level.code not in pool}
    names = [words.get(codes[index], str(POOLED)) for codes in people.codes]
    totals = Counter[str]()
    for name, count in zip(names, people.counts, strict=True):
        totals[name] += int(count)
    reference = max(totals, key=lambda name: totals[name])
    for name in (*words.values(), str(POOLED)):
        if name in totals and name != reference:
            values = np.array([float(named == name) for named in names])
            yield _Column(f"{number}. {_short(name)}", _short(reference), values)


# A number as it is; one column for every answer but the most frequent one.
COLUMNS: Table[[int, _RegressionPeople, int], Iterator[_Column]] = Table.with_levels(
    _answers, _no_columns, number=_numbers
)


def _check_columns(columns: list[_Column], people: _RegressionPeople) -> None:
    if not columns:
        remedy = gettext(
            "all people gave the same answers to the predictor questions, or the groups are too "
            "small to be shown separately. Choose another question"
        )
        raise EstimationError("predictors", people.n, remedy)
    if len(columns) > MOST_COLUMNS:
        remedy = gettext(
            "the model would have more than {most} coefficients. Choose fewer questions"
        ).format(most=MOST_COLUMNS)
        raise EstimationError("predictors", len(columns), remedy)


def _tests(model: OutcomeModel, rows: int) -> tuple[dict[str, tuple[float, float]], list[str]]:
    """Statistic and p-value per coefficient; none where the model without it has no estimate."""
    if rows * len(model.names) ** 2 > MOST_TESTED_VALUES:
        return {}, [str(NOT_TESTED)]
    tests: dict[str, tuple[float, float]] = {}
    untested = []
    for name in model.names:
        try:
            test = model.likelihood_ratio_test(name)
        except StatisticsError:
            untested.append(name)
        else:
            tests[name] = test.statistic, test.p_value
    if not untested:
        return tests, []
    words = gettext(
        "Not tested by likelihood ratio: {columns}. The model without the coefficient has no "
        "finite estimate to compare with. Use the interval of the coefficient instead."
    )
    return tests, [words.format(columns="; ".join(untested))]


def _rows(
    model: OutcomeModel,
    columns: list[_Column],
    tests: dict[str, tuple[float, float]],
    choice: Choice,
) -> Iterator[CoefficientRow]:
    references = {column.name: column.reference for column in columns}
    ends, errors = model.intervals(choice.reading.level), model.standard_errors
    for position, name in enumerate(model.names):
        statistic, p_value = tests.get(name, (None, None))
        yield CoefficientRow(
            name=name,
            reference=references.get(name, ""),
            value=float(model.coefficients[position]),
            standard_error=float(errors[position]),
            low=float(ends[position][0]),
            high=float(ends[position][1]),
            statistic=statistic,
            p_value=p_value,
        )


def _outcome_notes(item: LevelQuestion, answer: int) -> Iterator[str]:
    if item.is_randomized and item.decline_level is not None:
        yield gettext(
            "It is not known who declined. So the model compares the chosen answer with all other "
            "answers, including “{answer}”."
        ).format(answer=item.levels[item.decline_level].text)
    if item.is_randomized:
        yield gettext(
            "The model takes the randomizing of the outcome into account. This makes intervals "
            "wider than with direct answers. Where half of the people would give the chosen "
            "answer, intervals are about 1/a = {slope} times as wide. Elsewhere, they are mostly "
            "even wider."
        ).format(slope=_slope_words(item, answer))


def _slope_words(item: LevelQuestion, answer: int) -> str:
    """1/a of the row that is modelled."""
    line = affine_row(item.channel, answer)
    return number_words(1 / abs(float(line[0]))) if line else "–"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"
