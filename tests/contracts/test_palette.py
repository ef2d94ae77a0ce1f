"""Colours of pictures: contrast to their ground, and apart for people who see fewer colours.

What such people see is worked out by the matrices of Machado, Oliveira and Fernandes (2009) for a
whole dichromacy; how far colours are apart, in CIE 1976 L*a*b*, where 2.3 is just seen.
"""

import re
from itertools import combinations

import numpy as np
import pytest

from surveys.web.drawing.palette import DARK, LIGHT, Palette, darkened
from tests.conftest import ROOT

SEEN = {
    "all colours": np.eye(3),
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "no blue": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
WHITE = np.array([0.95047, 1.0, 1.08883])
APART = 15  # six times what is just seen
SCHEMES = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])


def linear(colour: str) -> np.ndarray:
    parts = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """WCAG 2.2: (L1 + 0.05) / (L2 + 0.05)."""
    low, high = sorted(float((TO_XYZ @ linear(colour))[1]) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(light: np.ndarray) -> np.ndarray:
    scaled = TO_XYZ @ light / WHITE
    roots = np.where(scaled > 216 / 24389, np.cbrt(scaled), (24389 / 27 * scaled + 16) / 116)
    return np.array([116 * roots[1] - 16, 500 * (roots[0] - roots[1]), 200 * (roots[1] - roots[2])])


def distance(one: str, other: str, seen: np.ndarray) -> float:
    first, second = (lab(np.clip(np.asarray(seen) @ linear(c), 0, 1)) for c in (one, other))
    return float(np.linalg.norm(first - second))


def test_contrast_is_that_of_the_standard():
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@SCHEMES
def test_letters_and_marks_stand_out_from_their_ground(palette: Palette):
    assert min(contrast(one, palette.ground) for one in (palette.ink, palette.soft)) >= 4.5
    assert min(contrast(one, palette.ground) for one in palette.groups) >= 3
    assert contrast(palette.first, palette.pale) >= 3
    assert contrast(palette.ink, palette.pale) >= 4.5


@SCHEMES
@pytest.mark.parametrize("seen", SEEN.values(), ids=SEEN.keys())
def test_the_colours_of_groups_can_be_told_apart(palette: Palette, seen):
    assert min(distance(*pair, seen) for pair in combinations(palette.groups, 2)) >= APART


def test_a_dark_picture_has_the_colours_of_dark_pages_and_its_data_unchanged():
    light = {"config": {"background": LIGHT.ground}, "data": {"values": [{"label": LIGHT.ink}]}}
    assert darkened(light) == {
        "config": {"background": DARK.ground},
        "data": {"values": [{"label": LIGHT.ink}]},
    }


def test_no_two_colours_of_light_pictures_are_alike_so_that_each_has_one_in_the_dark():
    assert len(set(vars(LIGHT).values())) == len(vars(LIGHT))


@SCHEMES
def test_the_ground_of_pictures_is_that_of_the_cards_they_stand_on(palette: Palette):
    style = (ROOT / "static/surveys/web/tokens.css").read_text()
    light, dark = re.findall(r"--card: (#[0-9a-f]{6});", style)[:2]
    assert palette.ground == (light if palette is LIGHT else dark)
