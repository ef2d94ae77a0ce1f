"""Names of questions and values of options: which are valid, and what others are rewritten to.

A name begins with a letter, goes on with ASCII letters, digits and ``_``, and has at most 24 of
them: suffixes of columns make 32, which is what Stata takes. A value is a name too, or a whole
number. Names are compared without regard to case, as SPSS does.
"""

import re
import string
import unicodedata
from collections.abc import Collection, Iterable, Sequence

from surveys.randomized_response.messages import Message, sentence

LONGEST_NAME = 24
LONGEST_NUMBER = 9  # digits of a value that is a number: it fits into 32 bits
LETTERS = frozenset(string.ascii_letters)
NAMING = LETTERS | frozenset(string.digits) | {"_"}
# SPSS: Command Syntax Reference, "Variable Names". Stata: User's Guide, 11.3, without the names
# that begin with "_", and all of its storage types of text, str1 to str2045.
OF_SPSS = frozenset(
    ["all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with"]
)
OF_STATA = frozenset(
    ["byte", "double", "float", "if", "in", "int", "long", "str", "strl", "using", "with"]
)
# A letter that our alphabet has no base letter for, as people write it without.
SPELLED = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l", "ı": "i"})


# An author's line: the value in brackets, and the words. Both are bounded, so that it is linear.
VALUED = re.compile(r"\[([A-Za-z0-9_]{1,24})\] *(\S.*)")


def is_reserved(name: str) -> bool:
    """Whether SPSS or Stata keeps this name for itself."""
    folded = name.casefold()
    is_type_of_text = folded[:3] == "str" and folded[3:].isdecimal()
    return folded in OF_SPSS or folded in OF_STATA or is_type_of_text


def is_name(text: str) -> bool:
    """Whether a question can have this name."""
    return (
        text[:1] in LETTERS
        and len(text) <= LONGEST_NAME
        and NAMING.issuperset(text)
        and not is_reserved(text)
    )


def is_value(text: str) -> bool:
    """Whether an option can have this value: a name, or a whole number without a zero before it."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER
    return is_name(text) or (is_number and str(int(text)) == text)


def split_line(line: str) -> tuple[str, str]:
    """The value that an author's line says, and its words: ``[often] Every day``.

    Without a value that is one, all of the line are words, and the value is empty.
    """
    match = VALUED.fullmatch(line.strip())
    if match is None or not is_value(match[1]):
        return "", line.strip()
    return match[1], match[2]


def valued_line(value: str | None, text: str, number: int) -> str:
    """The same line again; ``number`` is its place from 1, its value where it has no other.

    Words that look like such a line have their value said.
    """
    if not value and split_line(text)[0]:
        value = str(number)
    return f"[{value}] {text}" if value else text


def split_special(line: str) -> tuple[str, str]:
    """The code and the words of an answer beside a number: ``[999] Do not know``.

    Unlike a value a code is any text in brackets; without brackets there is none.
    """
    if not line.startswith("["):
        return "", line
    code, _, words = line.removeprefix("[").partition("]")
    return code.strip(), words.strip()


def special_line(code: str, text: str) -> str:
    """The same line again."""
    return f"[{code}] {text}"


def same_values(values: Sequence[str]) -> tuple[int, int] | None:
    """The numbers of the first two of one value, in any case; each without one has its number."""
    first: dict[str, int] = {}
    for number, value in enumerate(values, start=1):
        known = first.setdefault((value or str(number)).casefold(), number)
        if known != number:
            return known, number
    return None


def name_problem(text: str) -> Message | None:
    """What keeps a text from being a name, and what to do; None if it is one."""
    if not text:
        return sentence("The name is empty. Write a name.")
    if len(text) > LONGEST_NAME:
        return sentence(
            "“{name}…” has {count} characters, but a name can have at most {most}. Shorten the "
            "name.",
            name=text[:LONGEST_NAME],
            count=len(text),
            most=LONGEST_NAME,
        )
    if text[0] not in LETTERS or not NAMING.issuperset(text):
        return sentence(
            "“{name}” is not a possible name. Begin with a letter from a to z, and use only "
            "letters from a to z, digits and “_”.",
            name=text,
        )
    if is_reserved(text):
        return sentence(
            "“{name}” is a word that SPSS or Stata reserve for their own use. Choose another name.",
            name=text,
        )
    return None


def repeated(names: Iterable[str]) -> list[str]:
    """Names that stand there a second time, without regard to case, each once and as it stands."""
    known: set[str] = set()
    again: dict[str, str] = {}
    for name in names:
        folded = name.casefold()
        if folded in known:
            again.setdefault(folded, name)
        known.add(folded)
    return list(again.values())


def free_name(text: str, used: Collection[str], prefix: str) -> str:
    """The name nearest to this text that none of ``used`` is; ``text`` itself where it is valid.

    ``used`` are names in small letters. The ``prefix`` is a name that stands before what begins
    with no letter, or is reserved: ``2nd`` becomes ``q_2nd``.
    """
    base = text if is_name(text) else _spelled(text, prefix)
    return numbered(base, used, LONGEST_NAME)


def free_value(text: str, used: Collection[str]) -> str:
    """The value nearest to this text, in the same way; ``01`` becomes ``1``."""
    if is_value(text) and text.casefold() not in used:
        return text
    is_number = text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER
    if is_number and str(int(text)) not in used:
        return str(int(text))
    return free_name(text, used, "v")


def _spelled(text: str, prefix: str) -> str:
    """The letters, digits and ``_`` of a text, accents gone and ``_`` in place of all else."""
    plain = unicodedata.normalize("NFKD", text[: 4 * LONGEST_NAME].translate(SPELLED))
    # A mark that stands over a letter goes; any other character parts what is before and after.
    letters = (
        letter if letter in NAMING else "" if unicodedata.combining(letter) else " "
        for letter in plain
    )
    name = "_".join("".join(letters).split()).strip("_")
    if not name:
        return prefix
    if name[0] not in LETTERS or is_reserved(name[:LONGEST_NAME]):
        name = f"{prefix}_{name}"
    return name[:LONGEST_NAME].rstrip("_")


def numbered(text: str, used: Collection[str], longest: int) -> str:
    """The text cut to so many letters; with a number if one of ``used`` is it, in any case.

    ``used`` are names in small letters.
    """
    name, number = text[:longest], 1
    while name.casefold() in used:
        number += 1
        ending = f"_{number}"
        name = f"{text[: longest - len(ending)]}{ending}"
    return name
