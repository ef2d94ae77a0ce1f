"""Questions that share a second question: their reports are not independent, given both truths.

Each person has one answer to a second question. Two reports that it hides tell together what
neither tells alone, up to the true answers, however strongly each is protected: see
"Two questions with one second question" in docs/statistics.md.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from surveys.kinds.two_questions.promise import ComparedQuestion, GroupedQuestion, PairedQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table
from surveys.randomized_response.messages import sentence


def folded(text: str) -> str:
    """Return the words of a text, with spaces, case and Unicode form (NFKC) made the same.

    >>> folded(" Born in\\u00a0MAY? ") == folded("born in May?")
    True
    """
    # Some letters leave the form when case is folded, so it is made before and after.
    cased = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", cased).split())


def _no_second(item: Question) -> str:
    return ""


def _second(item: ComparedQuestion | PairedQuestion | GroupedQuestion) -> str:
    return item.second.text


# The words of the second question that hides a question; empty where there is none.
SECOND: Table[[], str] = Table.mostly(
    _no_second,
    paired=_second,
    compared=_second,
    grouped=_second,
)


def sharing(items: Sequence[Question]) -> tuple[tuple[int, int], ...]:
    """Return the pairs of questions, numbered from 1, that share a second question.

    One that is the second question of another and is asked itself shares it too.
    """
    hiding = [folded(SECOND(item)) for item in items]
    texts = [folded(item.text) for item in items]
    return tuple(
        (a + 1, b + 1)
        for a, b in combinations(range(len(items)), 2)
        if (hiding[a] and hiding[a] in (hiding[b], texts[b]))
        or (hiding[b] and hiding[b] == texts[a])
    )


def sharing_pair(items: Sequence[Question], numbers: Iterable[int]) -> tuple[int, int] | None:
    """Two of these questions, numbered from 1, that share a second one; None if no two do."""
    chosen = set(numbers)
    return next((pair for pair in sharing(items) if chosen.issuperset(pair)), None)


def sharing_remedy(items: Sequence[Question], numbers: Iterable[int]) -> str:
    """Why these questions, numbered from 1, cannot be looked at together; empty if they can."""
    pair = sharing_pair(items, numbers)
    if pair is None:
        return ""
    return (
        f"questions {pair[0]} and {pair[1]} share a second question, so that their reports are "
        "not independent and no estimate of both holds: choose one of them"
    )


def sharing_reasons(items: Sequence[Question]) -> Iterator[str]:
    """Why a draft cannot be launched, one sentence for each pair that shares a second question."""
    for a, b in sharing(items):
        yield sentence(
            "Questions {a} and {b} use the same second question. Each person answers the second "
            "question in the same way both times, so answers to {a} and {b} together would "
            "reveal the truth. Write a different second question for one of them.",
            a=a,
            b=b,
        )
