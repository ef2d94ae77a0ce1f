"""The silent duel in slots: payoffs, best replies, optimal randomized schedules.

Two senders have n and m sends until the deadline. A send in slot t succeeds with chance P[t] or
Q[t]; the first success wins 1, two in one slot are a draw, and neither sees the other's sends. So a
sender can only know the other's *survival*, the chance that none of their sends succeeded yet, and
the game is a linear program over the flow of survival through (slot, sends left), of a size that
grows with slots times sends. Source: Restrepo (1957) for the game; Koller, Megiddo and von Stengel
(1996) for the program of flows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from surveys.fieldwork.reminders.curves import FloatArray, checked_curve, checked_sends
from surveys.fieldwork.reminders.errors import ReminderError

# SciPy's annotations of sparse products do not name their shapes.
Matrix = Any

# Survival below this is rounding: no later send can change anything.
NEVER = 1e-12


@dataclass(frozen=True, eq=False)
class Law:
    """A randomized schedule: ``chances[t, k]`` of sending in slot t with k sends left.

    Shape (slots, sends + 1). Equivalent to a law over schedules, without listing them.
    """

    chances: FloatArray

    @property
    def slots(self) -> int:
        """The number of slots."""
        return len(self.chances)

    @property
    def sends(self) -> int:
        """The most sends of a schedule."""
        return int(self.chances.shape[1]) - 1

    def draw(self, rng: np.random.Generator) -> tuple[int, ...]:
        """One schedule: slots from 0, ascending."""
        left, schedule = self.sends, []
        for slot, uniform in enumerate(rng.random(self.slots)):
            if left and uniform < self.chances[slot, left]:
                schedule.append(slot)
                left -= 1
        return tuple(schedule)

    def sending(self) -> FloatArray:
        """The chance of a send in each slot, shape (slots,): what a picture shows."""
        left = np.eye(self.sends + 1)[-1]
        sending = np.empty(self.slots)
        for slot, chances in enumerate(self.chances):
            moved = left * chances
            sending[slot] = moved.sum()
            left = left - moved + np.append(moved[1:], 0.0)
        return sending

    def survival(self, success: FloatArray) -> FloatArray:
        """The chance that no send succeeded before each slot, and in all: shape (slots + 1,)."""
        mass = np.eye(self.sends + 1)[-1]
        survival = np.ones(self.slots + 1)
        for slot, (chances, chance) in enumerate(zip(self.chances, success, strict=True)):
            moved = mass * chances
            mass = mass - moved + np.append(moved[1:], 0.0) * (1 - chance)
            survival[slot + 1] = mass.sum()
        return survival


@dataclass(frozen=True, eq=False)
class Duel:
    """The solved game: ``value`` to us, both laws, and how much each could gain against them.

    Our law guarantees ``guarantee`` against any reply: value less our exploitability.
    """

    value: float
    ours: Law
    rivals: Law
    guarantee: float
    exploitability: float


def margin(ours: FloatArray, rivals: FloatArray) -> float:
    """Return P(we are first) - P(the rival is) from both survivals, shape (slots + 1,)."""
    return float(-np.diff(ours) @ rivals[1:] + np.diff(rivals) @ ours[1:])


def fixed_law(schedule: Sequence[int], slots: int) -> Law:
    """Return the law of one schedule: slots from 0, each at most once. Raises ReminderError."""
    times = sorted(schedule)
    is_inside = all(0 <= slot < slots for slot in times)
    if not is_inside or any(a == b for a, b in pairwise(times)):
        remedy = f"give slots from 0 to {slots - 1}, each at most once"
        raise ReminderError("schedule", list(schedule), remedy)
    chances = np.zeros((slots, len(times) + 1))
    for number, slot in enumerate(times):
        chances[slot, len(times) - number] = 1.0
    return Law(chances)


def best_reply(rivals: FloatArray, success: ArrayLike, sends: int) -> tuple[float, tuple[int, ...]]:
    """Return the largest margin against a rival's survival, and a schedule that reaches it.

    By dynamic programming over (slot, sends left), per unit of our own survival: silent sends tell
    the rival nothing, so that only their survival counts. Ties send later. Raises ReminderError.
    """
    chances = checked_curve("P", success)
    slots = len(chances)
    lost, after = -np.diff(rivals), rivals[1:]
    worth = np.zeros((slots + 1, sends + 1))
    is_sent = np.zeros((slots, sends + 1), dtype=bool)
    for slot in range(slots - 1, -1, -1):
        wait = worth[slot + 1] - lost[slot]
        chance = chances[slot]
        send = chance * after[slot] + (1 - chance) * wait[:-1]
        is_sent[slot, 1:] = send > wait[1:]
        worth[slot] = wait
        worth[slot, 1:] = np.maximum(send, wait[1:])
    left, schedule = sends, []
    for slot in range(slots):
        if is_sent[slot, left]:
            schedule.append(slot)
            left -= 1
    return float(worth[0, sends]), tuple(schedule)


def worst_case(
    schedule: Sequence[int], p: ArrayLike, q: ArrayLike, rival_sends: int
) -> tuple[float, tuple[int, ...]]:
    """Return the margin of a fixed schedule against the best reply, and that reply."""
    survival = fixed_law(schedule, np.size(p)).survival(checked_curve("P", p))
    gained, reply = best_reply(survival, q, rival_sends)
    return -gained, reply


def solve_slots(p: ArrayLike, q: ArrayLike, n: int, m: int) -> Duel:
    """Return the optimal randomized schedules of both senders. Raises ReminderError.

    ``p`` and ``q`` are success chances for each slot, never falling; n and m at most the slots.
    Fewer sends than allowed are schedules too.
    """
    ours, rivals = checked_curve("P", p), checked_curve("Q", q)
    if len(ours) != len(rivals):
        raise ReminderError("Q", len(rivals), f"give {len(ours)} chances, one for each slot")
    n, m = checked_sends("n", n, len(ours)), checked_sends("m", m, len(ours))
    our_law, rival_law = _optimal_law(ours, rivals, n, m), _optimal_law(rivals, ours, m, n)
    survivals = our_law.survival(ours), rival_law.survival(rivals)
    guarantee = -best_reply(survivals[0], rivals, m)[0]
    most = best_reply(survivals[1], ours, n)[0]
    value = margin(*survivals)
    return Duel(value, our_law, rival_law, guarantee, max(value - guarantee, most - value, 0.0))


def _optimal_law(p: FloatArray, q: FloatArray, n: int, m: int) -> Law:
    """Our maximin law, by one linear program.

    Variables: our survival that sends, and that waits, in each state (slot, sends left); and the
    rival's worth W of each of their states, at most what each of their moves leaves us.
    """
    from scipy.optimize import linprog

    slots = len(p)
    ours, theirs = slots * (n + 1), (slots + 1) * (m + 1)
    flow, start = _flow(p, n)
    # Chance that we send in slot t while none succeeded, and that we survive it, from flows.
    total = _total(slots, n)
    scaled = scipy.sparse.diags_array(p) @ total
    left = scipy.sparse.diags_array(1 - p) @ total
    # W[t, j] <= gain[t] + W[t+1, j], and if they send: (1 - q)(gain + W[t+1, j-1]) - q survive.
    now, later, later_sent = _worths(slots, m)
    gain = scipy.sparse.hstack([scaled, scipy.sparse.csr_array((slots, ours))])
    survive = scipy.sparse.hstack([left, total])
    q_of = scipy.sparse.diags_array(q)
    hit = scipy.sparse.diags_array(1 - q) @ gain - q_of @ survive
    every, but_last = _repeat(slots, m + 1), _repeat(slots, m)
    rows_wait = scipy.sparse.hstack([-(every @ gain), now - later])
    thinned = scipy.sparse.diags_array(np.repeat(1 - q, m)) @ later_sent
    rows_send = scipy.sparse.hstack([-(but_last @ hit), _with_sends(now, slots, m) - thinned])
    objective = np.zeros(2 * ours + theirs)
    objective[2 * ours + m] = -1.0
    ends = scipy.sparse.hstack(
        [scipy.sparse.csr_array((m + 1, 2 * ours)), _end_worths(slots, m)]
    )  # nothing is left to win after the last slot
    bounds: Any = [(0, None)] * (2 * ours) + [(None, None)] * theirs
    solution = linprog(
        objective,
        A_ub=scipy.sparse.vstack([rows_wait, rows_send]).tocsc(),
        b_ub=np.zeros(rows_wait.shape[0] + rows_send.shape[0]),
        A_eq=scipy.sparse.vstack(
            [scipy.sparse.hstack([flow, scipy.sparse.csr_array((flow.shape[0], theirs))]), ends]
        ).tocsc(),
        b_eq=np.concatenate([start, np.zeros(m + 1)]),
        bounds=bounds,
    )
    if solution.x is None:
        raise ReminderError("P", solution.message, "the linear program found no schedule")
    sent, waited = np.maximum(solution.x[: 2 * ours], 0.0).reshape(2, slots, n + 1)
    mass = sent + waited
    chances = np.divide(sent, mass, where=mass > NEVER, out=np.zeros_like(sent))
    return Law(chances)


def _flow(p: FloatArray, n: int) -> tuple[Matrix, FloatArray]:
    """Conservation: survival in (t, k) came from waiting in (t-1, k) or sending in (t-1, k+1)."""
    slots, states = len(p), n + 1
    size = slots * states
    identity = scipy.sparse.eye_array(size)
    shift = scipy.sparse.eye_array(slots, k=-1)
    waited = identity - scipy.sparse.kron(shift, scipy.sparse.eye_array(states))
    thinned = shift @ scipy.sparse.diags_array(1 - p)
    sent = identity - scipy.sparse.kron(thinned, scipy.sparse.eye_array(states, k=1))
    # A sender with no send left waits.
    none_left = scipy.sparse.kron(
        scipy.sparse.eye_array(slots), scipy.sparse.csr_array(np.eye(1, states))
    )
    empty = scipy.sparse.csr_array((slots, size))
    start = np.zeros(size + slots)
    start[n] = 1.0
    flow: Matrix = scipy.sparse.vstack(
        [scipy.sparse.hstack([sent, waited]), scipy.sparse.hstack([none_left, empty])]
    )
    return flow.tocsr(), start


def _total(slots: int, n: int) -> Matrix:
    """Sums over sends left: shape (slots, states)."""
    return scipy.sparse.kron(scipy.sparse.eye_array(slots), np.ones((1, n + 1))).tocsr()


def _repeat(slots: int, times: int) -> Matrix:
    """Each slot's row once for each of the rival's states in it."""
    return scipy.sparse.kron(scipy.sparse.eye_array(slots), np.ones((times, 1))).tocsr()


def _worths(slots: int, m: int) -> tuple[Matrix, Matrix, Matrix]:
    """Pick W[t, j], W[t+1, j] (all j) and W[t+1, j-1] (j >= 1) out of all worths."""
    here, next_one = (
        scipy.sparse.eye_array(slots, slots + 1),
        scipy.sparse.eye_array(slots, slots + 1, k=1),
    )
    every = scipy.sparse.eye_array(m + 1)
    fewer = scipy.sparse.eye_array(m, m + 1)
    return (
        scipy.sparse.kron(here, every).tocsr(),
        scipy.sparse.kron(next_one, every).tocsr(),
        scipy.sparse.kron(next_one, fewer).tocsr(),
    )


def _with_sends(now: Matrix, slots: int, m: int) -> Matrix:
    """Of W[t, j] those with j >= 1."""
    kept = scipy.sparse.kron(scipy.sparse.eye_array(slots), scipy.sparse.eye_array(m, m + 1, k=1))
    return (kept @ now).tocsr()


def _end_worths(slots: int, m: int) -> Matrix:
    last = scipy.sparse.csr_array(np.eye(1, slots + 1, slots))
    return scipy.sparse.kron(last, scipy.sparse.eye_array(m + 1)).tocsr()
