"""The price of privacy: how many people each epsilon costs, for k-ary response.

For yes/no k-ary response is Warner's design, and no design of the same epsilon needs fewer people.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..checks import checked_entries
from ..designs.categorical import Direct, KAry
from ..errors import PlanError
from ..printing import report
from .design_effects import INDEPENDENT, DesignEffects
from .exact_power import sample_size_one_sample
from .planning import Meaning, plan_sample_size

MOST_POINTS = 200


@dataclass(frozen=True)
class PricePoint:
    """``n`` people at this epsilon, ``times_direct`` as many as without randomizing.

    Both are None, and ``reason`` says why, where the goal is out of reach.
    """

    epsilon: float
    n: int | None
    times_direct: float | None
    reason: str = ""

    def __str__(self) -> str:
        """The point as a table of one line, and why it has no n below it."""
        head = ("epsilon", "n", "times direct")
        return report("", head, [(self.epsilon, self.n, self.times_direct)], [self.reason])


def price_of_privacy(
    epsilons: Sequence[float],
    *,
    meaning: Meaning,
    method: str,
    error: float | Fraction,
    failure_probability: float | Fraction,
    population: int | None = None,
    drawn: float | Fraction = 1,
    options: int = 2,
    effects: DesignEffects = INDEPENDENT,
) -> tuple[PricePoint, ...]:
    """n(epsilon) for an error, one point per epsilon, as ``plan_sample_size`` plans it.

    The price in people given their true answers falls like 1 / (4 sinh^2(epsilon / 2)) for two
    options. Raises PlanError or DesignError for arguments that no epsilon could make right.

    >>> from randomized_response.planning import Meaning, price_of_privacy
    >>> question = {"error": 0.05, "failure_probability": 0.05, "meaning": Meaning.POPULATION}
    >>> [point.n for point in price_of_privacy([0.5, 1, 2], method="normal", **question)]
    [6405, 1799, 663]
    """

    def size(design: KAry | Direct) -> int:
        return plan_sample_size(
            design,
            error=error,
            failure_probability=failure_probability,
            method=method,
            meaning=meaning,
            population=population,
            drawn=drawn,
            effects=effects,
        ).n

    return _points(epsilons, size, options, refused="error")


def price_of_power(
    epsilons: Sequence[float],
    *,
    share: float,
    null_share: float,
    power: float = 0.8,
    significance: float = 0.05,
    alternative: str = "two-sided",
    options: int = 2,
) -> tuple[PricePoint, ...]:
    """n(epsilon) for a test, one point per epsilon, as ``sample_size_one_sample`` plans it.

    Raises PlanError or DesignError for arguments that no epsilon could make right.

    >>> from randomized_response.planning import price_of_power
    >>> [point.n for point in price_of_power([0.5, 1, 2], share=0.3, null_share=0.1)]
    [836, 226, 72]
    """

    def size(design: KAry | Direct) -> int:
        return sample_size_one_sample(
            design,
            share=share,
            null_share=null_share,
            power=power,
            significance=significance,
            alternative=alternative,
        ).n

    return _points(epsilons, size, options, refused="power")


def _points(
    epsilons: Sequence[float], size: Callable[[KAry | Direct], int], options: int, refused: str
) -> tuple[PricePoint, ...]:
    remedy = f"give 1 to {MOST_POINTS} values"
    if not 1 <= len(checked_entries("epsilons", epsilons, remedy, PlanError)) <= MOST_POINTS:
        raise PlanError("epsilons", epsilons, remedy)
    designs = [KAry.from_epsilon(options, epsilon) for epsilon in epsilons]
    direct = size(Direct(options))
    return tuple(
        _point(float(epsilon), design, size, direct, refused)
        for epsilon, design in zip(epsilons, designs, strict=True)
    )


def _point(
    epsilon: float,
    design: KAry,
    size: Callable[[KAry | Direct], int],
    direct: int,
    refused: str,
) -> PricePoint:
    """Out of reach is an answer; any other refusal is about the arguments."""
    try:
        n = size(design)
    except PlanError as problem:
        if problem.argument != refused:
            raise
        return PricePoint(epsilon, None, None, problem.remedy)
    return PricePoint(epsilon, n, n / direct)
