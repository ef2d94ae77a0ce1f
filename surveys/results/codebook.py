"""The codebook by kind of question: codes, labels, weights, and how to estimate from them."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from surveys.catalogues.queries import names_of
from surveys.models import Revision
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.arms import FIELD
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.compared import ComparedQuestion
from surveys.questionnaire.kinds.day import DayQuestion
from surveys.questionnaire.kinds.family import FamilyQuestion, FollowUpQuestion
from surveys.questionnaire.kinds.grouped import GroupedQuestion
from surveys.questionnaire.kinds.levels import Level, Leveled, LevelQuestion, ThroughChannel
from surveys.questionnaire.kinds.long_list import ListQuestion
from surveys.questionnaire.kinds.long_scale import ScaleQuestion
from surveys.questionnaire.kinds.number import NumberQuestion
from surveys.questionnaire.kinds.paired import PairedQuestion
from surveys.questionnaire.kinds.question import NOT_ASKED, Question, field_name
from surveys.questionnaire.kinds.rating import RatingQuestion
from surveys.questionnaire.kinds.registry import Table, kind_name, of_kind
from surveys.questionnaire.kinds.rounded import RoundedQuestion
from surveys.questionnaire.kinds.second import SecondQuestion
from surveys.questionnaire.kinds.several.parts import PartsQuestion
from surveys.questionnaire.kinds.several.ticks import TicksQuestion
from surveys.questionnaire.kinds.silent import InformationQuestion
from surveys.questionnaire.layout import Layout
from surveys.questionnaire.logic.quotes import quoted_in
from surveys.questionnaire.openings import LIVE
from surveys.questionnaire.sharing import sharing
from surveys.results.exports import COLUMN_NAMES, in_responses
from surveys.results.progress import Progress, progress_of
from surveys.wording.routes import asked_words

HOW_TO_READ_TEXTS = (
    "Free text is not in this file. The survey's owner downloads it on its own (texts.csv): one "
    "row per text, in an order of its own, with nothing that joins it to the other answers."
)


HOW_TO_READ_PAGES = (
    "Nothing is sent of these pages. A person who did not agree to a page of consent could not "
    "send anything: every response is of a person who did."
)


HOW_TO_READ_THE_BUDGET = (
    "What respondents were promised about all reports on their texts together (source text), or "
    "about these and all table releases together (source all): differential privacy with this "
    "epsilon (in nats) and this delta, between two sets of answers that differ as the adjacency "
    "says. Null: nothing protected was promised. The texts themselves, texts.csv, and direct "
    "answers, responses.csv, are not protected."
)


HOW_TO_READ = (
    "One row per response, in the order of random keys, which says nothing about when it came. "
    "A cell that a spreadsheet could take for a formula starts with an apostrophe."
)


HOW_TO_ESTIMATE = (
    "Answers of randomized questions are reports, not truths. With f the vector of reported "
    "shares in the order of the levels, and P[reported, true] = weights[true][reported] / "
    "denominator, estimate the true shares by solving P pi = f. Both paths use the same P, so "
    "count them together; leave out who was not asked. Estimates may lie below 0 or above 1: "
    "that is the noise, and cutting it off biases sums. The covariance is "
    "P^-1 (diag(f) - f f') P^-T / (n - 1). A direct question has the identity for P."
)


HOW_TO_READ_WITHHELD = (
    "In so many rows the questions that a respondent with a coin of their own cannot be asked are "
    "marked as not asked. Some of these people used their own coin; the others were drawn by "
    "chance, so that no one can tell who did. Estimates become less precise. The drawn ones are a "
    "tenth of the rows that could show the path, missing at random, or as many as a batch has if "
    "that is more, or all that were opened at the close if they are fewer, which may be most "
    "answers to a question that few people were asked. Where they are more than a tenth and some "
    "answers were opened before the close, late answers are missing more often."
)


HOW_TO_READ_SHARED = (
    "Each of these pairs of questions, numbered from 1, is hidden by one answer of the respondent. "
    "Their reports are not independent: together they tell true answers, so that the total "
    "epsilon is infinite, and no channel of both is the product of their channels."
)


HOW_TO_READ_THE_DRAW = (
    "Each person was asked so many of the protected questions (with a coin of their own, fewer by "
    "those that it cannot ask), all subsets of that size being "
    "equally likely, drawn before anything was answered. A question that was not drawn is marked "
    "as not asked: it is missing at random, so estimate among those who were asked."
)


HOW_TO_READ_ARMS = (
    "Chance put each person into one arm, by weights that are frozen, before anything was "
    "answered; the last column says which. An arm says nothing of its people, so arms differ by "
    "how they were asked, by who pressed Send because of that, and by chance alone."
)


HOW_TO_READ_MARKS = (
    "A report is a list with some options marked. As a code: option j, in the order of the levels "
    "from 0, is bit j mod 8 of byte j div 8, two hexadecimal digits for each byte. With c the "
    "number of reports among n that mark an option, estimate its share as (c / n - marked_if_not) "
    "/ (marked_if_true - marked_if_not)."
)


HOW_TO_READ_GROUPS = (
    "A report is a group of answers, drawn by chance: “answers” are its places in the levels, from "
    "0. There are more reports than levels, so P[reported, true] = weights[true][reported] / "
    "denominator has no inverse. With D the diagonal of the means of the rows of P, estimate the "
    "true shares as (P' D^-1 P)^-1 P' D^-1 f."
)


HOW_TO_READ_ORDER = (
    "Each respondent's page drew an order of its own: of the answers to these questions, of the "
    "screens in these sections, of these sections among themselves. No order was sent or stored. "
    "People who answered without the page's script saw the order of the questionnaire."
)


HOW_TO_READ_PARTS = (
    "Each part of the question has a column of its own. Of each respondent as many parts were "
    "sent as “parts_sent” says, drawn evenly and independently of the answers; the others are "
    "empty in the file of codes: missing at random, so estimate each part among those that sent "
    "it. Every part goes through the channel on its own; epsilon is that of all that is sent "
    "together."
)


HOW_TO_READ_RELEASED = (
    "These questions have no column: no one reads their answers one by one. They come to light as "
    "tables with noise, on the page of releases, with margins and files of their own."
)


HOW_TO_READ_POINTS = (
    "A report is one of a few points; the columns of the weights are the true values in their "
    "order, so that the channel has no inverse. The mean of the scores of the reports is unbiased "
    "for the mean of the true values, with the standard error of any mean."
)


HOW_TO_READ_FAMILY = (
    "One report tells of several questions: a level is a way through all of them, with the answer "
    "to each in “ways”, in the order of “members”; dashes mean that the question was not asked on "
    "that way. The share of an answer among those who were asked a question is a ratio of two sums "
    "of estimated shares; its interval needs the covariance of both (Fieller 1954)."
)


HOW_TO_READ_HIDDEN = (
    "A protected answer decides who was asked, so all people send a report: the true answer of who "
    "was not asked is the level in “if_hidden”. Where it means that the question does not apply, "
    "shares among those asked are ratios to the sum of the other levels. Where it is an answer, "
    "work back the joint shares with the questions of the rule first, by the product of their "
    "channels; intervals need the covariance of both sums (Fieller 1954)."
)


HOW_TO_READ_RATINGS = (
    "Each respondent rated as many items as “shown” says, drawn by chance; the columns come "
    "in pairs, the item (its number, in the file of codes) and its rating, in the order of the "
    "items. Every rating goes through the channel on its own; epsilon is that of all together."
)


HOW_TO_READ_DISPLAY = {
    "even": " Every item was equally likely to be shown.",
    "adaptive": (
        " Items that had been rated well were shown more often: means of single items are biased, "
        "mostly downwards, and averages over all ratings lean to the items that are liked. "
        "docs/ranking.md says what is still right."
    ),
}


def codebook(revision: Revision, *, responses: int) -> dict[str, Any]:
    """Everything that the CSV needs to be understood and estimated from."""
    questionnaire = questionnaire_of(revision)
    return {
        "title": questionnaire.title,
        "organisation": questionnaire.organisation,
        "responses": responses,
        "invitation_only": questionnaire.invitation_only,
        "batch_size": questionnaire.batch_size,
        **_draw(questionnaire),
        **_arms(questionnaire),
        **_random_order(questionnaire.layout),
        **_openings(questionnaire, progress_of(revision.survey, revision)),
        "delete_on": revision.survey.delete_on,  # may be earlier than it was promised
        "how_to_read": HOW_TO_READ,
        "how_to_estimate": HOW_TO_ESTIMATE,
        **_total(questionnaire),
        "columns": list(_columns(questionnaire)),
        **_texts(questionnaire),
        **_pages(questionnaire),
        **_released_alone(questionnaire),
        **_promise(questionnaire),
    }


def _total(questionnaire: Questionnaire) -> dict[str, Any]:
    """The total epsilon; null, and why, where it is infinite: JSON has no such number."""
    name = "total_epsilon_of_randomized_questions"
    if not questionnaire.shares_second:
        return {name: questionnaire.total_epsilon}
    pairs = sharing(questionnaire.items)
    return {name: None, "share_a_second_question": pairs, "how_to_read_shared": HOW_TO_READ_SHARED}


def _draw(questionnaire: Questionnaire) -> dict[str, Any]:
    """How many of the protected questions each person was asked, if not all."""
    if questionnaire.asked is None:
        return {}
    return {
        "protected_questions_asked": questionnaire.asked,
        "protected_questions": len(questionnaire.randomized),
        "how_to_read_the_draw": HOW_TO_READ_THE_DRAW,
    }


def _random_order(layout: Layout) -> dict[str, Any]:
    """What changed places on the pages of respondents, if anything did."""
    if not layout.is_random:
        return {}
    titles = {section.first: section.title for section in layout.sections}
    return {
        "random_order": {
            "answers_of_questions": [field_name(number - 1) for number in layout.order.options],
            "screens_of_sections": [titles[first] for first in layout.order.screens],
            "sections": [titles[first] for first in layout.order.sections],
        },
        "how_to_read_the_order": HOW_TO_READ_ORDER,
    }


def _arms(questionnaire: Questionnaire) -> dict[str, Any]:
    """The arms and the column that says which one a person was in; nothing where there are none."""
    if not questionnaire.arms:
        return {}
    arms = [
        {"code": arm.code, "label": arm.text, "weight": arm.weight} for arm in questionnaire.arms
    ]
    return {"arm_column": FIELD, "arms": arms, "how_to_read_arms": HOW_TO_READ_ARMS}


def _openings(questionnaire: Questionnaire, progress: Progress) -> dict[str, Any]:
    """When the answers in the file were opened, and what was withheld to hide a path."""
    plan = questionnaire.opening
    return {
        "opening": plan.when if plan else LIVE,
        "as_of": progress.as_of,
        "next_opening": progress.next_on,
        "withheld_rows": progress.withheld,
        **({"how_to_read_withheld": HOW_TO_READ_WITHHELD} if progress.withheld else {}),
    }


def _texts(questionnaire: Questionnaire) -> dict[str, Any]:
    found = [
        {"number": number, "text": item.text, "required": item.required, "longest": item.longest}
        for number, item in questionnaire.texts
    ]
    if not found:
        return {}
    return {"how_to_read_texts": HOW_TO_READ_TEXTS, "texts": found}


def _pages(questionnaire: Questionnaire) -> dict[str, Any]:
    """What respondents read between the questions, and what all of them agreed to."""
    found = [
        {"number": number, "page": kind_name(item), "text": item.text, "help": item.help}
        for number, item in of_kind(InformationQuestion, questionnaire.items)
    ]
    return {"how_to_read_pages": HOW_TO_READ_PAGES, "pages": found} if found else {}


def _released_alone(questionnaire: Questionnaire) -> dict[str, Any]:
    """The questions that have no column, because their answers come to light as tables alone."""
    if questionnaire.releases is None:
        return {}
    hidden = [
        {"name": field_name(place), "text": item.text, "kind": item.kind}
        for place, item in enumerate(questionnaire.items)
        if item in questionnaire.hidden
    ]
    return {"released_in_tables_alone": hidden, "how_to_read_released": HOW_TO_READ_RELEASED}


def _promise(questionnaire: Questionnaire) -> dict[str, Any]:
    """What was promised about reports and tables, also that nothing was where texts are asked."""
    budget = questionnaire.budget
    if budget is None and not questionnaire.texts:
        return {}
    return {
        "budget": asdict(budget) if budget else None,
        "how_to_read_the_budget": HOW_TO_READ_THE_BUDGET,
    }


def _columns(questionnaire: Questionnaire) -> Iterator[dict[str, Any]]:
    """The codebook's entry for each column; of a rating, for all of its columns."""
    for place, item in in_responses(questionnaire):
        about = {
            "text": item.text,
            "kind": item.kind,
            "design": item.design,
            "protected": item.is_randomized,
            "required": item.required,
        }
        if isinstance(item, FamilyQuestion):
            about["questions"] = [_member(questionnaire, number) for number in item.members]
        if item.rule:
            about["asked_only"] = asked_words(item, questionnaire)
        if item.known_yes is not None:
            about["anchor_known_share_of_yes"] = str(item.known_yes)
        if item.quoting:
            sources = quoted_in(item.quoting)
            about["quotes_answers_to"] = [field_name(number - 1) for number in sources]
        if questionnaire.arms:
            about["asked_in_arms"] = questionnaire.arms_asked(item)
        yield {"name": field_name(place), **FIRST_PARTS(item, place), **about, **LAST_PARTS(item)}


