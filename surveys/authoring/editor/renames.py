"""Answers that are renamed in a draft: rules that name them follow."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from django.utils.translation import gettext

from surveys.models import Condition, Question
from surveys.models.refusals import NotPossible

WITHOUT_ANSWERS = (
    Condition.Comparison.MARKED,
    Condition.Comparison.FEWER,
    Condition.Comparison.ANSWERED,
    Condition.Comparison.MISSING,
)
# Of a scale: which side of the answer that a rule names meets it, and whether that one does too.
SIDES = {
    Condition.Comparison.LESS: (True, False),
    Condition.Comparison.MOST: (True, True),
    Condition.Comparison.MORE: (False, False),
    Condition.Comparison.LEAST: (False, True),
}
LONGEST_VALUE = Condition._meta.get_field("value").max_length or 0


def renamed(before: Sequence[str], after: Sequence[str]) -> dict[str, str]:
    """The new words of each option whose line alone was changed.

    Lines that stay show which line took the place of which. Where others were added or taken away
    between two that stay, nothing says which is which, and none counts as renamed.
    """
    names: dict[str, str] = {}
    for tag, start, end, first, last in SequenceMatcher(None, before, after, False).get_opcodes():
        if tag == "replace" and end - start == last - first:
            names |= dict(zip(before[start:end], after[first:last], strict=True))
    moved = set(before) & set(after)
    return {old: new for old, new in names.items() if not moved & {old, new}}


@dataclass(frozen=True)
class Shift:
    """A row of a rule that reads a scale, with the answers that meet it before and after."""

    row: Condition
    before: tuple[str, ...]
    after: tuple[str, ...]


def shifts(
    question: Question, before: Sequence[str], after: Sequence[str], names: Mapping[str, str]
) -> Iterator[Shift]:
    """The rules that other answers meet, because a scale's answers moved, came or went.

    Read once ``rename_in_rules`` is done. A rule whose answer is gone is another matter: launch
    refuses it.
    """
    kept = [names.get(text, text) for text in before]
    rows = question.read_by.filter(comparison__in=SIDES).select_related("question")
    for row in rows:
        met, meets = _met(row, kept), _met(row, after)
        if met is not None and meets is not None and set(met) != set(meets):
            yield Shift(row, met, meets)


def _met(row: Condition, answers: Sequence[str]) -> tuple[str, ...] | None:
    """The answers that meet a limit of a scale; None where the limit is not among them."""
    known = [answer.casefold() for answer in answers]
    limit = row.value.strip().casefold()
    if limit not in known:
        return None
    at, (is_below, is_included) = known.index(limit), SIDES[Condition.Comparison(row.comparison)]
    if is_below:
        return tuple(answers[: at + is_included])
    return tuple(answers[at + (not is_included) :])


def rename_in_rules(question: Question, names: Mapping[str, str]) -> list[Question]:
    """Let the rules that name these answers to a question name them anew; those questions.

    Within the caller's edit. Raises NotPossible where a rule would get too long.
    """
    known = {old.casefold(): new for old, new in names.items()}
    rows = question.read_by.exclude(comparison__in=WITHOUT_ANSWERS).select_related("question")
    changed = [row for row in rows if _rename(row, known)]
    Condition.objects.bulk_update(changed, ["value"])
    return list(dict.fromkeys(row.question for row in changed))


def _rename(row: Condition, known: Mapping[str, str]) -> bool:
    """Whether the row names one of them, in any case of letters, as rules read it."""
    parts = [part.strip() for part in row.value.split("|")]
    if not any(part.casefold() in known for part in parts):
        return False
    row.value = " | ".join(known.get(part.casefold(), part) for part in parts)
    if len(row.value) > LONGEST_VALUE:
        words = gettext(
            "Shorten the options. With these options, the rule of this question would be too "
            "long: {question}"
        )
        raise NotPossible(words.format(question=row.question.text))
    return True
