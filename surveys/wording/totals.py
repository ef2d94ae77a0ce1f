"""What a published table of a randomized question tells of one person, in words for its readers."""

from surveys.randomized_response.totals import CentralStatement
from surveys.wording.odds import odds_words


def totals_words(statement: CentralStatement) -> str:
    """The sentence under a published table: for a reader who sees this table and nothing else."""
    own = f"each answer has its own protection, epsilon {statement.local:.2f}"
    if not statement.gains:
        return (
            "For whoever sees only this table nothing is gained: "
            f"{own} ({odds_words(statement.local)})."
        )
    return (
        f"For whoever sees only this table: epsilon {_rounded_up(statement.epsilon)} "
        f"({odds_words(statement.epsilon)}), except with a chance of {statement.delta:.0e}. "
        f"For whoever sees more, {own}."
    )


def _rounded_up(epsilon: float) -> str:
    """Two digits that matter, never less than the number."""
    digits = 2 if epsilon >= 0.1 else 3
    step = 10.0**-digits
    return f"{-(-epsilon // step) * step:.{digits}f}"