def _member(questionnaire: Questionnaire, number: int) -> dict[str, Any]:
    """One question of a family as it was asked."""
    item = questionnaire.items[number - 1]
    answers = item.choices if isinstance(item, FamilyQuestion | FollowUpQuestion) else ()
    return {
        "number": number,
        "text": item.text,
        "asked_only": asked_words(item, questionnaire),
        "answers": [{"code": level.code, "label": level.text} for level in answers],
    }


def _nothing(item: Question, place: int) -> dict[str, Any]:
    return {}


def _rated(item: RatingQuestion, place: int) -> dict[str, Any]:
    """The columns of a rating, and its items; the channel is that of each slot on its own."""
    display = "adaptive" if item.items.adaptive else "even"
    return {
        "columns": COLUMN_NAMES(item, place),
        "how_to_read": HOW_TO_READ_RATINGS + HOW_TO_READ_DISPLAY[display],
        "display": display,
        "items": names_of(item),
        "shown": item.items.shown,
    }


def _parts(item: PartsQuestion, place: int) -> dict[str, Any]:
    """The columns of a question with parts; the channel is that of each part on its own."""
    parts = zip(COLUMN_NAMES(item, place), item.parts, strict=True)
    return {
        "columns": [{"name": name, "text": text} for name, text in parts],
        "how_to_read": HOW_TO_READ_PARTS,
        "parts_sent": item.slots,
    }


