"""Opened totals, by keys, noises and shares as trustees make them: right, and of no one person."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any, Self

import numpy as np
import pytest

from analytics.files.trustees import KeyRecords, Source, noise_file, share_file
from analytics.privacy.accounting import Adjacency
from analytics.privacy.gaussian import delta_of
from analytics.privacy.mechanisms import VettedNoise
from analytics.privacy.membership import MembershipAudit, audit_membership
from analytics.sources.locked_tables import cost_of_table
from surveys.questionnaire.plans.tallies import LockedTable
from surveys.trust.keyfiles import TRUSTEE, PrivateKey
from surveys.trust.tally.ballots import make_ballot
from surveys.trust.tally.files import BallotList, NoisyTotals, TallyPlan
from surveys.trust.tally.group import as_bytes, random_number
from surveys.trust.tally.trustees import trustee_of
from tests.analytics.files.laptops import document_of

pytestmark = pytest.mark.audit
CELLS, OTHERS = 2, (0, 0, 0, 0, 1, 1, 1, 1, 1)
OPENINGS, RUNS = 1_000, 700
CONFIDENCE = 1 - 1e-9
ERRORS = 6 * math.sqrt(2 * 0.25 / RUNS)  # standard errors of a difference of two shares, at most


@dataclass
class Tally:
    """Two trustees who open tables of two cells, each time with records of their own."""

    sigma: str
    folder: Path
    secrets: tuple[int, int] = field(default_factory=lambda: (random_number(), random_number()))
    _numbers: Iterator[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        named = list(zip("AB", self.secrets, strict=True))
        self.keys = [PrivateKey(name, as_bytes(one), TRUSTEE) for name, one in named]
        entries = [
            {"name": one.name, "key": one.key.hex(), "proof": one.proof.hex()}
            for one in (trustee_of(name, secret) for name, secret in named)
        ]
        self.plan = TallyPlan.read(document_of(entries, cells=CELLS, sigma=self.sigma), 1)

    def listed(self, choices: Sequence[int]) -> BallotList:
        ballots = sorted(make_ballot(self.plan.table, choice) for choice in choices)
        return BallotList.of(self.plan, len(ballots), ballots)

    def opened(self, listed: BallotList, *sources: Source) -> list[int]:
        """With noise from these sources, or each drawn as trustees draw it."""
        folder = self.folder / str(next(self._numbers))
        records = [KeyRecords.beside(folder / name) for name in "AB"]
        pairs = list(zip(self.keys, records, sources or (None, None), strict=True))
        noises = [noise_file(key, listed, own, source=source) for key, own, source in pairs]
        totals = NoisyTotals(listed, tuple(noises))
        return totals.counts([share_file(key, totals, own) for key, own, _ in pairs])


class NoNoise:
    """A trustee who cheats: others' noise alone protects."""

    def drawn_within(self, sigma: Any, half: int, count: int) -> list[int]:
        return [0] * count


class HalfNoise:
    """A trustee whose tool draws half of what was promised."""

    def drawn_within(self, sigma: Any, half: int, count: int) -> list[int]:
        return VettedNoise().drawn_within(Fraction(sigma) / 2, half, count)


def law(sigma: float, half: int) -> np.ndarray:
    """The chances of a trustee's numbers, summed here."""
    weights = np.exp(-(np.arange(-half, half, dtype=float) ** 2) / (2 * sigma**2))
    return weights / weights.sum()


@pytest.mark.noise(fails=6e-7, law="binomial: a share within 5 standard errors")
def test_counts_of_two_trustees_are_off_as_often_as_two_discrete_gaussians_together(tmp_path):
    tally = Tally("4", tmp_path)
    listed, truth = tally.listed((*OTHERS, 0)), np.array([5, 5])
    found = [tally.opened(listed) for _ in range(OPENINGS)]
    apart = np.abs(np.array(found) - truth).ravel()
    both = np.convolve(law(4, 64), law(4, 64))  # from -128 to 126
    for width in (3, 7, 11):
        exact = float(both[128 - width : 128 + width + 1].sum())
        share = float((apart <= width).mean())
        print(f"within {width}: {share:.4f} of {apart.size:,} counts, exactly {exact:.4f}")
    # 11 is the least that holds in 95 of 100; a share of one width, so that chance has one try.
    assert abs(share - exact) < 5 * math.sqrt(exact * (1 - exact) / apart.size)


@dataclass(frozen=True)
class Attack:
    """By all but one trustee and all but one person: is that person in cell 0, or in cell 1?

    The first count less the second, in runs of either kind. What cheats add is known, and so are
    all other answers, so that nothing beats this difference.
    """

    in_first: Sequence[int]
    in_second: Sequence[int]

    @classmethod
    def on(cls, tally: Tally, honest: Source) -> Self:
        runs = [
            [tally.opened(listed, honest, NoNoise()) for _ in range(RUNS)]
            for listed in (tally.listed((*OTHERS, cell)) for cell in (0, 1))
        ]
        return cls(*([first - second for first, second in of_kind] for of_kind in runs))

    @property
    def advantage(self) -> float:
        """By how much the guess by the middle between both is right more often than wrong."""
        middle = OTHERS.count(0) - OTHERS.count(1)
        return float(np.mean(np.array(self.in_first) > middle)) - float(
            np.mean(np.array(self.in_second) > middle)
        )

    def proved(self) -> MembershipAudit:
        """The mu that it proves, by the best of all middles."""
        return audit_membership(self.in_first, self.in_second, level=CONFIDENCE)


@pytest.mark.noise(fails=3e-9, law="confidence of the proved mu, 6 standard errors of two shares")
def test_one_honest_trustee_hides_an_answer_as_the_charge_says(tmp_path):
    attack, (mu, most) = Attack.on(Tally("1", tmp_path), VettedNoise()), stated("1")
    found = attack.proved()
    print(f"mu {found.mu:.2f} of {mu:.3f}, advantage {attack.advantage:.3f} of {most:.3f}")
    assert not found.contradicts(mu)
    assert attack.advantage <= most + ERRORS


@pytest.mark.noise(fails=1e-11, law="binomial: .81 in 700 runs is above .70 by 7 errors")
def test_half_the_noise_of_the_only_honest_trustee_is_noticed(tmp_path):
    """So that the test above can fail."""
    attack, (mu, most) = Attack.on(Tally("1", tmp_path), HalfNoise()), stated("1")
    found = attack.proved()
    print(f"mu {found.mu:.2f} of {mu:.3f}, advantage {attack.advantage:.3f} of {most:.3f}")
    assert attack.advantage > most + ERRORS


def stated(sigma: str) -> tuple[float, float]:
    """The mu of replacing one, and the most by which any guess may beat chance."""
    cost = cost_of_table(LockedTable(1, (1,), CELLS, sigma), Adjacency.REPLACE)
    mu = math.sqrt(cost.mu_squared)
    return mu, delta_of(mu, 0) + float(cost.threshold_delta)
