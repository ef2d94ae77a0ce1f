"""Nobody finds a respondent in a whole report better than it says; halved noise is noticed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from analytics.privacy.accounting import Cost
from analytics.privacy.membership import MembershipAudit, audit_membership
from analytics.text.bags import Bags
from analytics.topics.private.nmf import TopicsSettings, find_private_topics
from analytics.topics.private.published import find_published_topics
from analytics.topics.private.svd import SvdSettings, find_private_svd
from tests.analytics.topics.attacks import Watched

RESPONDENTS, WORDS, EACH = 1200, 24, 6
STATED = 1.0
RUNS = 800
COST = Cost.of(STATED, 1e-6)


def crowd() -> Bags:
    """Two themes of twelve words; everybody writes six words of one of them."""
    rng = np.random.default_rng(5)
    dense = np.zeros((RESPONDENTS, WORDS), dtype=np.int64)
    for place, row in enumerate(dense):
        row[(place % 2) * 12 + rng.choice(12, EACH, replace=False)] = 1
    return Bags(tuple(f"w{word:02}" for word in range(WORDS)), sparse.csr_array(dense))


def canary(*words: int) -> Bags:
    row = np.zeros((1, WORDS), dtype=np.int64)
    row[0, words] = 1
    return Bags(tuple(f"w{word:02}" for word in range(WORDS)), sparse.csr_array(row))


@dataclass(frozen=True)
class Attack:
    """A report and a respondent who stands out in it."""

    make: Callable[[Watched], Any]
    canary: Bags


OTHERS = crowd()
# Six words that nobody else has together; a topic of all words alike is what one of all words fits.
MIXED, EVERYTHING = canary(0, 1, 2, 12, 13, 14), canary(*range(WORDS))
ATTACKS = {
    "topics": Attack(lambda seen: find_private_topics(seen, COST, seen, TopicsSettings(2)), MIXED),
    "topics with refinement": Attack(
        lambda seen: find_private_topics(seen, COST, seen, TopicsSettings(2, refine=True)), MIXED
    ),
    "published method": Attack(
        lambda seen: find_published_topics(seen, COST, seen, TopicsSettings(1)), EVERYTHING
    ),
    "singular values": Attack(
        lambda seen: find_private_svd(seen, COST, seen, SvdSettings(4)), MIXED
    ),
}


def run(attack: Attack, *, takes_part: bool, seed: int, narrower: float) -> Watched:
    seen = Watched(OTHERS, attack.canary, takes_part=takes_part, seed=seed, narrower=narrower)
    assert attack.make(seen).mu <= STATED
    return seen


def audit(attack: Attack, narrower: float) -> tuple[MembershipAudit, float]:
    """What the attack proves, and the mu that the canary really used (root mean square)."""
    runs = [
        [run(attack, takes_part=part, seed=2 * n + part, narrower=narrower) for n in range(RUNS)]
        for part in (True, False)
    ]
    present, absent = ([seen.score for seen in side] for side in runs)
    used = float(np.sqrt(np.mean([seen.moved for side in runs for seen in side])))
    return audit_membership(present, absent), used


@pytest.mark.audit
@pytest.mark.parametrize("name", ATTACKS)
def test_a_canary_is_not_found_better_than_is_stated_and_is_when_the_noise_is_halved(
    name: str,
) -> None:
    honest, used = audit(ATTACKS[name], 1.0)
    halved, _ = audit(ATTACKS[name], 2.0)
    print(
        f"\n{name}: stated mu {STATED}, canary used {used:.3f}, proved at 99 % {honest.mu:.3f};"
        f" noise halved {halved.mu:.3f}"
    )
    assert used <= STATED
    assert honest.mu <= STATED
    assert halved.contradicts(STATED)
    # An attack that finds little proves little.
    assert honest.mu > 0.3 * STATED


@pytest.mark.parametrize("name", ATTACKS)
def test_no_release_moves_further_than_was_charged(name: str) -> None:
    """Exactly, run by run: the canary's part of every release against the noise it got."""
    for seed in range(5):
        seen = run(ATTACKS[name], takes_part=True, seed=seed, narrower=1.0)
        assert 0.6 * STATED < np.sqrt(seen.moved) <= STATED
