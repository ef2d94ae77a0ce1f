"""Answers that are renamed in a draft: rules that name them follow."""

from collections.abc import Mapping, Sequence
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
        words = gettext("Shorten the answers: the rule of this question gets too long: {question}")
        raise NotPossible(words.format(question=row.question.text))
    return True
