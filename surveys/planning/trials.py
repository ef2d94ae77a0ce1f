"""TrialReport: a simulated survey's expected bias and spread in points, as rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from surveys.kinds.levels.promise import LevelQuestion
from surveys.randomized_response.planning import FieldworkTrial, OptionTrial
from surveys.results.reading import INTERVAL_NAMES
from surveys.wording.language.numbers import percent

# A share whose bias exceeds this part of its spread is warned about: coverage suffers from there.
NOTABLE_BIAS = 0.5
ENOUGH_POWER = 0.8


@dataclass(frozen=True)
class TrialRow:
    """One answer of one question."""

    label: str
    option: OptionTrial

    @property
    def share_words(self) -> str:
        return percent(self.option.share)

    @property
    def bias_words(self) -> str:
        return f"{_points(self.option.bias)} ± {_points(self.option.bias_error)}"

    @property
    def expected_words(self) -> str:
        return _points(self.option.expected_bias)

    @property
    def spread_words(self) -> str:
        return _points(self.option.spread)

    @property
    def coverage_words(self) -> str:
        return f"{percent(self.option.coverage)} ± {_points(self.option.coverage_error)}"

    @property
    def width_words(self) -> str:
        return _points(self.option.mean_width)

    @property
    def power_words(self) -> str:
        return f"{percent(self.option.power)} ± {_points(self.option.power_error)}"

    @property
    def alternative_words(self) -> str:
        return percent(self.option.alternative)

    @property
    def is_biased(self) -> bool:
        return abs(self.option.expected_bias) > NOTABLE_BIAS * max(self.option.spread, 1e-12)

    @property
    def has_power(self) -> bool:
        return self.option.power >= ENOUGH_POWER


@dataclass(frozen=True)
class TrialQuestion:
    """One question: its answers, and one verdict for all of them."""

    number: int
    item: LevelQuestion
    rows: tuple[TrialRow, ...]

    @property
    def verdict(self) -> str:
        """What stands out; a question has enough power where each of its answers has it."""
        if biased := [row.label for row in self.rows if row.is_biased]:
            all_words, some_words = gettext("Biased"), gettext("Biased for: {answers}")
            return self._of(biased, all_words, some_words)
        weak = [row.label for row in self.rows if not row.has_power]
        if not weak:
            return gettext("Enough power")
        all_words, some_words = (
            gettext("Too little power"),
            gettext("Too little power for: {answers}"),
        )
        return self._of(weak, all_words, some_words)

    def _of(self, labels: list[str], all_words: str, some_words: str) -> str:
        """The answers are named, unless all are meant; those of a yes/no question always are."""
        if len(labels) == len(self.rows):
            return all_words
        return some_words.format(answers=", ".join(labels))


@dataclass(frozen=True)
class TrialReport:
    """All questions of the simulated survey."""

    trial: FieldworkTrial
    questions: tuple[TrialQuestion, ...]

    @property
    def all_covered_words(self) -> str:
        return percent(self.trial.all_covered)

    @property
    def all_detected_words(self) -> str:
        return percent(self.trial.all_detected)

    @property
    def difference_words(self) -> str:
        return _points(self.trial.difference)

    @property
    def level_words(self) -> str:
        return percent(self.trial.level, 0)

    @property
    def method_words(self) -> str:
        return str(INTERVAL_NAMES[self.trial.method])


def trial_report(items: Sequence[tuple[int, LevelQuestion]], trial: FieldworkTrial) -> TrialReport:
    """Questions with their numbers, in the order in which they were simulated."""
    simulated = zip(items, trial.questions, strict=True)
    return TrialReport(
        trial,
        tuple(
            TrialQuestion(n, item, tuple(_rows(item, options))) for (n, item), options in simulated
        ),
    )


def _rows(item: LevelQuestion, options: Sequence[OptionTrial]) -> Iterator[TrialRow]:
    for level in item.display:
        yield TrialRow(item.levels[level].text, options[level])


def _points(value: float) -> str:
    """Percentage points, without the unit: the table names it."""
    return percent(value).removesuffix(" %")
