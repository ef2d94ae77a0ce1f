"""Short names of surveys, which people can type: eight characters for the first 40 bits of a key.

The alphabet is that of ``tokens``. Two of a thousand surveys share a name with a chance of 5e-7
(birthday bound over 2^40); a person who types such a name finds neither.
"""

from uuid import UUID

from surveys.questionnaire.tokens import ALPHABET, read_alike

LENGTH = 8
HALF = LENGTH // 2
SHIFT = 128 - 5 * LENGTH


def short_name(survey_id: UUID) -> str:
    """As it is printed: two groups of four."""
    number = survey_id.int >> SHIFT
    name = "".join(ALPHABET[number >> 5 * digit & 31] for digit in reversed(range(LENGTH)))
    return f"{name[:HALF]}-{name[HALF:]}"


def keys_named(typed: str) -> tuple[UUID, UUID] | None:
    """The first and the last key with this name; None if it cannot be one."""
    name = read_alike(typed)
    if len(name) != LENGTH or not set(name) <= set(ALPHABET):
        return None
    number = 0
    for character in name:
        number = number * 32 + ALPHABET.index(character)
    low = number << SHIFT
    return UUID(int=low), UUID(int=low + (1 << SHIFT) - 1)
