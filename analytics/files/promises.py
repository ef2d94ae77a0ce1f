"""Promise: what a private report or release on a file may cost, as its owner says for each run."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from analytics.files.ledgers import FileLedger
from analytics.privacy.accounting import Adjacency, Cost


@dataclass(frozen=True)
class Promise:
    """What a private report on a file may cost: a ``share`` of (epsilon, delta)."""

    epsilon: float
    delta: float
    adjacency: Adjacency
    share: Fraction = Fraction(1)

    @classmethod
    def permitted(cls, ledger: FileLedger) -> Self | None:
        """What a ledger that is a permit pays for; None if it is none."""
        if ledger.permit is None:
            return None
        return cls(ledger.epsilon, ledger.delta, ledger.adjacency, ledger.permit.part)

    @property
    def terms(self) -> FileLedger:
        """An account under this promise on which nothing was spent. Raises BudgetError."""
        ledger = FileLedger(self.epsilon, self.delta, self.adjacency)
        ledger.budget(1)
        return ledger

    @property
    def cost(self) -> Cost:
        """What the report may cost at most. Raises BudgetError."""
        return self.terms.budget(1).limit.part(self.share)
