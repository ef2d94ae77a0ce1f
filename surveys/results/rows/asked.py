"""Shares among those who were asked a question, where protected answers decide that."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from django.utils.translation import gettext_lazy

from surveys.kinds.family.promise import FollowUpQuestion
from surveys.kinds.levels.promise import LevelQuestion
from surveys.randomized_response.estimates import DistributionEstimate
from surveys.randomized_response.relations import joint_channel
from surveys.results.queries import ItemCounts, JointReports
from surveys.results.reading import Reading
from surveys.results.rows.families import Answers, answers_through
from surveys.results.shares import ShareReport, ShareRow, share_report, share_row, summed_row
from surveys.wording.language.numbers import count_words

AMONG = gettext_lazy(
    "Based on about {people} of {n} people (estimated {share}, {low} to {high}) to whom the "
    "question applies."
)
TOO_FEW = gettext_lazy(
    "According to the estimate, fewer than {k} people were asked this question. So the answers of "
    "these people are not shown separately."
)
AMONG_ASKED = gettext_lazy("{answer}, among the people asked")


@dataclass(frozen=True)
class AmongAsked:
    """How many were asked, in words, and a row for each answer among them; none of too few."""

    words: str = ""
    rows: tuple[ShareRow, ...] = ()


def follow_up_report(
    item: FollowUpQuestion, number: int, counts: ItemCounts, reading: Reading
) -> ShareReport:
    """Shares among those who were asked, by the reports of the family."""
    family = counts.family
    if family is None:
        raise ValueError("A follow-up is counted by the reports of its family.")
    reported = counts.of_levels(family.levels)
    n, not_asked = sum(reported), counts.by_code[family.not_asked]
    among = AmongAsked()
    if n:
        estimate = DistributionEstimate(family.channel, reported)
        among = among_asked(estimate, answers_through(family, number, item.levels), counts, reading)
    return ShareReport(
        number, item, reading, n, not_asked, asked_words=among.words, among_asked=among.rows
    )


def level_report(
    item: LevelQuestion, number: int, counts: ItemCounts, reading: Reading
) -> ShareReport:
    """Shares of all people; where a protected answer may hide it, among those asked as well."""
    report = share_report(item, number, counts, reading)
    if item.hidden is None or not report.n:
        return report
    if item.hidden.is_own:
        estimate = DistributionEstimate(item.channel, counts.of_levels(item.levels))
        texts = {position: item.levels[position].text for position in _shown(item)}
        answers: Answers = [(str(AMONG_ASKED).format(answer=t), (n,)) for n, t in texts.items()]
    elif counts.joint is not None and counts.joint.is_estimable(item):
        estimate, answers = _together(item, counts.joint)
    else:
        return report
    among = among_asked(estimate, answers, counts, reading)
    return replace(report, asked_words=among.words, among_asked=among.rows)


def _shown(item: LevelQuestion) -> list[int]:
    """The places of the answers that a person can give who is asked, in the order shown."""
    return [position for position in item.display if position in item.answerable]


def _together(item: LevelQuestion, joint: JointReports) -> tuple[DistributionEstimate, Answers]:
    """Reports of a question and of those that its rule reads, as one report of a joint channel.

    Given all true answers the reports are independent, so its channel is the Kronecker product.
    Who was asked follows from the true answers that the rule reads.
    """
    items = (item, *joint.sources.values())
    combined = list(product(*(range(len(source.levels)) for source in items)))
    channel = joint_channel(*(source.channel for source in items))
    estimate = DistributionEstimate(channel, joint.counts_of(item, combined))
    asked = [joint.asks(places[1:]) for places in combined]
    answers = [
        (
            str(AMONG_ASKED).format(answer=item.levels[answer].text),
            tuple(n for n, places in enumerate(combined) if asked[n] and places[0] == answer),
        )
        for answer in _shown(item)
    ]
    return estimate, answers


def among_asked(
    estimate: DistributionEstimate, answers: Answers, counts: ItemCounts, reading: Reading
) -> AmongAsked:
    """Each answer among the people who gave one of them, by one report that tells of both.

    Nothing where every level is of people who were asked: their shares are those of all.
    """
    asked = tuple(level for _, levels in answers for level in levels)
    if set(asked) == set(range(len(estimate.shares))):
        return AmongAsked()
    share = summed_row("", estimate, asked, reading)  # as the page of its family says it
    people = (share.shown_share or 0.0) * estimate.n
    if people < counts.batch_size:
        return AmongAsked(str(TOO_FEW).format(k=counts.batch_size))
    words = str(AMONG).format(
        share=share.estimate_words,
        low=share.low_words,
        high=share.high_words,
        n=count_words(estimate.n),
        people=count_words(round(people)),
    )
    rows = (_row(estimate, text, levels, asked, reading) for text, levels in answers)
    return AmongAsked(words, tuple(rows))


def _row(
    estimate: DistributionEstimate,
    label: str,
    top: Sequence[int],
    among: Sequence[int],
    reading: Reading,
) -> ShareRow:
    ratio = estimate.ratio(top, among, reading.level, reading.way)
    return share_row(label, None, ratio.value, ratio.standard_error, ratio.interval)
