"""Rows that show whether a coin was used: which stay sealed, and which lose answers, by chance.

Every draw comes from the system's cryptographic source.
"""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from uuid import UUID

from surveys.models import Openings, Response
from surveys.models.queries import read_all
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import was_asked
from surveys.questionnaire.submission import Contents


@dataclass
class Marked:
    """How many sealed rows show a path, or could: coins, those held back for it, other browsers."""

    own: int = 0
    held_back: int = 0
    others: int = 0

    def count(self, questionnaire: Questionnaire, rows: Iterable[Contents]) -> None:
        """Count these rows, too."""
        for row in rows:
            is_marked = could_show_path(questionnaire, row)
            self.own += is_marked and row.own_coin
            self.held_back += is_marked and row.waits and not row.own_coin
            self.others += is_marked and not row.waits and not row.own_coin


def count_stored(revision_id: UUID, questionnaire: Questionnaire, at_once: int) -> int:
    """How many rows that were opened before answer a question that the own-coin path cannot ask."""
    stored = Response.objects.filter(revision=revision_id)
    only = questionnaire.own_coin.left_out
    places = [(item, questionnaire.row.place_of(item)) for item in only]
    return sum(
        any(was_asked(item, answers[start : start + item.width]) for item, start in places)
        for (answers,) in read_all(stored, "answers", at_once=at_once)
    )


def could_show_path(questionnaire: Questionnaire, row: Contents) -> bool:
    """Whether a row says, or would say without them, that a coin could not ask some questions.

    A question that was not drawn says nothing of the path: chance leaves it out on both. So a row
    of the own-coin path shows it if it has fewer protected answers than each person is asked. Rules
    change nothing: none may hide a question that a coin cannot ask, which such a row leaves out.
    """
    if not questionnaire.own_coin.left_out:
        return False
    pairs = list(row.codes(questionnaire.items))
    if row.own_coin:
        answered = sum(item.is_randomized and was_asked(item, code) for item, code in pairs)
        return answered < questionnaire.draw.count
    only = {item.id for item in questionnaire.own_coin.left_out}
    return any(item.id in only and was_asked(item, code) for item, code in pairs)


def kept(
    questionnaire: Questionnaire, row: Contents, state: Openings, *, is_last: bool
) -> Contents | None:
    """The row as it is sealed again, or None if it leaves: at the close every row leaves.

    A row that shows its path waits for the close, and so do others, by chance, that will hide it.
    """
    if is_last:
        state.left -= 1
        return None
    if row.waits or _is_chosen(state):
        return row
    # Drawn for each row that leaves, a coin's too: ``others`` counts all of them.
    is_drawn = _is_drawn(state)
    if (row.own_coin or is_drawn) and could_show_path(questionnaire, row):
        state.withheld += 1
        return replace(row, waits=True)
    return None


def without_path(
    questionnaire: Questionnaire, row: Contents, state: Openings, *, is_last: bool
) -> Contents:
    """At the close: the row, or by chance one without what the own-coin path cannot ask."""
    if not is_last or row.own_coin or not could_show_path(questionnaire, row):
        return row
    if row.waits:  # from the start of the close, ``withheld`` is 0 unless a coin was used
        return _hidden(questionnaire, row) if state.withheld else row
    if not _is_drawn(state):
        return row
    state.withheld += 1
    return _hidden(questionnaire, row)


def _is_chosen(state: Openings) -> bool:
    """Exactly ``keep`` of ``left`` by selection sampling (Knuth, TAOCP vol. 2, 3.4.2, S)."""
    is_chosen = secrets.randbelow(state.left) < state.keep
    state.left -= 1
    state.keep -= is_chosen
    return is_chosen


def _is_drawn(state: Openings) -> bool:
    """The same sampling: exactly ``withhold`` of ``others``."""
    is_drawn = secrets.randbelow(state.others or 1) < state.withhold
    state.others = (state.others or 1) - 1
    state.withhold -= is_drawn
    return is_drawn


def _hidden(questionnaire: Questionnaire, row: Contents) -> Contents:
    """A row as if the questions that the own-coin path cannot ask had not been asked."""
    hidden = {item.id for item in questionnaire.own_coin.left_out}
    codes = (
        item.not_asked if item.id in hidden else code
        for item, code in row.codes(questionnaire.row.variables)
    )
    return replace(row, answers="".join(codes))
