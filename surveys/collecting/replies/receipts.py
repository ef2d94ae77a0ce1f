"""The receipt: HTML rows of everything that was sent, filled up so that all pages are equally long.

This is the hottest page, so what does not depend on the submission is rendered once.
"""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from html import escape
from uuid import UUID

from django.http import HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html

from surveys.catalogues.queries import catalogue_items
from surveys.collecting.replies.words import GROUP, GROUP_HOW, ROW, slot_text
from surveys.kinds.levels.promise import Leveled
from surveys.kinds.rating.promise import RatingQuestion
from surveys.kinds.text.promise import TextQuestion
from surveys.models.queries import languages_of, questionnaire_of_id
from surveys.questionnaire.kinds.parts import PartsQuestion, SlottedQuestion
from surveys.questionnaire.kinds.question import Question, was_asked
from surveys.questionnaire.kinds.registry import Table, standing_on
from surveys.questionnaire.submission import Submission
from surveys.web.locales import speaking, written_language
from surveys.wording.language.messages import translated
from surveys.wording.learning import hides_answers, strength
from surveys.wording.reports import HOW_SENT

CUT = secrets.token_hex(16)


@dataclass(frozen=True)
class _Blank:
    """A receipt before anything was sent: the rows of each code, and what stands around them."""

    rows_of: tuple[Callable[[str], list[str]], ...]
    start: str
    middle: str
    before_hash: str
    end: str


def receipt(survey_id: UUID, submission: Submission) -> HttpResponse:
    """The page that answers a submission."""
    language, own_coin = written_language(), submission.own_coin
    blank = _blank(survey_id, submission.revision_id, language, own_coin)
    pairs = zip(blank.rows_of, submission.codes, strict=True)
    rows = "\n".join([row for rows_of, code in pairs for row in rows_of(code)])
    body, short_hash = escape(submission.body), submission.short_hash
    page = (blank.start, rows, blank.middle, body, blank.before_hash, short_hash, blank.end)
    return HttpResponse("".join(page))


@lru_cache(maxsize=128)
def _blank(survey_id: UUID, revision_id: UUID, language: str, own_coin: bool) -> _Blank:
    questionnaire = questionnaire_of_id(revision_id, language)
    start, middle, before_hash, end = _frame(survey_id, revision_id, language)
    room = " " * _room(survey_id, revision_id, language, own_coin)
    questions = [
        _rows_of(item, revision_id, n, language) for n, item in enumerate(questionnaire.items)
    ]
    arms = [partial(_arm_rows, item) for item in questionnaire.row.arm_items]
    return _Blank((*questions, *arms), start, room + middle, before_hash, end)


def _rows_of(
    item: Question, revision_id: UUID, index: int, language: str
) -> Callable[[str], list[str]]:
    """What makes a question's rows of its code."""
    if not item.is_sent:
        return lambda code: []
    is_certain = not _may_be_unasked(item, revision_id, language)
    rows_of = ROWS.entry(item) if is_certain else _asked_or_not
    return partial(rows_of, item, revision_id, index, language)


@lru_cache(maxsize=128)
def _room(survey_id: UUID, revision_id: UUID, language: str, own_coin: bool) -> int:
    """How many bytes shorter a receipt is in this language than in the survey's longest."""
    sizes = {
        other: _size(survey_id, revision_id, other, own_coin) for other in languages_of(revision_id)
    }
    return max(sizes.values()) - sizes[language]


def _size(survey_id: UUID, revision_id: UUID, language: str, own_coin: bool) -> int:
    """Bytes of each receipt of a path in this language, without what is the same in all of them."""
    questionnaire = questionnaire_of_id(revision_id, language)
    with speaking(questionnaire):
        rows = sum(
            _size_of_rows(item, revision_id, n, language, own_coin)
            for n, item in enumerate(questionnaire.items)
        )
        for arm in questionnaire.row.arm_items:
            rows += len(_arm_row(arm, arm.levels[0].code).encode())
        return rows + len("".join(_frame(survey_id, revision_id, language)).encode())


def _size_of_rows(
    item: Question, revision_id: UUID, index: int, language: str, own_coin: bool
) -> int:
    if not item.is_sent:
        return 0
    if _may_be_unasked(item, revision_id, language):
        return _longest(revision_id, index, language)
    width = _widths(revision_id, language)[index]
    if own_coin and not item.is_offered_with_own_coin:
        mark = _bytes(item.label(item.not_asked))
        return len(format_html(ROW, item.text, "", "", "").encode()) + max(mark, width)
    return ASKED_BYTES(item, width, _how(revision_id, index, language))


