"""DesignRow: designs compared at equal epsilon, for one share: variance, standard error, power.

For yes/no the answer is known: every design with epsilon e is Warner's design at e followed by a
coin that loses information (Kairouz, Oh and Viswanath 2016, theorem 2), so that nothing beats it;
forced response with equal chances, crosswise, one card of Kuk and k-ary response tie with it. For
many options protocols that report sets win. Every design here is given the largest probabilities
that its epsilon allows.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import TypedDict

from ..checks import Probability, checked_options, checked_probability
from ..designs.binary import Crosswise, ForcedResponse, UnrelatedQuestion, Warner
from ..designs.cards import Kuk
from ..designs.categorical import KAry
from ..designs.local.subset import SubsetSelection
from ..designs.local.unary import OUE, SUE
from ..errors import PlanError
from ..messages import sentence
from ..printing import table
from .design_effects import INDEPENDENT, DesignEffects
from .exact_power import exact_power
from .power import (
    Question,
    checked_size,
    power_one_sample,
    report_line,
    variance_times_n,
)

# Designs whose variances differ by less than this (relative) tie: only rounding parts them.
_TIE = 1e-6


class _Shares(TypedDict):
    share: float
    null_share: float


class _Kind(TypedDict):
    significance: float
    alternative: str


@dataclass(frozen=True)
class DesignRow:
    """One design: ``variance_times_n`` and ``standard_error`` of a share, and power of a test.

    ``exact_power`` is of the binomial test and None where no single report decides; ``power`` is
    the normal approximation. ``times_best``: how many times the people of the best design it needs.
    """

    name: str
    design: Question
    variance_times_n: float
    standard_error: float
    power: float
    exact_power: float | None
    times_best: float

    @property
    def is_best(self) -> bool:
        return self.times_best <= 1 + _TIE

    def __str__(self) -> str:
        """The design as a table of one line."""
        head = ("design", "times best", "n times variance", "std. error", "power", "exact")
        errors = (self.variance_times_n, self.standard_error)
        return table(head, [(self.name, self.times_best, *errors, self.power, self.exact_power)])


def compare_designs(
    epsilon: float,
    *,
    share: float,
    n: int,
    null_share: float = 0.0,
    options: int = 2,
    significance: float = 0.05,
    alternative: str = "two-sided",
    q_other_yes: Probability = Fraction(1, 4),
    effects: DesignEffects = INDEPENDENT,
) -> tuple[DesignRow, ...]:
    """All designs of this epsilon for a question of ``options`` answers, the best first.

    The test is of ``null_share`` against ``share`` for one option. ``q_other_yes`` is the known
    share of yes to the unrelated question; ``effects`` are those of clusters and unequal weights,
    with which no power is exact. Raises PlanError or DesignError.

    >>> from randomized_response.planning import compare_designs
    >>> rows = compare_designs(1.0, share=0.2, n=500, options=4)
    >>> [(row.name, round(row.times_best, 3)) for row in rows[:2]]
    [('Subset selection', 1.0), ('k-ary response', 1.0)]
    """
    size, test = checked_size("n", n), _Shares(share=share, null_share=null_share)
    kind = _Kind(significance=significance, alternative=alternative)
    designs = designs_at(epsilon, options, q_other_yes)
    tested = {
        name: power_one_sample(design, n=size, effects=effects, **test, **kind)
        for name, design in designs.items()
    }
    least = min(analysis.standard_error for analysis in tested.values())
    rows = [
        DesignRow(
            name=name,
            design=designs[name],
            variance_times_n=effects.on_share(variance_times_n(designs[name], share), share),
            standard_error=analysis.standard_error,
            power=analysis.power,
            exact_power=_exact(designs[name], size, test, kind) if effects.is_none else None,
            times_best=(analysis.standard_error / least) ** 2 if least > 0 else 1.0,
        )
        for name, analysis in tested.items()
    ]
    return tuple(sorted(rows, key=lambda row: (round(row.times_best, 6), row.name)))


def _exact(design: Question, n: int, test: _Shares, kind: _Kind) -> float | None:
    if report_line(design) is None:
        return None
    return exact_power(design, n=n, **test, **kind).power


def designs_at(
    epsilon: float, options: int = 2, q_other_yes: Probability = Fraction(1, 4)
) -> dict[str, Question]:
    """The designs of this epsilon, by name; those for two options only where there are two.

    >>> from randomized_response.planning import designs_at
    >>> list(designs_at(1.0, options=3))
    ['k-ary response', 'Subset selection', 'Optimised unary encoding', 'Symmetric unary encoding']
    """
    levels = checked_options(options)
    many: dict[str, Question] = {
        sentence("k-ary response"): KAry.from_epsilon(levels, epsilon),
        sentence("Subset selection"): SubsetSelection.from_epsilon(levels, epsilon),
        sentence("Optimised unary encoding"): OUE.from_epsilon(levels, epsilon),
        sentence("Symmetric unary encoding"): SUE.from_epsilon(levels, epsilon),
    }
    return many if levels > 2 else {**_binary(epsilon, q_other_yes), **many}


def _binary(epsilon: float, q_other_yes: Probability) -> dict[str, Question]:
    truth = Fraction(KAry.from_epsilon(2, epsilon).p_truth)
    card = Fraction(KAry.from_epsilon(2, epsilon / 2).p_truth)
    return {
        "Warner": Warner(truth),
        sentence("Forced response, equal chances"): ForcedResponse(1 - truth, 1 - truth),
        sentence("Crosswise"): Crosswise(1 - truth),
        sentence("Unrelated question"): UnrelatedQuestion(*_unrelated(truth, q_other_yes)),
        sentence("Kuk, one card"): Kuk(truth, 1 - truth, 1),
        sentence("Kuk, two cards"): Kuk(card, 1 - card, 2),
    }


def _unrelated(truth: Fraction, q_other_yes: Probability) -> tuple[Probability, Probability]:
    """p with odds p / (1 - p) = min(q, 1 - q) (e^epsilon - 1): the largest that epsilon allows.

    The two reports' ratios are 1 + odds / q and 1 + odds / (1 - q).
    """
    q = checked_probability("q_other_yes", q_other_yes)
    if not 0 < q < 1:
        remedy = sentence(
            "choose an unrelated question that some people answer with yes and some people with no"
        )
        raise PlanError("q_other_yes", q_other_yes, remedy)
    odds = min(q, 1 - q) * (truth / (1 - truth) - 1)
    return odds / (1 + odds), q
