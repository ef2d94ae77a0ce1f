"""Allocation: one epsilon budget shared out over several questions, for the best estimates.

Question i with k_i options is asked by k-ary response with epsilon_i. Given the true answers, n
times the largest variance of one of its shares is

    v_i(epsilon_i) = (k_i - 1) e^epsilon_i / (e^epsilon_i - 1)^2 = (k_i - 1) / (4 sinh^2(h_i)),

h_i = epsilon_i / 2, with weight w_i. Several answers of one person add their epsilon. v_i is convex
and falls from infinity, so that both problems under sum(epsilon_i) = total have one solution:

* the smallest *sum* of w_i v_i, where all slopes w_i (k_i - 1) cosh(h_i) / (4 sinh^3(h_i)) are the
  same number (Karush, Kuhn and Tucker: necessary, and by convexity sufficient);
* the smallest *maximum* of w_i v_i, where all w_i v_i are the same number: if one were smaller,
  moving some of its epsilon to the others would lower the maximum.

Both conditions give epsilon_i as a falling function of the common number, which is found by
bracketing. Sampling adds shares (1 - shares) / n for every epsilon and changes no sum. Derived
here; the peers split evenly.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..checks import checked_number, checked_options
from ..designs.categorical import KAry
from ..errors import PlanError
from ..messages import figure, sentence
from ..printing import cell, report
from ..roots import find_root

OBJECTIVES = ("sum", "maximum")
MOST_QUESTIONS = 1000
# Below, an estimate needs more people than there are; above, nothing is left to protect.
SMALLEST_TOTAL, LARGEST_TOTAL = 1e-6, 100.0


@dataclass(frozen=True)
class BudgetQuestion:
    """A question of k options whose variance counts ``weight`` times. Raises PlanError."""

    options: int = 2
    weight: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", checked_options(self.options))
        weight = float(checked_number("weight", self.weight, PlanError))
        if not 1e-9 <= weight <= 1e9:
            raise PlanError("weight", self.weight, "give a weight from 1e-9 to 1e9, such as 1")
        object.__setattr__(self, "weight", weight)

    @property
    def scale(self) -> float:
        return self.weight * (self.options - 1)


@dataclass(frozen=True)
class Allocation:
    """The parts of the budget; each array has one entry per question.

    ``variances_times_n``: n times the largest variance of a share given the true answers, without
    weight. ``value`` is the weighted sum or maximum, ``even_value`` that of an even split.
    """

    epsilons: tuple[float, ...]
    variances_times_n: tuple[float, ...]
    objective: str
    value: float
    even_value: float
    questions: tuple[BudgetQuestion, ...]

    def designs(self) -> tuple[KAry, ...]:
        """The questions' designs; none loses more than its part."""
        return tuple(
            KAry.from_epsilon(question.options, epsilon)
            for question, epsilon in zip(self.questions, self.epsilons, strict=True)
        )

    def __str__(self) -> str:
        """One line per question, and the gain over an even split below them."""
        head = ("question", "options", "weight", "epsilon", "n times variance")
        parts = zip(self.questions, self.epsilons, self.variances_times_n, strict=True)
        rows = [
            (str(number), question.options, question.weight, epsilon, variance)
            for number, (question, epsilon, variance) in enumerate(parts, start=1)
        ]
        note = f"Weighted {self.objective}: {cell(self.value)}; even split: {cell(self.even_value)}"
        total = cell(math.fsum(self.epsilons))
        return report(f"Epsilon {total} over {len(rows)} questions", head, rows, [note])


def allocate_epsilon(
    questions: Sequence[BudgetQuestion], total: float, *, objective: str = "sum"
) -> Allocation:
    """Share ``total`` out over the questions so that the objective is smallest.

    ``objective``: "sum" or "maximum" of weight times variance. The parts add up to ``total`` and
    never exceed it. Raises PlanError.

    >>> from randomized_response.planning import BudgetQuestion, allocate_epsilon
    >>> print(allocate_epsilon([BudgetQuestion(options=2), BudgetQuestion(options=5)], total=2.0))
    Epsilon 2 over 2 questions
    question  options  weight  epsilon  n times variance
    1               2       1  0.77408             1.588
    2               5       1  1.22592           2.35185
    Weighted sum: 3.93985; even split: 4.60337
    """
    asked = _checked_questions(questions)
    budget = _checked_total(total)
    if not isinstance(objective, str) or objective not in OBJECTIVES:
        raise PlanError("objective", objective, f"choose one of {', '.join(OBJECTIVES)}")
    part = _part_of_equal_slopes if objective == "sum" else _part_of_equal_values
    epsilons = _solved(asked, budget, part)
    even = (budget / len(asked),) * len(asked)
    return Allocation(
        epsilons=epsilons,
        variances_times_n=tuple(
            _variance(question.options - 1, epsilon)
            for question, epsilon in zip(asked, epsilons, strict=True)
        ),
        objective=objective,
        value=_value(asked, epsilons, objective),
        even_value=_value(asked, even, objective),
        questions=asked,
    )


