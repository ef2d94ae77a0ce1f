"""What published totals of randomized questions tell of one person, in words for their readers.

They stand on the page of a release that holds such totals, and in its files.
"""

import math
from decimal import ROUND_CEILING, Decimal

from surveys.randomized_response.totals import CentralStatement
from surveys.wording.odds import odds_words


def totals_words(statement: CentralStatement) -> str:
    """The sentence under published totals: for a reader who sees these and nothing else."""
    own, odds = _own(statement.questions), odds_words(statement.local)
    seen = "this table" if len(statement.questions) == 1 else "these tables"
    if not statement.gains:
        return f"For whoever sees only {seen} nothing is gained: {own} ({odds})."
    return (
        f"For whoever sees only {seen}: epsilon {_rounded_up(statement.epsilon)} "
        f"({odds_words(statement.epsilon)}), except with a chance of {statement.delta:g}. "
        f"For whoever sees more, {own}."
    )


def _own(epsilons: tuple[float, ...]) -> str:
    """Each answer's own epsilon and, of several, that of all of them: never told as less."""
    told = tuple(dict.fromkeys(_rounded_up(one) for one in sorted(epsilons)))
    values = told[0] if len(told) == 1 else f"{', '.join(told[:-1])} or {told[-1]}"
    each = f"each answer has its own protection, epsilon {values}"
    if len(epsilons) == 1:
        return each
    whole = _rounded_up(sum(epsilons))
    return f"{each}, and all {len(epsilons)} of one person together epsilon {whole}"


def _rounded_up(epsilon: float) -> str:
    """Two digits after the point, three below 0.1, never less than the number."""
    if math.isinf(epsilon):
        return "infinite"
    step = Decimal("0.01") if epsilon >= 0.1 else Decimal("0.001")
    return str(Decimal(repr(float(epsilon))).quantize(step, ROUND_CEILING))
