"""Method and Prior: utilities, prior (empirical, popularity, ml ...), order, level; as text.

Every choice has a short text that a command line, a permalink and a download carry; reading that
text gives the same choice again.
"""

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, Protocol

import numpy as np

from ranking.posterior.checks import FloatArray, checked_utilities
from ranking.posterior.errors import PriorError, UtilityError
from ranking.posterior.popularity import popularity_prior, prefers_popularity
from ranking.posterior.priors import (
    FittedPrior,
    average_prior,
    linear_empirical_bayes,
    maximum_likelihood_prior,
)
from surveys.randomized_response.designs import Channel
from surveys.randomized_response.messages import Listed, Message, sentence

Order = Literal["score", "cautious"]
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
MINUS = str.maketrans({"−": "-", "–": "-"})
# Larger utilities or pseudocounts lose their differences to rounding.
LARGEST = 1e9
SMALLEST_RANGE = 1e-6
LONGEST = 60
HOW_TO_WRITE = sentence(
    "write one of these: empirical, popularity, ml, average:STRENGTH, or fixed:A,B,C with a "
    "number for each level"
)
# How numbers of ratings came about, where they say nothing about the items.
Origin = Literal["", "adaptive", "imported"]
NOT_BY_POPULARITY: dict[Origin, Message] = {
    "adaptive": sentence(
        "promising items were shown more often, so the number of ratings says nothing about an "
        "item. Choose “empirical”, the average of the other items"
    ),
    "imported": sentence(
        "some ratings were imported, so the number of ratings of an item depends on the import. "
        "Choose “empirical”, the average of the other items"
    ),
}


class Prior(Protocol):
    """What every item is taken to have before its own ratings."""

    @property
    def code(self) -> str:
        """The text that ``read_prior`` reads."""
        ...

    @property
    def words(self) -> str:
        """What it is, for people."""
        ...

    def fit(self, counts: FloatArray, utilities: FloatArray) -> FittedPrior:
        """Pseudocounts for these items. Raises RatingsError, PriorError."""
        ...


@dataclass(frozen=True)
class EmpiricalPrior:
    """Linear empirical Bayes: the strength follows from how much the items differ."""

    code: str = "empirical"
    words: str = sentence(
        "average of the other items, as many ghost ratings as the data suggest (linear "
        "empirical Bayes)"
    )

    def fit(self, counts: FloatArray, utilities: FloatArray) -> FittedPrior:
        return linear_empirical_bayes(counts, utilities)


@dataclass(frozen=True)
class PopularityPrior:
    """The average of the other items that are rated about as often, by a regression on ln n."""

    code: str = "popularity"
    words: str = sentence(
        "average of the other items, adjusted for how often an item is rated (prior mean "
        "regressed on the logarithm of the number of ratings), as many ghost ratings as the data "
        "suggest (linear empirical Bayes)"
    )

    def fit(self, counts: FloatArray, utilities: FloatArray) -> FittedPrior:
        return popularity_prior(counts, utilities)


@dataclass(frozen=True)
class MaximumLikelihoodPrior:
    """Dirichlet-multinomial maximum likelihood."""

    code: str = "ml"
    words: str = sentence("Dirichlet-multinomial maximum likelihood")

    def fit(self, counts: FloatArray, utilities: FloatArray) -> FittedPrior:
        return maximum_likelihood_prior(counts)


@dataclass(frozen=True)
class AveragePrior:
    """The average ratings of the other items, times a strength of one's own.

    The other items of a bad item are better than those of a good one. So that this never outweighs
    the ratings themselves the strength S is at most N - max n, all ratings without those of the
    most rated item: a better rating of item i adds n_i / (n_i + S) of it to i's score and
    S n_i / ((n_j + S) (N - n_j)) to item j's; the first is the larger one for all i and j if
    S^2 + S (n_i + n_j - N) <= n_j (N - n_j), which holds from S = 0 to S = N - max n.
    """

    strength: float

    @property
    def code(self) -> str:
        return f"average:{shortest(self.strength)}"

    @property
    def words(self) -> str:
        return sentence(
            "average of the other items, {count} for each item",
            count=Decimal(shortest(self.strength)),
        )

    def fit(self, counts: FloatArray, utilities: FloatArray) -> FittedPrior:
        fitted = average_prior(counts, self.strength)
        sizes = counts.sum(axis=1)
        most = float(sizes.sum() - sizes.max())
        if self.strength > most:
            remedy = sentence(
                "the other items have too few ratings for this number of ghost ratings. Write at "
                "most {most}",
                most=f"{most:g}",
            )
            raise PriorError("prior", self.code, remedy)
        return fitted


@dataclass(frozen=True)
class FixedPrior:
    """The same pseudocounts for every item, lowest level first."""

    pseudocounts: tuple[float, ...]

    @property
    def code(self) -> str:
        return f"fixed:{joined(self.pseudocounts)}"

    @property
    def words(self) -> str:
        return sentence(
            "fixed numbers, lowest level first: {values}", values=_listed(self.pseudocounts)
        )

    def fit(self, counts: FloatArray, utilities: FloatArray) -> FittedPrior:
        if len(self.pseudocounts) != counts.shape[1]:
            remedy = sentence("write {count} numbers, one for each level", count=counts.shape[1])
            raise PriorError("prior", self.code, remedy)
        return FittedPrior(np.array(self.pseudocounts), math.fsum(self.pseudocounts))


