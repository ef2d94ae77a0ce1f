"""Charts of comparisons and trees: cumulative shares, plans, branches.

Labels are whole: they break into lines, and the picture grows with them.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any

from django.utils.translation import gettext

from surveys.web.drawing.palette import LIGHT
from surveys.web.drawing.pictures import (
    BLUE,
    GREY,
    GROUND,
    INK,
    LABEL_LINE,
    ORANGE,
    PADDING,
    PALE,
    ROW_PLACE,
    in_lines,
    label_lines,
    labels_above,
    layered_rows,
    lines_above,
)
from surveys.web.drawing.vega import Document, Marks, either, field, layered, stacked

Step = tuple[str, float, float]  # a group, a position, the share at or below it
# A row of a tree: its depth, the answer that leads to it, its words, whether it is a leaf.
Node = tuple[int, str, str, bool]
# Groups differ by colour and by dashes or shapes, so that no reader needs the colour.
COLOURS = list(LIGHT.groups)
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [1, 3]]
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]
_ROW = 30
_LETTER = 7.2  # the width of a label's letter in the widest fonts, in pixels
_LINE = 14  # the height of a line of a label of an axis
_MARK = 20  # the room of a group's mark before its name
_APART = 7  # between the marks of two groups with the same share
_INDENT = 22  # of the branches below a question
_LABELS = {"align": "left", "baseline": "top", "fontSize": 13, "lineHeight": LABEL_LINE}


def cumulative(
    steps: tuple[Step, ...], ticks: tuple[tuple[float, str], ...], width: int
) -> Document:
    """The share at or below each position, for each group: by answers, or a line over numbers."""
    return _by_answers(steps, ticks, width) if ticks else _over_numbers(steps, width)


def _over_numbers(steps: tuple[Step, ...], width: int) -> Document:
    """A line of steps for each group, below the names of the groups."""
    names = _groups(steps)
    values = [
        {"group": name, "position": position, "share": share} for name, position, share in steps
    ]
    colours = {"domain": names, "range": _cycled(COLOURS, len(names))}
    dashes = {"domain": names, "range": _cycled(DASHES, len(names))}
    line = Marks(
        values,
        "line",
        {"interpolate": "step-after", "strokeWidth": 2.5, "point": {"size": 35}},
        x=field(
            "position:Q", title=None, axis={"grid": False}, scale={"zero": False, "nice": False}
        ),
        y=field(
            "share:Q",
            title=gettext("Share at or below"),
            axis={"format": "%"},
            scale={"domain": [0, 1]},
        ),
        color=field("group:N", scale=colours, legend=None),
        strokeDash=field("group:N", scale=dashes, legend=None),
    )
    looks = [{"strokeWidth": 2.5, "strokeDash": dash} for dash in dashes["range"]]
    # The key begins at the axis, as Vega lines up charts below each other.
    key = _key(names, "rule", looks, width - 60)
    return stacked([key, layered([line], width - 85, 240)])


def _by_answers(
    steps: tuple[Step, ...], ticks: tuple[tuple[float, str], ...], width: int
) -> Document:
    """A row for each answer with a mark for each group, below the names of the groups."""
    names, room = _groups(steps), width - PADDING
    labels = ((label, {"position": position}) for position, label in ticks)
    gap = 16 + _APART * len(names)
    answers, height = _rows_of(labels, int(room / _LETTER), gap)
    y = _down(height)
    axis = {"format": "%", "title": None, "values": [0, 0.25, 0.5, 0.75, 1], "domain": False}
    share = field("share:Q", scale={"domain": [0, 1]}, axis=axis)
    track = [{"y": row["below"] + 4, "share": 0, "end": 1} for row in answers]
    shapes = _cycled(SHAPES, len(names))
    looks = [{"filled": True, "size": 70, "opacity": 1, "shape": shape} for shape in shapes]
    layers = [
        Marks(answers, "text", _LABELS | {"color": INK}, x=0, y=y, text="lines:N"),
        Marks(track, "rule", {"color": PALE, "strokeWidth": 1}, x=share, x2="end:Q", y=y),
    ]
    for number, (name, look) in enumerate(zip(names, looks, strict=True)):
        reached = [(position, part) for group, position, part in steps if group == name]
        marks = [
            {"y": row["below"] + 6 + _APART * number, "share": _share_at(reached, row["position"])}
            for row in answers
        ]
        layers.append(Marks(marks, "point", look | {"color": _colour(number)}, x=share, y=y))
    # The last label of the axis stands half beyond it.
    return stacked([_key(names, "point", looks, width), layered(layers, room - 16, height)])


def _groups(steps: tuple[Step, ...]) -> list[str]:
    return list(dict.fromkeys(name for name, _, _ in steps))


def _key(names: Sequence[str], kind: str, looks: Sequence[Document], width: int) -> Document:
    """The names of groups below each other, whole, each after its mark."""
    letters = int((width - PADDING - _MARK) / _LETTER)
    rows, height = _rows_of(((name, {}) for name in names), letters, 4)
    y = _down(height)
    layers = [Marks(rows, "text", _LABELS | {"color": INK}, x=_MARK + 4, y=y, text="lines:N")]
    ends = {"x": 0, "x2": _MARK} if kind == "rule" else {"x": _MARK / 2}
    for number, (row, look) in enumerate(zip(rows, looks, strict=True)):
        at_middle = [{"y": row["y"] + LABEL_LINE / 2 - 1}]
        layers.append(Marks(at_middle, kind, look | {"color": _colour(number)}, y=y, **ends))
    return layered(layers, width - PADDING, height)


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _share_at(reached: Sequence[tuple[float, float]], position: float) -> float:
    """What a line of steps has reached at a position."""
    before = bisect_right([at for at, _ in reached], position)
    return reached[before - 1][1] if before else 0.0


def _rows_of(
    labels: Iterable[tuple[str, Document]], letters: int, gap: float
) -> tuple[list[Document], float]:
    """Whole labels in lines, below each other with a gap behind each; and the height of all."""
    rows: list[Document] = []
    top = 0.0
    for label, more in labels:
        lines = in_lines(label, letters)
        below = top + LABEL_LINE * len(lines)
        rows.append({"y": top, "below": below, "lines": lines, **more})
        top = below + gap
    return rows, top


def _down(height: float) -> Document:
    """A channel of pixels from the top."""
    return field("y:Q", axis=None, scale={"domain": [height, 0], "nice": False})


def plan(
    cells: tuple[tuple[str, str, float], ...], levels: tuple[str, ...], width: int
) -> Document:
    """A square for each move: from row to column, with its share of people.

    Columns have the numbers of the rows, whose names are whole.
    """
    numbers = {level: str(number) for number, level in enumerate(levels, start=1)}
    letters = max(12, int(0.4 * width / _LETTER))
    lines = [in_lines(f"{number}. {level}", letters) for level, number in numbers.items()]
    gutter = max(len(line) for label in lines for line in label) * _LETTER + 10
    size = min(width - PADDING - gutter, 60.0 * len(levels))
    is_small = size / len(levels) < 36  # narrower than "100 %" in the letters of labels
    rows = [{"row": number, "lines": label} for number, label in enumerate(lines)]
    values = [
        {
            "row": int(numbers[row]) - 1,
            "to": numbers[column],
            "mass": mass,
            "words": f"{100 * mass:.0f} %" if mass >= 0.005 else "",
            "dark": mass > 0.5,
        }
        for row, column, mass in cells
    ]
    axis = {"labelAngle": 0, "orient": "top", "ticks": False}
    x = field("to:N", title=gettext("to"), sort=list(numbers.values()), axis=axis)
    shade = {"domain": [0, 1], "range": ["#ffffff", BLUE], "interpolate": "rgb"}
    mass_of = field("mass:Q", scale=shade, legend=None)
    ink = either("datum.dark", GROUND, INK)
    look = {"fontSize": 8 if is_small else 12}
    before = {"align": "right", "baseline": "middle", "fontSize": 12, "color": INK}
    layers = [
        Marks(values, "rect", {"stroke": "#dfe4ea"}, x=x, y=ROW_PLACE, color=mass_of),
        Marks(values, "text", look, x=x, y=ROW_PLACE, text="words:N", color=ink),
        *label_lines(rows, before, _LINE, x=-8, last=0, middle=0.5),
    ]
    row = max(_ROW, _LINE * max(map(len, lines)) + 8)
    return layered(layers, size, row * len(levels))


def distances(rows: tuple[tuple[str, float, float], ...], width: int) -> Document:
    """A bar for each pair of groups, with a line at the usual distance without a difference."""
    lines = lines_above((name for name, _, _ in rows), width)
    values = [
        {"row": number, "lines": lines[number], "distance": distance, "chance": null}
        for number, (_, distance, null) in enumerate(rows)
    ]
    title = gettext("Distance in spreads (line: distance by chance)")
    letters = int((width - PADDING) / _LETTER)
    axis = {"title": in_lines(title, letters), "domain": False, "tickCount": 5}
    from_zero = field("distance:Q", axis=axis)
    line = {"color": ORANGE, "thickness": 3, "size": 16}
    layers = [
        *labels_above(values),
        Marks(values, "bar", {"color": BLUE, "height": 8}, x=from_zero, y=ROW_PLACE),
        Marks(values, "tick", line, x="chance:Q", y=ROW_PLACE),
    ]
    return layered_rows(layers, lines, width)


def tree(nodes: tuple[Node, ...], width: int) -> Document:
    """Branches below their question, each after the answer that leads to it; the first on top."""
    rows: list[Document] = []
    top = 0.0
    for depth, answer, words, is_leaf in nodes:
        indent = _INDENT * depth
        letters = max(12, int((width - PADDING - indent) / _LETTER))
        led = in_lines(answer, letters) if answer else []
        lines = in_lines(words, letters)
        row = {"x": indent, "y": top, "depth": depth, "leaf": is_leaf}
        rows.append(row | {"answer": led, "words": lines, "start": top + LABEL_LINE * len(led)})
        top += LABEL_LINE * (len(led) + len(lines)) + 10
    y, x = _down(top), _right(width - PADDING)
    ink = either("datum.leaf", BLUE, INK)
    layers = [
        Marks(_lines_down(rows), "rule", {"color": GREY}, x=x, y=y, y2="y2:Q"),
        Marks(_lines_across(rows), "rule", {"color": GREY}, x=x, x2="x2:Q", y=y),
        Marks(
            rows, "text", _LABELS | {"fontStyle": "italic", "color": INK}, x=x, y=y, text="answer:N"
        ),
        Marks(_from_start(rows), "text", _LABELS, x=x, y=y, text="words:N", color=ink),
    ]
    return layered(layers, width - PADDING, top)


def _right(width: float) -> Document:
    """A channel of pixels from the left."""
    return field("x:Q", axis=None, scale={"domain": [0, width], "nice": False})


def _from_start(rows: Sequence[Document]) -> list[Document]:
    """The rows at the first line of their own words."""
    return [row | {"y": row["start"]} for row in rows]


def _lines_down(rows: Sequence[Document]) -> list[Document]:
    """From each question to the last of its answers."""
    lines = []
    for number, row in enumerate(rows):
        below = _branches(rows, number)
        if below:
            x = row["x"] + _INDENT / 3
            start = row["start"] + LABEL_LINE * len(row["words"])
            lines.append({"x": x, "y": start, "y2": below[-1]["y"] + LABEL_LINE / 2})
    return lines


def _lines_across(rows: Sequence[Document]) -> list[Document]:
    """From the line below a question to each of its answers."""
    return [
        {"x": row["x"] - 2 * _INDENT / 3, "x2": row["x"] - 4, "y": row["y"] + LABEL_LINE / 2}
        for row in rows
        if row["depth"]
    ]


def _branches(rows: Sequence[Document], number: int) -> list[Document]:
    """The rows directly below one; they end where a row is as near to the root as it."""
    below = []
    for row in rows[number + 1 :]:
        if row["depth"] <= rows[number]["depth"]:
            break
        if row["depth"] == rows[number]["depth"] + 1:
            below.append(row)
    return below


def _cycled(values: list[Any], count: int) -> list[Any]:
    return [values[position % len(values)] for position in range(count)]
