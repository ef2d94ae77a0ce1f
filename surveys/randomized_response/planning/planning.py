"""Plan: people for an error, error for people, by Chebyshev, normal, Hoeffding, exact; population.

Two meanings are kept apart. RESPONDENTS: the n people are all that is of interest and only the
randomizing adds error, unless chance draws who of them is asked: then that adds error too.
POPULATION: they are a random sample, so sampling adds error too.
Derivations: docs/statistics.md.
"""

import math
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import scipy

from ..checks import checked_number, checked_positive_number, require_kind
from ..designs.design import DesignLike
from ..designs.rounded import RoundedNumber
from ..errors import PlanError
from ..intervals.widths import error_of_interval, interval_sample_size
from ..intervals.worst_case import LargestVariance, MeanVariance, largest_variances
from ..messages import sentence, together
from ..printing import report
from .design_effects import INDEPENDENT, DesignEffects

LARGEST_SAMPLE = 10**9
_LINE = 88


class Meaning(Enum):
    """Whose shares are estimated."""

    RESPONDENTS = sentence("the people who take part")
    POPULATION = sentence("the whole population")


@dataclass(frozen=True)
class Plan:
    """A sample size with everything it was computed from.

    ``variance_times_n_*``: n times the largest variance of an estimated share, over all options
    and all true distributions; ``conditional`` given the true answers, ``total`` with sampling
    from an unlimited population; with the design effects. ``option`` is the one that decides n.
    """

    n: int
    method: str
    meaning: Meaning
    error: float
    failure_probability: float
    variance_times_n_conditional: float
    variance_times_n_total: float
    population: int | None
    option: int
    assumption: str

    def __str__(self) -> str:
        """The plan as a table, and what it assumes below it."""
        head = ("method", "n", "error", "failure probability", "population")
        row = (self.method, self.n, self.error, self.failure_probability, self.population)
        return report(
            f"Plan for shares of the {self.meaning.name.lower()}",
            head,
            [row],
            textwrap.wrap(f"Assumption: {self.assumption}", _LINE),
        )


@dataclass(frozen=True)
class _Request:
    """A checked question; the failure probability is exact."""

    options: tuple[LargestVariance, ...]
    failure: Fraction
    meaning: Meaning
    population: int | None
    drawn: Fraction
    effects: DesignEffects

    def variance_times_n(self, option: LargestVariance, n: int) -> Fraction:
        """n times the largest variance of an estimate from n people."""
        if self.meaning is Meaning.RESPONDENTS:
            # Chance asks each of them by herself: clusters have no part in the draw.
            return self.effects.weights * option.largest(_share_of_drawing(n, self.drawn))
        return self.effects.variance_times_n(option, _sampling_share(n, self.population))

    def most(self, option: LargestVariance, allowed: Fraction) -> int:
        """A sufficient n, or one more than the population where even all of it may fail."""
        if self.population is not None:
            return self.population + 1
        return math.ceil(self.variance_times_n(option, 1) / allowed)

    @property
    def is_constant(self) -> bool:
        """Whether n times the variance is the same for every n."""
        if self.meaning is Meaning.RESPONDENTS:
            return self.drawn == 1
        return self.population is None


@dataclass(frozen=True)
class PlanningMethod:
    """``size(request, option, error)`` and its inverse ``error(request, option, n)``."""

    size: Callable[[_Request, LargestVariance, Fraction], int]
    error: Callable[[_Request, LargestVariance, int], float]
    assumption: str
    meanings: frozenset[Meaning] = frozenset(Meaning)
    takes_clusters: bool = True
    counts_effective: bool = False


