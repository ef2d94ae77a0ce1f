"""What is counted of the answers to each kind of question: its cells. Needs no Django.

A cell is a short text. For most kinds it is the code of an answer, which is all that an estimate
needs: the levels of both groups of a two-group design, a number or a date on its grid. Where hardly
two codes are alike, it is what the kind's estimates are sums of.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from math import prod
from operator import itemgetter
from typing import TypeVar

from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.long_list.promise import ListQuestion
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.questionnaire.kinds.question import was_asked
from surveys.questionnaire.kinds.registry import Table, of_kind

T = TypeVar("T")
Cell = tuple[int, str]  # number of the question from 1, and what was counted of it

RESPONSES: Cell = (0, "")  # all submissions
ASKED = "asked"  # those who were asked, where the cells below are counted besides
WRITTEN = "written"  # texts
RATED = "rated"  # ratings; how often each item was rated is kept by ``catalogues``

JOINT = "&"  # before each code of several questions together
MOST_TOGETHER = 1000  # combinations of levels that are kept of them: more than are estimated from

SHOWN = 0  # where the counts stand that readers see; those of a running opening under its number
_AT_ONCE = 5_000  # rows whose cells are counted together


def mark_cell(option: int) -> str:
    """The reports that mark an option of a long list, numbered from 0."""
    return f"#{option}"


def part_cell(part: int, level: int) -> str:
    """The reports of a part, numbered from 1, at a level, numbered from 0."""
    return f"#{part}:{level}"


def cells_of(questionnaire: Questionnaire, rows: Sequence[str]) -> Counter[Cell]:
    """The cells of these rows of answers, as they are stored; with the number of responses.

    Questions that no one reads have none: they come to light as released tables alone.
    """
    cells: Counter[Cell] = Counter({RESPONSES: len(rows)})
    hidden = {item.id for item in questionnaire.row.hidden}
    for number, (item, start) in enumerate(questionnaire.row.offsets, start=1):
        if item.width and item.id not in hidden:
            codes = [row[start : start + item.width] for row in rows]
            cells.update({(number, cell): n for cell, n in CELLS(item, codes).items()})
    readings = questionnaire.routes.told_by_others
    for number, item in of_kind(LevelQuestion, questionnaire.items):
        if number in readings:
            sources = readings[number][1]
            cells.update(_joint(questionnaire, {number: item, **sources}, rows))
    return cells


def joint_cell(codes: Iterable[str]) -> str:
    """The reports of a question together with those of the questions that its rule reads."""
    return JOINT + JOINT.join(codes)


def joint_codes(cells: Mapping[str, int]) -> Counter[tuple[str, ...]]:
    """The codes of such cells, out of all of a question, with their counts."""
    joint = (cell for cell in cells if cell.startswith(JOINT))
    return Counter({tuple(cell.split(JOINT)[1:]): cells[cell] for cell in joint})


def _joint(
    questionnaire: Questionnaire, together: Mapping[int, LevelQuestion], rows: Sequence[str]
) -> Counter[Cell]:
    """Kept with the first question. None of more combinations than are estimated from."""
    if prod(len(item.levels) for item in together.values()) > MOST_TOGETHER:
        return Counter()
    offsets = [questionnaire.row.offsets[number - 1] for number in together]
    places = [slice(at, at + item.width) for item, at in offsets]
    codes = Counter(tuple(row[start] for start in places) for row in rows)
    number = next(iter(together))
    return Counter({(number, joint_cell(row)): count for row, count in codes.items()})


def tallied(
    questionnaire: Questionnaire,
    done: int,
    rows: Iterable[tuple[int, str]],
    texts: Iterable[tuple[int, int]],
) -> dict[int, Counter[Cell]]:
    """All that should be kept of stored answers, by where it stands: ``SHOWN`` or an opening.

    ``rows`` are openings with rows of answers, ``texts`` openings with the numbers of questions,
    in any order; ``done`` is the last opening that is done. Slow, for checks and migrations only.
    """
    kept: dict[int, Counter[Cell]] = {}
    for opening, answers in _together(rows):
        kept.setdefault(_place(opening, done), Counter()).update(cells_of(questionnaire, answers))
    for opening, numbers in _together(texts):
        written = Counter((number, WRITTEN) for number in numbers)
        kept.setdefault(_place(opening, done), Counter()).update(written)
    return kept


def _place(opening: int, done: int) -> int:
    return SHOWN if opening <= done else opening


def _together(pairs: Iterable[tuple[int, T]]) -> Iterator[tuple[int, list[T]]]:
    """Blocks of bounded size, each of one opening."""
    left = iter(pairs)
    while block := list(islice(left, _AT_ONCE)):
        for opening, ones in groupby(sorted(block, key=itemgetter(0)), key=itemgetter(0)):
            yield opening, [row for _, row in ones]


def _marks(item: ListQuestion, codes: Sequence[str]) -> Counter[str]:
    """Of a long list each option that is marked, once for each report that marks it."""
    asked = [code for code in codes if was_asked(item, code)]
    marks = Counter(code for code in codes if not was_asked(item, code))
    marks[ASKED] = len(asked)
    for option, count in enumerate(item.marks.support(asked).tolist()):
        marks[mark_cell(option)] = count
    return +marks


def _parts(item: PartsQuestion, codes: Sequence[str]) -> Counter[str]:
    """Each part that was sent, with its level: the slots alone say nothing more of a part."""
    parts: Counter[str] = Counter()
    for code, times in Counter(codes).items():
        parts[ASKED if was_asked(item, code) else code] += times
        for part, level in item.slot_code.levels_in(code):
            parts[part_cell(part, level)] += times
    return parts


CELLS: Table[[Sequence[str]], Counter[str]] = Table.mostly(
    lambda item, codes: Counter(codes),
    long_list=_marks,
    # Without the key where no item was rated: a count of 0 is no row.
    rating=lambda item, codes: (
        +Counter({RATED: sum(len(list(item.slot_code.levels_in(code))) for code in codes)})
    ),
    ticks=_parts,
    matrix=_parts,
    ranking=_parts,
    ranked_pair=_parts,
)
