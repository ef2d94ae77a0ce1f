"""Digits as people type them in several scripts, as ASCII writes them."""

# Arabic and Persian digits, each in a row of its own, and the Arabic decimal separator.
DIGITS = {first + digit: str(digit) for first in (0x0660, 0x06F0) for digit in range(10)}
SIGNS = {0x066B: ".", ord(","): ".", 0x2212: "-"}  # 0x2212 is the minus sign of typography
# What stands in a pattern of a form in the place of [0-9].
ANY_DIGIT = "[0-9\u0660-\u0669\u06f0-\u06f9]"


def ascii_digits(text: str) -> str:
    """The same text with ASCII digits; all else stays."""
    return text.translate(DIGITS)


def ascii_number(text: str) -> str:
    """A number as it is typed, with ASCII digits, a decimal point and a hyphen for minus."""
    return text.strip().translate(DIGITS | SIGNS)