def plan_sample_size(
    design: DesignLike | RoundedNumber,
    *,
    error: float | Fraction,
    failure_probability: float | Fraction,
    method: str,
    meaning: Meaning,
    population: int | None = None,
    drawn: float | Fraction = 1,
    effects: DesignEffects = INDEPENDENT,
) -> Plan:
    """Smallest n whose estimates are all within ``error``, except with ``failure_probability``.

    Each option is planned for by itself and the largest n is returned. Of a RoundedNumber it is the
    mean that is estimated, and ``error`` is a part of the range of its answers. Floats are read as
    the decimals they print as, so that 0.01 is 1/100. ``drawn`` is the chance, in (0, 1], with
    which each person is asked at all, n counting those who are; it matters for RESPONDENTS, whose
    shares are those of all n / drawn people. ``effects``: those of clusters and unequal weights.
    Raises PlanError or DesignError.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.planning import Meaning, plan_sample_size
    >>> question = {"error": 0.05, "failure_probability": 0.05, "meaning": Meaning.POPULATION}
    >>> print(plan_sample_size(Warner(0.75), method="normal", **question))
    Plan for shares of the population
    method     n  error  failure probability  population
    normal  1537   0.05                 0.05           –
    Assumption: The estimates are shares in an unlimited population. The people asked are a
    simple random sample of this population. The number of people comes from the normal
    approximation at the largest variance. It is not guaranteed.
    """
    chosen = planning_method(method)
    request = _request(design, failure_probability, chosen, meaning, population, drawn, effects)
    size = _fraction_within("error", error)
    # The options of most designs are alike: each that differs is planned for once.
    sizes = {o: max(1, chosen.size(request, o, size)) for o in dict.fromkeys(request.options)}
    n = _checked_size(max(sizes.values()), request, error)
    return Plan(
        n=n,
        method=method,
        meaning=meaning,
        error=float(size),
        failure_probability=float(request.failure),
        variance_times_n_conditional=_worst(request, Fraction(0)),
        variance_times_n_total=_worst(request, Fraction(1)),
        population=request.population,
        option=next(i for i, option in enumerate(request.options) if sizes[option] == n),
        assumption=_assumption(chosen, request),
    )


def error_for_sample_size(
    design: DesignLike | RoundedNumber,
    *,
    n: int,
    failure_probability: float | Fraction,
    method: str,
    meaning: Meaning,
    effects: DesignEffects = INDEPENDENT,
    population: int | None = None,
    drawn: float | Fraction = 1,
) -> float:
    """The error that n people reach, for the worst option. Raises PlanError or DesignError.

    That of the mean of a RoundedNumber is a part of the range of its answers. ``drawn`` as in
    ``plan_sample_size``: n are asked, of n / drawn people; ``effects`` as there.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.planning import Meaning, error_for_sample_size
    >>> question = {"failure_probability": 0.05, "method": "normal", "meaning": Meaning.POPULATION}
    >>> round(error_for_sample_size(Warner(0.75), n=1000, **question), 4)
    0.062
    """
    chosen = planning_method(method)
    request = _request(design, failure_probability, chosen, meaning, population, drawn, effects)
    size = checked_positive_number("n", n, PlanError)
    if request.population is not None and size > request.population:
        raise PlanError(
            "n", n, sentence("the population has only {size} people", size=request.population)
        )
    return max(chosen.error(request, option, size) for option in request.options)


def planning_method(name: str) -> PlanningMethod:
    """The registered method of that name. Raises PlanError."""
    if not isinstance(name, str) or name not in PLANNING_METHODS:
        raise PlanError("method", name, f"choose one of {', '.join(PLANNING_METHODS)}")
    return PLANNING_METHODS[name]


def _request(
    design: DesignLike | RoundedNumber,
    failure_probability: float | Fraction,
    method: PlanningMethod,
    meaning: Meaning,
    population: int | None,
    drawn: float | Fraction,
    effects: DesignEffects,
) -> _Request:
    require_kind("effects", effects, DesignEffects, "give DesignEffects", PlanError)
    if not isinstance(meaning, Meaning):
        raise PlanError("meaning", meaning, "give Meaning.RESPONDENTS or Meaning.POPULATION")
    if meaning not in method.meanings:
        remedy = sentence(
            "this method can describe only the whole population, because it uses only the range "
            "of the reported answers. Choose “the whole population” (Meaning.POPULATION)"
        )
        raise PlanError("meaning", meaning, remedy)
    if effects.clusters > 1 and not method.takes_clusters:
        remedy = sentence(
            "this method works only if people answer independently of each other. With "
            "clusters, choose Chebyshev, the normal approximation or the exact method"
        )
        raise PlanError("method", "hoeffding", remedy)
    return _Request(
        options=largest_variances(design),
        failure=_fraction_within("failure_probability", failure_probability),
        meaning=meaning,
        population=_checked_population(population, meaning),
        drawn=_checked_drawn(drawn),
        effects=effects,
    )


