"""More yes/no devices: Devore, Mangat-Singh, Christofides, Singh-Joarder; some answered twice.

Level 0 is no and 1 is yes. Two devices of that literature are other designs of this package under
another name, with the same probabilities: ``Horvitz`` and ``SoberanisCruz`` are the unrelated
question with a known share of yes.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..checks import FloatArray, Probability, checked_probabilities, store_probabilities
from ..columns import checked_levels
from ..errors import CountsError, DesignError
from ..labels import index_of
from .binary import SMALLEST_SLOPE, UnrelatedQuestion
from .channel import Channel
from .design import Design
from .transform import TransformedReports, transform_by_table

# Horvitz, Shah and Simmons (1967); Soberanis-Cruz, Ramirez-Valverde, Perez-Elizalde and
# Gonzalez-Cossio (2008) draw an innocuous card with known probability: the same a and b.
Horvitz = UnrelatedQuestion
SoberanisCruz = UnrelatedQuestion


class _Device(Design):
    """A yes/no device that is stated by its two probabilities of a reported yes."""

    @property
    @abstractmethod
    def _yes(self) -> tuple[Probability, Probability]:
        """P(yes | carrier), P(yes | not)."""

    @cached_property
    def channel(self) -> Channel:
        if_true, if_false = self._yes
        return Channel.binary(yes_if_true=if_true, yes_if_false=if_false)

    def _check(self, remedy: str, *names: str) -> None:
        store_probabilities(self, *names)
        if_true, if_false = self._yes
        if abs(float(if_true - if_false)) < SMALLEST_SLOPE:
            raise DesignError(self.name, self.label, f"a report says nothing: {remedy}")


@dataclass(frozen=True)
class Devore(_Device):
    """The sensitive question with probability ``p_sensitive``, else one that all answer yes.

    a = p, b = 1 - p: the unrelated question with q = 1. A no proves that the person is no carrier:
    epsilon is infinite. Raises DesignError. Source: Devore (1977).
    """

    name: ClassVar[str] = "Devore"
    p_sensitive: Probability

    def __post_init__(self) -> None:
        self._check("ask the sensitive question sometimes, e.g. 0.7", "p_sensitive")

    @property
    def _yes(self) -> tuple[Probability, Probability]:
        return Fraction(1), 1 - self.p_sensitive


@dataclass(frozen=True)
class MangatSingh(_Device):
    """With probability ``p_truth_first`` the truth, otherwise Warner's device with ``p_direct``.

    a = t + (1 - t)(2p - 1), b = (1 - t)(1 - p). Raises DesignError. Source: Mangat and Singh
    (1990).
    """

    name: ClassVar[str] = "Mangat-Singh"
    p_truth_first: Probability
    p_direct: Probability

    def __post_init__(self) -> None:
        self._check("use probabilities further apart", "p_truth_first", "p_direct")

    @property
    def _yes(self) -> tuple[Probability, Probability]:
        truth, direct = self.p_truth_first, self.p_direct
        return truth + (1 - truth) * direct, (1 - truth) * (1 - direct)


@dataclass(frozen=True)
class MangatSinghSingh(_Device):
    """Carriers say yes; others answer an unrelated question with probability 1 - ``p_sensitive``.

    ``q_other_yes``: known share of yes to the unrelated question. b = (1 - p) q, a = 1 - b. A no
    proves that the person is no carrier: epsilon is infinite. Raises DesignError. Source: Mangat,
    Singh and Singh (1992).
    """

    name: ClassVar[str] = "Mangat-Singh-Singh"
    p_sensitive: Probability
    q_other_yes: Probability

    def __post_init__(self) -> None:
        self._check("use a smaller q or a larger p", "p_sensitive", "q_other_yes")

    @property
    def _yes(self) -> tuple[Probability, Probability]:
        return Fraction(1), (1 - self.p_sensitive) * self.q_other_yes


@dataclass(frozen=True)
class SinghJoarder(_Device):
    """Warner's device, which a carrier who has to say no uses once more.

    P(yes | carrier) = 1 - (1 - p)^2 and P(yes | not) = 1 - p, so a = p (1 - p) - (1 - 2 p), which
    is 0 at p = (3 - sqrt 5)/2 = 0.382. Raises DesignError. Source: Singh and Joarder (1997).
    """

    name: ClassVar[str] = "Singh-Joarder"
    p_direct: Probability

    def __post_init__(self) -> None:
        self._check("keep away from 0.382, e.g. 0.6", "p_direct")

    @property
    def _yes(self) -> tuple[Probability, Probability]:
        other = 1 - self.p_direct
        return 1 - other * other, other


@dataclass(frozen=True)
class MangatTwoStageUnrelated(_Device):
    """With probability ``p_truth_first`` the truth, otherwise an unrelated-question device.

    a = t + (1 - t) p, b = (1 - t)(1 - p) q. Raises DesignError. Source: Mangat (1992).
    """

    name: ClassVar[str] = "Mangat two-stage unrelated question"
    p_truth_first: Probability
    p_sensitive: Probability
    q_other_yes: Probability

    def __post_init__(self) -> None:
        names = ("p_truth_first", "p_sensitive", "q_other_yes")
        self._check("ask the sensitive question sometimes", *names)

    @property
    def _yes(self) -> tuple[Probability, Probability]:
        again = 1 - self.p_truth_first
        other = again * (1 - self.p_sensitive) * self.q_other_yes
        return self.p_truth_first + again * self.p_sensitive + other, other


@dataclass(frozen=True)
class Christofides(Design):
    """Draw one of m numbered cards; carriers report m + 1 - card, all others the card.

    ``p_cards``: share of cards 1..m. Level i is the reported number i + 1. With mean mu of a card,
    E(report) = mu + y (m + 1 - 2 mu), so r = (report - mu)/(m + 1 - 2 mu), and Var(r) is that of a
    card over (m + 1 - 2 mu)^2 for all people. The deck must not have mean (m + 1)/2. Raises
    DesignError. Source: Christofides (2003).
    """

    name: ClassVar[str] = "Christofides"
    p_cards: tuple[Probability, ...]

    def __post_init__(self) -> None:
        deck = checked_probabilities("p_cards", self.p_cards, "give one share per card number")
        if len(deck) < 2:
            raise DesignError("p_cards", len(deck), "give at least two numbered cards")
        object.__setattr__(self, "p_cards", deck)
        _ = self.channel
        slope = self._slope
        if abs(float(slope)) < SMALLEST_SLOPE:
            remedy = "at a mean card of (m + 1)/2 a report says nothing: make low cards rarer"
            raise DesignError("p_cards", [str(p) for p in self.p_cards], remedy)

    @cached_property
    def channel(self) -> Channel:
        """Shape (m, 2); made at once, so that a deck whose shares do not sum to 1 is refused."""
        return Channel(tuple(zip(self.p_cards, reversed(self.p_cards), strict=True)))

    @cached_property
    def scores(self) -> FloatArray:
        """Shape (2, m): linear in the reported number."""
        mean, slope = self._mean, self._slope
        yes = [float((card - mean) / slope) for card in range(1, len(self.p_cards) + 1)]
        return np.array([[1 - r for r in yes], yes])

    @property
    def _mean(self) -> Probability:
        return sum((card * p for card, p in enumerate(self.p_cards, start=1)), Fraction(0))

    @property
    def _slope(self) -> Probability:
        return len(self.p_cards) + 1 - 2 * self._mean


class AnsweredTwice(ABC):
    """Every person answers two devices; the share of the other trait need not be known.

    Reports have shape (n, 2): first and second answer, each 0 or 1. With P(answer j = 1) =
    (1 - B_j) y + B_j x for the true y and the other trait x, r = (B_2 I - B_1 J)/(B_2 - B_1) is
    free of x and unbiased for y. As y^2 = y, r (r - 1) is unbiased for Var(r | y, x), for every x
    and every relation between the two answers. Answers that differ prove y != x: no finite epsilon.
    """

    name: ClassVar[str]
    p_sensitive_1: Probability
    p_sensitive_2: Probability

    def __post_init__(self) -> None:
        store_probabilities(self, *(field.name for field in fields(self)))  # type: ignore[arg-type]
        difference = self.p_sensitive_1 - self.p_sensitive_2
        if abs(float(difference)) < SMALLEST_SLOPE:
            remedy = "two devices alike say nothing of the other trait: use e.g. 0.7 and 0.3"
            raise DesignError("p_sensitive_1 - p_sensitive_2", difference, remedy)

    def transform(self, reports: ArrayLike) -> TransformedReports:
        """``reports``: 0 or 1, shape (n, 2). Raises CountsError."""
        pairs = np.asarray(reports)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise CountsError("reports", pairs.shape, "give two answers per person, shape (n, 2)")
        first, second = (checked_levels(f"reports[:, {j}]", pairs[:, j], 2) for j in (0, 1))
        # B_1 and B_2 up to a common factor, which cancels.
        b1, b2 = 1 - self.p_sensitive_1, 1 - self.p_sensitive_2
        table = [(b2 * i - b1 * j) / (b2 - b1) for i in (0, 1) for j in (0, 1)]
        return transform_by_table(table, 2 * first + second, index=index_of(reports))


@dataclass(frozen=True)
class HorvitzTwice(AnsweredTwice):
    """Two unrelated-question devices, unequally often the sensitive one.

    B = 1 - p. The channel of the pair is ``UnrelatedQuestionTwice``. Raises DesignError. Source:
    Chaudhuri (2011), chapter 3, after Greenberg et al. (1969).
    """

    name: ClassVar[str] = "Horvitz, answered twice"
    p_sensitive_1: Probability
    p_sensitive_2: Probability


@dataclass(frozen=True)
class MangatSinghSinghTwice(HorvitzTwice):
    """Carriers say yes twice; others answer two unrelated-question devices.

    P(answer j = 1 | y = 0) = (1 - p_j) x and 1 for y = 1, so the same r is unbiased: it is 1 for
    (yes, yes). Raises DesignError. Source: Mangat, Singh and Singh (1992), share of the other
    trait unknown as in Chaudhuri (2011).
    """

    name: ClassVar[str] = "Mangat-Singh-Singh, answered twice"


@dataclass(frozen=True)
class MangatTwoStageTwice(AnsweredTwice):
    """The truth with probability ``p_truth_first``, else one of two unrelated-question devices.

    B_j = (1 - t)(1 - p_j); the factor 1 - t cancels, so r does not depend on t. Raises DesignError.
    Source: Mangat (1992), share of the other trait unknown as in Chaudhuri (2011).
    """

    name: ClassVar[str] = "Mangat two-stage unrelated question, answered twice"
    p_truth_first: Probability
    p_sensitive_1: Probability
    p_sensitive_2: Probability
