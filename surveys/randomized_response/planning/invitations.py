"""Invitations: how many bring the answers of a plan; PlannedSample: what these are worth.

Each invited person answers with the response rate, independently of the others and of the answer:
more invitations make up for people who do not answer, and for no difference between those and the
people who do. Then N invitations bring Binomial(N, p) answers, p the response rate times the chance
of being asked; with N = n / p fewer than n come about as often as not. So N is the smallest number
from which on at least n come with the probability asked for. Of several arms each must have enough:
the chances that one has too few are added up, which bounds the chance that any has (Bonferroni).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

import scipy

from ..checks import checked_between, checked_number, checked_whole_number
from ..errors import PlanError
from ..intervals.worst_case import largest_variances
from ..messages import sentence
from ..roots import last_number
from .design_effects import DesignEffects
from .planning import Meaning
from .readings import Reading, shown_variances
from .request_fields import MOST_PEOPLE
from .requests import PlanRequest
from .sampled_people import SampledPeople

Needs = Sequence[tuple[int, Fraction]]  # answers, and the chance that an invitation brings one


@dataclass(frozen=True)
class PlannedArm:
    """The ``share`` of people in an arm, how many that is on average, and their answers."""

    share: Fraction
    people: int
    answers: int


@dataclass(frozen=True)
class PlannedSample:
    """How the answers of a plan come about, and what they are worth.

    ``design_effect``: how many times the answers of independent people of equal weight are needed;
    the n answers are worth ``effective_n`` of those. ``invitations`` bring the answers needed with
    the probability asked for; ``clusters`` have so many people, None where none are drawn.
    """

    effects: DesignEffects
    design_effect: float
    effective_n: float
    invitations: int
    clusters: int | None
    arms: tuple[PlannedArm, ...]


def planned_sample(asked: PlanRequest, n: int) -> PlannedSample:
    """What n answers take and are worth. Raises PlanError where all people are too few."""
    people = ceil(n / asked.share_answering)
    invited = invitations_of_plan(asked, [n] * len(asked.arm_shares))
    effect = design_effect(asked)
    return PlannedSample(
        effects=asked.effects,
        design_effect=float(effect),
        effective_n=float(n / effect),
        invitations=invited,
        clusters=None if asked.cluster_size is None else ceil(invited / asked.cluster_size),
        arms=tuple(
            PlannedArm(share, ceil(people * share), floor(n * share / min(asked.arm_shares)))
            for share in asked.arm_shares
            if asked.arms
        ),
    )


def design_effect(asked: PlanRequest) -> Fraction:
    """That of the number that leads: for these n people clusters have no part in the variance."""
    is_of_variance = asked.reading is Reading.ONCE and asked.method != "exact"
    if is_of_variance and asked.meaning is Meaning.RESPONDENTS:
        return asked.effects.weights
    design, is_once = asked.channel_design, asked.reading is Reading.ONCE
    variances = largest_variances(design) if is_once else shown_variances(design)
    return max(map(asked.effects.of, variances))


def invitations_of_plan(asked: PlanRequest, answers: Sequence[int]) -> int:
    """The invitations that bring so many answers of each arm to a question. Raises PlanError."""
    return invitations_of(asked, answers, drawn=asked.share_asked, population=asked.population)


def invitations_of(
    people: SampledPeople,
    answers: Sequence[int],
    *,
    drawn: Fraction = Fraction(1),
    population: int | None = None,
) -> int:
    """The invitations that bring so many answers of each arm. Raises PlanError."""
    chance = people.response_rate * drawn
    needs = [(n, chance * share) for n, share in zip(answers, people.arm_shares, strict=True)]
    invited = _fewest(needs, people.response_rate, people.assurance)
    if population is not None and invited > population:
        remedy = sentence(
            "even if all {size} people are invited, too few people answer. Allow a larger error, "
            "or expect a higher response rate",
            size=population,
        )
        raise PlanError("response_rate", people.response_rate, remedy)
    return invited


def invitations_needed(
    answers: int,
    *,
    response_rate: float | Fraction,
    assurance: float | Fraction = 0.9,
    drawn: float | Fraction = 1,
    arms: Sequence[int] = (1,),
) -> int:
    """Smallest number of invitations from which on each arm has the answers that are needed.

    They come in all arms with probability ``assurance``, in (0, 1), at least; ``response_rate`` and
    ``drawn``, in (0, 1], are the chances that an invited person answers and is asked the question;
    ``arms`` are whole weights. Raises PlanError, also for more than 10^9 invitations.

    >>> from randomized_response.planning import invitations_needed
    >>> invitations_needed(1574, response_rate=0.4), round(1574 / 0.4)
    (4034, 3935)
    """
    remedy = "give a number from 1 to 10^9"
    needed = checked_between("answers", answers, 1, MOST_PEOPLE, remedy, PlanError)
    rate, asked = _share("response_rate", response_rate), _share("drawn", drawn)
    sure = _exact("assurance", assurance)
    if not 0 < sure < 1:
        raise PlanError("assurance", assurance, "give a number between 0 and 1, both excluded")
    weights = _checked_weights(arms)
    needs = [(needed, rate * asked * Fraction(weight, sum(weights))) for weight in weights]
    return _fewest(needs, rate, sure)


def _fewest(needs: Needs, response_rate: Fraction, assurance: Fraction) -> int:
    missed = float(1 - assurance)

    def is_too_few(invited: int) -> bool:
        return sum(_falls_short(invited, *need) for need in needs) > missed

    high = most = max(n for n, _ in needs)
    while is_too_few(high):
        if high > MOST_PEOPLE:
            remedy = sentence("the plan needs more than 10^9 invitations. Plan for fewer answers")
            raise PlanError("response_rate", response_rate, remedy)
        high *= 2
    return last_number(is_too_few, most - 1, high) + 1


def _falls_short(invited: int, needed: int, chance: Fraction) -> float:
    """P(Binomial(invited, chance) < needed), by the incomplete beta function."""
    if chance == 1:
        return float(invited < needed)
    return float(scipy.special.betaincc(needed, invited - needed + 1, float(chance)))


def _share(argument: str, value: object) -> Fraction:
    share = _exact(argument, value)
    if not 0 < share <= 1:
        raise PlanError(argument, value, sentence("give a share above 0 and at most 1"))
    return share


def _exact(argument: str, value: object) -> Fraction:
    number = checked_number(argument, value, PlanError)
    return number if isinstance(number, Fraction) else Fraction(repr(number))


def _checked_weights(arms: Sequence[int]) -> tuple[int, ...]:
    remedy = "give a whole weight for each arm: (1, 1)"
    if isinstance(arms, str) or not isinstance(arms, Sequence) or not arms:
        raise PlanError("arms", arms, remedy)
    weights = tuple(checked_whole_number("arms", weight, PlanError) for weight in arms)
    if min(weights) < 1:
        raise PlanError("arms", arms, remedy)
    return weights
