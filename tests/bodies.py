"""What a browser, or a form for one's own coin, sends: bodies and codes for tests."""

import secrets
from collections.abc import Mapping, Sequence
from decimal import Decimal

from surveys.kinds.day.promise import DayQuestion
from surveys.kinds.levels.promise import Leveled
from surveys.kinds.long_list.promise import ListQuestion, Marking
from surveys.kinds.number.promise import NumberQuestion
from surveys.kinds.ranking.promise import RankingQuestion
from surveys.kinds.text.promise import TextQuestion, based
from surveys.models import Revision, Survey
from surveys.models.queries import questionnaire_of, table_to_lock
from surveys.questionnaire.kinds.parts import SlottedQuestion
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.questionnaire.kinds.registry import Table
from surveys.questionnaire.submission import PATHS
from surveys.trust.tally.ballots import make_ballot


def items_of(survey: Survey) -> tuple[PromisedQuestion, ...]:
    """The questions as they were promised."""
    return questionnaire_of(survey.revision).items


def body_of(
    revision: Revision,
    codes: list[str] | None = None,
    *,
    own_coin: bool = False,
    key: str | None = None,
    invitation: str | None = None,
    voucher: str | None = None,
    arm: str | None = None,
    cells: Sequence[int] = (),
) -> bytes:
    """The body that a browser would send with these codes (default: the first of each).

    Of each table that is counted while it is locked it has a ballot for one of the ``cells``
    (default: the first).
    """
    questionnaire = questionnaire_of(revision)
    path = next(name for name, own in PATHS.items() if own is own_coin)
    chosen = codes or [first_code(item, own_coin=own_coin) for item in questionnaire.items]
    fields = [("revision", str(revision.pk)), ("key", key or secrets.token_hex(16)), ("path", path)]
    if invitation is not None:
        fields.append(("invitation", invitation))
    if voucher is not None:
        fields.append(("voucher", voucher))
    if arm is not None:
        fields.append(("arm", arm))
    for place, (item, code) in enumerate(zip(questionnaire.items, chosen, strict=True)):
        fields += zip(item.fields(place), SENT(item, code), strict=True)
    tables = () if own_coin else questionnaire.row.tables
    for place, table in enumerate(tables):
        chosen_cell = cells[place] if cells else 0
        ballot = make_ballot(table_to_lock(revision.pk, table.table), chosen_cell)
        fields.append((table.field, based(ballot)))
    return "&".join(f"{name}={value}" for name, value in fields).encode()


def first_code(item: PromisedQuestion, *, own_coin: bool) -> str:
    """Some code that the item accepts on this path."""
    if own_coin and not item.is_offered_with_own_coin:
        return item.not_asked
    return FIRST_CODES(item, own_coin)


def _first_level(item: Leveled, own_coin: bool) -> str:
    return item.reported_levels[0].code


def _first_marks(item: ListQuestion, own_coin: bool) -> str:
    return a_code(item.marks)


def _least(item: NumberQuestion, own_coin: bool) -> str:
    return item.number.encode(Decimal(item.number.minimum))


def _first_day(item: DayQuestion, own_coin: bool) -> str:
    return item.days.first


def _an_order(item: RankingQuestion, own_coin: bool) -> str:
    return rating_code(item, {place + 1: place for place in range(item.size)})


def _no_text(item: TextQuestion, own_coin: bool) -> str:
    return "" if own_coin else item.encode("")


def _first_items(item: SlottedQuestion, own_coin: bool) -> str:
    return rating_code(item, dict.fromkeys(range(1, item.slots + 1), 0))


def _nothing(item: PromisedQuestion, own_coin: bool) -> str:
    return ""


FIRST_CODES: Table[[bool], str] = Table(
    levels=_first_level,
    long_scale=_first_level,
    paired=_first_level,
    compared=_first_level,
    grouped=_first_level,
    long_list=_first_marks,
    number=_least,
    text=_no_text,
    other=_no_text,
    rating=_first_items,
    information=_nothing,
    consent=_nothing,
    ticks=_first_items,
    matrix=_first_items,
    rounded=_first_level,
    day=_first_day,
    ranking=_an_order,
    ranked_pair=_first_items,
    family=_first_level,
    follow_up=_nothing,
    counted=_nothing,
    picked=_first_level,
)


def _whole(item: PromisedQuestion, code: str) -> Sequence[str]:
    return [code]


def _by_slots(item: SlottedQuestion, code: str) -> Sequence[str]:
    return item.slot_code.slots_in(code)


def _no_values(item: PromisedQuestion, code: str) -> Sequence[str]:
    return []


# The values of a question's form fields.
SENT: Table[[str], Sequence[str]] = Table.mostly(
    _whole,
    rating=_by_slots,
    information=_no_values,
    consent=_no_values,
    follow_up=_no_values,
    counted=_no_values,
    ticks=_by_slots,
    matrix=_by_slots,
    ranking=_by_slots,
    ranked_pair=_by_slots,
)


def rating_code(item: SlottedQuestion, levels: Mapping[int, int]) -> str:
    """What is sent, slot by slot, for these levels of these items."""
    slots = [(item.slot_code.of_number(n), item.levels[level].code) for n, level in levels.items()]
    return "".join(number + code for number, code in slots)


def a_code(marking: Marking, first: int = 0) -> str:
    """A code that marks as many options as it has to, from this one on."""
    marked = {(first + place) % marking.options for place in range(marking.size or 1)}
    bits = sum(1 << option for option in marked)
    return bits.to_bytes(marking.width // 2, "little").hex()
