"""Loss: what all protected answers of one person together tell at most, exactly.

Given a person's true answers, reports are independent. Let d be the unprotected answers, s and t
what a person with these may be in the protected questions: an answer to each, or "hidden" where a
rule does not ask it. Then

    e^loss = max over d, and over s and t that are possible with d, of
             the product over the questions j of  r_j(s_j, t_j) = max_y P_j[y|s_j] / P_j[y|t_j]

The chance of a row of reports y is the product of P_j[y_j|s_j], so the ratio of two people's is a
product as well, and each factor can be largest at a y_j of its own: the bound is reached. e^loss is
the e^epsilon of local differential privacy (Duchi, Jordan and Wainwright 2018) among people with
the same d, which is sent as it is. The search below is our derivation.

Rules that read protected answers join questions into components. Where each question's rule reads
at most one protected question, these are trees, and the maximum is found from their leaves:

    V_j(a, b) = r_j(a, b) * product over the children c of W_c(a asks c, b asks c)
    W_c(x, y) = max of V_c over the states that are possible if c is asked (x, y) or not

which costs O(sum of k_j^2 (1 + children)). In other components all pairs of their configurations
are compared, up to ``MOST_CONFIGURATIONS``; beyond, the largest ratios are multiplied, and the loss
is a bound.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from typing import Self

import numpy as np

from surveys.questionnaire.logic.cells import MOST_CELLS
from surveys.questionnaire.logic.rules import Given, Rule, reduced
from surveys.randomized_response.designs.channel import log_of_ratio

MOST_CONFIGURATIONS = 2000
NEAR = 1e-9  # logarithms this near are compared as fractions; they are right to some 1e-13
HIDDEN = -1  # the state of a question that is not asked: the last row and column of its ratios
Ratios = tuple[tuple[Fraction | None, ...], ...]
State = int


@dataclass(frozen=True)
class Open:
    """An unprotected question: the answers between which rules tell. Its rule reads such alone."""

    answers: tuple[Given | None, ...]
    rule: Rule | None = None


@dataclass(frozen=True)
class Protected:
    """A protected question.

    ``answers`` are its true answers as rules read them, and ``ratios[a][b]`` is the largest
    P[y|a] / P[y|b] over the reports y, None if infinite. Where a rule that reads protected answers
    may hide it, the last row and column are those of "hidden".
    """

    answers: tuple[Given | None, ...]
    ratios: Ratios
    rule: Rule | None = None

    @cached_property
    def largest(self) -> Fraction | None:
        """The largest ratio of two of its states."""
        return _largest(ratio for row in self.ratios for ratio in row)


Asked = Open | Protected


@dataclass(frozen=True)
class Loss:
    """``ratio`` is e^loss, None if infinite; if not ``is_exact``, it is an upper bound."""

    ratio: Fraction | None
    is_exact: bool = True

    @property
    def epsilon(self) -> float:
        """The loss in nats; infinite if answers could be proved."""
        return log_of_ratio(self.ratio)


def of_channel(columns: Sequence[Sequence[Fraction]]) -> Ratios:
    """The ratios of states whose reports have these laws, ``columns[state][report]``."""
    return tuple(tuple(_ratio(column, other) for other in columns) for column in columns)


def of_largest(ratio: Fraction | None) -> Ratios:
    """The ratios of a question whose answers no rule reads: two answers, as far apart as any."""
    return ((Fraction(1), ratio), (ratio, Fraction(1)))


def loss_of(questions: Sequence[Asked], most: int | None = None) -> Loss:
    """The loss of a person who answers all of these, or chance's choice of ``most`` protected ones.

    Chance draws before anything is answered, and what it drew is seen: given the draw the drawn
    ratios multiply, so the largest ones bound every draw.
    """
    protected = {n: q for n, q in enumerate(questions, 1) if isinstance(q, Protected)}
    if most is not None:
        ratios = [question.largest for question in protected.values()]
        finite = sorted((ratio for ratio in ratios if ratio is not None), reverse=True)
        return Loss(_product(finite[:most]) if len(finite) == len(ratios) else None)
    ways = _distinct(questions)
    if ways is None:
        return Loss(_product(question.largest for question in protected.values()), is_exact=False)
    return largest_loss([_loss_in(protected, rules) for rules in ways])


def largest_loss(losses: Sequence[Loss]) -> Loss:
    """The largest of some losses, where what tells them apart is known of a person."""
    ratio = _largest(loss.ratio for loss in losses)
    return Loss(ratio, all(loss.is_exact for loss in losses))


# ---- Unprotected answers first ------------------------------------------------------------------


Reduced = tuple[tuple[int, Rule | bool], ...]  # what is left of the rule of each protected one


def _read_openly(questions: Sequence[Asked]) -> frozenset[int]:
    """The questions that rules of protected ones read, and those that the rules of these read."""
    read: set[int] = set()
    for number in range(len(questions), 0, -1):
        question = questions[number - 1]
        if question.rule and (isinstance(question, Protected) or number in read):
            read |= question.rule.questions
    return frozenset(read)


@dataclass
class _RuleReader:
    """A rule with unprotected answers put in: worked out once for each combination of those."""

    rule: Rule | None
    places: tuple[int, ...]  # of the questions that it reads, among those that are walked through
    known: dict[tuple[int, ...], int]  # the outcome of each combination, by its number

    @classmethod
    def of(cls, rule: Rule | None, read: Sequence[int]) -> Self:
        numbers = rule.questions if rule else frozenset()
        return cls(rule, tuple(position for position, n in enumerate(read) if n in numbers), {})


def _distinct(questions: Sequence[Asked]) -> set[Reduced] | None:
    """What is left of the rules of protected questions, for all unprotected answers.

    Most cells leave the same. None if there are more than ``MOST_CELLS``.
    """
    read = [n for n in sorted(_read_openly(questions)) if isinstance(questions[n - 1], Open)]
    choices = [range(len(questions[n - 1].answers)) for n in read]
    if prod(map(len, choices)) > MOST_CELLS:
        return None
    outcomes: list[Rule | bool] = []

    def outcome(reader: _RuleReader, cell: Sequence[int]) -> int:
        key = tuple(cell[position] for position in reader.places)
        if key not in reader.known:
            answered = {
                read[position]: None
                if state == HIDDEN
                else questions[read[position] - 1].answers[state]
                for position, state in zip(reader.places, key, strict=True)
            }
            outcomes.append(reader.rule is None or reduced(reader.rule, answered))
            reader.known[key] = outcomes.index(outcomes[-1])
        return reader.known[key]

    protected = [n for n, question in enumerate(questions, 1) if isinstance(question, Protected)]
    open_readers = [_RuleReader.of(questions[n - 1].rule, read) for n in read]
    readers = [_RuleReader.of(questions[n - 1].rule, read) for n in protected]
    ways: set[tuple[int, ...]] = set()
    for chosen in product(*choices):
        cell: list[int] = []
        for reader, state in zip(open_readers, chosen, strict=True):
            is_asked = reader.rule is None or outcomes[outcome(reader, cell)]
            cell.append(state if is_asked else HIDDEN)
        ways.add(tuple(outcome(reader, cell) for reader in readers))
    return {tuple(zip(protected, (outcomes[index] for index in way), strict=True)) for way in ways}


# ---- One cell: components, trees, and all others ------------------------------------------------


def _loss_in(protected: Mapping[int, Protected], rules: Reduced) -> Loss:
    """The loss among people with the same unprotected answers."""
    left: dict[int, Rule | bool] = {}
    for number, rule in rules:
        # What reads nothing but questions that are hidden for good is decided as well.
        decided = rule if isinstance(rule, bool) or _sources(rule, left) else rule.holds({})
        if decided is not False:
            left[number] = decided
    losses = [_component_loss(protected, left, numbers) for numbers in _components(left)]
    ratio = _product(loss.ratio for loss in losses)
    return Loss(ratio, all(loss.is_exact for loss in losses))


def _sources(rule: Rule | bool, left: Mapping[int, Rule | bool]) -> frozenset[int]:
    """The protected questions that a rule reads and that are not hidden for good."""
    return frozenset() if isinstance(rule, bool) else rule.questions & left.keys()


def _components(left: Mapping[int, Rule | bool]) -> list[list[int]]:
    """Questions that rules join, in their order."""
    name = {number: number for number in left}
    for number, rule in left.items():
        for source in _sources(rule, left):
            old, new = name[number], name[source]
            name = {key: new if root == old else root for key, root in name.items()}
    return [[n for n in left if name[n] == root] for root in dict.fromkeys(name.values())]


def _component_loss(
    protected: Mapping[int, Protected], left: Mapping[int, Rule | bool], numbers: list[int]
) -> Loss:
    parents = {number: _sources(left[number], left) for number in numbers}
    if all(len(numbers_before) <= 1 for numbers_before in parents.values()):
        return Loss(_tree_loss(protected, left, numbers, parents))
    configurations = _configurations(protected, left, numbers)
    if len(configurations) > MOST_CONFIGURATIONS:
        return Loss(_product(protected[number].largest for number in numbers), is_exact=False)
    return Loss(_pairs_loss([protected[number] for number in numbers], configurations))


def _shows(rule: Rule | bool, question: Protected, source: int, state: State) -> bool:
    """Whether a rule asks its question, its source being in this state."""
    if isinstance(rule, bool):
        return rule
    return rule.holds({source: None if state == HIDDEN else question.answers[state]})


def _states(question: Protected, *, is_asked: bool) -> tuple[State, ...]:
    return tuple(range(len(question.answers))) if is_asked else (HIDDEN,)


def _tree_loss(
    protected: Mapping[int, Protected],
    left: Mapping[int, Rule | bool],
    numbers: list[int],
    parents: Mapping[int, frozenset[int]],
) -> Fraction | None:
    """The maximum over a tree, from its last question to its root."""
    children: dict[int, list[int]] = {number: [] for number in numbers}
    for number, above in parents.items():
        for parent in above:
            children[parent].append(number)
    best: dict[tuple[int, bool, bool], Fraction | None] = {}

    def value(number: int, state: State, other: State) -> Fraction | None:
        question = protected[number]
        shown = (
            best[
                child,
                _shows(left[child], question, number, state),
                _shows(left[child], question, number, other),
            ]
            for child in children[number]
        )
        return _product([question.ratios[state][other], *shown])

    for number in reversed(numbers):
        question = protected[number]
        asked_ways = (True, False) if parents[number] else (True,)
        for first, second in product(asked_ways, repeat=2):
            best[number, first, second] = _largest(
                value(number, state, other)
                for state in _states(question, is_asked=first)
                for other in _states(question, is_asked=second)
            )
    return best[numbers[0], True, True]


def _configurations(
    protected: Mapping[int, Protected], left: Mapping[int, Rule | bool], numbers: list[int]
) -> list[tuple[State, ...]]:
    """All that a person can be in these questions; at most one more than may be compared."""
    configurations: list[tuple[State, ...]] = [()]
    for number in numbers:
        configurations = [
            (*states, state)
            for states in configurations
            for state in _possible(protected, left[number], numbers, number, states)
        ][: MOST_CONFIGURATIONS + 1]
    return configurations


def _possible(
    protected: Mapping[int, Protected],
    rule: Rule | bool,
    numbers: list[int],
    number: int,
    states: Sequence[State],
) -> tuple[State, ...]:
    answered = {
        other: None if state == HIDDEN else protected[other].answers[state]
        for other, state in zip(numbers, states, strict=False)
    }
    is_asked = rule if isinstance(rule, bool) else rule.holds(answered)
    return _states(protected[number], is_asked=is_asked)


def _pairs_loss(
    questions: Sequence[Protected], configurations: Sequence[tuple[State, ...]]
) -> Fraction | None:
    """The maximum over all pairs: found by logarithms, compared exactly where those are near."""
    values = _values(questions)
    if None in values:
        return None
    logs = np.log([float(value or 1) for value in values])
    states = np.array(configurations)  # HIDDEN picks the last row and column
    ids = [
        np.array([[values.index(ratio) for ratio in row] for row in question.ratios])
        for question in questions
    ]
    pairs = [index[states[:, j, None], states[None, :, j]] for j, index in enumerate(ids)]
    totals = sum(logs[pair] for pair in pairs)
    near = np.argwhere(totals >= np.max(totals) - NEAR)
    picked = np.sort(np.stack([pair[near[:, 0], near[:, 1]] for pair in pairs], axis=1), axis=1)
    return _largest(
        _product(values[index] for index in row) for row in np.unique(picked, axis=0).tolist()
    )


def _values(questions: Sequence[Protected]) -> list[Fraction | None]:
    """All ratios that there are, each once."""
    every = (ratio for question in questions for row in question.ratios for ratio in row)
    return list(dict.fromkeys(every))


# ---- Fractions and infinity ---------------------------------------------------------------------


def _ratio(column: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction | None:
    pairs = [(p, q) for p, q in zip(column, other, strict=True) if p]
    return None if any(not q for _, q in pairs) else max(p / q for p, q in pairs)


def _product(ratios: Iterable[Fraction | None]) -> Fraction | None:
    total = Fraction(1)
    for ratio in ratios:
        if ratio is None:
            return None
        total *= ratio
    return total


def _largest(ratios: Iterable[Fraction | None]) -> Fraction | None:
    most = Fraction(1)
    for ratio in ratios:
        if ratio is None:
            return None
        most = max(most, ratio)
    return most