@dataclass(frozen=True)
class Method:
    """Everything that an order depends on besides the counts.

    ``channel`` is that of one rating, or None for open ratings; ``declines`` says that its last
    level is "not rated". A channel leaves no choice of prior: linear Bayes has its own, and so has
    Gibbs sampling, which ``hidden`` asks for.
    """

    utilities: tuple[float, ...]
    prior: Prior = EmpiricalPrior()
    order: Order = "score"
    level: float = 0.95
    channel: Channel | None = None
    declines: bool = False
    hidden: bool = False

    @property
    def is_randomized(self) -> bool:
        return self.channel is not None

    @property
    def code(self) -> str:
        """One line that says how a number came about; every row of a download carries it."""
        prior = self.prior.code
        if self.is_randomized:
            prior = "gibbs" if self.hidden else "linear-bayes"
        parts = (joined(self.utilities), prior, self.order, shortest(self.level))
        return "utilities={} prior={} order={} level={}".format(*parts)

    @property
    def words(self) -> str:
        """The method in a sentence."""
        if self.hidden:
            how = sentence("Gibbs sampling of the hidden true ratings (randomized ratings)")
        elif self.is_randomized:
            how = sentence(
                "Linear Bayes, with the worth of ratings corrected for the channel (randomized "
                "ratings)"
            )
        else:
            how = sentence(
                "Average worth of ratings and ghost ratings (Dirichlet posterior mean). Ghost "
                "ratings: {prior}",
                prior=self.prior.words,
            )
        lower = sentence(
            "the lower end of the {level} % interval (cautious order)",
            level=f"{100 * self.level:g}",
        )
        by = lower if self.order == "cautious" else sentence("the score")
        return sentence(
            "{how}. Worth of the ratings, lowest level first: {utilities}. Ordered by {by}.",
            how=how,
            utilities=_listed(self.utilities),
            by=by,
        )


def read_prior(text: str) -> Prior:
    """The prior that a text names: ``HOW_TO_WRITE``. Raises PriorError."""
    name, _, rest = text.strip().partition(":")
    if not rest and name in PLAIN:
        return PLAIN[name]
    if name == "average" and rest:
        (strength,) = _read_some("prior", rest, PriorError, least=1, most=1)
        return AveragePrior(_positive(strength))
    if name == "fixed" and rest:
        return FixedPrior(tuple(map(_positive, _read_some("prior", rest, PriorError))))
    raise PriorError("prior", text, HOW_TO_WRITE)


PLAIN: dict[str, Prior] = {
    prior.code: prior for prior in (EmpiricalPrior(), PopularityPrior(), MaximumLikelihoodPrior())
}


def learned_prior(counts: FloatArray, utilities: FloatArray, origin: Origin = "") -> Prior:
    """The default for open ratings, counts (items, levels): what held-out likelihood prefers.

    By how often items are rated only where that is clearly better, and never where the numbers of
    ratings have an ``origin`` that explains them.
    """
    if not origin and prefers_popularity(counts, utilities):
        return PLAIN["popularity"]
    return PLAIN["empirical"]


def check_origin(prior: Prior, origin: Origin) -> None:
    """Raises PriorError for a prior by how often items are rated where that says nothing."""
    if origin and prior == PLAIN["popularity"]:
        raise PriorError("prior", prior.code, NOT_BY_POPULARITY[origin])


def read_utilities(text: str) -> tuple[float, ...]:
    """Numbers with commas between, lowest level first: 2 to 11, not all within 0.000001.

    Raises UtilityError.
    """
    values = _read_some("utilities", text, UtilityError, least=2, most=11)
    checked = checked_utilities(values)
    if np.ptp(checked) < SMALLEST_RANGE:
        remedy = sentence(
            "the numbers differ by less than 0.000001. Multiply all numbers by the same large "
            "number"
        )
        raise UtilityError("utilities", text, remedy)
    return tuple(map(float, checked))


def read_number(text: str) -> float | None:
    """A decimal number of at most 10^9 in size; None for anything else."""
    tidy = text.strip().translate(MINUS)
    if len(tidy) > LONGEST or not NUMBER.fullmatch(tidy) or not abs(float(tidy)) <= LARGEST:
        return None
    return float(tidy) + 0.0  # minus zero is zero


def shortest(value: float) -> str:
    """The shortest text that reads back as the same number."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def joined(values: tuple[float, ...]) -> str:
    return ",".join(map(shortest, values))


def _listed(values: tuple[float, ...]) -> Listed:
    return Listed(Decimal(shortest(value)) for value in values)


def _read_some(
    name: str,
    text: str,
    error: type[PriorError] | type[UtilityError],
    *,
    least: int = 2,
    most: int = 11,
) -> tuple[float, ...]:
    parts = text.split(",")
    if not least <= len(parts) <= most:
        number = (
            str(least) if least == most else sentence("{least} to {most}", least=least, most=most)
        )
        raise error(
            name, text, sentence("write {number} number(s), separated by commas", number=number)
        )
    values = [read_number(part) for part in parts]
    if None in values:
        wrong = parts[values.index(None)].strip()
        raise error(name, wrong, sentence("write numbers such as 1 or -2.5, up to 1,000,000,000"))
    return tuple(value for value in values if value is not None)


def _positive(value: float) -> float:
    if value < 0:
        raise PriorError("prior", value, sentence("the number of ghost ratings cannot be below 0"))
    return value