def _may_be_unasked(item: Question, revision_id: UUID, language: str) -> bool:
    """Whether chance or a rule may leave this question out."""
    is_drawn = questionnaire_of_id(revision_id, language).asked is not None
    return (is_drawn and item.is_randomized) or item.rule is not None


@lru_cache(maxsize=128)
def _frame(survey_id: UUID, revision_id: UUID, language: str) -> list[str]:
    """The page without anything that was sent, cut where that belongs."""
    questionnaire = questionnaire_of_id(revision_id, language)
    context = {
        "questionnaire": questionnaire,
        "strength": strength(questionnaire),
        "rows": CUT,
        "body": CUT,
        "short_hash": CUT,
        "start": reverse("respondent:start", args=[survey_id]),
    }
    return render_to_string("surveys/collecting/receipt.html", context).split(CUT)


def _asked_or_not(
    item: Question, revision_id: UUID, index: int, language: str, code: str
) -> list[str]:
    """The rows of a question that chance or a rule may leave out: as long if it was not asked."""
    rows = (
        ROWS(item, revision_id, index, language, code)
        if was_asked(item, code)
        else [_unasked(revision_id, index, language)]
    )
    room = _longest(revision_id, index, language) - len("\n".join(rows).encode())
    return [*rows[:-1], rows[-1] + " " * room]


def _arm_rows(item: Question, code: str) -> list[str]:
    return [_arm_row(item, code)]


def _arm_row(item: Question, code: str) -> str:
    """The arm, in as much room as the longest name takes."""
    label = item.label(code)
    room = " " * (max(map(_bytes, WIDEST_LABELS(item))) - _bytes(label))
    return format_html(ROW, translated(GROUP), label, room, translated(GROUP_HOW))


@lru_cache(maxsize=4096)
def _unasked(revision_id: UUID, index: int, language: str) -> str:
    item = questionnaire_of_id(revision_id, language).items[index]
    return format_html(ROW, item.text, translated(item.label(item.not_asked)), "", "")


@lru_cache(maxsize=1024)
def _longest(revision_id: UUID, index: int, language: str) -> int:
    """Bytes of a question's rows, asked or not, whichever are more."""
    item = questionnaire_of_id(revision_id, language).items[index]
    width = _widths(revision_id, language)[index]
    asked = ASKED_BYTES(item, width, _how(revision_id, index, language))
    return max(asked, len(_unasked(revision_id, index, language).encode()))


@lru_cache(maxsize=4096)
def _how(revision_id: UUID, index: int, language: str) -> str:
    """How what was sent came about, in words as strong as the first page's."""
    questionnaire = questionnaire_of_id(revision_id, language)
    return HOW_SENT(questionnaire.items[index], hides_answers(questionnaire))


def _bytes_of_slots(item: SlottedQuestion, width: int, how: str) -> int:
    text = slot_text(item, "")
    empty = len(format_html(ROW, text, "", "", how).encode())
    line_ends = item.slots - 1
    return item.slots * (empty + LONGEST_NAME(item) + width) + line_ends


def _longest_part(item: PartsQuestion) -> int:
    return max(map(_bytes, item.parts))


# Bytes of the longest name of what a slot answers.
LONGEST_NAME: Table[[], int] = Table.mostly(
    lambda item: 0,
    rating=lambda item: item.items.longest_name,
    ticks=_longest_part,
    matrix=_longest_part,
    ranking=_longest_part,
    ranked_pair=_longest_part,
)


def _item_names(item: RatingQuestion, numbers: list[int]) -> Mapping[int, str]:
    named = ((number, _item_name(item.items.catalogue, number)) for number in numbers)
    return {number: name for number, name in named if name}


@lru_cache(maxsize=8192)
def _item_name(catalogue: str, number: int) -> str:
    """Of a launched catalogue, whose names stay as they are."""
    return catalogue_items(catalogue, [number]).get(number, "")


def _part_names(item: PartsQuestion, numbers: list[int]) -> Mapping[int, str]:
    return dict(enumerate(map(translated, item.parts), start=1))


# What the slots with these numbers answer, as a page writes it.
NAMES: Table[[list[int]], Mapping[int, str]] = Table.mostly(
    lambda item, numbers: {},
    rating=_item_names,
    ticks=_part_names,
    matrix=_part_names,
    ranking=_part_names,
    ranked_pair=_part_names,
)


# Bytes of a question's rows in a receipt where it was asked, given those of its widest label and
# how its answer came about.
ASKED_BYTES: Table[[int, str], int] = Table.mostly(
    lambda item, width, how: len(format_html(ROW, item.text, "", "", how).encode()) + width,
    rating=_bytes_of_slots,
    ticks=_bytes_of_slots,
    matrix=_bytes_of_slots,
    ranking=_bytes_of_slots,
    ranked_pair=_bytes_of_slots,
)


