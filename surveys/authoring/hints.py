"""Hints after a question is saved, by kind: no coin recipe, no group, marks."""

from collections.abc import Iterator
from functools import partial

from django.contrib import messages
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from surveys.questionnaire.kinds.family import FamilyQuestion
from surveys.questionnaire.kinds.levels import LevelQuestion
from surveys.questionnaire.kinds.long_list import ListQuestion
from surveys.questionnaire.kinds.long_scale import (
    FEWEST_ANSWERS,
    MOST_ANSWERS,
    ScaleQuestion,
)
from surveys.questionnaire.kinds.question import NOT_ASKED, Question
from surveys.questionnaire.kinds.registry import Table
from surveys.randomized_response.designs import (
    GRR,
    OUE,
    FrequencyProtocol,
    OptimisedScale,
    Purpose,
    SubsetSelection,
    gain_over_k_ary,
)
from surveys.randomized_response.estimates import conditional_frequency_variance
from surveys.randomized_response.planning import gain_of_ways

NO_RECIPE = gettext_lazy(
    "No coin or dice recipe draws exactly from this channel, so people who use their own coin "
    "will not be asked this question. Two coins, or forced probabilities such as 1/6, have one."
)
NO_GROUP = gettext_lazy(
    "Only the page's script draws a group, so people who use their own coin will not be asked this "
    "question. An unrelated question with a known share is asked of them too."
)
NO_RATING_RECIPE = gettext_lazy(
    "No coin or dice recipe draws exactly from this channel, so people who use their own coin "
    "will not be asked for these ratings. Asked directly, they are asked of them too."
)
NO_PARTS = gettext_lazy(
    "No coin and no die sends exactly this, so people who use their own coin will not be asked "
    "this question. They are with one part sent and two coins, or with all of at most six parts."
)
NO_ROUNDING = gettext_lazy(
    "Only the page's script rounds a number by chance, so people who use their own coin will "
    "not be asked this question."
)
NO_MARKS = gettext_lazy(
    "Only the page's script marks the options of a long list, so people who use their own coin "
    "will not be asked this question."
)


NO_GROUP_OF_ANSWERS = gettext_lazy(
    "Only the page's script draws a group of answers, so people who use their own coin will not be "
    "asked this question."
)

Hints = Iterator[tuple[int, str]]


def hints(item: Question) -> Hints:
    """Each hint with the level of the message that shows it."""
    return HINTS(item)


def _without_recipe(item: Question, reason: str | Promise) -> Hints:
    if not item.is_offered_with_own_coin:
        yield messages.WARNING, str(reason)


def _of_list(item: ListQuestion) -> Hints:
    yield messages.WARNING, str(NO_MARKS)
    yield messages.INFO, compare_list_designs(item.marks.options, item.marks.epsilon)


def _of_scale(item: ScaleQuestion) -> Hints:
    yield messages.WARNING, str(NO_GROUP_OF_ANSWERS)
    yield messages.INFO, f"At this epsilon, {scale_gain(item)}."


def _of_levels(item: LevelQuestion) -> Hints:
    yield from _of_others(item)
    if item.kind == "scale" and item.design == "k_ary":
        yield from _scale_advice(item)


def _of_others(item: Question) -> Hints:
    return _without_recipe(item, NO_RECIPE)


HINTS: Table[[], Hints] = Table.mostly(
    _of_others,
    levels=_of_levels,
    long_scale=_of_scale,
    grouped=partial(_without_recipe, reason=NO_GROUP),
    long_list=_of_list,
    rating=partial(_without_recipe, reason=NO_RATING_RECIPE),
    ticks=partial(_without_recipe, reason=NO_PARTS),
    matrix=partial(_without_recipe, reason=NO_PARTS),
    rounded=partial(_without_recipe, reason=NO_ROUNDING),
    ranked_pair=partial(_without_recipe, reason=NO_PARTS),
)


def compare_list_designs(options: int, epsilon: float) -> str:
    """How many people the designs for a long list need at this epsilon, beside each other.

    Compared by the variance of the shares' estimates, averaged over equally frequent options;
    variances fall like 1/n, so their ratio is a ratio of numbers of people.
    """
    protocols = {
        "subset selection": SubsetSelection.from_epsilon(options, epsilon),
        "OUE": OUE.from_epsilon(options, epsilon),
        "k-ary": GRR.from_epsilon(options, epsilon),
    }
    variances = {name: _variance(protocol) for name, protocol in protocols.items()}
    best = min(variances, key=lambda name: variances[name])
    needs = ", ".join(
        f"{name} needs {variance / variances[best]:.3g} times as many people"
        for name, variance in variances.items()
        if name != best
    )
    return (
        f"With {options} options and epsilon {epsilon:.2f}, {best} is the most precise; {needs}. "
        "OUE is the easier one to explain, because each option is marked on its own; subset "
        "selection always marks equally many."
    )


def family_words(item: FamilyQuestion) -> str:
    """What a family sends, and how many people it needs beside reports of each question's own."""
    gain = gain_of_ways(item.channel, item.ways, NOT_ASKED)
    words = (
        f"one report of {len(item.levels)} ways covers this question and its follow-ups. For "
        "answers among those asked a follow-up, it needs {times:.2g} times {fewer} people than "
        "separate reports with the same epsilon in all, if 30 % are asked and 40 % of these give "
        "the first answer"
    )
    if gain < 1:
        more = words.format(times=1 / gain, fewer="as many")
        return f"{more.replace(' than ', ' as ')}: choose reports of their own"
    return words.format(times=gain, fewer="fewer")


BEST_FOR: dict[Purpose, str] = {
    Purpose.HISTOGRAM: "the share of each answer",
    Purpose.CDF: "the shares up to each answer",
    Purpose.MEAN: "the mean",
}


def scale_gain(item: ScaleQuestion) -> str:
    """How many more people k-ary response would need for what a long scale is best for."""
    gain = gain_over_k_ary(item.channel.matrix, item.purpose)
    return f"for {BEST_FOR[item.purpose]}, k-ary response needs {gain:.3g} times as many people"


def _scale_advice(item: LevelQuestion) -> Hints:
    """What a design for long scales would gain, where there is one for this question."""
    levels = len(item.levels)
    if item.decline_level is None and FEWEST_ANSWERS <= levels <= MOST_ANSWERS:
        design = OptimisedScale(levels, Purpose.CDF, item.epsilon)
        gain = gain_over_k_ary(design.channel.matrix, Purpose.CDF)
        yield (
            messages.INFO,
            f"k-ary response needs {gain:.3g} times the people of a design for long scales for "
            f"{BEST_FOR[Purpose.CDF]}, at this epsilon.",
        )


def _variance(protocol: FrequencyProtocol) -> float:
    shares = [1 / protocol.options]
    return float(conditional_frequency_variance(protocol, shares, 1)[0])
