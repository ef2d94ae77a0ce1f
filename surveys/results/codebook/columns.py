"""The codebook's entries for columns of the data file: common fields, then those of the kind."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from surveys.catalogues.queries import names_of
from surveys.kinds.day.promise import DayQuestion
from surveys.kinds.family.promise import FamilyQuestion
from surveys.kinds.levels.promise import Level, Leveled, LevelQuestion, ThroughChannel
from surveys.kinds.long_list.promise import ListQuestion
from surveys.kinds.long_scale.promise import ScaleQuestion
from surveys.kinds.number.promise import NumberQuestion, NumberRange, RoundedQuestion
from surveys.kinds.rating.promise import RatingQuestion
from surveys.kinds.two_questions.promise import (
    ComparedQuestion,
    GroupedQuestion,
    PairedQuestion,
    SecondQuestion,
)
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.questionnaire.kinds.question import NOT_ASKED, Question
from surveys.questionnaire.kinds.registry import Table, in_folders
from surveys.questionnaire.logic.quotes import quoted_in
from surveys.questionnaire.sharing import sharing
from surveys.results.codebook.sentences import (
    HOW_TO_READ_DISPLAY,
    HOW_TO_READ_FAMILY,
    HOW_TO_READ_GROUPS,
    HOW_TO_READ_HIDDEN,
    HOW_TO_READ_MARKS,
    HOW_TO_READ_NUMBERS,
    HOW_TO_READ_PARTS,
    HOW_TO_READ_POINTS,
    HOW_TO_READ_RATINGS,
    HOW_TO_READ_RATIO,
    HOW_TO_READ_SPECIAL,
)
from surveys.results.columns import ExportColumn, FileColumns
from surveys.results.debiasing.events import ANSWERS
from surveys.results.routes import asked_words


def columns(questionnaire: Questionnaire) -> Iterator[dict[str, Any]]:
    """The codebook's entry for each question that has columns.

    ``name`` is the question's, which rules and quotes use; ``column`` or ``columns`` say what the
    file calls it.
    """
    files = FileColumns(questionnaire)
    for index, item in files.asked:
        about = {
            "text": item.text,
            "kind": item.kind,
            "design": item.design,
            "protected": item.is_randomized,
            "required": item.required,
        }
        about |= MEMBERS(item, questionnaire)
        if item.rule:
            about["asked_only"] = asked_words(item, questionnaire)
        if item.known_yes is not None:
            about["anchor_known_share_of_yes"] = str(item.known_yes)
        if item.quoting:
            sources = quoted_in(item.quoting)
            about["quotes_answers_to"] = [files.names[number - 1] for number in sources]
        if questionnaire.arms:
            about["asked_in_arms"] = questionnaire.routes.arms_asked(item)
        own = FIRST_PARTS(item, files.of_questions[index + 1])
        entry = {"name": files.names[index], **own, **about, **LAST_PARTS(item)}
        yield {**entry, **_debiased(files, index + 1)}


def _debiased(files: FileColumns, number: int) -> dict[str, Any]:
    """The columns behind those of a question's reports, and whose numbers not to multiply them by.

    Two questions that one answer to a second question hides are not independent given the truth.
    """
    columns = [column.to_entry() for column in files.debiased[number]]
    pairs = sharing(files.questionnaire.items) if columns else ()
    others = sorted({one for pair in pairs if number in pair for one in pair} - {number})
    never = {"never_multiply_with": [files.names[other - 1] for other in others]}
    return {**({"debiased": columns} if columns else {}), **(never if others else {})}


def _member(questionnaire: Questionnaire, number: int) -> dict[str, Any]:
    """One question of a family as it was asked."""
    item = questionnaire.items[number - 1]
    return {
        "number": number,
        "text": item.text,
        "asked_only": asked_words(item, questionnaire),
        "answers": [{"code": level.code, "label": level.text} for level in ANSWERS(item)],
    }


MEMBERS: Table[[Questionnaire], dict[str, Any]] = Table.mostly(
    lambda item, questionnaire: {},
    family=lambda item, questionnaire: {
        "questions": [_member(questionnaire, number) for number in item.members]
    },
)


def _single(item: Question, columns: Sequence[ExportColumn]) -> dict[str, Any]:
    """The column under the name that the file has: another one where it holds reports."""
    (column,) = columns
    return {"column": column.heading}


def _measured(
    item: NumberQuestion | DayQuestion, columns: Sequence[ExportColumn]
) -> dict[str, Any]:
    """The column, and the one beside it."""
    return {
        **_single(item, columns),
        "column_of_reasons": columns[0].reasons,
        "how_to_read_numbers": HOW_TO_READ_NUMBERS,
    }


def _both(column: ExportColumn) -> dict[str, str]:
    return {"name": column.name, "column": column.heading}


def _rated(item: RatingQuestion, columns: Sequence[ExportColumn]) -> dict[str, Any]:
    """The columns of a rating, and its items; the channel is that of each slot on its own."""
    display = "adaptive" if item.items.adaptive else "even"
    return {
        "columns": list(map(_both, columns)),
        "how_to_read": HOW_TO_READ_RATINGS + HOW_TO_READ_DISPLAY[display],
        "display": display,
        "items": names_of(item),
        "shown": item.items.shown,
    }


def _value(value: str) -> dict[str, str]:
    """What files call an answer or a part, where its author chose that."""
    return {"value": value} if value else {}


def _parts(item: PartsQuestion, columns: Sequence[ExportColumn]) -> dict[str, Any]:
    """The columns of a question with parts; the channel is that of each part on its own."""
    parts = enumerate(zip(columns, item.parts, strict=True), start=1)
    return {
        "columns": [
            {**_both(column), "text": text, **_value(item.value_of(number))}
            for number, (column, text) in parts
        ],
        "how_to_read": HOW_TO_READ_PARTS,
        "parts_sent": item.slots,
    }


FIRST_PARTS: Table[[Sequence[ExportColumn]], dict[str, Any]] = Table.mostly(
    _single,
    number=_measured,
    day=_measured,
    rating=_rated,
    ticks=lambda item, columns: {
        **_parts(item, columns),
        "ticks_at_most": item.most,
        **({"ticked_alone": list(item.alone)} if item.alone else {}),
    },
    matrix=_parts,
    ranking=_parts,
    ranked_pair=_parts,
)


def _number(item: NumberQuestion) -> dict[str, Any]:
    marks = {"declined": item.number.declined, "not_asked": item.not_asked}
    return {**item.number.to_document(), **marks, **_read_special(item.number)}


def _read_special(number: NumberRange) -> dict[str, str]:
    """That the codes of special answers are no numbers, where there are some."""
    return {"how_to_read_special": HOW_TO_READ_SPECIAL} if number.special else {}


def _no_parts(item: Question) -> dict[str, Any]:
    return {}


def _levels(item: Leveled, **second: Any) -> dict[str, Any]:
    return {
        "levels": [
            {
                "code": level.code,
                "label": level.text,
                "declines": level.declines,
                **_value(level.value),
            }
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
    numbers = item.columns[: len(item.grid)]
    return {
        **_through_channel(item),
        "how_to_read_points": HOW_TO_READ_POINTS,
        "range": item.number.to_document(),
        "true_values": (*numbers, *(special.code for special in item.number.special)),
        "scores": [str(score) for score in item.scores],
        **_ratio(item),
    }


def _ratio(item: RoundedQuestion) -> dict[str, Any]:
    """What the mean is divided by, where some people give no number."""
    if not item.special:
        return {}
    answered = [str(score) for score in item.answered_scores]
    return {"answered_scores": answered, "how_to_read_ratio": HOW_TO_READ_RATIO}


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
    ranking=_each_part,
    ranked_pair=_each_part,
    family=_family,
    follow_up=_no_parts,
    counted=_no_parts,
    picked=_levels,  # without weights: each answer is sent as itself
    **in_folders("results", "LAST_PARTS"),
)
