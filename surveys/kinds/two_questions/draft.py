"""A drafted question in two groups, as simulated people answer it."""

from collections.abc import Iterator

import numpy as np
from django import forms

from surveys.authoring.simulation.draws import Answering, DrawnPeople, Shares, answer_unread
from surveys.authoring.simulation.fields import shares_field
from surveys.authoring.simulation.rows import LEVEL, Cells, Row
from surveys.kinds.two_questions.promise import GroupedQuestion
from surveys.randomized_response.designs import IntegerChannel, UnrelatedQuestionTwoGroups
from surveys.randomized_response.drawing import draw_reports
from surveys.randomized_response.estimates import estimate_two_groups


def _draw_grouped(item: GroupedQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    """The second answer is yes as often as its author expects, in the middle."""
    truths = people.levels(len(item.levels), shares)
    second = float(sum(item.second.shares) / len(item.second.shares))
    pairs = 2 * truths + (people.rng.random(people.count) < second)
    channel = IntegerChannel(weights=item.pairs, denominator=item.denominator)
    reports = draw_reports(channel, pairs, people.rng).tolist()
    return answer_unread(truths, [[item.reports[report].code] for report in reports])


def _rows(item: GroupedQuestion, truths: np.ndarray, cells: Cells) -> Iterator[Row]:
    """The share of yes, once both groups have an answer."""
    counts = tuple(cells.get(level.code, 0) for level in item.reports)
    if sum(counts[:2]) and sum(counts[2:]):
        design = UnrelatedQuestionTwoGroups(*item.group_probabilities)
        estimate = estimate_two_groups(design, counts[:2], counts[2:])
        share, interval = estimate.values["prevalence"], estimate.interval("prevalence", LEVEL)
        if share is not None:
            yield Row(item.levels[1].text, float(np.mean(truths == 1)), share, interval)


def _share_field(item: GroupedQuestion, number: int) -> forms.Field:
    return shares_field(item, number, range(len(item.levels)))


DRAWS = {GroupedQuestion: _draw_grouped}
ROWS = {GroupedQuestion: _rows}
SHARE_FIELDS = {GroupedQuestion: _share_field}
