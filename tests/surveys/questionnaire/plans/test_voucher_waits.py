"""What somebody finds who notes the moment of every exchange and every Send, and nothing else."""

from collections.abc import Callable

import numpy as np
import pytest

from surveys.questionnaire.plans.vouchers import LONGEST_WAIT, MEAN_WAIT

PEOPLE, SURVEYS = 400, 60
# By arrivals a minute: right guesses of the best attack, without a wait and with it. From an
# independent simulation with the same laws; ``docs/privacy.md`` has the same table.
STATED = {0.2: (1.00, 0.84), 1: (1.00, 0.46), 5: (1.00, 0.14), 20: (0.98, 0.04)}
WITHIN = 0.05
LATENCY = 0.05  # seconds between exchange and Send where nothing waits: two round trips


def waits(rng: np.random.Generator, people: int = PEOPLE) -> np.ndarray:
    """In seconds: exponential, drawn again above the longest."""
    drawn = rng.exponential(MEAN_WAIT, people)
    while (late := drawn > LONGEST_WAIT.total_seconds()).any():
        drawn[late] = rng.exponential(MEAN_WAIT, late.sum())
    return drawn


def right_guesses(
    exchanges: np.ndarray, sends: np.ndarray, choose: Callable[[list[int]], int]
) -> float:
    """The share of Sends that belong to the exchange that the attack names."""
    events = [(at, 0, person) for person, at in enumerate(exchanges)]
    events += [(at, 1, person) for person, at in enumerate(sends)]
    still_open: list[int] = []
    right = 0
    for _, is_send, person in sorted(events):
        if is_send:
            right += still_open.pop(choose(still_open)) == person
        else:
            still_open.append(person)
    return right / len(sends)


def attacks(rng: np.random.Generator) -> dict[str, Callable[[list[int]], int]]:
    """Which of the exchanges that are open each attack gives a Send to."""
    return {
        "earliest": lambda still_open: 0,
        "latest": lambda still_open: len(still_open) - 1,
        "any": lambda still_open: int(rng.integers(len(still_open))),
    }


def best_attack(
    rng: np.random.Generator, arrivals: float, drawn: Callable[[], np.ndarray]
) -> float:
    """Over several surveys: that of the three which is right most often."""
    named = attacks(rng)
    found = dict.fromkeys(named, 0.0)
    for _ in range(SURVEYS):
        exchanges = np.cumsum(rng.exponential(60 / arrivals, PEOPLE))
        sends = exchanges + drawn() + LATENCY
        for name, choose in named.items():
            found[name] += right_guesses(exchanges, sends, choose) / SURVEYS
    return max(found.values())


@pytest.mark.parametrize("arrivals", STATED)
def test_the_best_of_three_attacks_finds_no_more_than_is_stated(arrivals):
    rng = np.random.default_rng(3800)
    found = (
        best_attack(rng, arrivals, lambda: np.zeros(PEOPLE)),
        best_attack(rng, arrivals, lambda: waits(rng)),
    )
    print(f"{arrivals} arrivals a minute: right {found[0]:.3f} at once, {found[1]:.3f} with a wait")
    assert found == pytest.approx(STATED[arrivals], abs=WITHIN)
