"""Pages with values put in for each fetch: one gzip member, equally long for all values."""

import gzip
import secrets
import zlib

import pytest

from surveys.web.compression import KeyedPage, ReadyPage

KEY, CODE = "0123456789abcdef" * 2, "x" * 28
PAGE = f"<p>Größe &amp; \u202bעברית {KEY} und <input value='{CODE}'></p>" + "again and again " * 500


def keyed() -> KeyedPage:
    return KeyedPage.around(PAGE, KEY, CODE)


def drawn() -> tuple[str, str]:
    return secrets.token_hex(16), secrets.token_hex(14)


def test_a_page_with_its_own_values_is_the_page_that_was_rendered():
    assert keyed().filled(KEY, CODE).plain.decode() == PAGE


def test_the_gzip_of_a_filled_page_is_one_member_with_just_these_bytes():
    page = keyed()
    for _ in range(50):
        filled = page.filled(*drawn())
        reader = zlib.decompressobj(zlib.MAX_WBITS | 16)
        assert reader.decompress(filled.gzipped) == filled.plain
        assert reader.eof
        assert not reader.unused_data, "browsers read the first member alone"
        assert gzip.decompress(filled.gzipped) == filled.plain


def test_its_length_does_not_depend_on_the_values_which_compress_well_or_not():
    page = keyed()
    lengths = {len(page.filled(*drawn()).gzipped) for _ in range(50)}
    assert lengths == {len(page.filled("0" * 32, "again and again again an").gzipped) + 4}
    assert len(gzip.compress(PAGE.encode())) * 1.5 > lengths.pop()


def test_a_value_at_either_end_and_a_page_without_any():
    for page, values in (("key", ["key"]), ("key and rest", ["key"]), ("before key", ["key"])):
        filled = KeyedPage.around(page, *values).filled("new")
        assert gzip.decompress(filled.gzipped) == page.replace("key", "new").encode()
    assert gzip.decompress(KeyedPage.around("none").filled().gzipped) == b"none"


@pytest.mark.parametrize("values", [["absent"], ["again"], [CODE, KEY]])
def test_a_value_that_is_absent_twice_there_or_out_of_order_is_refused(values):
    with pytest.raises(ValueError, match="does not stand in a page once"):
        KeyedPage.around(PAGE, *values)


@pytest.mark.parametrize("values", [[], [KEY], [KEY, CODE, KEY]])
def test_another_number_of_values_is_refused(values):
    with pytest.raises(ValueError, match="another number of values"):
        keyed().filled(*values)


def test_a_ready_page_is_compressed_once():
    page = ReadyPage(PAGE.encode())
    assert gzip.decompress(page.gzipped) == page.plain
    assert page.gzipped is page.gzipped
