"""The SPSS syntax of a survey: labels, and the debiased columns that its file of codes has not.

SPSS reads columns by their places, so the syntax is for a file with debiased columns or for one
without. A quote within a text is doubled, and no text goes over the end of a line.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count

from surveys import PROGRAM
from surveys.randomized_response.files.debiased import BETWEEN, DebiasedColumn, LookUp, Number
from surveys.results.labelled.shortening import one_line, shorten, utf8_bytes
from surveys.results.labelled.variables import Content, Described, Variable

LONGEST_LABEL = 256  # bytes of a variable's label: SPSS's limit
LONGEST_WORDS = 120  # bytes of a value's label
MOST_MISSING = 3  # of a variable, one by one; more are a range
PIECE = 50  # letters of a literal on one line, of up to 4 bytes: a line has at most 251 bytes
MARK = "\ufeff"  # without it SPSS may read the file in the computer's own encoding
NUMBER, TEXT = "@number", "@text"  # no name in a survey begins with "@"
HEAD = f"""\
* Encoding: UTF-8.
* Made by {PROGRAM}: labels and missing values for a survey's file of codes.
* Columns that end in _rep hold reports, not true answers.
* The file is read by the places of its columns: take it as it was downloaded.
SET DECIMAL=DOT.
"""


def literal(text: str) -> str:
    """The literal of SPSS for a text, in pieces that are joined over lines.

    >>> print(literal("it's"))
    'it''s'
    """
    line = one_line(text)
    pieces = [line[at : at + PIECE] for at in range(0, len(line), PIECE)] or [""]
    return " +\n    ".join(_quoted(piece) for piece in pieces)


def _quoted(piece: str) -> str:
    doubled = piece.replace("'", "''")
    return f"'{doubled}'"


def script(questions: Sequence[Described], path: str, *, debiased: bool) -> Iterator[str]:
    """The lines of the syntax; ``path`` is where it looks for the file of codes.

    ``debiased``: whether that file has the debiased columns.
    """
    numbers = count(1)
    variables = [each for question in questions for each in question.variables]
    names = (name for each in variables for name in (each.name, each.reasons) if name)
    codes = {name: f"@c{next(numbers)}" for name in names}
    yield MARK + HEAD
    yield from _get_data(questions, path, codes, debiased=debiased)
    helpers: list[str] = []
    if not debiased and any(_look_ups(questions)):
        helpers.append(NUMBER)
    if not debiased and (width := _joined_width(questions)):
        helpers.append(TEXT)
        yield f"STRING {TEXT} (A{width}).\n"
    for question in questions:
        for column in question.debiased:
            yield from _debiased(column, codes, is_there=debiased)
    for variable in variables:
        yield from CONTENTS[variable.content](variable, codes)
        yield _label(variable.name, variable.label)
    yield "EXECUTE.\n"
    yield from _delete([*codes.values(), *helpers])


def _get_data(
    questions: Sequence[Described], path: str, codes: Mapping[str, str], *, debiased: bool
) -> Iterator[str]:
    yield f"GET DATA\n  /TYPE=TXT\n  /FILE='{path}'\n  /ENCODING='UTF8'\n"
    yield "  /ARRANGEMENT=DELIMITED\n  /DELCASE=LINE\n  /DELIMITERS=','\n  /QUALIFIER='\"'\n"
    yield "  /FIRSTCASE=2\n  /VARIABLES="
    for question in questions:
        for variable in question.variables:
            yield f"\n    {codes[variable.name]} A{variable.width}"
            if variable.reasons:
                yield f"\n    {codes[variable.reasons]} A{max(map(len, variable.missing))}"
        if debiased:
            # Without decimals, so that none are made up where a cell has no point.
            yield from (f"\n    {column.name} F40.0" for column in question.debiased)
    yield ".\n"


def _look_ups(questions: Sequence[Described]) -> Iterator[LookUp]:
    for question in questions:
        for column in question.debiased:
            yield from column.look_ups


def _joined_width(questions: Sequence[Described]) -> int:
    """Characters of the longest codes that are looked up together; 0 where none are."""
    joined = (one for one in _look_ups(questions) if len(one.of) > 1)
    return max((len(codes) for one in joined for codes in one.values), default=0)


def _delete(names: Iterable[str]) -> Iterator[str]:
    yield "DELETE VARIABLES"
    yield from (f"\n  {name}" for name in names)
    yield ".\n"


def _label(name: str, label: str) -> str:
    words = literal(shorten(one_line(label), LONGEST_LABEL, utf8_bytes))
    return f"VARIABLE LABELS {name}\n    {words}.\n"


def _debiased(column: DebiasedColumn, codes: Mapping[str, str], *, is_there: bool) -> Iterator[str]:
    name = column.name
    if not is_there:
        yield f"COMPUTE {name}=$SYSMIS.\n"
        for look_up in column.look_ups:
            yield from _look_up(look_up, codes)
            yield f"COMPUTE {name}=SUM({name},{NUMBER}).\n"  # of those that are there
        if column.start:
            yield f"COMPUTE {name}={name}+{_number(column.start)}.\n"
    yield f"FORMATS {name} (F12.4).\n"
    yield _label(name, column.label)


def _look_up(look_up: LookUp, codes: Mapping[str, str]) -> Iterator[str]:
    """What the codes of a person count, in ``NUMBER``."""
    source = codes[look_up.of[0]]
    if len(look_up.of) > 1:
        cells = f",'{BETWEEN}',\n  ".join(f"RTRIM({codes[of]})" for of in look_up.of)
        yield f"COMPUTE {TEXT}=CONCAT(\n  {cells}).\n"
        source = TEXT
    known = {code: _number(n) for code, n in look_up.values.items() if n is not None}
    yield from _recode(source, known, NUMBER, "(ELSE=SYSMIS)")


def _recode(source: str, numbers: Mapping[str, str], into: str, rest: str) -> Iterator[str]:
    yield f"RECODE {source}"
    yield from (f"\n  ('{code or ' '}'={number})" for code, number in numbers.items())
    yield f"\n  {rest} INTO {into}.\n"


def _number(number: Number) -> str:
    return repr(float(number)).upper()


def _missing(variable: Variable) -> dict[str, str]:
    numbers = variable.missing_numbers
    return {code: str(numbers[reason]) for code, reason in variable.missing.items()}


def _words(variable: Variable) -> Iterator[str]:
    """The labels of values, and which of these are no answers."""
    numbers = variable.missing_numbers
    words = {str(int(code)): text for code, text in variable.values.items()}
    words |= {str(number): variable.words_of(reason) for reason, number in numbers.items()}
    yield f"VALUE LABELS {variable.name}"
    for number, text in words.items():
        label = literal(shorten(one_line(text), LONGEST_WORDS, utf8_bytes))
        yield f"\n  {number} {label}"
    yield ".\n"
    if numbers:
        listed = ",".join(map(str, numbers.values()))
        if len(numbers) > MOST_MISSING:
            listed = f"{min(numbers.values())} THRU {max(numbers.values())}"
        yield f"MISSING VALUES {variable.name} ({listed}).\n"


def _coded(variable: Variable, codes: Mapping[str, str]) -> Iterator[str]:
    numbers, code = {each: str(int(each)) for each in variable.values}, codes[variable.name]
    yield from _recode(code, {**numbers, **_missing(variable)}, variable.name, "(ELSE=SYSMIS)")
    yield f"FORMATS {variable.name} (F8.0).\n"
    yield from _words(variable)


def _measured(variable: Variable, codes: Mapping[str, str]) -> Iterator[str]:
    yield f"RECODE {codes[variable.name]} (CONVERT) INTO {variable.name}.\n"
    yield from _reasons(variable, codes)
    yield f"FORMATS {variable.name} (F{max(variable.width, 8)}.{variable.decimals}).\n"
    yield from _words(variable)


def _reasons(variable: Variable, codes: Mapping[str, str]) -> Iterator[str]:
    """The number of each reason that the column beside it has."""
    for code, number in _missing(variable).items():
        yield f"IF ({codes[variable.reasons]}='{code}') {variable.name}={number}.\n"


def _days(variable: Variable, codes: Mapping[str, str]) -> Iterator[str]:
    """A day is its number of seconds since 1582 there, so no day is below zero."""
    yield f"COMPUTE {variable.name}=NUMBER({codes[variable.name]},SDATE10).\n"
    yield from _reasons(variable, codes)
    yield from _words(variable)
    yield f"FORMATS {variable.name} (SDATE10).\n"


def _texts(variable: Variable, codes: Mapping[str, str]) -> Iterator[str]:
    """A text that is missing is blank: SPSS takes no longer mark for it than 8 characters."""
    yield f"STRING {variable.name} (A{variable.width}).\n"
    code = codes[variable.name]
    is_there = " AND ".join(f"{code}<>'{mark}'" for mark in variable.missing)
    yield f"IF ({is_there}) {variable.name}={code}.\n"
    yield f"MISSING VALUES {variable.name} (' ').\n"


CONTENTS: dict[Content, Callable[[Variable, Mapping[str, str]], Iterator[str]]] = {
    Content.CODES: _coded,
    Content.NUMBERS: _measured,
    Content.DAYS: _days,
    Content.TEXTS: _texts,
}
