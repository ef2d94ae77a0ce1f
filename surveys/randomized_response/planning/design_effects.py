"""DesignEffects: how many times the variance a sample has of independent people of equal weight.

The design draws its noise for each person by itself. So people of a cluster, who are alike, say
less together about how many have a trait, and no less about the noise; unequal weights lose some of
both. With true answers x of mean pi whose intraclass correlation is rho, and reports r with
E[r | x] = x, the covariance of two people of a cluster is Cov(r, r') = Cov(x, x') = rho pi (1 - pi)
and Var(r) = pi (1 - pi) + noise. Summed over clusters of m_i people, of n in all,

    n Var = [1 + (sum m_i^2 / n - 1) rho] pi (1 - pi) + noise,   sum m_i^2 / n = (cv^2 + 1) m,

with m the mean and cv the coefficient of variation of the sizes. Where chance asks each person
with probability d, pairs of a cluster are d^2 and people d times as many: the excess over 1 is d
times as large.

Weights w multiply what each person adds by n sum w^2 / (sum w)^2 = 1 + cv^2 of the weights, and
what people of a cluster share by as much where each cluster has a weight of its own. The product of
both effects is the most that weights lose in clusters of one size, as the sum of w_i w_j over the
pairs of a cluster is at most (m - 1) sum w_i^2; weights that have nothing to do with clusters lose
less, and leave the clusters' excess as it is. More is lost only where large clusters weigh more.

Sources: Kish (1965, 1992) for weights; Kish (1965) for clusters; Kerry and Bland (2001) and
Eldridge, Ashby and Kerry (2006) for clusters of unequal size; Gabler, Häder and Lahiri (1999) for
the product. That the clusters' effect leaves out the noise is derived here.
"""

from dataclasses import dataclass
from fractions import Fraction

from ..checks import Probability, checked_number
from ..errors import PlanError
from ..intervals.worst_case import LargestVariance
from ..messages import sentence

# A mean of more people, or a variation of 10 and more, is a slip of the pen.
LARGEST_CLUSTER, LARGEST_VARIATION = 10**6, 10
_LARGEST_EFFECT = 10**9


@dataclass(frozen=True)
class DesignEffects:
    """``weights`` multiply the whole variance of an estimate, ``clusters`` its sampling part.

    Both are 1 for independent people of equal weight, and not below. Raises PlanError.

    >>> from randomized_response.planning import DesignEffects, cluster_effect, weight_effect
    >>> DesignEffects(weights=weight_effect(0.5), clusters=cluster_effect(20, 0.05))
    DesignEffects(weights=Fraction(5, 4), clusters=Fraction(39, 20))
    """

    weights: Fraction = Fraction(1)
    clusters: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        for name in ("weights", "clusters"):
            effect = _exact(name, getattr(self, name))
            if not 1 <= effect <= _LARGEST_EFFECT:
                remedy = sentence(
                    "give a design effect from 1 to 10^9. A design effect of 1 changes nothing"
                )
                raise PlanError(name, getattr(self, name), remedy)
            object.__setattr__(self, name, effect)

    @property
    def is_none(self) -> bool:
        """Whether people are independent and of equal weight."""
        return self.weights == self.clusters == 1

    def variance_times_n(self, option: LargestVariance, sampling_share: Fraction) -> Fraction:
        """n times the largest variance, ``sampling_share`` of the sampling part being left."""
        return self.weights * option.largest(self.clusters * sampling_share)

    def of(self, option: LargestVariance) -> Fraction:
        """The design effect of an estimated share or mean: its largest variance, this to none."""
        return self.variance_times_n(option, Fraction(1)) / option.largest(Fraction(1))

    def on_share(self, variance_times_n: float, share: float) -> float:
        """What becomes of n times the variance of an estimated ``share`` of independent people."""
        excess = float(self.clusters - 1) * share * (1 - share)
        return float(self.weights) * (variance_times_n + excess)


def weight_effect(variation: Probability) -> Fraction:
    """1 + cv^2: the design effect of weights with this coefficient of variation, from 0 to 10.

    Kish (1965, 1992). Raises PlanError.

    >>> from randomized_response.planning import weight_effect
    >>> weight_effect(0.5)
    Fraction(5, 4)
    """
    return 1 + _variation("variation", variation) ** 2


def cluster_effect(
    size: Probability,
    correlation: Probability,
    *,
    variation: Probability = 0,
    answering: Probability = 1,
) -> Fraction:
    """1 + d ((cv^2 + 1) m - 1) rho: how clusters multiply the sampling part of a variance.

    ``size`` m: the mean number of people of a cluster, from 1; ``variation``: its coefficient of
    variation; ``correlation``: the intraclass correlation of the true answers, in [0, 1);
    ``answering`` d: the chance, in (0, 1], with which each of them answers the question.
    Kish (1965); Eldridge, Ashby and Kerry (2006) for unequal sizes. Raises PlanError.

    >>> from randomized_response.planning import cluster_effect
    >>> cluster_effect(20, 0.05), cluster_effect(20, 0.05, variation=0.5)
    (Fraction(39, 20), Fraction(11, 5))
    """
    mean, alike = _exact("size", size), _exact("correlation", correlation)
    if not 1 <= mean <= LARGEST_CLUSTER:
        raise PlanError(
            "size", size, sentence("give an average number of people from 1 to 1,000,000")
        )
    if not 0 <= alike < 1:
        remedy = sentence("give an intraclass correlation from 0 to below 1")
        raise PlanError("correlation", correlation, remedy)
    chance = _exact("answering", answering)
    if not 0 < chance <= 1:
        raise PlanError("answering", answering, sentence("give a share above 0 and at most 1"))
    return 1 + chance * ((_variation("variation", variation) ** 2 + 1) * mean - 1) * alike


def _variation(argument: str, value: object) -> Fraction:
    variation = _exact(argument, value)
    if not 0 <= variation <= LARGEST_VARIATION:
        raise PlanError(argument, value, sentence("give a coefficient of variation from 0 to 10"))
    return variation


def _exact(argument: str, value: object) -> Fraction:
    """A number as a fraction; of a float it is the decimal that it prints as."""
    number = checked_number(argument, value, PlanError)
    return number if isinstance(number, Fraction) else Fraction(repr(number))


INDEPENDENT = DesignEffects()
