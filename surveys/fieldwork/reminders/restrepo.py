"""Restrepo's continuous law of the silent duel: intervals, densities and masses at the end.

Each send has an interval of its own; on it the density is a constant times Q' / (Q^2 P), thinned by
1 - Q(b) for each start b of the rival's intervals that lies ahead. One sender may keep a mass for
the deadline, so that both first intervals start together. Found backwards from the deadline: the
last constant is (1 + mass) / (2 + integral of P f*), and h_i = h_{i+1} / (1 + h_{i+1} integral of
P f*), which is h_i = (1 - D_i) h_{i+1}. Source: Restrepo (1957), Tactical problems involving
several actions; the tutorial of Kun (2020).
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from surveys.fieldwork.reminders.curves import Curve, FloatArray
from surveys.fieldwork.reminders.errors import ReminderError
from surveys.randomized_response.roots import find_root

# Nodes of a Gauss-Legendre rule on the logarithm of time: densities are powers of it, nearly.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)
EARLIEST = 1e-9
XTOL = 1e-14
MOST_SENDS = 20


@dataclass(frozen=True, eq=False)
class Piece:
    """Where a density is ``constant`` * Q'(t) / (Q(t)^2 P(t)): from ``low`` to ``high``."""

    low: float
    high: float
    constant: float


@dataclass(frozen=True, eq=False)
class Action:
    """One send: when it may happen, with a law of pieces, and a mass at the deadline."""

    own: Curve
    other: Curve
    pieces: tuple[Piece, ...]
    mass: float = 0.0

    @property
    def start(self) -> float:
        """The first moment at which it may happen."""
        return self.pieces[0].low

    @property
    def end(self) -> float:
        """The last one."""
        return self.pieces[-1].high

    def density(self, times: FloatArray) -> FloatArray:
        """The density at times, without the mass at the deadline."""
        slopes = self.other.slope(times) / (self.other.value(times) ** 2 * self.own.value(times))
        constants = np.zeros_like(times)
        for piece in self.pieces:
            constants[(piece.low <= times) & (times <= piece.high)] = piece.constant
        density: FloatArray = constants * slopes
        return density

    def before(self, time: float) -> float:
        """The chance that it happens before a time."""
        parts = (self._part(piece, min(time, piece.high)) for piece in self.pieces)
        return float(sum(parts))

    def success_before(self, time: float) -> float:
        """The chance that it happens before a time and succeeds."""
        return sum(
            piece.constant * _reward(self.other, piece.low, min(time, piece.high))
            for piece in self.pieces
            if time > piece.low
        )

    @cached_property
    def success(self) -> float:
        """The chance that it succeeds at all; at the deadline it is sure to."""
        return self.success_before(self.end) + self.mass

    def quantile(self, uniform: float) -> float:
        """The time at which the law has reached a share in [0, 1]: a draw from a uniform number."""
        if not 0 <= uniform <= 1:
            raise ReminderError("uniform", uniform, "give a number from 0 to 1")
        if uniform >= self.before(self.end):
            return self.end
        return find_root(lambda time: self.before(time) - uniform, self.start, self.end, xtol=XTOL)

    def _part(self, piece: Piece, high: float) -> float:
        if high <= piece.low:
            return 0.0
        return piece.constant * _density_integral(self.own, self.other, piece.low, high)


@dataclass(frozen=True, eq=False)
class ContinuousLaw:
    """One sender's law: an action a send, in their order, and ``constants`` h_1 to h_n."""

    actions: tuple[Action, ...]
    constants: tuple[float, ...]

    @property
    def times(self) -> tuple[float, ...]:
        """The starts of all intervals, and the deadline, 1."""
        return (*(action.start for action in self.actions), 1.0)

    @property
    def mass(self) -> float:
        """The chance that the last send waits for the deadline."""
        return self.actions[-1].mass

    def survival(self, time: float) -> float:
        """The chance that no send before a time succeeded."""
        survival = 1.0
        for action in self.actions:
            survival *= 1 - action.success_before(time)
        return survival

    @property
    def deadline_success(self) -> float:
        """The chance that the first success comes at the deadline, where it is sure."""
        earlier = np.prod([1 - action.success for action in self.actions[:-1]])
        return float(earlier) * self.mass

    def draw(self, rng: np.random.Generator) -> tuple[float, ...]:
        """One schedule: a time in [0, 1] for each send, ascending."""
        return tuple(
            action.quantile(uniform)
            for action, uniform in zip(self.actions, rng.random(len(self.actions)), strict=True)
        )


@dataclass(frozen=True, eq=False)
class ContinuousDuel:
    """Both laws and the value of the game to us."""

    ours: ContinuousLaw
    rivals: ContinuousLaw
    value: float


def solve_continuous(p: Curve, q: Curve, n: int, m: int) -> ContinuousDuel:
    """Return Restrepo's optimal laws for n sends of ours against m of a rival's.

    Raises ReminderError.
    """
    for name, sends in (("n", n), ("m", m)):
        if not 1 <= sends <= MOST_SENDS:
            raise ReminderError(name, sends, f"give 1 to {MOST_SENDS} sends")
    gap = _Backward(p, q, n, m, 0.0).gap
    if abs(gap) < 1e-13:
        mass = 0.0
    else:
        # The larger mass a sender keeps, the later their first interval starts.
        sign = -1.0 if gap > 0 else 1.0
        mass = sign * find_root(
            lambda share: _Backward(p, q, n, m, sign * share).gap, 0.0, 1 - 1e-9, xtol=XTOL
        )
    solved = _Backward(p, q, n, m, mass)
    ours, rivals = solved.laws
    return ContinuousDuel(ours, rivals, _value(ours, rivals, q))


