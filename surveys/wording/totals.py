"""What published totals of randomized questions tell of one person, in words for their readers.

They stand on the page of a release that holds such totals, and in its files.
"""

import math
from decimal import ROUND_CEILING, Decimal

from django.utils.translation import gettext, ngettext

from surveys.randomized_response.totals import CentralStatement
from surveys.wording.language.numbers import localized
from surveys.wording.odds import odds_words


def totals_words(statement: CentralStatement) -> str:
    """The sentence under published totals: for a reader who sees these and nothing else."""
    own, tables = _own(statement.questions), len(statement.questions)
    if not statement.gains:
        return ngettext(
            "The protection against people who see only this table is no stronger than against "
            "people who see more: {own} ({odds}).",
            "The protection against people who see only these tables is no stronger than against "
            "people who see more: {own} ({odds}).",
            tables,
        ).format(own=own, odds=odds_words(statement.local))
    return ngettext(
        "For people who see only this table, the protection is epsilon {epsilon} ({odds}), except "
        "with a probability of {delta}. For people who see more, {own}.",
        "For people who see only these tables, the protection is epsilon {epsilon} ({odds}), "
        "except with a probability of {delta}. For people who see more, {own}.",
        tables,
    ).format(
        epsilon=_rounded_up(statement.epsilon),
        odds=odds_words(statement.epsilon),
        delta=localized(f"{statement.delta:g}"),
        own=own,
    )


def _own(epsilons: tuple[float, ...]) -> str:
    """Each answer's own epsilon and, of several, that of all of them: never told as less."""
    rounded = tuple(dict.fromkeys(_rounded_up(epsilon) for epsilon in sorted(epsilons)))
    sides = (", ".join(rounded[:-1]), rounded[-1]) if len(rounded) > 1 else rounded
    each = gettext("each answer has its own protection, epsilon {values}").format(
        values=gettext(" or ").join(sides)
    )
    if len(epsilons) == 1:
        return each
    return gettext(
        "{each}, and all {count} answers of one person together have epsilon {whole}"
    ).format(each=each, count=len(epsilons), whole=_rounded_up(sum(epsilons)))


def _rounded_up(epsilon: float) -> str:
    """Two digits after the point, three below 0.1, never less than the number."""
    if math.isinf(epsilon):
        return gettext("infinite")
    step = Decimal("0.01") if epsilon >= 0.1 else Decimal("0.001")
    return localized(str(Decimal(repr(float(epsilon))).quantize(step, ROUND_CEILING)))