def _checked_drawn(drawn: float | Fraction) -> Fraction:
    if isinstance(drawn, (int, float, Fraction)) and drawn == 1:
        return Fraction(1)
    try:
        return _fraction_within("drawn", drawn)
    except PlanError:
        raise PlanError("drawn", drawn, sentence("give a share above 0 and at most 1")) from None


def _fraction_within(argument: str, value: float | Fraction) -> Fraction:
    number = checked_number(argument, value, PlanError)
    # The shortest decimal of a float is what a person typed; its binary value is not.
    exact = number if isinstance(number, Fraction) else Fraction(repr(number))
    if not 0 < exact < 1:
        raise PlanError(argument, value, "give a number between 0 and 1, both excluded")
    return exact


def _checked_population(population: int | None, meaning: Meaning) -> int | None:
    if population is None:
        return None
    if meaning is not Meaning.POPULATION:
        remedy = sentence(
            "with “the people who take part” (Meaning.RESPONDENTS), the respondents are the "
            "population. Leave the population size empty"
        )
        raise PlanError("population", population, remedy)
    return checked_positive_number("population", population, PlanError)


def _checked_size(n: int, request: _Request, error: object) -> int:
    if request.population is not None and n > request.population:
        remedy = sentence(
            "even all {size} people are too few. Allow a larger error or a larger failure "
            "probability, or choose a less private design",
            size=request.population,
        )
        raise PlanError("error", error, remedy)
    if n > LARGEST_SAMPLE:
        raise PlanError(
            "error", error, sentence("the plan needs more than 10^9 people. Allow a larger error")
        )
    return n


def _sampling_share(n: int, population: int | None) -> Fraction:
    """Part of the sampling variance that is left when n of N people are asked."""
    if population is None:
        return Fraction(1)
    if population == 1:
        return Fraction(0)
    return Fraction(max(0, population - n), population - 1)


def _share_of_drawing(n: int, drawn: Fraction) -> Fraction:
    """Part of the sampling variance that is left when chance asks n of the N people of a survey.

    (N - n) / (N - 1) at N = (n + 1) / drawn, the most people of whom n is the rounded share: it
    falls with n, from 1 to 1 - drawn. 0 where all are asked. Sampling without replacement: Cochran
    (1977), section 2.6; the bound over the N that round to n is ours.
    """
    if drawn == 1:
        return Fraction(0)
    return 1 - drawn * (n - 1) / (n + 1 - drawn)


def _worst(request: _Request, sampling_share: Fraction) -> float:
    effects = request.effects
    return float(max(effects.variance_times_n(o, sampling_share) for o in request.options))


def _smallest_size(request: _Request, option: LargestVariance, allowed: Fraction) -> int:
    """Smallest n with variance <= allowed; one more than N if even asking everyone fails."""
    low, high = 1, request.most(option, allowed)
    if request.is_constant:
        return high
    while low < high:
        middle = (low + high) // 2
        enough = request.variance_times_n(option, middle) <= allowed * middle
        low, high = (low, middle) if enough else (middle + 1, high)
    return low


def _chebyshev_size(request: _Request, option: LargestVariance, error: Fraction) -> int:
    return _smallest_size(request, option, request.failure * error**2)


def _chebyshev_error(request: _Request, option: LargestVariance, n: int) -> float:
    return math.sqrt(request.variance_times_n(option, n) / (n * request.failure))


def _normal_size(request: _Request, option: LargestVariance, error: Fraction) -> int:
    return _smallest_size(request, option, error**2 / Fraction(_quantile(request)) ** 2)


def _normal_error(request: _Request, option: LargestVariance, n: int) -> float:
    return _quantile(request) * math.sqrt(request.variance_times_n(option, n) / n)


def _hoeffding_size(request: _Request, option: LargestVariance, error: Fraction) -> int:
    independent = _log_failure(request) * option.reach**2 / (2 * error**2)
    return math.ceil(request.effects.weights * independent)


def _hoeffding_error(request: _Request, option: LargestVariance, n: int) -> float:
    return float(option.reach) * math.sqrt(
        request.effects.weights * _log_failure(request) / (2 * n)
    )


def _exact_size(request: _Request, option: LargestVariance, error: Fraction) -> int:
    n = interval_sample_size(float(error / option.exact_reach), float(request.failure))
    return math.ceil(request.effects.of(option) * n)


