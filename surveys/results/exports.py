"""Downloads: the reported answers as CSV, and a codebook that says how to read them."""

import csv
import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from surveys.catalogues.queries import names_of
from surveys.models import Revision
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire, field_name, slot_names
from surveys.questionnaire.kinds import Item
from surveys.questionnaire.long_lists import Marking
from surveys.results.queries import reported_rows, texts

if TYPE_CHECKING:
    pass
from surveys.web.downloads import _Line, guarded

HOW_TO_READ_TEXTS = (
    "Free text is not in this file. The survey's owner downloads it on its own (texts.csv): one "
    "row per text, in an order of its own, with nothing that joins it to the other answers."
)


HOW_TO_READ_THE_TEXT_BUDGET = (
    "What respondents were promised about all reports on their texts together: differential "
    "privacy with this epsilon (in nats) and this delta, between two sets of texts that differ as "
    "the adjacency says. Null: no protected reports were promised. The texts themselves, "
    "texts.csv, are not protected."
)


SLOT = ("item", "rating")  # what is known of each item that a respondent was shown


PATH_NAMES = {False: "browser", True: "own coin"}


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


HOW_TO_READ_MARKS = (
    "A report is a list with some options marked. As a code: option j, in the order of the levels "
    "from 0, is bit j mod 8 of byte j div 8, two hexadecimal digits for each byte. With c the "
    "number of reports among n that mark an option, estimate its share as (c / n - marked_if_not) "
    "/ (marked_if_true - marked_if_not)."
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


def responses_csv(revision: Revision, *, codes: bool = False) -> Iterator[str]:
    """The lines of the CSV: labels as respondents saw them, or the codes that were sent."""
    asked = dict(_in_responses(questionnaire_of(revision)))
    items = tuple(asked.values())
    names = {} if codes else {item.id: names_of(item) for item in items}
    writer = csv.writer(_Line())
    columns = (name for place, item in asked.items() for name in _column_names(place, item))
    yield writer.writerow(["path", *columns])
    for own_coin, answers in reported_rows(revision):
        # Codes are digits and dashes of ours; only words that people wrote need the guard.
        told = _codes(items, answers) if codes else map(guarded, _labels(items, answers, names))
        yield writer.writerow([PATH_NAMES[own_coin], *told])


def texts_csv(revision: Revision) -> Iterator[str]:
    """The lines of the CSV of free texts, in an order that joins them to nothing."""
    items = questionnaire_of(revision).items
    writer = csv.writer(_Line())
    yield writer.writerow(["number", "question", "text"])
    for number, text in texts(revision):
        yield writer.writerow([number, guarded(items[number - 1].text), guarded(text)])


def codebook(revision: Revision, *, responses: int) -> dict[str, Any]:
    """Everything that the CSV needs to be understood and estimated from."""
    questionnaire = questionnaire_of(revision)
    return {
        "title": questionnaire.title,
        "organisation": questionnaire.organisation,
        "responses": responses,
        "invitation_only": questionnaire.invitation_only,
        "batch_size": questionnaire.batch_size,
        "delete_on": revision.survey.delete_on,  # may be earlier than it was promised
        "how_to_read": HOW_TO_READ,
        "how_to_estimate": HOW_TO_ESTIMATE,
        "total_epsilon_of_randomized_questions": questionnaire.total_epsilon,
        "columns": [
            {"name": "path", "values": list(PATH_NAMES.values())},
            *_columns(questionnaire),
        ],
        **_texts(questionnaire),
    }


def _in_responses(questionnaire: Questionnaire) -> Iterator[tuple[int, Item]]:
    """The questions that have a column, with their places."""
    for place, item in enumerate(questionnaire.items):
        if not item.is_text:
            yield place, item


def _texts(questionnaire: Questionnaire) -> dict[str, Any]:
    found = [
        {"number": number, "text": item.text, "required": item.required, "longest": item.longest}
        for number, item in enumerate(questionnaire.items, start=1)
        if item.is_text
    ]
    if not found:
        return {}
    budget = questionnaire.text_budget
    return {
        "how_to_read_texts": HOW_TO_READ_TEXTS,
        "texts": found,
        "text_budget": asdict(budget) if budget else None,
        "how_to_read_the_text_budget": HOW_TO_READ_THE_TEXT_BUDGET,
    }


def _column_names(place: int, item: Item) -> list[str]:
    """One column for each question; two for each item that a rating shows."""
    names = slot_names(place, item)
    return [f"{name}_{what}" for name in names for what in SLOT] if item.is_rating else names


def _codes(items: Iterable[Item], answers: Iterable[str]) -> Iterator[str]:
    for item, code in zip(items, answers, strict=True):
        if not item.is_rating:
            yield code
            continue
        for slot in item.slots_of(code):
            yield slot[: -len(item.levels[0].code)]
            yield slot[-len(item.levels[0].code) :]


def _labels(
    items: Iterable[Item], answers: Iterable[str], names: dict[str, dict[int, str]]
) -> Iterator[str]:
    for item, code in zip(items, answers, strict=True):
        if not item.is_rating:
            yield item.label(code)
        elif not item.was_asked(code):
            yield from [item.label(code)] * (len(SLOT) * item.slots)
        else:
            for number, level in item.ratings(code):
                yield names[item.id].get(number, f"(item {number} is gone)")
                yield item.levels[level].text


def _columns(questionnaire: Questionnaire) -> Iterator[dict[str, Any]]:
    for place, item in _in_responses(questionnaire):
        yield {
            "name": field_name(place),
            **_rated(place, item),
            "text": item.text,
            "kind": item.kind,
            "design": item.design,
            "protected": item.is_randomized,
            "required": item.required,
            **(_number(item) if item.number else _levels(item)),
        }


def _rated(place: int, item: Item) -> dict[str, Any]:
    """The columns of a rating, and its items; the channel is that of each slot on its own."""
    if item.rated is None:
        return {}
    display = "adaptive" if item.rated.adaptive else "even"
    return {
        "columns": _column_names(place, item),
        "how_to_read": HOW_TO_READ_RATINGS + HOW_TO_READ_DISPLAY[display],
        "display": display,
        "items": names_of(item),
        "shown": item.rated.shown,
    }


def _number(item: Item) -> dict[str, Any]:
    if item.number is None:
        return {}
    return {
        "minimum": item.number.minimum,
        "maximum": item.number.maximum,
        "decimal_places": item.number.decimal_places,
        "declined": item.number.declined,
    }


def _levels(item: Item) -> dict[str, Any]:
    return {
        "levels": [
            {"code": level.code, "label": level.text, "declines": level.declines}
            for level in item.levels
        ],
        **_second(item),
        "not_asked": item.not_asked,
        "asked_with_own_coin": item.is_offered_with_own_coin,
        "epsilon": item.epsilon if math.isfinite(item.epsilon) else None,
        **_weights(item),
    }


def _weights(item: Item) -> dict[str, Any]:
    """Of a question in groups the channel hangs on an unknown share: only ``pairs`` are known."""
    if item.marking:
        return _marking(item.marking)
    if item.is_grouped:
        return {"pairs": item.pairs, "denominator": item.denominator}
    channel = item.integer_channel
    return {"weights": channel.weights, "denominator": channel.denominator}


def _marking(marking: Marking) -> dict[str, Any]:
    """How to read and estimate a long list."""
    return {
        "how_to_read_marks": HOW_TO_READ_MARKS,
        "code_width": marking.width,
        "marked_if_true": str(marking.p_true),
        "marked_if_not": str(marking.p_other),
        "marks_in_every_report": marking.size or None,
    }


def _second(item: Item) -> dict[str, Any]:
    """The second question, and the reports that are no answers."""
    if item.second is None:
        return {}
    reports = [{"code": level.code, "label": level.text} for level in item.reported_levels]
    shares = {"share_of_yes_from": item.second.least, "share_of_yes_to": item.second.most}
    return {"reports": reports, "second_question": {"text": item.second.text, **shares}}
