import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.randomized_response.designs.local import bits
from tests.randomized_response.errors import ReportError


def reports(options: int) -> st.SearchStrategy[np.ndarray]:
    return arrays(np.bool_, st.tuples(st.integers(0, 12), st.just(options)))


answers = st.integers(2, 40).flatmap(lambda k: st.tuples(st.just(k), reports(k)))


@given(answers)
def test_packing_and_codes_lose_nothing(case) -> None:
    options, ones = case
    packed = bits.pack(ones)
    codes = bits.encode(packed, options)
    assert all(len(code) == bits.code_length(options) for code in codes)
    assert (bits.unpack(bits.decode(codes, options), options) == ones).all()


@given(answers)
def test_counting_ones_is_the_column_sum(case) -> None:
    options, ones = case
    assert bits.count_ones(bits.pack(ones), options).tolist() == ones.sum(axis=0).tolist()


def test_the_code_of_options_0_and_9_of_10_is_0102() -> None:
    ones = np.zeros((1, 10), dtype=np.bool_)
    ones[0, [0, 9]] = True
    assert bits.encode(bits.pack(ones), 10) == ["0102"]


@pytest.mark.parametrize(
    "code", ["", "01", "010203", "010g", "01 2", "01-2", "010A", "٠١٠٢", "0104", "00f0", None, 12]
)
def test_a_code_that_no_report_has_is_refused_and_named(code) -> None:
    with pytest.raises(ReportError) as refused:
        bits.decode(["0102", code], 10)
    assert refused.value.argument.endswith("s[1]")


def test_one_code_in_place_of_a_list_is_refused() -> None:
    with pytest.raises(ReportError, match="sequence of codes"):
        bits.decode("0102", 10)


@pytest.mark.parametrize(
    "packed",
    [
        np.zeros(2, dtype=np.uint8),
        np.zeros((3, 1), dtype=np.uint8),
        np.zeros((3, 2)),
        np.zeros((3, 2), dtype=np.int64),
        np.array(5),
        np.array([[0, 4]], dtype=np.uint8),
    ],
)
def test_bytes_that_are_no_reports_are_refused(packed) -> None:
    with pytest.raises(ReportError):
        bits.count_ones(packed, 10)
    with pytest.raises(ReportError):
        bits.unpack(packed, 10)


def test_no_reports_support_nothing() -> None:
    assert bits.count_ones(np.zeros((0, 2), dtype=np.uint8), 10).tolist() == [0] * 10
    assert bits.decode([], 10).shape == (0, 2)


@given(answers)
def test_the_ones_of_each_code_are_those_of_its_row(case) -> None:
    options, ones = case
    codes = bits.encode(bits.pack(ones), options)
    assert [bits.ones_of(code, options) for code in codes] == [
        tuple(np.flatnonzero(row).tolist()) for row in ones
    ]


@pytest.mark.parametrize(
    "code", ["", "01", "010203", "010g", "01 2", "01-2", "010A", "٠١٠٢", "0104", "00f0"]
)
def test_ones_of_a_code_that_no_report_has_are_refused(code) -> None:
    with pytest.raises(ReportError):
        bits.ones_of(code, 10)
