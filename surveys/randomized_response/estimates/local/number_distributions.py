"""NumberDistribution: how true numbers are spread, and their quantiles, from noisy reports.

The range of answers is cut into cells, and reports are counted between limits. The shares of the
cells are those that make the counts most likely, with the answers in the middle of their cells (Li,
Wang, Lopuhaa-Zwakenberg et al. 2020, "Estimating numerical distributions under local differential
privacy", who stop early or smooth; here the maximum itself is reached).

The interval of a quantile takes nothing for granted. With probability 1 - a the shares H of reports
up to each t are all within d = sqrt(ln(2 / a) / (2 n)) of their chances (Dvoretzky, Kiefer and
Wolfowitz 1956; Massart 1990). P(report <= t | x) falls as x grows. So shares f of the cells, with
ends e_j, can only be the true ones if

    sum f_j P(report <= t | e_(j+1)) <= H(t) + d,   sum f_j P(report <= t | e_j) >= H(t) - d

for every t. The largest and the smallest share up to an end of a cell under these conditions are
linear programs; a quantile cannot lie below an end whose largest share is less than its p.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ...checks import FloatArray, checked_between, checked_level, checked_number, require_kind
from ...designs.local.numbers import NumberProtocol
from ...errors import DesignError, EstimationError, ReportError
from ...intervals.intervals import Interval
from ...intervals.printed import people
from ...messages import sentence
from ...printing import report
from ...roots import last_number
from ..likelihood import maximise_mixture

MOST_CELLS = 200
METHOD = "dkw"
_NOTE = sentence(
    "The intervals are guaranteed for every distribution of numbers in the range. Each interval "
    "begins and ends at the border of a cell; all cells have equal width."
)
_QUARTILES = (0.25, 0.5, 0.75)
# Limits for each cell of answers: what is near an answer ends within a cell, not at its ends.
_LIMITS_A_CELL = 4
# Around a report with a probability of its own, of the largest report.
_AROUND = 1e-9
# Standard errors beyond which reports were not drawn as they should be.
_MOST_ERRORS = 6
# What a linear program may be off.
_TOLERANCE = 1e-7


@dataclass(frozen=True)
class NumberDistribution:
    """``shares`` (cells,) of the true numbers in cells of equal width, lowest first.

    ``limits`` and ``reported`` (limits,): where reports were counted, as t of the protocol, and the
    share of the n reports up to there.
    """

    protocol: NumberProtocol
    shares: FloatArray
    limits: FloatArray
    reported: FloatArray
    n: int

    def __str__(self) -> str:
        head = ("quantile", "estimate", "low 0.95", "high 0.95")
        intervals = [self.interval(p) for p in _QUARTILES]
        rows = [
            (f"{p:g}", self.quantile(p), interval.low, interval.high)
            for p, interval in zip(_QUARTILES, intervals, strict=True)
        ]
        return report(f"{self.protocol.label}{people(self.n)}", head, rows, [_NOTE])

    @property
    def edges(self) -> FloatArray:
        """Ends of the cells, ascending, (cells + 1,)."""
        return np.linspace(self.protocol.low, self.protocol.high, len(self.shares) + 1)

    def quantile(self, p: float) -> float:
        """The number below which a share p lies, evenly within its cell. Raises EstimationError."""
        level = _checked_share(p)
        below = np.concatenate([[0.0], np.cumsum(self.shares)])
        return float(np.interp(level, below / below[-1], self.edges))

    def interval(self, p: float, level: float = 0.95) -> Interval:
        """A guaranteed interval for a quantile of the population; one for all p together.

        Raises EstimationError where no answers make the reports probable.
        """
        share, confidence = _checked_share(p), checked_level(level)
        reach = math.sqrt(math.log(2 / (1 - confidence)) / (2 * self.n))
        edges, cells = self.edges, len(self.shares)
        # Both bounds grow with the end: the first one that is not below, and the first one reached.
        low = last_number(
            lambda end: end == 0 or self._bound(end, reach, -1.0) < share - _TOLERANCE, 0, cells
        )
        short = last_number(
            lambda end: end == 0 or self._bound(end, reach, 1.0) < share + _TOLERANCE, 0, cells
        )
        return Interval(float(edges[low]), float(edges[short + 1]), confidence, METHOD, _NOTE)

    @cached_property
    def _bounds(self) -> dict[tuple[int, float, float], float]:
        """Bounds that were computed before."""
        return {}

    def _bound(self, cells: int, reach: float, sign: float) -> float:
        """The least share in so many cells from the lowest, for the sign 1; else the largest."""
        if (cells, reach, sign) not in self._bounds:
            self._bounds[cells, reach, sign] = self._solved(cells, reach, sign)
        return self._bounds[cells, reach, sign]

    def _solved(self, cells: int, reach: float, sign: float) -> float:
        from scipy.optimize import linprog

        at_ends = self._at_ends
        result = linprog(
            sign * (np.arange(len(self.shares)) < cells),
            A_ub=np.vstack([at_ends[:, 1:], -at_ends[:, :-1]]),
            b_ub=np.concatenate([self.reported + reach, reach - self.reported]),
            A_eq=np.ones((1, len(self.shares))),
            b_eq=[1.0],
            method="highs",
        )
        if not result.success:
            remedy = "no answers make them probable: check the range and the epsilon of the reports"
            raise EstimationError("reports", f"{self.n} reports", remedy)
        return sign * float(result.fun or 0.0)

    @cached_property
    def _at_ends(self) -> FloatArray:
        """P(report <= limit | end of a cell), (limits, cells + 1)."""
        v = np.linspace(-1.0, 1.0, len(self.shares) + 1)
        return self.protocol.cumulated(self.limits[:, None], v[None, :])


def estimate_number_distribution(
    protocol: NumberProtocol, reports: ArrayLike, cells: int = 40
) -> NumberDistribution:
    """The most likely shares of 2 to 200 equal cells of the range, from reports of shape (n,).

    Biased, as every estimate on the simplex; the more, the more cells there are. Raises
    DesignError, ReportError, and EstimationError for ``TwoPoint``, whose reports say nothing of it.

    >>> import numpy as np
    >>> from randomized_response.designs import Piecewise
    >>> from randomized_response.estimates import estimate_number_distribution
    >>> protocol, rng = Piecewise.from_epsilon(0, 100, 3.0), np.random.default_rng(1)
    >>> ages = np.repeat([20, 30, 40, 80], 500)
    >>> found = estimate_number_distribution(protocol, protocol.draw(ages, rng), cells=20)
    >>> print(found)  # doctest: +ELLIPSIS
    Piecewise (0 to 100, epsilon 3), n = 2000
    quantile  estimate  low 0.95  high 0.95
    0.25       25.1365        15         40
    0.5        35.4755        20         50
    0.75       75.2204        35         85
    The intervals are guaranteed for every distribution of numbers in the range. Each interval ...
    """
    remedy = "give a protocol for numbers, such as Piecewise or Hybrid"
    require_kind("protocol", protocol, NumberProtocol, remedy, DesignError)
    if 1 + protocol.moments[0] <= 0:
        remedy = "its reports say nothing but means: use Piecewise, or Hybrid with some of it"
        raise EstimationError("protocol", protocol.label, remedy)
    remedy = f"give 2 to {MOST_CELLS} cells"
    count = checked_between("cells", cells, 2, MOST_CELLS, remedy, EstimationError)
    t = protocol.standard(protocol.checked_reports(reports))
    limits = _limits(protocol, count)
    counts = np.histogram(t, np.concatenate([[-np.inf], limits, [np.inf]]))[0]
    _check_atoms(protocol, t)
    middles = (np.arange(count) + 0.5) * 2 / count - 1
    up_to = protocol.cumulated(limits[:, None], middles[None, :])
    chances = np.diff(up_to, axis=0, prepend=0.0, append=1.0)
    came = counts > 0
    shares = maximise_mixture(chances[came], counts[came] / len(t))
    return NumberDistribution(protocol, shares, limits, np.cumsum(counts)[:-1] / len(t), len(t))


def _limits(protocol: NumberProtocol, cells: int) -> FloatArray:
    """Evenly over the reports, and on both sides of those with a probability of their own."""
    reach = float(protocol.reach)
    even = np.linspace(-reach, reach, _LIMITS_A_CELL * cells + 1)[1:-1]
    atoms = np.array([float(t) for t in protocol.atoms])
    return np.unique(np.concatenate([even, *(atoms + side * _AROUND * reach for side in (-1, 1))]))


def _check_atoms(protocol: NumberProtocol, t: FloatArray) -> None:
    """Refuse reports that were rounded, by how many are one of the two points of ``TwoPoint``."""
    share = 1 - float(getattr(protocol, "p_piecewise", 1.0))
    near = sum(np.abs(t - float(atom)) < _AROUND * float(protocol.reach) for atom in protocol.atoms)
    came, n = int(np.sum(near)), len(t)
    if abs(came - n * share) > _MOST_ERRORS * math.sqrt(n * share * (1 - share)) + 1:
        remedy = f"about {n * share:.0f} are one of two numbers: give reports that were not rounded"
        raise ReportError("reports", f"{came} of {n} at two numbers", remedy)


def _checked_share(p: float) -> float:
    number = float(checked_number("p", p, EstimationError))
    if not 0 < number < 1:
        raise EstimationError("p", p, "give a share between 0 and 1, such as 0.5 for the median")
    return number
