"""What a page holds to say replies itself: what each code of an answer says, and each refusal.

The script's replies have no sentence, so that none can ask for anything: what people read comes
with the page, whose digest anybody can compare.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any
from uuid import UUID

from django.utils.translation import gettext

from surveys.collecting.refusals import (
    CrossOrigin,
    NotVouched,
    OtherAnswers,
    TooMany,
    TooManyGuesses,
    Unavailable,
    UnknownInvitation,
    Updating,
    UsedInvitation,
    WronglySigned,
    WrongMethod,
    WrongType,
)
from surveys.kinds.levels.promise import Leveled
from surveys.kinds.long_list.promise import ListQuestion
from surveys.kinds.text.promise import TextQuestion, base64_width
from surveys.models import Survey
from surveys.models.refusals import NotOpen
from surveys.questionnaire.arms import FIELD
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.parts import PartsQuestion, SlottedQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table, standing_on
from surveys.questionnaire.messages import message
from surveys.questionnaire.plans.tallies import LockedTable
from surveys.questionnaire.refusals import (
    BadInvitation,
    BadText,
    HiddenAnswered,
    OutsideAlphabet,
    PartlyDeclined,
    PartlyDrawn,
    Refused,
    TooLarge,
    TwiceRanked,
    Unanswered,
    WrongRevision,
)
from surveys.randomized_response.messages import Message
from surveys.wording.language.messages import isolated, translated
from surveys.wording.language.numbers import grouped
from surveys.wording.learning import hides_answers
from surveys.wording.protection import question_numbers
from surveys.wording.reports import HOW_SENT

CUT = "\0"  # no text has it
# A row of the receipt: the question, what was sent, room after it, and how it came about.
ROW = (
    '<tr><th scope="row"><bdi>{}</bdi></th><td><b><bdi>{}</bdi></b>{}'
    '<span class="how">{}</span></td></tr>'
)
GROUP = message("Your group")
GROUP_HOW = message("Drawn by chance: your group says nothing about you.")
LOCKED = message("(locked: this server cannot read it)")


@dataclass(frozen=True)
class RefusalWords:
    """What a page says of a refusal; ``values`` are the names in braces that a reply fills in."""

    code: str
    values: Sequence[str]
    reason: str
    remedy: str
    opens: bool  # the survey's first page shows more than this


def receipt_words(item: Question, number: int, questionnaire: Questionnaire) -> dict[str, Any]:
    """How the page writes what it sent of a question into the receipt; empty if it sends nothing.

    ``fields`` are its form's, ``unasked`` is what each has of a person who was not asked, and what
    that says. ``labels`` has the words of codes, and ``as`` names how the script reads others.
    """
    if not item.is_sent:
        return {}
    mark, not_asked = item.fields_not_asked[0], item.label(item.not_asked)
    return {
        "fields": item.fields(number - 1),
        "text": item.text,
        "how": HOW_SENT(item, hides_answers(questionnaire)),
        "unasked": [mark, translated(not_asked)],
        "labels": {},
        **CODES(item),
    }


def arm_words(questionnaire: Questionnaire) -> dict[str, Any]:
    """The same for the group that chance puts a person in; empty where there are no groups."""
    for item in questionnaire.row.arm_items:
        return {
            "fields": [FIELD],
            "text": translated(GROUP),
            "how": translated(GROUP_HOW),
            "unasked": ["", ""],
            "labels": _labels(item)["labels"],
        }
    return {}


def table_words(table: LockedTable) -> dict[str, Any]:
    """The same for answers that are counted together while they are locked, asked or not."""
    how = gettext(
        "{count} characters, no matter what you answered. Your answers are added up while they "
        "are locked."
    )
    return {
        "fields": [table.field],
        "text": question_numbers(table.questions),
        "how": how.format(count=grouped(base64_width(table.ballot_bytes))),
        "unasked": ["", ""],
        "always": translated(LOCKED),
    }


def _labels(item: Leveled) -> dict[str, Any]:
    return {"labels": {level.code: translated(level.text) for level in item.reported_levels}}


def slot_text(item: Question, name: str) -> str:
    """What a row says of one of several things that a question asks about."""
    return gettext("{question}: {name}").format(question=isolated(item.text), name=isolated(name))


def _slots(item: SlottedQuestion) -> dict[str, Any]:
    """Each slot has a row of its own, with the name of what it answers between two texts."""
    labels = {level.code: level.text for level in item.levels}
    return {"around": slot_text(item, CUT).split(CUT), "labels": labels}


def _parts(item: PartsQuestion) -> dict[str, Any]:
    return {**_slots(item), "names": ["", *map(translated, item.parts)]}


def _list(item: ListQuestion) -> dict[str, Any]:
    """What a code says before the names of the marked options, which stand in the page."""
    some = translated(Message.of(item.words([0]).pattern, "", None, {}))
    words = some.format(count="{count}", options=item.marks.options, names="{names}")
    return {"as": "marks", "some": words, "none": translated(item.words([]))}


def _text(item: TextQuestion) -> dict[str, Any]:
    if item.is_locked:
        return {"always": translated(item.label("locked"))}
    return {"as": "text", "labels": {item.encode(""): translated(item.label(""))}}


def _number(item: Any) -> dict[str, Any]:
    codes = (item.number.declined, *item.number.special_by_sent)
    return {"as": "number", "labels": {code: translated(item.label(code)) for code in codes}}


def _day(item: Any) -> dict[str, Any]:
    return {"labels": {item.declined: translated(item.label(item.declined))}}


# How the script reads the codes of a kind.
CODES: Table[[], dict[str, Any]] = Table.mostly(
    lambda item: {},
    **{
        **standing_on(Leveled, _labels),
        **standing_on(SlottedQuestion, _slots),
        **standing_on(PartsQuestion, _parts),
        "long_list": _list,
    },
    **standing_on(TextQuestion, _text),
    number=_number,
    day=_day,
)


def refusal_words(questionnaire: Questionnaire) -> list[RefusalWords]:
    """What a page says of every refusal, in the order of their codes."""
    refusals = _refusals(questionnaire.contact)
    return [
        RefusalWords(
            code,
            values_named(code),
            translated(_open(refusal.reason)),
            translated(_open(refusal.remedy)),
            refusal.can_be_opened,
        )
        for code, refusal in sorted(refusals.items())
        if _can_come(refusal, questionnaire)
    ]


def _can_come(refusal: Refused, questionnaire: Questionnaire) -> bool:
    if isinstance(refusal, NotVouched | WronglySigned):
        return questionnaire.vouchers is not None
    return questionnaire.invitation_only or not isinstance(refusal, BadInvitation)


def code_of(refusal: Refused) -> str:
    """The code by which a page knows a refusal: ``too-many-guesses``.

    It is the name of its class, or of the nearest one above it of which pages have words.
    """
    known = _values()
    named = _dashed(type(refusal).__name__)
    first = f"{named}-{refusal.variant}" if refusal.variant else named
    above = (_dashed(kind.__name__) for kind in type(refusal).__mro__)
    return next(code for code in (first, *above) if code in known)


def values_named(code: str) -> Sequence[str]:
    """The numbers and days that the words of a refusal name."""
    return _values()[code]


def _dashed(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


@cache
def _values() -> Mapping[str, Sequence[str]]:
    return {
        code: sorted(set(re.findall(r"\{(\w+)\}", str(_open(refusal.reason)))))
        for code, refusal in _refusals("").items()
    }


def _refusals(contact: str) -> dict[str, Refused]:
    """One of each kind that pages have words of, by its code."""
    kinds = Refused(), TooLarge(), WrongType(), WrongMethod(), CrossOrigin(), OutsideAlphabet()
    answers = BadText(""), PartlyDrawn(), TwiceRanked(), PartlyDeclined()
    codes = BadInvitation(), UnknownInvitation(), UsedInvitation()
    vouchers = NotVouched(), WronglySigned()
    later = TooMany(), TooManyGuesses(was_sent=True), Unavailable(), Updating(was_sent=True)
    versions = WrongRevision(is_form=True), OtherAnswers()
    rules = (
        kind(1, by_arm=by_arm) for kind in (HiddenAnswered, Unanswered) for by_arm in (False, True)
    )
    all_kinds = (*kinds, *answers, *codes, *vouchers, *later, *versions, *rules, *_closed(contact))
    return {
        _dashed("-".join(filter(None, (type(one).__name__, one.variant)))): one for one in all_kinds
    }


def _closed(contact: str) -> Iterator[NotOpen]:
    # No survey: without a key one would be drawn, for every page that has these words.
    others = {"id": UUID(int=0), "closed_on": date.min, "close_on": date.min}
    for state in Survey.State.DRAFT, Survey.State.OPEN, Survey.State.CLOSED:
        yield NotOpen(Survey(state=state, contact=contact, **others))


def _open(text: str) -> str:
    """A message with the name of each number and day in its place, in braces."""
    if not isinstance(text, Message):
        return text
    values = {
        name: f"{{{name}}}" if isinstance(value, int | date) else _open(value)
        for name, value in text.values.items()
    }
    return Message.of(text.pattern, text.plural, text.number, values)
