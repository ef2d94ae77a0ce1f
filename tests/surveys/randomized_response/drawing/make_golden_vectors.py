"""Writes golden_vectors.json, read by the Python test and by the browser's test.

Run once: ``python -m tests.surveys.randomized_response.drawing.make_golden_vectors``.
The expectation is computed here with whole numbers in the plainest way, not by the package under
test.
"""

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.randomized_response.designs import (
    Channel,
    IntegerChannel,
    KAry,
    OptimisedScale,
    Purpose,
    TwoCoins,
)

GOLDEN = Path(__file__).with_name("golden_vectors.json")
TOP = 2**32
SCALE = "optimised scale of seven"


def channels() -> dict[str, IntegerChannel]:
    odd = TOP - 1
    return {
        "two coins, yes/no": TwoCoins(2).channel.integer_weights(),
        "two coins, three options": TwoCoins(3).channel.integer_weights(),
        "thirds": Channel.binary(
            yes_if_true=Fraction(2, 3), yes_if_false=Fraction(1, 3)
        ).integer_weights(),
        "last digit": KAry(3, Fraction(4, 5)).channel.integer_weights(),
        "one below 2^32": IntegerChannel(((odd - 5, 3, 2), (1, odd - 1, 0), (7, 0, odd - 7)), odd),
        "2^32": KAry.from_epsilon(4, 1.0).channel.integer_weights(),
        SCALE: as_launched(),
        "never reported": IntegerChannel(((0, 10, 0), (5, 0, 5), (0, 0, 10)), 10),
    }


def as_launched() -> IntegerChannel:
    """The weights that the file holds already, as a launched question keeps its own.

    The search for the best scale ends elsewhere in the fifth digit on another processor.
    """
    if not GOLDEN.exists():
        return OptimisedScale(7, Purpose.CDF, 1.0986).integer_channel
    rows = json.loads(GOLDEN.read_text(encoding="utf-8"))
    row = next(row for row in rows if row["channel"] == SCALE)
    return IntegerChannel(tuple(map(tuple, row["weights"])), row["denominator"])


def words_for(channel: IntegerChannel, true_level: int, rng: random.Random) -> list[list[int]]:
    bound = TOP // channel.denominator * channel.denominator
    edges, total = [0], 0
    for weight in channel.weights[true_level]:
        total += weight
        edges += [total - 1, total]
    streams = [[edge % bound] for edge in edges if edge >= 0]
    streams += [[bound - 1], [rng.randrange(bound)], [rng.randrange(bound)]]
    if bound < TOP:
        streams += [[bound, 0], [TOP - 1, bound, bound - 1], [TOP - 1, rng.randrange(bound)]]
    return streams


def expected(channel: IntegerChannel, true_level: int, words: list[int]) -> tuple[int, int]:
    used = 0
    while words[used] >= TOP - TOP % channel.denominator:
        used += 1
    threshold = words[used] % channel.denominator
    reported = 0
    while sum(channel.weights[true_level][: reported + 1]) <= threshold:
        reported += 1
    return reported, used + 1


def vectors() -> list[dict[str, Any]]:
    rng = random.Random(20240229)
    rows = []
    for name, channel in channels().items():
        for true_level in range(len(channel.weights)):
            for words in words_for(channel, true_level, rng):
                reported, used = expected(channel, true_level, words)
                rows.append(
                    {
                        "channel": name,
                        "weights": [list(column) for column in channel.weights],
                        "denominator": channel.denominator,
                        "true_level": true_level,
                        "words": words,
                        "reported": reported,
                        "words_used": used,
                    }
                )
    return rows


def main() -> None:
    lines = ",\n".join(json.dumps(row) for row in vectors())
    GOLDEN.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
