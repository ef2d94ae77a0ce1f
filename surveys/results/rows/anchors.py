"""Anchors: how many people attended, and estimates corrected for those who did not.

An anchor is a yes or no with a known share of yes, through the device of the question before it.
People who do not attend are taken to report either answer equally often (Atsusaka and Stevenson
2023, section 2), so that the share of attentive people a solves f = a g + (1 - a) / 2, with f the
reported share of yes to the anchor and g what attentive people would report.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import scipy
from django.utils.translation import gettext, gettext_lazy

from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.two_questions.promise import ComparedQuestion
from surveys.models import Revision
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.kinds.registry import of_kind
from surveys.randomized_response.designs import AnchoredCrosswise
from surveys.randomized_response.estimates import estimate_anchored_crosswise
from surveys.randomized_response.estimates.two_group_estimation import DEFAULT_LEVEL
from surveys.randomized_response.intervals import Interval
from surveys.results.queries import ItemCounts, item_counts, response_count
from surveys.results.reading import Reading
from surveys.results.routes import route_of
from surveys.wording.language.numbers import localized, percent
from surveys.wording.readings import beyond_words

LEAST_CHANCE = 0.0001  # smaller ones are only said to be so
ONE_LOOK = gettext_lazy(
    "The test and the corrected estimate are valid for one look at the results only. The number "
    "of responses at this look must be fixed beforehand. The method assumes that inattentive "
    "people report both answers equally often."
)


@dataclass(frozen=True)
class Correction:
    """The corrected share of Yes as computed, which may lie beyond 0 and 1.

    ``harmless``: the harmless shares of the question and of its anchor.
    """

    prevalence: float
    harmless: tuple[Fraction, Fraction]


@dataclass(frozen=True)
class AnchorLine:
    """What the anchor at ``number`` says, in sentences; ``corrected`` may be empty.

    ``attentive`` and ``correction`` are behind ``attending`` and ``corrected``, as computed; None
    where the sentence gives no share.
    """

    number: int
    text: str
    fit: str
    attending: str
    corrected: str
    attentive: float | None
    correction: Correction | None


def anchors_of(revision: Revision, reading: Reading) -> tuple[AnchorLine, ...]:
    """What the anchors of a revision say; nothing of what too few people were asked."""
    questionnaire = questionnaire_of(revision)
    if all(item.known_yes is None for item in questionnaire.items):
        return ()
    responses = response_count(revision)
    counted = [
        ItemCounts(counts.item, Counter())
        if route_of(questionnaire, counts, responses).hides_estimates
        else counts
        for counts in item_counts(revision)
    ]
    return anchor_lines(counted, reading)


def anchor_lines(counted: Sequence[ItemCounts], reading: Reading) -> tuple[AnchorLine, ...]:
    """A line for each anchor that has answers, in the order of the questions."""
    return tuple(_lines(counted, reading))


def _lines(counted: Sequence[ItemCounts], reading: Reading) -> Iterator[AnchorLine]:
    for number, item in of_kind(LevelQuestion, [counts.item for counts in counted]):
        if item.known_yes is None:
            continue
        counts = counted[number - 1]
        reported = counts.of_levels(item.reported_levels)
        if sum(reported):
            attentive = _attentive_share(item, reported)
            corrected, correction = _corrected(counted[number - 2], counts, reading)
            fit, attending = _fit(item, reported), _attending_words(attentive)
            yield AnchorLine(number, item.text, fit, attending, corrected, attentive, correction)


def expected_share(item: LevelQuestion) -> Fraction:
    """How often attentive people report the second level, as the known share has it."""
    known = item.known_yes or Fraction(0)
    no, yes = (Fraction(*_parts(item, truth)) for truth in (0, 1))
    return (1 - known) * no + known * yes


def _parts(item: LevelQuestion, truth: int) -> tuple[int, int]:
    channel = item.integer_channel
    return channel.weights[truth][1], channel.denominator


def _attentive_share(item: LevelQuestion, reported: Sequence[int]) -> float | None:
    """The share of people who attend, as computed; None where the anchor cannot tell."""
    expected = float(expected_share(item))
    if expected == 0.5:
        return None
    return (reported[1] / sum(reported) - 0.5) / (expected - 0.5)


def _attending_words(attentive: float | None) -> str:
    if attentive is None:
        return ""
    share = min(max(attentive, 0.0), 1.0)
    return gettext("About {share} of the people were attentive.").format(share=percent(share, 0))


def _fit(item: LevelQuestion, reported: Sequence[int]) -> str:
    """An exact test against what attentive people would report."""
    n, expected = sum(reported), float(expected_share(item))
    chance = float(scipy.stats.binomtest(reported[1], n, expected).pvalue)
    is_tiny = chance < LEAST_CHANCE
    small = gettext("below {number}").format(number=localized(f"{LEAST_CHANCE}"))
    return gettext(
        "{reported} of the people reported “{label}”. If all people were attentive, {expected} "
        "would be expected, because the known share is {known}. Chance alone makes a difference "
        "at least this large with probability {chance}."
    ).format(
        label=item.reported_levels[1].text,
        reported=percent(reported[1] / n),
        known=percent(float(item.known_yes or 0)),
        expected=percent(expected),
        chance=small if is_tiny else localized(f"{chance:.2g}"),
    )


def _corrected(
    before: ItemCounts, anchor: ItemCounts, reading: Reading
) -> tuple[str, Correction | None]:
    """The estimate of the question before, without those who did not attend: words and share."""
    asked, control = before.item, anchor.item
    if not isinstance(asked, ComparedQuestion) or not isinstance(control, ComparedQuestion):
        return "", None
    counts, anchors = before.of_levels(asked.reports), anchor.of_levels(control.reports)
    if control.known_yes or sum(counts) != sum(anchors) or sum(counts) < 2:
        return "", None
    shares = Fraction(asked.second.least), Fraction(control.second.least)
    estimate = estimate_anchored_crosswise(AnchoredCrosswise(*shares), counts, anchors)
    # No value is given where the interval at the default level reaches 0, at any level read.
    if not estimate.is_identified("prevalence", max(reading.level, DEFAULT_LEVEL)):
        words = gettext(
            "The estimate of the previous question cannot be corrected, because too few people "
            "were attentive."
        )
        return words, None
    prevalence = estimate.value("prevalence")
    words = _corrected_words(prevalence, estimate.interval("prevalence", reading.level))
    return words, Correction(prevalence, shares)


def _corrected_words(prevalence: float, interval: Interval) -> str:
    shown, share = interval.clipped(), min(max(prevalence, 0.0), 1.0)
    words = gettext(
        "After correction for inattentive people, {share} answer Yes to the previous question "
        "({low} to {high})."
    ).format(share=percent(share), low=percent(shown.low), high=percent(shown.high))
    beyond = beyond_words(interval)
    return f"{words} {beyond}".strip()
