"""HeavyHitters: which of very many items more people have than a stated share.

Prefixes are extended from one length to the next: of each length the ones that most reports support
are kept, which decides how many items are looked at and promises nothing. The promise is made by
the people who drew the whole length. They are others than those who chose the candidates, so that a
candidate of the share f has a count of their n reports that is binomial with q + f (p - q), however
it was chosen. With m candidates, one is called if its count is at least the smallest t with

    P(Binomial(n, q + least (p - q)) >= t) <= rate / m,

and so some called item has at most the share ``least`` with at most the probability ``rate``
(Bonferroni). Source: Wang, Li and Jha (2019), PEM, which calls the largest estimates instead.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from ...checks import (
    FloatArray,
    checked_between,
    checked_index,
    checked_level,
    checked_probability,
    require_kind,
)
from ...designs.local.prefixes import PrefixHashing
from ...designs.local.protocol import Array, Support
from ...errors import CountsError, DesignError, EstimationError
from ...intervals.intervals import Interval, clopper_pearson
from ...intervals.printed import estimates_report, people
from ...messages import sentence

MOST_KEPT = 2**16
MOST_CANDIDATES = 2**22
_NOTE = sentence("The intervals are valid jointly for all candidates that were checked.")


@dataclass(frozen=True)
class HeavyHitters:
    """``items`` that were called, the largest estimate first, with their support counts.

    ``n``: people who reported whole items; ``candidates``: how many items they were asked of;
    ``called_from``: the smallest estimated share that is called.
    """

    items: tuple[int, ...]
    counts: tuple[int, ...]
    support: Support
    n: int
    candidates: int
    called_from: float

    def __str__(self) -> str:
        title = f"Called from {self.called_from:.6g} on{people(self.n)}"
        rows = [
            (str(item), share, None, self.interval(number))
            for number, (item, share) in enumerate(zip(self.items, self.shares, strict=True))
        ]
        return estimates_report(title, "item", rows, [_NOTE])

    @property
    def shares(self) -> FloatArray:
        """Estimated shares of the called items; the largest of many are too large on average."""
        q, slope = float(self.support.if_other), float(self.support.slope)
        return np.asarray((np.array(self.counts, dtype=float) / self.n - q) / slope)

    def interval(self, number: int, level: float = 0.95) -> Interval:
        """For the share of the called item of that number; for all candidates together.

        Clopper and Pearson's, Bonferroni over the candidates: it holds although the item was called
        for its count. Raises EstimationError.
        """
        index, confidence = checked_index("number", number, len(self.items)), checked_level(level)
        each = 1 - (1 - confidence) / self.candidates
        slope = float(self.support.slope)
        interval = clopper_pearson(self.counts[index], self.n, each)
        mapped = interval.mapped(-float(self.support.if_other) / slope, 1 / slope)
        return Interval(mapped.low, mapped.high, confidence, mapped.method)


def find_heavy_hitters(
    protocol: PrefixHashing,
    reports: Array,
    *,
    least: float = 0.0,
    rate: float = 0.05,
    kept: int = 256,
) -> HeavyHitters:
    """Items that more people have than the share ``least``, but for a chance of at most ``rate``.

    ``reports`` of ``protocol.draw``; ``kept``: prefixes of each length that are extended. Assumes
    people who are a sample of one population, or ``least`` 0. An item may be missed: its prefixes
    have to be among those kept, and its count above the limit. Raises DesignError, ReportError,
    CountsError where no one reported a length, EstimationError.

    >>> import numpy as np
    >>> from randomized_response.designs import PrefixHashing
    >>> from randomized_response.estimates import find_heavy_hitters
    >>> protocol, rng = PrefixHashing.from_epsilon(24, 3.0), np.random.default_rng(1)
    >>> common, rare = np.repeat([9_000_000, 123_456], 1000), rng.integers(0, 2**24, 2000)
    >>> reports = protocol.draw(np.concatenate([common, rare]), rng)
    >>> print(find_heavy_hitters(protocol, reports, kept=16))
    Called from 0.0657013 on, n = 788
    item     estimate  std. error  low 0.95  high 0.95           method
    123456   0.297988           –   0.19248   0.420706  clopper-pearson
    9000000   0.25321           –  0.153354    0.37139  clopper-pearson
    The intervals are valid jointly for all candidates that were checked.
    """
    require_kind("protocol", protocol, PrefixHashing, "give a PrefixHashing", DesignError)
    share = float(checked_probability("least", least))
    chance = 1 - checked_level(1 - float(checked_probability("rate", rate)))
    remedy = f"keep 1 to {MOST_KEPT} prefixes"
    most = checked_between("kept", kept, 1, MOST_KEPT, remedy, EstimationError)
    candidates: NDArray[np.int64] = np.zeros(1, dtype=np.int64)
    before, n, counts = 0, 0, np.zeros(1, dtype=np.int64)
    for number, length in enumerate(protocol.lengths):
        best = np.sort(np.argsort(-counts, kind="stable")[:most])
        candidates = _extended(candidates[best], length - before)
        n, counts = protocol.counted(reports, number, candidates)
        if n == 0:
            remedy = "there is none of this length: more people are needed"
            raise CountsError(f"reports of {length} digits", 0, remedy)
        before = length
    limit = _limit(protocol.support, n, share, chance / len(candidates))
    called = np.flatnonzero(counts >= limit)
    called = called[np.argsort(-counts[called], kind="stable")]
    q, slope = float(protocol.support.if_other), float(protocol.support.slope)
    return HeavyHitters(
        tuple(candidates[called].tolist()),
        tuple(counts[called].tolist()),
        protocol.support,
        n,
        len(candidates),
        (limit / n - q) / slope,
    )


def _extended(prefixes: NDArray[np.int64], digits: int) -> NDArray[np.int64]:
    """All prefixes with so many digits more, ascending."""
    if len(prefixes) << digits > MOST_CANDIDATES:
        remedy = f"{digits} digits more are over {MOST_CANDIDATES} candidates: keep fewer prefixes"
        raise EstimationError("kept", len(prefixes), remedy)
    tails = np.arange(1 << digits, dtype=np.int64)
    return np.asarray(((prefixes[:, None] << digits) + tails).ravel())


def _limit(support: Support, n: int, least: float, chance: float) -> int:
    """The smallest count that an item of the share ``least`` reaches at most that often."""
    p = float(support.if_other) + least * float(support.slope)
    counts = np.arange(n + 2)
    # P(count >= t) is the regularised incomplete beta function; of n + 1 it is 0.
    tails = np.append(scipy.special.bdtrc(counts[:-1] - 1.0, n, p), 0.0)
    tails[0] = 1.0
    return int(np.argmax(tails <= chance))
