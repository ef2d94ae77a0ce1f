"""Writes golden_marks.json, read by the Python test and by the browser's test.

Run once: ``python -m tests.surveys.randomized_response.drawing.make_golden_marks``.
The expectation is computed here in the plainest way, bit by bit, not by the package under test.
"""

import json
import random
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).with_name("golden_marks.json")
TOP = 2**32
# Every combination of few and many options, of exact and of rounded fractions, of both designs.
MARKINGS = {
    "two options, each on its own": dict(options=2, if_true=2, if_other=1, denominator=4, size=0),
    "nine options, odd": dict(options=9, if_true=5, if_other=3, denominator=10, size=0),
    "200 options": dict(
        options=200, if_true=2**31, if_other=1_073_751_721, denominator=TOP, size=0
    ),
    "one below 2^32": dict(options=16, if_true=2**31, if_other=7, denominator=TOP - 1, size=0),
    "two options, one marked": dict(options=2, if_true=3, if_other=0, denominator=4, size=1),
    "three of nine": dict(options=9, if_true=2, if_other=0, denominator=3, size=3),
    "all but one of eight": dict(options=8, if_true=9, if_other=0, denominator=10, size=7),
    "50 of 200": dict(options=200, if_true=2_147_470_453, if_other=0, denominator=TOP, size=50),
}


class Stream:
    """Words one after the other; those that would bias a remainder are thrown away."""

    def __init__(self, words: list[int]) -> None:
        self.words, self.used = words, 0

    def below(self, bound: int) -> int:
        word = TOP
        while word >= TOP - TOP % bound:
            word = self.words[self.used]
            self.used += 1
        return word % bound


def expected(marking: dict[str, int], true_level: int, words: list[int]) -> tuple[str, int]:
    stream = Stream(words)
    draw = _fixed if marking["size"] else _independent
    marked = draw(marking, true_level, stream)
    value = sum(1 << option for option in marked)
    width = (marking["options"] + 7) // 8
    return value.to_bytes(width, "little").hex(), stream.used


def _independent(marking: dict[str, int], true_level: int, stream: Stream) -> set[int]:
    marked = set()
    for option in range(marking["options"]):
        limit = marking["if_true"] if option == true_level else marking["if_other"]
        if stream.below(marking["denominator"]) < limit:
            marked.add(option)
    return marked


def _fixed(marking: dict[str, int], true_level: int, stream: Stream) -> set[int]:
    """Taking the one at place j and putting the first that is left there: the same shuffle."""
    is_in = stream.below(marking["denominator"]) < marking["if_true"]
    left = [option for option in range(marking["options"]) if option != true_level]
    marked = {true_level} if is_in else set()
    while len(marked) < marking["size"]:
        place = stream.below(len(left))
        marked.add(left[place])
        left[place] = left[0]
        del left[0]
    return marked


def words_for(marking: dict[str, int], rng: random.Random) -> list[list[int]]:
    """At random, at both ends, and with words at the top that have to be thrown away."""
    enough = 2 * marking["options"] + 8
    streams = [[rng.randrange(TOP) for _ in range(enough)] for _ in range(6)]
    streams.append([0] * enough)
    streams.append([marking["if_true"], *([marking["if_true"] - 1] * enough)])
    topped = [[TOP - 1, rng.randrange(TOP // 2)] for _ in range(enough)]
    return [*streams, [word for pair in topped for word in pair]]


def vectors() -> list[dict[str, Any]]:
    rng = random.Random(20240301)
    rows = []
    for name, marking in MARKINGS.items():
        for true_level in sorted({0, marking["options"] // 2, marking["options"] - 1}):
            for words in words_for(marking, rng):
                code, used = expected(marking, true_level, words)
                rows.append(
                    {
                        "name": name,
                        "marking": marking,
                        "true_level": true_level,
                        "words": words[:used],
                        "code": code,
                        "words_used": used,
                    }
                )
    return rows


def main() -> None:
    lines = ",\n".join(json.dumps(row) for row in vectors())
    GOLDEN.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