def _exact_error(request: _Request, option: LargestVariance, n: int) -> float:
    effective = max(1, math.floor(n / request.effects.of(option)))
    return float(option.exact_reach) * error_of_interval(effective, float(request.failure))


def _quantile(request: _Request) -> float:
    return float(-scipy.special.ndtri(float(request.failure) / 2))  # 1 - failure would round to 1


def _log_failure(request: _Request) -> Fraction:
    return Fraction(math.log(2 / float(request.failure)))


# Of shares, and of a mean. A language inflects the verbs after each, so both stand in full.
_RANDOMIZING = (
    sentence(
        "The estimates are shares among the people who take part. Only the randomizing adds error."
    ),
    sentence(
        "The estimate is the mean among the people who take part. Only the randomizing adds error."
    ),
)
_RANDOMIZING_AND_DRAW = (
    sentence(
        "The estimates are shares among all people who take part, whether they are asked the "
        "question or not. Two things add error: the randomizing, and the chance that decides who "
        "is asked."
    ),
    sentence(
        "The estimate is the mean among all people who take part, whether they are asked the "
        "question or not. Two things add error: the randomizing, and the chance that decides who "
        "is asked."
    ),
)
_UNLIMITED = (
    sentence(
        "The estimates are shares in an unlimited population. The people asked are a simple "
        "random sample of this population."
    ),
    sentence(
        "The estimate is the mean in an unlimited population. The people asked are a simple "
        "random sample of this population."
    ),
)
_LIMITED = (
    sentence(
        "The estimates are shares in a population of {size} people. The people asked are a simple "
        "random sample of this population, drawn without replacement."
    ),
    sentence(
        "The estimate is the mean in a population of {size} people. The people asked are a simple "
        "random sample of this population, drawn without replacement."
    ),
)
_UNLIMITED_BY_DESIGN = (
    sentence(
        "The estimates are shares in an unlimited population. The people asked are a sample with "
        "design effects."
    ),
    sentence(
        "The estimate is the mean in an unlimited population. The people asked are a sample with "
        "design effects."
    ),
)
_LIMITED_BY_DESIGN = (
    sentence(
        "The estimates are shares in a population of {size} people. The people asked are a sample "
        "with design effects, drawn without replacement."
    ),
    sentence(
        "The estimate is the mean in a population of {size} people. The people asked are a sample "
        "with design effects, drawn without replacement."
    ),
)
EFFECTIVE = sentence(
    "n answers are worth this number of independent answers of equal weight: n divided by the "
    "design effect."
)


def _assumption(method: PlanningMethod, request: _Request) -> str:
    is_limited, is_independent = request.population is not None, request.effects.is_none
    if request.meaning is Meaning.RESPONDENTS:
        known = _RANDOMIZING if request.drawn == 1 else _RANDOMIZING_AND_DRAW
    elif is_independent:
        known = _LIMITED if is_limited else _UNLIMITED
    else:
        known = _LIMITED_BY_DESIGN if is_limited else _UNLIMITED_BY_DESIGN
    words = known[isinstance(request.options[0], MeanVariance)].format(size=request.population)
    effective = () if is_independent or not method.counts_effective else (EFFECTIVE,)
    return together(words, method.assumption, *effective)


PLANNING_METHODS: dict[str, PlanningMethod] = {
    "chebyshev": PlanningMethod(
        _chebyshev_size,
        _chebyshev_error,
        sentence(
            "The number of people comes from Chebyshev's inequality at the largest variance. It "
            "is guaranteed for every true share."
        ),
    ),
    "hoeffding": PlanningMethod(
        _hoeffding_size,
        _hoeffding_error,
        sentence(
            "The number of people comes from Hoeffding's inequality and the range of the "
            "reported answers. It is guaranteed. It is not made smaller for a finite population."
        ),
        frozenset({Meaning.POPULATION}),
        takes_clusters=False,
    ),
    "normal": PlanningMethod(
        _normal_size,
        _normal_error,
        sentence(
            "The number of people comes from the normal approximation at the largest variance. "
            "It is not guaranteed."
        ),
    ),
    "exact": PlanningMethod(
        _exact_size,
        _exact_error,
        sentence(
            "The error is half the width of the Clopper-Pearson interval, for the count of "
            "answers that makes this interval widest. It holds for this n and every larger n. "
            "The error is not made smaller for estimates about the people who take part or about "
            "a finite population."
        ),
        counts_effective=True,
    ),
}
