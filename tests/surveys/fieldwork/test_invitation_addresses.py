"""Reading lists of addresses: what is taken, what is named with its line, what is refused whole."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.fieldwork import addresses
from surveys.fieldwork.addresses import BadAddress, UnusableList, canonical, decoded, read


def test_one_address_on_each_line():
    found = read("ada@example.org\n\n  grace@example.org \r\nalan@example.org")
    assert found.addresses == ["ada@example.org", "grace@example.org", "alan@example.org"]
    assert found.bad_lines == []


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("name", ["email", "E-Mail", "MAIL", "Email address"])
def test_the_column_named_email_is_taken_and_nothing_else_is_kept(delimiter, name):
    lines = [["name", name, "born"], ["Ada Lovelace", "ada@example.org", "1815"]]
    found = read("\n".join(delimiter.join(cells) for cells in lines))
    assert found.addresses == ["ada@example.org"]
    assert found.dropped_columns == 2
    assert "Lovelace" not in repr(found)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_the_usual_encodings_are_read(encoding):
    text = "name;email\nJosé;jose@example.org\n"
    assert read(decoded(text.encode(encoding))).addresses == ["jose@example.org"]


def test_a_quoted_cell_may_hold_the_delimiter_and_line_breaks_and_lines_stay_numbered():
    found = read('note,email\n"one,\ntwo",ada@example.org\nx,wrong\n')
    assert found.addresses == ["ada@example.org"]
    assert [line.number for line in found.bad_lines] == [4]


def test_an_address_that_comes_twice_is_kept_once_whatever_its_case_and_encoding():
    same = ["ada@example.org", "ADA@Example.ORG", " ada@EXAMPLE.org"]
    foreign = ["ada@bücher.example", "ada@BU\u0308CHER.example", "ada@xn--bcher-kva.example"]
    found = read("\n".join(same + foreign))
    assert found.addresses == ["ada@example.org", "ada@xn--bcher-kva.example"]
    assert found.repeated == 4


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ada", "an @ and a domain"),
        ("@example.org", "an @ and a domain"),
        ("ada@", "not a domain|not a complete"),
        ("ada@example..org", "not a domain|not a complete"),
        ("ada lovelace@example.org", "not a complete"),
        ("müller@example.org", "only the letters a to z"),
        ("ada@straße.example", "ASCII form"),
        ("a" * 250 + "@example.org", "at most 254"),
        ("ada@example.org, grace@example.org", "not a complete"),
        ("Ada <ada@example.org>", "not a complete"),
    ],
)
def test_a_bad_line_is_named_with_its_number_and_reason_and_the_others_are_kept(line, words):
    found = read(f'email\ngood@example.org\n"{line}"\nalso@example.org')
    assert found.addresses == ["good@example.org", "also@example.org"]
    (bad,) = found.bad_lines
    assert bad.number == 3
    assert any(part in str(bad) for part in words.split("|")), str(bad)
    assert len(str(bad)) < 250


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no address in this list"),
        (" \n\t\n", "no address in this list"),
        ("email\n", "no address in this list"),
        ("email,name\n", "no address in this list"),
        ("name,phone\nAda,1\n", "no column is called email"),
        ("ada@example.org\0\n", "not plain text"),
        ("\x1b[31mred", "not plain text"),
        ("email\n" + "x" * 200_000, "cannot be read"),
        ('email\n"' + "ada@example.org\n" * 20_000, "cannot be read"),
        ("no address\n" * 1001, "right file"),
    ],
)
def test_a_list_of_which_nothing_can_be_used_says_what_to_do(text, words):
    with pytest.raises(UnusableList, match=words):
        read(text)


@pytest.mark.parametrize(
    "data",
    [b"\x89PNG\r\n\x1a\n\x00\x00", b"PK\x03\x04\x14\x00", "ada@example.org".encode("utf-16")],
)
def test_a_file_that_is_no_text_is_refused_in_words(data):
    with pytest.raises(UnusableList, match=r"not plain text.*CSV \(UTF-8\)"):
        read(decoded(data))


def test_more_than_50_000_addresses_are_refused_and_50_000_are_not():
    lines = [f"person{n}@example.org" for n in range(100_000)]
    assert len(read("\n".join(lines[:50_000])).addresses) == 50_000
    with pytest.raises(UnusableList, match="more than 50,000"):
        read("\n".join(lines))


def test_a_file_beyond_5_megabytes_is_refused():
    with pytest.raises(UnusableList, match="larger than 5 MB"):
        decoded(b"a" * (addresses.MOST_BYTES + 1))


@given(st.text(max_size=300))
def test_whatever_is_pasted_is_read_or_refused_in_words(text):
    with contextlib.suppress(UnusableList):
        assert all(canonical(address) == address for address in read(text).addresses)


@given(st.text(max_size=80))
def test_an_address_is_refused_or_comes_in_one_form(text):
    with contextlib.suppress(BadAddress):
        address = canonical(text)
        assert address.isascii()
        assert canonical(address) == address
