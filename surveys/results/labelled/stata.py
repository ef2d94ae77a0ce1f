"""The do-file of a survey: labels, and the debiased columns that its file of codes has not.

Labels are written as texts of Mata that have none of the characters which do-files read first:
quotes, backslashes, macros (` ' $), and slashes, which begin comments even within quotes. Those
are joined to the rest by their numbers, ``char(34)``, so that every label stays a label.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

from surveys import PROGRAM
from surveys.randomized_response.files.debiased import BETWEEN, DebiasedColumn, LookUp
from surveys.results.labelled.shortening import shorten
from surveys.results.labelled.variables import Content, Described, Reason, Variable

LONGEST_LABEL = 80  # letters of a variable's label: Stata's limit
LONGEST_WORDS = 8_000  # letters of a value's label: Stata has 32,000 bytes for it
CODES = {reason: f".{letter}" for reason, letter in zip(Reason, "abcdef", strict=True)}
READ_FIRST = frozenset("\"\\`'$/")
FROM_TEXT = "_deniable_text"  # no name in a survey begins with "_"
NUMBER = "_deniable_number"
HEAD = f"""\
* Made by {PROGRAM}. Reads a survey's file of codes, with or without debiased columns: labels and
* missing values. Columns that end in _rep hold reports, not true answers. Missing is .a for people
* who were not asked, .b for declined, .c for a part that was not sent.
version 14
clear all
"""


def literal(text: str) -> str:
    """The expression of Mata for a text, on one line of a do-file.

    >>> print(literal('a "b"'))
    "a " + char(34) + "b" + char(34)
    """
    parts: list[str] = []
    for is_plain, letters in groupby(text, _is_plain):
        run = "".join(letters)
        parts += [f'"{run}"'] if is_plain else map(_as_number, run)
    return " + ".join(parts) or '""'


def _is_plain(letter: str) -> bool:
    return letter.isprintable() and letter not in READ_FIRST


def _as_number(letter: str) -> str:
    """A letter as what Mata makes of its number; above ASCII a byte alone would be no letter."""
    return f"{'char' if letter.isascii() else 'uchar'}({ord(letter)})"


def script(questions: Sequence[Described], path: str) -> Iterator[str]:
    """The lines of the do-file; ``path`` is where it looks for the file of codes."""
    yield HEAD
    yield "* The file of codes: change the path if it lies elsewhere.\n"
    yield f'import delimited using "{path}", varnames(1) case(preserve) stringcols(_all) ///\n'
    yield '    encoding("utf-8") clear\n'
    for question in questions:
        for column in question.debiased:
            yield from _debiased(column)
    for question in questions:
        for variable in question.variables:
            yield from _variable(variable)


def _label(name: str, label: str) -> str:
    return f'mata: st_varlabel("{name}", {literal(shorten(label, LONGEST_LABEL, len))})\n'


def _debiased(column: DebiasedColumn) -> Iterator[str]:
    name = column.name
    yield f"\ncapture confirm variable {name}, exact\n"
    yield "if _rc == 0 {\n"
    yield f"    rename {name} {FROM_TEXT}\n"
    yield f"    generate double {name} = real({FROM_TEXT})\n"
    yield f"    drop {FROM_TEXT}\n"
    yield "}\n"
    yield "else {\n"
    yield f"    generate double {name} = .\n"
    for look_up in column.look_ups:
        yield from _look_up(name, look_up)
    if column.start:
        yield f"    quietly replace {name} = {name} + {float(column.start)!r}\n"
    yield "}\n"
    yield _label(name, column.label)


def _look_up(name: str, look_up: LookUp) -> Iterator[str]:
    """Add what each code counts; a code that says nothing adds nothing."""
    for codes, number in look_up.values.items():
        if number is not None:
            cells = zip(look_up.of, codes.split(BETWEEN), strict=True)
            condition = " & ".join(f'{of} == "{code}"' for of, code in cells)
            added = f"cond(missing({name}), 0, {name}) + ({float(number)!r})"
            yield f"    quietly replace {name} = {added} if {condition}\n"


def _variable(variable: Variable) -> Iterator[str]:
    yield "\n"
    yield from CONTENTS[variable.content](variable)
    yield _label(variable.name, variable.label)


def _numbers(variable: Variable, read: Mapping[str, str], usual: str = ".") -> Iterator[str]:
    """Replace the text of a column by numbers; a cell that is no code stops the do-file."""
    name = variable.name
    yield f"quietly generate double {NUMBER} = {usual}\n"
    for code, number in read.items():
        yield f'quietly replace {NUMBER} = {number} if {name} == "{code}"\n'
    for code, number in _missing(variable).items():
        yield f'quietly replace {NUMBER} = {number} if {variable.reasons or name} == "{code}"\n'
    yield f"* A cell that is no code is an error: take the file of codes.\nassert {NUMBER} != .\n"
    yield f"order {NUMBER}, after({name})\n"
    yield f"drop {name} {variable.reasons}".rstrip() + f"\nrename {NUMBER} {name}\n"


def _missing(variable: Variable) -> dict[str, str]:
    return {code: CODES[reason] for code, reason in variable.missing.items()}


def _coded(variable: Variable) -> Iterator[str]:
    yield from _numbers(variable, {code: str(int(code)) for code in variable.values})
    words = {str(int(code)): text for code, text in variable.values.items()}
    yield from _words(variable, words)


def _words(variable: Variable, words: Mapping[str, str]) -> Iterator[str]:
    """Set the labels of values; the set is called as the variable is."""
    name = variable.name
    reasons = {CODES[reason]: variable.words_of(reason) for reason in variable.missing.values()}
    for number, text in {**words, **reasons}.items():
        label = literal(shorten(text, LONGEST_WORDS, len))
        yield f'mata: st_vlmodify("{name}", {number}, {label})\n'
    yield f"label values {name} {name}\n"


def _measured(variable: Variable) -> Iterator[str]:
    yield from _numbers(variable, {}, f"real({variable.name})")
    yield from _words(variable, {})


def _days(variable: Variable) -> Iterator[str]:
    yield from _numbers(variable, {}, f'daily({variable.name}, "YMD")')
    yield f"format {variable.name} %td\n"
    yield from _words(variable, {})


def _texts(variable: Variable) -> Iterator[str]:
    for code in variable.missing:
        yield f'quietly replace {variable.name} = "" if {variable.name} == "{code}"\n'


CONTENTS: dict[Content, Callable[[Variable], Iterator[str]]] = {
    Content.CODES: _coded,
    Content.NUMBERS: _measured,
    Content.DAYS: _days,
    Content.TEXTS: _texts,
}
