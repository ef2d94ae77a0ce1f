"""A file of sealed texts opens with its keys in any order; repeats and garbage are counted."""

import json
import secrets

import pytest

from surveys.questionnaire.plans.seals import SUITE_NAME
from surveys.trust.digests import joined, revision_digest, two
from surveys.trust.keyfiles import PrivateKey, new_key
from surveys.trust.refusals import TrustRefusal
from surveys.trust.sealed_files import SealedFile, written
from surveys.trust.sealing import new_private, seal
from surveys.trust.texts import block, seal_text, sealed_size, text_info

QUESTION, LONGEST = 2, 20


@pytest.fixture(scope="module", params=[1, 2], ids=["one key", "two keys"])
def keys(request):
    return [new_key(f"Office {number}") for number in range(request.param)]


def revision_for(keys):
    return {
        "deniable": 2,
        "items": [{}, {"longest": LONGEST}],
        "seals": {
            "keys": [{"name": one.name, "key": one.public.key.hex()} for one in keys],
            "suite": SUITE_NAME,
        },
    }


def sealed(text, keys):
    return seal_text(
        text,
        [one.public.key for one in keys],
        revision=revision_digest(revision_for(keys)),
        question=QUESTION,
        longest=LONGEST,
    )


def file_of(texts, keys):
    return SealedFile.read(written(revision_for(keys), QUESTION, texts).encode())


def test_all_texts_are_opened_the_empty_ones_too(keys):
    given = ["", "", "Yes.", "😀" * LONGEST, "Yes."]
    opened = file_of([sealed(text, keys) for text in given], keys).opened_by(keys[::-1])
    assert sorted(opened.texts) == sorted(given)
    assert (opened.repeated, opened.unreadable) == (0, 0)


def test_the_order_of_the_file_is_not_that_of_the_texts(keys):
    contents = [sealed(str(number), keys) for number in range(50)]
    assert json.loads(written({}, 1, contents))["texts"] == sorted(one.hex() for one in contents)


def test_a_text_that_was_sent_again_counts_once(keys):
    once = sealed("Yes.", keys)
    opened = file_of([once, once, sealed("No.", keys)], keys).opened_by(keys)
    assert (sorted(opened.texts), opened.repeated) == (["No.", "Yes."], 1)


def test_a_text_in_a_new_outer_layer_counts_once():
    keys = [new_key("A"), new_key("B")]
    revision = revision_digest(revision_for(keys))
    first, second = (one.public.key for one in keys)
    inner = seal(first, text_info(revision, QUESTION, 1), block("Yes.", LONGEST))
    again = [seal(second, text_info(revision, QUESTION, 2), inner) for _ in range(3)]
    opened = file_of(again, keys).opened_by(keys)
    assert (opened.texts, opened.repeated) == (("Yes.",), 2)


def test_garbage_is_counted_and_stops_nothing(keys):
    size = sealed_size(LONGEST, len(keys))
    public = [one.public.key for one in keys]
    elsewhere = seal_text(
        "No.", public, revision=secrets.token_bytes(32), question=QUESTION, longest=LONGEST
    )
    garbage = [secrets.token_bytes(size), b"", secrets.token_bytes(size + 1), elsewhere]
    opened = file_of([*garbage, sealed("Yes.", keys)], keys).opened_by(keys)
    assert (opened.texts, opened.unreadable) == (("Yes.",), 4)


def test_what_no_page_seals_is_unreadable():
    (key,) = keys = [new_key("A")]
    info = joined(b"deniable text 1", revision_digest(revision_for(keys)), two(QUESTION), b"\1")
    for plain in (b"\xff" * 80, b"a\0b".ljust(80, b"\0"), b"x" * 21 + bytes(59)):
        opened = file_of([seal(key.public.key, info, plain)], keys).opened_by(keys)
        assert (opened.texts, opened.unreadable) == ((), 1)


def test_a_key_that_is_missing_is_named(keys):
    file = file_of([sealed("Yes.", keys)], keys)
    with pytest.raises(TrustRefusal, match=f"key of {keys[-1].name}"):
        file.opened_by([*keys[:-1], PrivateKey("Other", new_private())])


@pytest.mark.parametrize(
    "change",
    [
        {"deniable": "sealed texts 2"},
        {"question": 3},
        {"question": 0},
        {"question": "2"},
        {"question": True},
        {"texts": ["zz"]},
        {"texts": None},
        {"revision": {}},
        {"revision": {**revision_for([]), "items": None}},
        {"revision": revision_for([])},
        {"revision": revision_for([new_key(one) for one in "ABC"])},
        {"revision": {**revision_for([]), "items": [{}, {"longest": 20.0}]}},
    ],
)
def test_what_is_no_such_file_is_refused_in_words(change):
    document = json.loads(written(revision_for([new_key("A")]), QUESTION, []))
    with pytest.raises(TrustRefusal, match="Download the file again"):
        SealedFile.read(json.dumps({**document, **change}).encode())


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b"null", b"[" * 10_000, b'"a"'])
def test_other_bytes_are_refused_in_words(content):
    with pytest.raises(TrustRefusal):
        SealedFile.read(content)


def test_a_suite_of_a_later_program_is_refused():
    revision = revision_for([new_key("A")])
    revision["seals"]["suite"] = "MLKEM768_X25519"
    with pytest.raises(TrustRefusal, match="does not know"):
        SealedFile.read(written(revision, QUESTION, []).encode())