def _ticks(item: TicksQuestion, place: int) -> dict[str, Any]:
    return {**_parts(item, place), "ticks_at_most": item.most}


FIRST_PARTS: Table[[int], dict[str, Any]] = Table.mostly(
    _nothing,
    rating=_rated,
    ticks=_ticks,
    matrix=_parts,
    ranking=_parts,
    ranked_pair=_parts,
)


def _number(item: NumberQuestion) -> dict[str, Any]:
    marks = {"declined": item.number.declined, "not_asked": item.not_asked}
    return {**asdict(item.number), **marks}


def _no_parts(item: Question) -> dict[str, Any]:
    return {}


def _levels(item: Leveled, **second: Any) -> dict[str, Any]:
    return {
        "levels": [
            {"code": level.code, "label": level.text, "declines": level.declines}
            for level in item.levels
        ],
        **second,
        "not_asked": item.not_asked,
        "asked_with_own_coin": item.is_offered_with_own_coin,
        "epsilon": item.epsilon if math.isfinite(item.epsilon) else None,
    }


def _weights(item: ThroughChannel) -> dict[str, Any]:
    channel = item.integer_channel
    return {"weights": channel.weights, "denominator": channel.denominator}


def _through_channel(item: ThroughChannel) -> dict[str, Any]:
    return {**_levels(item), **_weights(item)}


