"""Reports of one bit per option: packed bytes in memory, hexadecimal digits in storage.

Option j is bit j mod 8 of byte j div 8; bits past the last option are 0. The code of a report is
its bytes in order, two lower-case hexadecimal digits each, so all codes of a question have the
same length: options 0 and 9 of 10 are the bytes 01 02 and the code "0102".
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import ReportError
from ..channel import ExactLoss
from .protocol import (
    Array,
    FrequencyProtocol,
    Levels,
    SupportCounts,
    checked_levels,
    checked_reports,
)

Packed = NDArray[np.uint8]
_DIGITS = frozenset("0123456789abcdef")
# People whose bits are drawn at once: keeps the random numbers of a large draw out of memory.
_BLOCK = 1 << 14
# Row v holds the eight bits of the byte v.
_BITS_OF_BYTE = np.unpackbits(
    np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little"
).astype(np.int64)
_ONES_OF_BYTE = [tuple(np.flatnonzero(bits).tolist()) for bits in _BITS_OF_BYTE]


def byte_width(options: int) -> int:
    """Bytes that hold one bit per option."""
    return -(-options // 8)


def code_length(options: int) -> int:
    """Hexadecimal digits of one report's code."""
    return 2 * byte_width(options)


def pack(bits: NDArray[np.bool_]) -> Packed:
    """Booleans of shape (n, options) as bytes of shape (n, byte width)."""
    return np.packbits(bits, axis=1, bitorder="little")


def unpack(reports: Array, options: int) -> NDArray[np.bool_]:
    """Bytes of shape (n, byte width) as booleans of shape (n, options). Raises ReportError."""
    packed = checked_packed(reports, options)
    return np.unpackbits(packed, axis=1, count=options, bitorder="little").astype(np.bool_)


def count_ones(reports: Array, options: int) -> SupportCounts:
    """How many reports have each bit set: shape (options,). Raises ReportError.

    A byte has only 256 values: counting those and adding up their bits touches each byte once,
    which is faster than summing eight unpacked columns.
    """
    packed = checked_packed(reports, options)
    ones = [np.bincount(column, minlength=256) @ _BITS_OF_BYTE for column in packed.T]
    return np.concatenate(ones)[:options].astype(np.int64)


def encode(reports: Array, options: int) -> list[str]:
    """The code of each report. Raises ReportError."""
    packed, length = checked_packed(reports, options), code_length(options)
    digits = packed.tobytes().hex()
    return [digits[start : start + length] for start in range(0, len(digits), length)]


def decode(codes: Sequence[str], options: int) -> Packed:
    """Reports of shape (n, byte width) from their codes. Raises ReportError."""
    length = code_length(options)
    if isinstance(codes, str):
        raise ReportError("codes", codes, "give a sequence of codes, one per report")
    # All at once first: a single report is looked for only where something is wrong.
    if not _are_codes(codes, length):
        index, code = next((i, c) for i, c in enumerate(codes) if not _are_codes([c], length))
        remedy = f"a code has {length} digits out of 0-9 and a-f"
        raise ReportError(f"codes[{index}]", code, remedy)
    packed = np.frombuffer(bytes.fromhex("".join(codes)), dtype=np.uint8)
    return checked_packed(packed.reshape(len(codes), byte_width(options)), options)


def ones_of(code: str, options: int) -> tuple[int, ...]:
    """The options that one code marks, ascending. Raises ReportError.

    For those who want one report at a time in words, millions of times: about ten times as fast as
    arrays of one row.
    """
    if len(code) != code_length(options) or not _DIGITS.issuperset(code):
        decode([code], options)  # says what is wrong
    numbered = enumerate(bytes.fromhex(code))
    ones = tuple(8 * number + bit for number, byte in numbered for bit in _ONES_OF_BYTE[byte])
    if ones and ones[-1] >= options:
        decode([code], options)
    return ones


def checked_packed(reports: Array, options: int) -> Packed:
    """Packed reports with no bit set past the last option. Raises ReportError."""
    packed = checked_reports(reports, byte_width(options), np.uint8)
    spare = 8 * byte_width(options) - options
    # Only the last byte has spare bits: its largest value tells whether any report sets one.
    if spare and len(packed) and packed[:, -1].max() >> (8 - spare):
        row = int(np.flatnonzero(packed[:, -1] >> (8 - spare))[0])
        raise ReportError(f"reports[{row}]", packed[row].tolist(), f"there are {options} options")
    return packed


def in_blocks(
    levels: NDArray[np.int64], draw_block: Callable[[NDArray[np.int64]], Packed]
) -> Packed:
    """The reports of all people, drawn for a block of them at a time."""
    starts = range(0, max(1, len(levels)), _BLOCK)
    return np.concatenate([draw_block(levels[start : start + _BLOCK]) for start in starts])


class IntegerBits(ExactLoss):
    """What a browser draws packed bits from: whole numbers below one denominator."""

    options: int

    @abstractmethod
    def _draw_block(self, levels: NDArray[np.int64], rng: np.random.Generator) -> Packed:
        """Packed reports of a block of people."""

    def draw(self, levels: NDArray[np.int64], rng: np.random.Generator) -> Packed:
        """Packed reports of shape (people, byte width) for checked true levels."""
        return in_blocks(levels, lambda block: self._draw_block(block, rng))


class BitProtocol(FrequencyProtocol):
    """Any protocol whose report has one bit per option, packed in bytes."""

    def aggregate(self, reports: Array) -> SupportCounts:
        return count_ones(reports, self.options)

    def supports(self, reports: Array) -> NDArray[np.bool_]:
        return unpack(reports, self.options)


class DrawnBits(BitProtocol):
    """A report of bits that are drawn once per answer, from integers as a browser draws them."""

    @property
    @abstractmethod
    def integer_form(self) -> IntegerBits:
        """Integers a browser can draw from, never less private than this protocol."""

    def draw(self, true_levels: Levels, rng: np.random.Generator) -> Array:
        """Packed reports of shape (people, ceil(options / 8)), drawn from the integer form."""
        return self.integer_form.draw(checked_levels(true_levels, self.options), rng)


def _are_codes(codes: Sequence[str], length: int) -> bool:
    if not all(isinstance(code, str) and len(code) == length for code in codes):
        return False
    return _DIGITS.issuperset("".join(codes))
