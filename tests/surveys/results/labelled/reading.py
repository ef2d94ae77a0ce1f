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
    r"quietly replace (\w+) = "
    r"(?:cond\(missing\(\1\), 0, \1\) \+ \((\S+)\)|\1 \+ (\S+)) ?(?:if (.*))?"
)
STATA_CELL = re.compile(r'(\w+) == "([^"]*)"')


def stata_columns(script: str, row: Mapping[str, str]) -> dict[str, float | None]:
    """The debiased columns that a do-file works out for one row of codes."""
    columns: dict[str, float | None] = {}
    for line in script.splitlines():
        if made := re.fullmatch(r" {4}generate double (\w+) = \.", line):
            columns[made[1]] = None
        elif (step := STATA_STEP.fullmatch(line.strip())) and step[1] in columns:
            name, added, start, condition = step.groups()
            if start and columns[name] is not None:
                columns[name] += float(start)
            elif condition and all(row[of] == code for of, code in STATA_CELL.findall(condition)):
                columns[name] = (columns[name] or 0.0) + float(added)
    return columns


def spss_columns(script: str, row: Mapping[str, str]) -> dict[str, float | None]:
    """The debiased columns that SPSS syntax works out for one row of codes, read by places."""
    names = re.findall(r"^    (@c\d+) A\d+", script, re.M)
    cells: dict[str, str] = dict(zip(names, row.values(), strict=True))
    columns: dict[str, float | None] = {}
    for command in re.split(r"\.\n", script):
        if made := re.fullmatch(r"COMPUTE (\w+)=\$SYSMIS", command):
            columns[made[1]] = None
        elif joined := re.fullmatch(r"COMPUTE @text=CONCAT\((.*)\)", command, re.S):
            cells["@text"] = " ".join(cells[of].rstrip() for of in re.findall(r"@c\d+", joined[1]))
        elif known := re.fullmatch(r"RECODE (\S+)\n(.*) INTO @number", command, re.S):
            numbers = dict(re.findall(r"\('([^']*)'=(\S+)\)", known[2]))
            found = numbers.get(cells[known[1]] or " ")
            cells["@number"] = found or ""
        elif added := re.fullmatch(r"COMPUTE (\w+)=SUM\(\1,@number\)", command):
            before, number = columns[added[1]], cells["@number"]
            columns[added[1]] = (before or 0.0) + float(number) if number else before
        elif start := re.fullmatch(r"COMPUTE (\w+)=\1\+(\S+)", command):
            before = columns[start[1]]
            columns[start[1]] = None if before is None else before + float(start[2])
    return columns