def _each_part(item: PartsQuestion) -> dict[str, Any]:
    """Each part has a column of its own, with a mark of its own for who was not asked."""
    return {**_through_channel(item), "not_asked": NOT_ASKED}


def _scale(item: ScaleQuestion) -> dict[str, Any]:
    """The reports are groups of answers; the channel has a weight for each of them."""
    reports = [
        {"code": level.code, "label": level.text, "answers": group}
        for level, group in zip(item.reported_levels, item.marked, strict=True)
    ]
    read = {"how_to_read_groups": HOW_TO_READ_GROUPS, "best_for": item.purpose}
    return {**_levels(item, reports=reports), **read, **_weights(item)}


def _two_questions(item: PairedQuestion | ComparedQuestion) -> dict[str, Any]:
    return {**_levels(item, **_second(item.reported_levels, item.second)), **_weights(item)}


def _two_groups(item: GroupedQuestion) -> dict[str, Any]:
    """The channel hangs on an unknown share: only ``pairs`` are known."""
    second = _second(item.reports, item.second)
    return {**_levels(item, **second), "pairs": item.pairs, "denominator": item.denominator}


def _rounded(item: RoundedQuestion) -> dict[str, Any]:
    """The points that are reported, and what each counts in the mean."""
    return {
        **_through_channel(item),
        "how_to_read_points": HOW_TO_READ_POINTS,
        "range": asdict(item.number),
        "true_values": item.columns,
        "scores": [str(score) for score in item.scores],
    }