def _solved(
    questions: tuple[BudgetQuestion, ...], total: float, part: Callable[[float, float], float]
) -> tuple[float, ...]:
    """The common number, by its logarithm, at which the parts add up to the total."""
    scales = [question.scale for question in questions]

    def excess(log_common: float) -> float:
        return sum(part(scale, log_common) for scale in scales) - total

    low, high = -1.0, 1.0
    while excess(low) < 0:
        low *= 2
    while excess(high) > 0:
        high *= 2
    log_common = find_root(excess, low, high, xtol=1e-13)
    parts = [part(scale, log_common) for scale in scales]
    return _within(parts, total)


def _within(parts: list[float], total: float) -> tuple[float, ...]:
    """Scaled to the total, and rounded down until the sum is not above it."""
    factor = total / math.fsum(parts)
    scaled = [part * factor for part in parts]
    while math.fsum(scaled) > total:
        scaled = [math.nextafter(part, 0.0) for part in scaled]
    return tuple(scaled)


def _part_of_equal_values(scale: float, log_common: float) -> float:
    """epsilon with scale / (4 sinh^2(epsilon / 2)) = common."""
    return 2 * math.asinh(math.exp((math.log(scale) - log_common) / 2) / 2)


def _part_of_equal_slopes(scale: float, log_common: float) -> float:
    """epsilon with scale cosh(h) / (4 sinh^3(h)) = common, h = epsilon / 2.

    With s = sinh(h): s^6 = r^2 (1 + s^2), r = scale / (4 common); u = ln s is bracketed by the two
    limits s = r^(1/3) and s = sqrt(r), and their sum of parts.
    """
    log_r = math.log(scale) - log_common - math.log(4)

    def excess(u: float) -> float:
        # ln of both sides; logaddexp keeps it finite for any u.
        return 6 * u - 2 * log_r - _log_one_plus_exp(2 * u)

    low = min(log_r / 3, log_r / 2) - 1
    high = max(log_r / 3, log_r / 2) + 1
    return 2 * math.asinh(math.exp(find_root(excess, low, high, xtol=1e-15)))


def _log_one_plus_exp(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def _variance(scale: float, epsilon: float) -> float:
    return scale / (4 * math.sinh(epsilon / 2) ** 2)


def _value(
    questions: tuple[BudgetQuestion, ...], epsilons: tuple[float, ...], objective: str
) -> float:
    values = [_variance(q.scale, e) for q, e in zip(questions, epsilons, strict=True)]
    return math.fsum(values) if objective == "sum" else max(values)


def _checked_questions(questions: Sequence[BudgetQuestion]) -> tuple[BudgetQuestion, ...]:
    if isinstance(questions, str) or not isinstance(questions, Sequence):
        raise PlanError("questions", questions, "give a sequence of BudgetQuestion")
    if not 1 <= len(questions) <= MOST_QUESTIONS:
        raise PlanError(
            "questions",
            len(questions),
            sentence("give {least} to {most} questions", least=1, most=MOST_QUESTIONS),
        )
    for question in questions:
        if not isinstance(question, BudgetQuestion):
            raise PlanError("questions", question, "give a sequence of BudgetQuestion")
    return tuple(questions)


def _checked_total(total: float) -> float:
    budget = float(checked_number("total", total, PlanError))
    if not SMALLEST_TOTAL <= budget <= LARGEST_TOTAL:
        remedy = sentence(
            "give a budget from {least} to {most}, such as 2",
            least=SMALLEST_TOTAL,
            most=figure(LARGEST_TOTAL, "g"),
        )
        raise PlanError("total", total, remedy)
    return budget
