"""Long lists: how options are marked, which codes can be sent, what counts say."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest

from surveys.collecting.replies.receipts import WIDEST_LABELS
from surveys.kinds.levels.promise import Level
from surveys.kinds.long_list.promise import MOST_OPTIONS, ListQuestion, Marking
from surveys.randomized_response.errors import ReportError
from surveys.randomized_response.estimates import estimate_frequencies
from tests.surveys.randomized_response.drawing.make_golden_marks import GOLDEN, vectors

VECTORS = json.loads(GOLDEN.read_text(encoding="utf-8"))
MAKERS = [Marking.each_on_its_own, Marking.of_fixed_size]
THREE_OF_NINE = Marking(9, 2, 3, size=3)
EACH_OF_NINE = Marking(9, 5, 10, if_other=3)


def code_of(*options: int, width: int = 4) -> str:
    return sum(1 << option for option in options).to_bytes(width // 2, "little").hex()


def test_the_golden_file_is_what_its_script_writes() -> None:
    assert vectors() == VECTORS


def test_the_golden_file_holds_both_designs_rejected_words_and_both_ends() -> None:
    assert {bool(v["marking"]["size"]) for v in VECTORS} == {True, False}
    assert {v["marking"]["options"] for v in VECTORS} >= {2, 9, 200}
    rejecting = [v for v in VECTORS if not v["marking"]["size"] and 2**32 - 1 in v["words"]]
    assert any(v["words_used"] > v["marking"]["options"] for v in rejecting)


@pytest.mark.parametrize("name", sorted({v["name"] for v in VECTORS}))
def test_draws_equal_the_golden_vectors(name) -> None:
    for vector in (v for v in VECTORS if v["name"] == name):
        form = Marking(**vector["marking"]).form
        drawn = form.code_from_words(vector["true_level"], vector["words"])
        assert drawn == (vector["code"], vector["words_used"]), vector["true_level"]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("options", [2, 3, 9, 64, 200, MOST_OPTIONS + 1])
@pytest.mark.parametrize("epsilon", [0.01, 0.5, math.log(3), 2.0, 5.0])
def test_the_stored_numbers_keep_the_epsilon_that_was_typed(make, options, epsilon) -> None:
    marking = make(options, epsilon)
    assert epsilon * (1 - 1e-5) < marking.epsilon <= epsilon
    assert marking.largest_ratio <= Fraction(math.exp(epsilon)) * (1 + Fraction(1, 10**12))
    assert marking.protocol.largest_ratio == marking.largest_ratio
    assert marking.denominator <= 2**32


@pytest.mark.parametrize("marking", [Marking(4, 5, 10, if_other=2), Marking(5, 2, 3, size=2)])
def test_epsilon_is_the_largest_ratio_over_every_code_that_can_be_sent(marking) -> None:
    """The law of each code, from the stored numbers alone."""
    codes = [code for code in map("{:02x}".format, range(256)) if marking.accepts(code)]
    laws = [[law(marking, true, code) for code in codes] for true in range(marking.options)]
    assert all(sum(row) == 1 for row in laws)
    pairs = itertools.permutations(laws, 2)
    worst = max(a / b for one, other in pairs for a, b in zip(one, other, strict=True))
    assert worst == marking.largest_ratio


def law(marking: Marking, true: int, code: str) -> Fraction:
    marked = marking.marked(code)
    p = Fraction(marking.if_true, marking.denominator)
    if marking.size:
        k, w = marking.options, marking.size
        return p / math.comb(k - 1, w - 1) if true in marked else (1 - p) / math.comb(k - 1, w)
    q = Fraction(marking.if_other, marking.denominator)
    chances = [p if option == true else q for option in range(marking.options)]
    return math.prod(c if o in marked else 1 - c for o, c in enumerate(chances))


@pytest.mark.parametrize("marking", [THREE_OF_NINE, EACH_OF_NINE])
@pytest.mark.parametrize(
    "code",
    [
        "",
        "0",
        "000",
        "00000",
        "000000",
        "07 0",
        "0x07",
        "070Z",
        "FF00",
        "７０００",
        "--",
        "----",
        "+700",
    ],
)
def test_a_code_of_another_length_or_other_digits_is_refused(marking, code) -> None:
    assert not marking.accepts(code)


def test_bits_past_the_last_option_must_be_zero() -> None:
    assert EACH_OF_NINE.accepts(code_of(0, 8))
    assert not EACH_OF_NINE.accepts(code_of(0, 9))
    assert not EACH_OF_NINE.accepts(code_of(15))
    assert not THREE_OF_NINE.accepts(code_of(0, 1, 9))


def test_a_subset_has_exactly_its_size() -> None:
    assert THREE_OF_NINE.accepts(code_of(0, 4, 8))
    for wrong in (code_of(), code_of(0, 4), code_of(0, 4, 5, 8)):
        assert not THREE_OF_NINE.accepts(wrong)
    assert EACH_OF_NINE.accepts(code_of())


def test_capital_digits_are_refused_so_that_every_report_has_one_code() -> None:
    assert EACH_OF_NINE.accepts("ab00")
    assert not EACH_OF_NINE.accepts("AB00")


def test_a_code_is_told_in_the_words_of_the_options() -> None:
    three, each = asked(THREE_OF_NINE), asked(EACH_OF_NINE)
    assert three.label(code_of(0, 4, 8)) == "3 of 9 options marked: A; E; I"
    assert each.label(code_of()) == "0 of 9 options marked"
    assert WIDEST_LABELS(each) == (each.label("ff01"),)


def asked(marking: Marking) -> ListQuestion:
    """A question about nine options."""
    levels = tuple(Level(f"{place:02}", text) for place, text in enumerate("ABCDEFGHI"))
    common = dict(id="1", text="?", help="", required=True, kind="choice", design="subset")
    return ListQuestion(**common, levels=levels, display=tuple(range(9)), marks=marking)


def test_marks_are_counted_over_any_number_of_codes() -> None:
    codes = [code_of(0, 1, 8), code_of(0, 2, 3)] * 20_000
    assert THREE_OF_NINE.support(codes).tolist() == [40_000, *[20_000] * 3, 0, 0, 0, 0, 20_000]
    assert THREE_OF_NINE.support([]).tolist() == [0] * 9
    with pytest.raises(ReportError):
        THREE_OF_NINE.support([*codes, code_of(0)])


@pytest.mark.parametrize("make", MAKERS)
def test_shares_come_back_from_drawn_reports(make) -> None:
    """5 sigma for each of 30 options: fails by chance less than 2 times in 100,000."""
    marking, rng = make(30, 2.0), np.random.default_rng(7)
    n = 40_000
    truth = np.minimum(np.arange(n) * 40 // n, 29)
    codes = [bytes(row).hex() for row in marking.form.draw(truth, rng)]
    found = estimate_frequencies(marking.protocol, marking.support(codes).tolist(), n)
    shares = np.bincount(truth, minlength=30) / n
    errors = np.sqrt(found.conditional_variances)
    assert (np.abs(found.frequencies - shares) < 5 * errors).all()