def _days(item: DayQuestion) -> dict[str, Any]:
    return {**asdict(item.days), "declined": item.declined, "not_asked": item.not_asked}


def _second(reported: Iterable[Level], second: SecondQuestion) -> dict[str, Any]:
    """The second question, and the reports that are no answers."""
    reports = [{"code": level.code, "label": level.text} for level in reported]
    shares = {"share_of_yes_from": second.least, "share_of_yes_to": second.most}
    return {"reports": reports, "second_question": {"text": second.text, **shares}}


def _marks(item: ListQuestion) -> dict[str, Any]:
    """How to read and estimate a long list."""
    marking = item.marks
    return {
        **_levels(item),
        "how_to_read_marks": HOW_TO_READ_MARKS,
        "code_width": marking.width,
        "marked_if_true": str(marking.p_true),
        "marked_if_not": str(marking.p_other),
        "marks_in_every_report": marking.size or None,
    }


def _family(item: FamilyQuestion) -> dict[str, Any]:
    """The ways, each as the code of the answer to every member; texts stand with the members."""
    ways = [list(way) for way in item.ways]
    read = {"how_to_read_family": HOW_TO_READ_FAMILY, "members": item.members, "ways": ways}
    return {**_through_channel(item), **read}


def _maybe_hidden(item: LevelQuestion) -> dict[str, Any]:
    """What stands for people from whom a protected answer hides it, if one may."""
    if item.hidden is None:
        return _through_channel(item)
    level = item.levels[item.hidden.level]
    sent = {"if_hidden": {"code": level.code, "label": level.text}}
    return {**_through_channel(item), **sent, "how_to_read_hidden": HOW_TO_READ_HIDDEN}


LAST_PARTS: Table[[], dict[str, Any]] = Table(
    levels=_maybe_hidden,
    long_scale=_scale,
    paired=_two_questions,
    compared=_two_questions,
    grouped=_two_groups,
    long_list=_marks,
    number=_number,
    text=_no_parts,
    other=_no_parts,
    rating=_through_channel,
    information=_no_parts,
    consent=_no_parts,
    ticks=_each_part,
    matrix=_each_part,
    rounded=_rounded,
    day=_days,
    ranking=_through_channel,
    ranked_pair=_through_channel,
    family=_family,
    follow_up=_no_parts,
)
