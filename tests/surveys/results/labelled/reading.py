"""Readers of syntax files by the rules of each language: literals, and what is looked up."""

import re
from collections.abc import Callable, Mapping

R_LITERAL = r'"(?:[^"\\]|\\.)*"'
STATA_PART = r'(?:"[^"\n]*"|u?char\(\d+\))'
STATA_LITERAL = rf"{STATA_PART}(?: \+ {STATA_PART})*"
SPSS_PIECE = r"'(?:[^'\n]|'')*'"
SPSS_LITERAL = rf"{SPSS_PIECE}(?: \+\n    {SPSS_PIECE})*"
R_ESCAPE = re.compile(r"\\(?:u([0-9a-f]{4})|U([0-9a-f]{8})|(.))", re.S)
R_SHORT = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}


def r_text(literal: str) -> str:
    """What a string literal of R says; it may have no other escape."""

    def letter(match: re.Match[str]) -> str:
        code = match[1] or match[2]
        return chr(int(code, 16)) if code else R_SHORT[match[3]]

    assert re.fullmatch(R_LITERAL, literal)
    assert literal.isascii()
    assert "\n" not in literal
    return R_ESCAPE.sub(letter, literal[1:-1])


def stata_text(literal: str) -> str:
    """What an expression of Mata says. Do-files read macros, quotes and comments before it."""
    assert re.fullmatch(STATA_LITERAL, literal)
    texts = []
    for part in re.findall(STATA_PART, literal):
        if part.startswith('"'):
            assert not set(part[1:-1]) & set("`'$\\/")
            texts.append(part[1:-1])
        else:
            texts.append(chr(int(part.split("(")[1][:-1])))
    return "".join(texts)


def spss_text(literal: str) -> str:
    """What the joined literals of SPSS say; a line has at most 251 bytes."""
    assert re.fullmatch(SPSS_LITERAL, literal)
    assert max(len(line.encode()) for line in literal.split("\n")) <= 251
    pieces = re.findall(SPSS_PIECE, literal)
    return "".join(piece[1:-1].replace("''", "'") for piece in pieces)


READERS: dict[str, tuple[str, Callable[[str], str]]] = {
    "R": (R_LITERAL, r_text),
    "do": (STATA_LITERAL, stata_text),
    "sps": (SPSS_LITERAL, spss_text),
}


def texts_in(script: str, language: str) -> list[str]:
    """What all literals of a script say, in their order; not those in comments."""
    pattern, read = READERS[language]
    return [read(literal) for literal in re.findall(pattern, _without_comments(script, language))]


def skeleton(script: str, language: str) -> str:
    """A script without what its literals say."""
    return re.sub(READERS[language][0], "''", _without_comments(script, language))


def _without_comments(script: str, language: str) -> str:
    mark = "#" if language == "R" else "*"
    lines = script.removeprefix("\ufeff").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(mark))


STATA_STEP = re.compile(
    r" {4}quietly replace (\w+) = "
    r"(?:cond\(missing\(\1\), 0, \1\) \+ \((\S+)\) if (.*)|\1 \+ (\S+))"
)
STATA_CELL = re.compile(r'(\w+) == "([^"]*)"')
Row = Mapping[str, str]
Columns = dict[str, float | None]
Step = Callable[[Row, Columns], None]


def stata_columns(script: str) -> Callable[[Row], Columns]:
    """The debiased columns that a do-file works out for one row of codes."""
    made = re.findall(r"^ {4}generate double (\w+) = \.$", script, re.M)
    steps = [
        (match[1], float(match[2] or match[4]), dict(STATA_CELL.findall(match[3] or "")))
        for line in script.splitlines()
        if (match := STATA_STEP.fullmatch(line))
    ]

    def columns_of(row: Row) -> Columns:
        columns: Columns = dict.fromkeys(made)
        for name, number, cells in steps:
            is_start = not cells
            if (is_start and columns[name] is not None) or (
                cells and all(row[of] == code for of, code in cells.items())
            ):
                columns[name] = (columns[name] or 0.0) + number
        return columns

    return columns_of


def spss_columns(script: str) -> Callable[[Row], Columns]:
    """The debiased columns that SPSS syntax works out for one row of codes, read by places."""
    names = re.findall(r"^    (@c\d+) A\d+", script, re.M)
    steps = [step for command in script.split(".\n") if (step := _spss_step(command))]

    def columns_of(row: Row) -> Columns:
        cells = dict(zip(names, row.values(), strict=True))
        columns: Columns = {}
        for step in steps:
            step(cells, columns)
        return {name: number for name, number in columns.items() if name != "@number"}

    return columns_of


def _spss_step(command: str) -> Step | None:
    """What one command does to the codes and the columns of a row; None of labels and formats."""
    if made := re.fullmatch(r"COMPUTE (\w+)=\$SYSMIS", command):
        return lambda cells, columns: columns.update({made[1]: None})
    if joined := re.fullmatch(r"COMPUTE @text=CONCAT\((.*)\)", command, re.S):
        parts = re.findall(r"@c\d+", joined[1])
        return lambda cells, columns: cells.update({"@text": " ".join(cells[of] for of in parts)})
    if known := re.fullmatch(r"RECODE (\S+)\n(.*) INTO @number", command, re.S):
        numbers = {code: float(n) for code, n in re.findall(r"\('([^']*)'=(\S+)\)", known[2])}
        of = known[1]
        return lambda cells, columns: columns.update({"@number": numbers.get(cells[of] or " ")})
    if added := re.fullmatch(r"COMPUTE (\w+)=SUM\(\1,@number\)", command):
        return lambda cells, columns: _add(columns, added[1], columns["@number"])
    if start := re.fullmatch(r"COMPUTE (\w+)=\1\+(\S+)", command):
        number, name = float(start[2]), start[1]
        return lambda cells, columns: None if columns[name] is None else _add(columns, name, number)
    return None


def _add(columns: Columns, name: str, number: float | None) -> None:
    if number is not None:
        columns[name] = (columns[name] or 0.0) + number
