"""ListQuestion and Marking: a long list of options; those that a report marks, as bits and words.

No channel matrix is stored: with k options it would have up to 2^k rows. The report's code has one
bit for each option (bit j mod 8 of byte j div 8, two hexadecimal digits for each byte), so that
all codes of a question are equally long.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from itertools import compress, islice
from operator import getitem
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from surveys.kinds.levels.promise import Leveled, level_fields
from surveys.questionnaire.kinds.question import NOT_ASKED_LABEL, refusal_of, was_asked
from surveys.questionnaire.messages import message
from surveys.randomized_response.designs import (
    OUE,
    FrequencyProtocol,
    IntegerSubset,
    IntegerUnary,
    SubsetSelection,
)
from surveys.randomized_response.designs.local.bits import code_length, decode, ones_of
from surveys.randomized_response.errors import DesignError, ReportError
from surveys.randomized_response.messages import Message

MOST_OPTIONS = 200
_BLOCK = 1 << 14  # codes that are counted at once


@dataclass(frozen=True)
class Marking:
    """How a browser marks options, in whole numbers.

    The true option is marked ``if_true`` times in ``denominator``. Without a ``size``, every other
    one is marked ``if_other`` times in ``denominator``, each drawn on its own (OUE, which marks
    the true one half the time). With a ``size``, exactly so many are marked in all, the others
    chosen evenly (subset selection), and ``if_other`` is 0.
    """

    options: int
    if_true: int
    denominator: int
    if_other: int = 0
    size: int = 0

    @classmethod
    def each_on_its_own(cls, options: int, epsilon: float) -> "Marking":
        """Optimised unary encoding with at most this epsilon. Raises DesignError."""
        form = OUE.from_epsilon(options, epsilon).integer_form
        return cls(options, form.ones_if_true, form.denominator, if_other=form.ones_if_other)

    @classmethod
    def of_fixed_size(cls, options: int, epsilon: float) -> "Marking":
        """Subset selection with at most this epsilon, of the best size. Raises DesignError."""
        form = SubsetSelection.from_epsilon(options, epsilon).integer_form
        return cls(options, form.truth_weight, form.denominator, size=form.subset_size)

    @cached_property
    def form(self) -> IntegerUnary | IntegerSubset:
        """The draw, word for word as a browser makes it."""
        if self.size:
            return IntegerSubset(self.options, self.size, self.if_true, self.denominator)
        return IntegerUnary(self.options, self.if_true, self.if_other, self.denominator)

    @cached_property
    def protocol(self) -> FrequencyProtocol:
        """The protocol whose probabilities are exactly those of the stored numbers."""
        p_true = Fraction(self.if_true, self.denominator)
        if self.size:
            return SubsetSelection(self.options, self.size, p_true)
        return OUE(self.options, Fraction(self.if_other, self.denominator))

    @property
    def p_true(self) -> Fraction:
        """How often the true option is marked."""
        return Fraction(self.form.support.if_true)

    @property
    def p_other(self) -> Fraction:
        """How often any other option is marked."""
        return Fraction(self.form.support.if_other)

    @property
    def epsilon(self) -> float:
        """Local epsilon of the stored numbers, in nats."""
        return self.form.epsilon

    @property
    def largest_ratio(self) -> Fraction:
        """e^epsilon, exactly; a list that any option could leave its mark on has a finite one."""
        ratio = self.form.largest_ratio
        if ratio is None:
            raise DesignError("marking", self, "some report would be a proof: mark others too")
        return ratio

    @property
    def width(self) -> int:
        """Characters of every code."""
        return code_length(self.options)

    def accepts(self, code: str) -> bool:
        """Whether a code can be drawn: its length, no bit past the last option, the right number.

        Capital letters and digits of other scripts are refused: every report has one code.
        """
        try:
            self.support([code])
        except ReportError:
            return False
        return True

    def marked(self, code: str) -> tuple[int, ...]:
        """The options that a code marks, ascending. Raises ReportError."""
        ones = ones_of(code, self.options)
        if self.size and len(ones) != self.size:
            self.support([code])  # says how many there have to be
        return ones

    def support(self, codes: Iterable[str]) -> NDArray[np.int64]:
        """How many codes mark each option: shape (options,). Raises ReportError."""
        totals = np.zeros(self.options, dtype=np.int64)
        left = iter(codes)
        while block := list(islice(left, _BLOCK)):
            totals += self.protocol.aggregate(decode(block, self.options))
        return totals


def _by_byte(texts: Sequence[str]) -> list[str]:
    """The texts that each byte marks, of at most eight."""
    return ["".join(compress(texts, map(int, f"{n:08b}"[::-1]))) for n in range(1 << len(texts))]


@dataclass(frozen=True, kw_only=True)
class ListQuestion(Leveled):
    """A single choice from a long list; a report marks some of the options."""

    marks: Marking

    @cached_property
    def is_randomized(self) -> bool:
        return True

    @cached_property
    def epsilon(self) -> float:
        return self.marks.epsilon

    @cached_property
    def width(self) -> int:
        return self.marks.width

    @cached_property
    def not_asked(self) -> str:
        return "-" * self.width

    def read(self, values: Sequence[str], *, own_coin: bool) -> str:
        """Only the page's script marks, so nothing is accepted from a respondent's own coin."""
        (code,) = values
        if not (code == self.not_asked if own_coin else self.marks.accepts(code)):
            raise refusal_of(code)
        return code

    def label(self, code: str) -> str:
        """How many options are marked, and which. Raises ReportError."""
        return self.words(self.marks.marked(code)) if was_asked(self, code) else NOT_ASKED_LABEL

    def words(self, options: Sequence[int]) -> Message:
        """How many options are marked, and which."""
        if not options:
            return message(
                "{count} of {options} options marked", count=0, options=self.marks.options
            )
        return message(
            "{count} of {options} options marked: {names}",
            count=len(options),
            options=self.marks.options,
            names="; ".join(self.levels[option].text for option in options),
        )

    def english(self, code: str) -> str:
        """The English of ``label``, of a code that was stored; a fifth of the time or less.

        Nearly every report of a long list is a code of its own, so a file looks up none twice.
        """
        if code == self.not_asked:
            return NOT_ASKED_LABEL
        names = "".join(map(getitem, self._names_by_byte, bytes.fromhex(code)))
        return self._beginnings[int(code, 16).bit_count()] + names[len("; ") :]

    @cached_property
    def _beginnings(self) -> list[str]:
        """The English of ``words`` before the names, by their number."""
        pattern = self.words([0]).pattern
        counts = range(1, self.marks.options + 1)
        some = [pattern.format(count=n, options=self.marks.options, names="") for n in counts]
        return [self.words([]), *some]

    @cached_property
    def _names_by_byte(self) -> list[list[str]]:
        """What each byte marks, with "; " before every name: for 200 options half a megabyte."""
        texts = [f"; {level.text}" for level in self.levels[: self.marks.options]]
        return [_by_byte(texts[first : first + 8]) for first in range(0, len(texts), 8)]

    def to_document(self) -> dict[str, Any]:
        return {**super().to_document(), "marking": asdict(self.marks)}

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        return cls(**level_fields(entry), marks=Marking(**entry["marking"]))
