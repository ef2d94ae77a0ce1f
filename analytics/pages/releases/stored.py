"""What a stored release calls its tables and what their numbers count, in the page's language."""

import re
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from analytics.reports.names import name_words
from analytics.workloads.asks import Ask

if TYPE_CHECKING:
    from analytics.kinds.tables.asked import AskedTables, Variable

UP_TO = "up to "
# Groups of numbers; an author who names an answer so means the same.
SPAN = re.compile(r"(-?[0-9.]+) to (-?[0-9.]+)")


def table_title(asked: "AskedTables", table: tuple[int, ...]) -> str:
    """What a table is of."""
    return gettext(" by ").join(asked.variables[place].name for place in table)


def label_words(variable: "Variable", label: str) -> str:
    """One of a variable's labels; an author's is as it was written."""
    if variable.ask is not Ask.CDF:
        return " … ".join(map(_level_words, label.split(" … ")))
    if label == variable.labels[-1]:
        return gettext("all")
    return gettext("up to {answer}").format(answer=_level_words(label.removeprefix(UP_TO)))


def _level_words(level: str) -> str:
    if found := SPAN.fullmatch(level):
        return gettext("{low} to {high}").format(low=found[1], high=found[2])
    return name_words(level)
