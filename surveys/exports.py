"""Downloads: the reported answers as CSV, and a codebook that says how to read them."""

import csv
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from django.utils.text import slugify

from surveys import selectors
from surveys.models import Revision
from surveys.questionnaire import Item, Questionnaire, field_name

NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
# What spreadsheets take for the start of a formula, in their full-width forms too.
FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠")
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


class _Line:
    """A file that hands back what is written to it."""

    def write(self, text: str) -> str:
        return text


def file_name(title: str, ending: str) -> str:
    """A name that is safe in a header and on every disk."""
    return f"{slugify(title)[:60].strip('-') or 'survey'}-{ending}"


def responses_csv(revision: Revision, *, codes: bool = False) -> Iterator[str]:
    """The lines of the CSV: labels as respondents saw them, or the codes that were sent."""
    items = selectors.questionnaire_of(revision).items
    writer = csv.writer(_Line())
    yield writer.writerow(["path", *(field_name(place) for place, _ in enumerate(items))])
    for own_coin, answers in selectors.reported_rows(revision):
        # Codes are digits and dashes of ours; only words that people wrote need the guard.
        told = answers if codes else map(guarded, _labels(items, answers))
        yield writer.writerow([PATH_NAMES[own_coin], *told])


def guarded(cell: str) -> str:
    """Text that no spreadsheet runs as a formula; numbers stay as they are."""
    if cell.startswith(FORMULA_STARTS) and not NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell


def codebook(revision: Revision, *, responses: int) -> dict[str, Any]:
    """Everything that the CSV needs to be understood and estimated from."""
    questionnaire = selectors.questionnaire_of(revision)
    return {
        "title": questionnaire.title,
        "organisation": questionnaire.organisation,
        "responses": responses,
        "how_to_read": HOW_TO_READ,
        "how_to_estimate": HOW_TO_ESTIMATE,
        "total_epsilon_of_randomized_questions": questionnaire.total_epsilon,
        "columns": [
            {"name": "path", "values": list(PATH_NAMES.values())},
            *_columns(questionnaire),
        ],
    }


def _labels(items: Iterable[Item], answers: Iterable[str]) -> Iterator[str]:
    for item, code in zip(items, answers, strict=True):
        yield item.label(code)


def _columns(questionnaire: Questionnaire) -> Iterator[dict[str, Any]]:
    for place, item in enumerate(questionnaire.items):
        yield {
            "name": field_name(place),
            "text": item.text,
            "kind": item.kind,
            "design": item.design,
            "protected": item.is_randomized,
            "required": item.required,
            **(_number(item) if item.number else _levels(item)),
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
    channel = item.integer_channel
    return {
        "levels": [
            {"code": level.code, "label": level.text, "declines": level.declines}
            for level in item.levels
        ],
        "not_asked": item.not_asked,
        "asked_with_own_coin": item.is_offered_with_own_coin,
        "epsilon": item.epsilon if math.isfinite(item.epsilon) else None,
        "weights": channel.weights,
        "denominator": channel.denominator,
    }