@lru_cache(maxsize=4096)
def _level_row(revision_id: UUID, index: int, code: str, language: str) -> str:
    """The row of one level; there are few, and none belongs to a person."""
    item = questionnaire_of_id(revision_id, language).items[index]
    return _row(item, revision_id, index, code, language)


def _level_rows(
    item: Question, revision_id: UUID, index: int, language: str, code: str
) -> list[str]:
    return [_level_row(revision_id, index, code, language)]


def _one_row(item: Question, revision_id: UUID, index: int, language: str, code: str) -> list[str]:
    return [_row(item, revision_id, index, code, language)]


@lru_cache(maxsize=128)
def _widths(revision_id: UUID, language: str) -> list[int]:
    """Bytes of the longest thing that the receipt can say about each question."""
    items = questionnaire_of_id(revision_id, language).items
    return [max(map(_bytes, WIDEST_LABELS(item))) for item in items]


def _row(item: Question, revision_id: UUID, index: int, code: str, language: str) -> str:
    """Question, what was sent, and how."""
    sent = escape(translated(item.label(code)))
    start, middle, end, width = _row_frame(revision_id, index, was_asked(item, code), language)
    # Spaces make every receipt equally long, so that its size on the wire says nothing.
    room = " " * (width - len(sent.encode()))
    return f"{start}{sent}{middle}{room}{end}"


@lru_cache(maxsize=4096)
def _row_frame(
    revision_id: UUID, index: int, asked: bool, language: str
) -> tuple[str, str, str, int]:
    """A row without what was sent, cut where that and the room after it belong; bytes of both."""
    item = questionnaire_of_id(revision_id, language).items[index]
    how = _how(revision_id, index, language) if asked else ""
    start, middle, end = format_html(ROW, item.text, CUT, CUT, how).split(CUT)
    return start, middle, end, _widths(revision_id, language)[index]


def _slot_rows(
    item: SlottedQuestion, revision_id: UUID, index: int, language: str, code: str
) -> list[str]:
    """A row for each slot; all names take as much room as the longest."""
    if not was_asked(item, code):
        return [_row(item, revision_id, index, code, language)]
    slots = list(item.slot_code.levels_in(code))
    names = NAMES(item, [number for number, _ in slots])
    return [
        _slot_row(revision_id, index, names.get(number, str(number)), level, language)
        for number, level in slots
    ]


@lru_cache(maxsize=4096)
def _slot_row(revision_id: UUID, index: int, name: str, level: int, language: str) -> str:
    """The row of one slot at one level; what a person chose besides is not in it."""
    item = questionnaire_of_id(revision_id, language).items[index]
    sent = item.levels[level].text  # type: ignore[attr-defined]
    longest = _widths(revision_id, language)[index] + LONGEST_NAME(item)
    room = longest - _bytes(name) - _bytes(sent)
    how = _how(revision_id, index, language)
    return format_html(ROW, slot_text(item, name), sent, " " * room, how)


ROWS: Table[[UUID, int, str, str], list[str]] = Table.mostly(
    _one_row,
    levels=_level_rows,
    long_scale=_level_rows,
    paired=_level_rows,
    compared=_level_rows,
    grouped=_level_rows,
    rating=_slot_rows,
    ticks=_slot_rows,
    matrix=_slot_rows,
    ranking=_slot_rows,
    ranked_pair=_slot_rows,
    family=_level_rows,
)


def _bytes(text: str) -> int:
    return len(escape(translated(text)).encode())


def _widest_of_text(item: TextQuestion) -> tuple[str, ...]:
    """The quotation mark is the character that takes the most bytes in a page."""
    written = item.label("x") if item.is_locked else '"' * item.longest
    return item.label(""), written


# Labels among which is one that takes the most room on a page.
WIDEST_LABELS: Table[[], tuple[str, ...]] = Table.mostly(
    lambda item: (item.label(item.not_asked),),
    **{
        **standing_on(Leveled, lambda item: tuple(level.text for level in item.reported_levels)),
        # Of one slot: each has a row of its own, as has a question that was not asked.
        **standing_on(SlottedQuestion, lambda item: tuple(level.text for level in item.levels)),
        # At least as long as the words of any code.
        "long_list": lambda item: (item.words(range(len(item.levels))),),
    },
    **standing_on(TextQuestion, _widest_of_text),
    number=lambda item: (
        item.label(item.number.declined),
        item.label(item.not_asked),
        *(each.text for each in item.number.special),
        "0" * item.width,
    ),
    day=lambda item: (item.label(item.declined), item.label(item.not_asked), item.days.first),
)