def _value(ours: ContinuousLaw, rivals: ContinuousLaw, q: Curve) -> float:
    """The margin if the rival sends at the starts of their intervals, a reply as good as any."""
    starts = [action.start for action in rivals.actions]
    value, rival_survival = 0.0, 1.0
    for start, following in pairwise([*starts, 1.0]):
        now = ours.survival(start)
        chance = float(q.value(np.array([start]))[0])
        value -= rival_survival * chance * now
        rival_survival *= 1 - chance
        value += rival_survival * (now - ours.survival(following))
    return value + rival_survival * ours.deadline_success


class _Side:
    """One sender while the laws are found backwards: the pieces of the interval that is open."""

    def __init__(self, own: Curve, other: Curve, sends: int, mass: float) -> None:
        self.own, self.other, self.left, self.mass = own, other, sends, mass
        self.next_constant: float | None = None
        self.high = 1.0
        self.thinning = 1.0
        self.total = self.reward = 0.0
        self.parts: list[tuple[float, float, float]] = []
        self.actions: list[Action] = []
        self.constants: list[float] = []

    def constant(self, reward: float) -> float:
        """h of the open interval if the integral of P f* over it is ``reward``."""
        if self.next_constant is None:
            return (1 + self.mass) / (2 + reward)
        return self.next_constant / (1 + self.next_constant * reward)

    def excess(self, low: float) -> float:
        """How much more than its share the interval would hold if it started at ``low``."""
        total, reward = self._integrals(low)
        mass = self.mass if self.next_constant is None else 0.0
        return self.constant(reward) * total - (1 - mass)

    def start(self) -> float:
        """Where the open interval starts if the rival starts none before."""
        return find_root(self.excess, EARLIEST, self.high, xtol=XTOL)

    def close(self, low: float) -> None:
        """The interval starts here: the send is planned."""
        self.move(low)
        constant = self.constant(self.reward)
        pieces = tuple(Piece(a, b, constant * thinning) for a, b, thinning in self.parts[::-1])
        mass = self.mass if self.next_constant is None else 0.0
        self.actions.insert(0, Action(self.own, self.other, pieces, mass))
        self.constants.insert(0, constant)
        self.next_constant = constant
        self.total, self.reward, self.parts = 0.0, 0.0, []
        self.left -= 1

    def move(self, low: float) -> None:
        """The interval goes on below ``low``, perhaps thinner."""
        self.total, self.reward = self._integrals(low)
        if low < self.high:
            self.parts.append((low, self.high, self.thinning))
        self.high = low

    def _integrals(self, low: float) -> tuple[float, float]:
        total = _density_integral(self.own, self.other, low, self.high)
        reward = _reward(self.other, low, self.high)
        return self.total + self.thinning * total, self.reward + self.thinning * reward


class _Backward:
    """Both laws for a mass of ours (above 0) or of the rival's (below): ``gap`` is a_1 - b_1."""

    def __init__(self, p: Curve, q: Curve, n: int, m: int, mass: float) -> None:
        ours = _Side(p, q, n, max(mass, 0.0))
        rivals = _Side(q, p, m, max(-mass, 0.0))
        while ours.left or rivals.left:
            _step(ours, rivals)
        self.laws = tuple(
            ContinuousLaw(tuple(side.actions), tuple(side.constants)) for side in (ours, rivals)
        )
        self.gap = ours.actions[0].start - rivals.actions[0].start


def _step(ours: _Side, rivals: _Side) -> None:
    """The later of both next starts is real; from there the other's density is thinner."""
    starts = [side.start() if side.left else 0.0 for side in (ours, rivals)]
    if abs(starts[0] - starts[1]) < 1e-12:
        for side in (ours, rivals):
            side.close(starts[0])
        _thin(ours, rivals, starts[0])
        _thin(rivals, ours, starts[0])
        return
    first, second = (ours, rivals) if starts[0] > starts[1] else (rivals, ours)
    first.close(max(starts))
    if second.left:
        second.move(max(starts))
    _thin(second, first, max(starts))


def _thin(side: _Side, other: _Side, time: float) -> None:
    side.thinning *= 1 - float(other.own.value(np.array([time]))[0])


def _reward(other: Curve, low: float, high: float) -> float:
    """The integral of P f* = Q' / Q^2, which is 1 / Q(low) - 1 / Q(high)."""
    ends = other.value(np.array([low, high]))
    return float(1 / ends[0] - 1 / ends[1])


def _density_integral(own: Curve, other: Curve, low: float, high: float) -> float:
    """The integral of f* = Q' / (Q^2 P), on as many stretches as keep the rule exact."""
    logs = np.linspace(np.log(low), np.log(high), 2 + int(np.log(high / low)))
    middles, halves = (logs[1:] + logs[:-1]) / 2, np.diff(logs) / 2
    times = np.exp(middles[:, None] + halves[:, None] * _NODES)
    values = other.slope(times) / (other.value(times) ** 2 * own.value(times)) * times
    return float((values @ _WEIGHTS) @ halves)
