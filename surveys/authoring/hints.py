"""Hints after a question is saved, by kind: no coin recipe, no group, marks."""

from collections.abc import Iterator
from functools import partial

from django.contrib import messages
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from surveys.kinds.family.promise import FamilyQuestion
from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.long_list.promise import ListQuestion
from surveys.kinds.long_scale.promise import (
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
from surveys.wording.language.numbers import decimal, localized

NO_RECIPE = gettext_lazy(
    "Coins and dice cannot give exactly the odds of this design. So people who use their own "
    "coin will not be asked this question. To ask these people too, choose two coins, or forced "
    "answers with probabilities such as 1/6."
)
NO_GROUP = gettext_lazy(
    "Only the page's script can draw one of the two groups, so people who use their own coin will "
    "not be asked this question. To ask these people too, choose an unrelated question with a "
    "known share."
)
NO_RATING_RECIPE = gettext_lazy(
    "Coins and dice cannot give exactly the odds of this design. So people who use their own "
    "coin will not be asked for these ratings. To ask these people too, ask for the ratings "
    "directly."
)
NO_PARTS = gettext_lazy(
    "Coins and dice cannot give exactly the odds of this design. So people who use their own "
    "coin will not be asked this question. To ask these people too, choose two coins and send "
    "only one part, such as one row. If the question has at most six parts, you can also send "
    "all parts."
)
NO_ROUNDING = gettext_lazy(
    "Only the page's script can round a number by chance, so people who use their own coin will "
    "not be asked this question."
)
NO_MARKS = gettext_lazy(
    "Only the page's script can mark the options of a long list, so people who use their own coin "
    "will not be asked this question."
)


NO_GROUP_OF_ANSWERS = gettext_lazy(
    "Only the page's script can draw a group of answers, so people who use their own coin will "
    "not be asked this question."
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
    words = gettext("At this epsilon, {gain}.").format(gain=scale_gain(item))
    yield messages.INFO, words


def _of_levels(item: LevelQuestion) -> Hints:
    yield from _of_others(item)
    if item.is_ordered and item.design == "k_ary":
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
        gettext("subset selection"): SubsetSelection.from_epsilon(options, epsilon),
        "OUE": OUE.from_epsilon(options, epsilon),
        gettext("k-ary"): GRR.from_epsilon(options, epsilon),
    }
    variances = {name: _variance(protocol) for name, protocol in protocols.items()}
    best = min(variances, key=lambda name: variances[name])
    needs = ", ".join(
        gettext("{name} needs {times} times as many people").format(
            name=name, times=localized(f"{variance / variances[best]:.3g}")
        )
        for name, variance in variances.items()
        if name != best
    )
    return gettext(
        "With {options} options and epsilon {epsilon}, {best} is the most precise design: "
        "{needs}. OUE (optimized unary encoding) marks each option separately, which is easier "
        "to explain. Subset selection always marks the same number of options."
    ).format(options=options, epsilon=decimal(epsilon, 2), best=best, needs=needs)


def family_words(item: FamilyQuestion) -> str:
    """What a family sends, and how many people it needs beside reports of each question's own."""
    gain = gain_of_ways(item.channel, item.ways, NOT_ASKED)
    words = MORE_PEOPLE if gain < 1 else FEWER_PEOPLE
    times = localized(f"{1 / gain if gain < 1 else gain:.2g}")
    return str(words).format(ways=len(item.levels), times=times)


FEWER_PEOPLE = gettext_lazy(
    "this question and its follow-ups are sent as one answer with {ways} possible values. For "
    "equally good estimates of a follow-up, separate answers with the same total epsilon would "
    "need {times} times as many people. This comparison assumes that 30 % of people are asked "
    "the follow-up and that 40 % of these people give the first answer"
)
MORE_PEOPLE = gettext_lazy(
    "this question and its follow-ups are sent as one answer with {ways} possible values. For "
    "equally good estimates of a follow-up, this joint answer needs {times} times as many people "
    "as separate answers with the same total epsilon. This comparison assumes that 30 % of "
    "people are asked the follow-up and that 40 % of these people give the first answer. Choose "
    "“Send a separate answer” for the follow-ups"
)
BEST_FOR = {
    Purpose.HISTOGRAM: gettext_lazy("the share of each answer"),
    Purpose.CDF: gettext_lazy("the cumulative shares (up to each answer)"),
    Purpose.MEAN: gettext_lazy("the mean"),
}


def scale_gain(item: ScaleQuestion) -> str:
    """How many more people k-ary response would need for what a long scale is best for."""
    gain = gain_over_k_ary(item.channel.matrix, item.purpose)
    return gettext(
        "for {purpose}, k-ary response needs {times} times as many people as this design"
    ).format(purpose=BEST_FOR[item.purpose], times=localized(f"{gain:.3g}"))


def _scale_advice(item: LevelQuestion) -> Hints:
    """What a design for long scales would gain, where there is one for this question."""
    levels = len(item.levels)
    if item.decline_level is None and FEWEST_ANSWERS <= levels <= MOST_ANSWERS:
        design = OptimisedScale(levels, Purpose.CDF, item.epsilon)
        gain = gain_over_k_ary(design.channel.matrix, Purpose.CDF)
        words = gettext(
            "To estimate {purpose} at this epsilon, k-ary response needs {times} times as many "
            "people as a design for long scales."
        ).format(times=localized(f"{gain:.3g}"), purpose=BEST_FOR[Purpose.CDF])
        yield messages.INFO, words


def _variance(protocol: FrequencyProtocol) -> float:
    shares = [1 / protocol.options]
    return float(conditional_frequency_variance(protocol, shares, 1)[0])
