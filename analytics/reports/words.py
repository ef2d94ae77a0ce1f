"""Numbers and tests of reports on answers in words."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from django.utils.translation import gettext

from analytics.privacy.accounting import Adjacency
from analytics.reports.names import name_words
from surveys.randomized_response.messages import sentence
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import decimal, localized, per_cent

ADJACENCY_WORDS = {
    Adjacency.ADD_OR_REMOVE: sentence("one respondent more or fewer"),
    Adjacency.REPLACE: sentence("one respondent's text replaced by another"),
}
# The same where tables draw on the budget too.
ANSWER_WORDS = {
    **ADJACENCY_WORDS,
    Adjacency.REPLACE: sentence("one respondent's answers replaced by others"),
}


class WithTest(Protocol):
    """Two groups, and how their p-value was found."""

    @property
    def first(self) -> str: ...
    @property
    def second(self) -> str: ...
    @property
    def test(self) -> str: ...


def how_tested(pairs: Sequence[WithTest]) -> Iterator[str]:
    """How p-values were found: some pairs may be tested exactly, beside others that are not."""
    tests = list(dict.fromkeys(pair.test for pair in pairs))
    if len(tests) == 1:
        yield gettext("The p-value comes from {test}.").format(test=translated(tests[0]))
        return
    for test in tests:
        names = ", ".join(pair_words(p.first, p.second) for p in pairs if p.test == test)
        yield gettext("The p-value for {names} comes from {test}.").format(
            names=names, test=translated(test)
        )


def pair_words(first: str, second: str) -> str:
    """Two groups."""
    return f"{name_words(first)} – {name_words(second)}"


def number_words(value: float) -> str:
    """Three digits, or a whole number."""
    return localized(f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}")


def share_words(share: float) -> str:
    """An estimated share, cut off at 0 and 1."""
    return per_cent(min(max(share, 0.0), 1.0))


def points_words(difference: float) -> str:
    """A difference of shares in points, with its sign."""
    # What is rounded to zero is plus zero: -0.0 + 0.0 is 0.0.
    return localized(f"{round(100 * difference, 1) + 0.0:+.1f}")


def p_words(value: float) -> str:
    """A p-value."""
    return gettext("below 0.001") if value < 0.001 else decimal(value, 3)
