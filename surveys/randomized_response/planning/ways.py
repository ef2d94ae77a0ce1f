"""A question and its follow-ups sent as one report of the way through them, or in several reports.

What is compared is the variance of a share among those who were asked a follow-up, a ratio of two
estimated shares, to first order (linearised). In reports of their own, each question goes through
k-ary response, with one level more for people who were not asked it, at an equal part of epsilon:
as one report of a person differs from another's in at most d questions, each has epsilon / d.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..checks import FloatArray
from ..designs.categorical import KAry
from ..designs.channel import Channel
from ..designs.design import DesignLike, channel_of

ASKED, FIRST = 0.3, 0.4  # assumed: shares of people with follow-ups, and of their first answers

Way = Sequence[str]


def gain_of_ways(design: DesignLike, ways: Sequence[Way], not_asked: str) -> float:
    """How many times more people reports of their own need than one report of the way.

    ``ways`` has the answer to each question, the first one asked of all, ``not_asked`` where one
    was not asked; ``design`` is that of the ways, with a finite epsilon. It is the least over the
    follow-ups, for the first answer to each, where ``ASKED`` of all people have follow-ups and
    ``FIRST`` of those asked give it; below 1, reports of their own need fewer.

    >>> from randomized_response.designs import KAry
    >>> from randomized_response.planning import gain_of_ways
    >>> ways = [("no", "-"), ("yes", "no"), ("yes", "yes")]
    >>> round(gain_of_ways(KAry.from_epsilon(3, 2), ways, "-"), 1)
    4.5
    """
    channel = channel_of(design)
    shares = usual_shares(ways, not_asked)
    epsilon = channel.epsilon / most_different(ways)
    gains = []
    for question in range(1, len(ways[0])):
        codes = [way[question] for way in ways]
        answers = [code for code in dict.fromkeys(codes) if code != not_asked]
        alone = np.array([shares[np.array(codes) == a].sum() for a in (*answers, not_asked)])
        of_ways = ratio_variance(
            channel, shares, np.array(codes) == answers[0], np.array(codes) != not_asked
        )
        first = np.arange(len(alone)) == 0
        own = KAry.from_epsilon(len(alone), epsilon).channel
        of_own = ratio_variance(own, alone, first, np.arange(len(alone)) < len(answers))
        gains.append(of_own / of_ways)
    return min(gains)


def ratio_variance(
    channel: Channel, shares: FloatArray, top: NDArray[np.bool_], bottom: NDArray[np.bool_]
) -> float:
    """n times the linearised variance of sum of shares[top] / sum of shares[bottom]."""
    bottom_share = float(shares[bottom].sum())
    weights = (top - float(shares[top].sum()) / bottom_share * bottom) / bottom_share
    scores, reports = weights @ channel.scores, channel.matrix @ shares
    return float(reports @ scores**2 - (reports @ scores) ** 2)


def most_different(ways: Sequence[Way]) -> int:
    """In how many questions two people's answers, or being asked them, can differ."""
    return max(sum(map(str.__ne__, way, other)) for way, other in combinations(ways, 2))


def usual_shares(ways: Sequence[Way], not_asked: str) -> FloatArray:
    """Assumed shares of the ways, shape (ways,): they sum to 1."""
    leading = {way[0] for way in ways if set(way[1:]) != {not_asked}}
    shares = np.ones(len(ways))
    for row, way in enumerate(ways):
        for question in range(len(way)):
            alike = [other for other in ways if other[:question] == way[:question]]
            codes = list(dict.fromkeys(other[question] for other in alike))
            chosen, share = ({codes[0]}, FIRST) if question else (leading, ASKED)
            part = _split(codes, chosen, share)
            shares[row] *= part[way[question]]
    return shares


def _split(codes: Sequence[str], chosen: set[str], share: float) -> dict[str, float]:
    """A share for the chosen codes together, the rest for the others, each divided equally."""
    others = [code for code in codes if code not in chosen]
    if not others or len(others) == len(codes):
        return dict.fromkeys(codes, 1 / len(codes))
    return {
        code: share / len(chosen) if code in chosen else (1 - share) / len(others) for code in codes
    }
