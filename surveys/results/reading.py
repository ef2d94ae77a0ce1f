"""How a member of staff wants to read estimates: which interval, at which level."""

from dataclasses import dataclass

from surveys.results.words import percent

INTERVAL_NAMES = {
    "confidence-sequence": "Confidence sequence (look as often as you like)",
    "clopper-pearson": "Clopper-Pearson (exact)",
    "wilson": "Wilson",
    "wald": "Wald (normal)",
    "chebyshev": "Chebyshev",
}

LIVE = "confidence-sequence"
FIXED = "clopper-pearson"


def default_method(*, is_open: bool) -> str:
    """While answers come in people look again and again; once closed, n is fixed."""
    return LIVE if is_open else FIXED


@dataclass(frozen=True)
class Reading:
    """How a member of staff wants to read the estimates."""

    method: str = FIXED
    level: float = 0.95
    false_reports: int | None = None

    @property
    def method_name(self) -> str:
        return INTERVAL_NAMES[self.method]

    @property
    def is_live(self) -> bool:
        """Whether the intervals may be looked at as often as one likes."""
        return self.method == LIVE

    @property
    def level_name(self) -> str:
        return percent(self.level, 0)

    def false_reports_among(self, n: int) -> int:
        """The number that was asked for, or one in a hundred; never more than there are."""
        chosen = max(1, round(n / 100)) if self.false_reports is None else self.false_reports
        return min(chosen, n)
