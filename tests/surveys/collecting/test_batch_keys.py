"""Keys of batches: outside the database, made once, durable, and gone with their batch."""

import os
import stat
from functools import partial
from uuid import uuid4

import pytest

from surveys.collecting import batch_keys
from surveys.collecting.batch_keys import KEY_BYTES, KeyLost
from tests.rivals import at_once


def test_what_is_sealed_opens_with_its_key_and_its_batch_alone(tmp_path):
    batch, other = uuid4(), uuid4()
    key = batch_keys.create(tmp_path, batch)
    sealed = batch_keys.seal(key, batch, b"0" * 40)
    assert batch_keys.unseal(key, batch, sealed) == b"0" * 40
    for wrong_key, wrong_batch, cut in (
        (batch_keys.create(tmp_path, other), batch, sealed),
        (key, other, sealed),
        (key, batch, sealed[:-1]),
        (key, batch, sealed[:-1] + bytes([sealed[-1] ^ 1])),
    ):
        with pytest.raises(KeyLost):
            batch_keys.unseal(wrong_key, wrong_batch, cut)


def test_the_same_answer_is_never_sealed_alike(tmp_path):
    batch = uuid4()
    key = batch_keys.create(tmp_path, batch)
    sealed = {batch_keys.seal(key, batch, b"yes") for _ in range(100)}
    assert len(sealed) == 100
    assert {len(one) for one in sealed} == {3 + 28}


def test_a_key_is_made_once_however_many_ask_for_it_at_once(tmp_path):
    batch = uuid4()
    keys = at_once(*[partial(batch_keys.create, tmp_path / "keys", batch)] * 8)
    assert len(set(keys)) == 1
    assert os.listdir(tmp_path / "keys") == [f"{batch}.key"]


def test_only_the_service_may_read_the_keys(tmp_path):
    directory = tmp_path / "keys"
    batch = uuid4()
    batch_keys.create(directory, batch)
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert stat.S_IMODE((directory / f"{batch}.key").stat().st_mode) == 0o600


def test_a_destroyed_key_is_overwritten_and_gone(tmp_path):
    batch = uuid4()
    key = batch_keys.create(tmp_path, batch)
    with (tmp_path / f"{batch}.key").open("rb") as kept_open:
        batch_keys.destroy(tmp_path, batch)
        assert kept_open.read() != key
    assert batch_keys.kept(tmp_path) == set()
    with pytest.raises(KeyLost):
        batch_keys.read(tmp_path, batch)
    batch_keys.destroy(tmp_path, batch)  # twice is once


@pytest.mark.parametrize("content", [b"", b"short", b"x" * (KEY_BYTES + 1)])
def test_a_damaged_key_is_a_lost_key(tmp_path, content):
    batch = uuid4()
    (tmp_path / f"{batch}.key").write_bytes(content)
    with pytest.raises(KeyLost):
        batch_keys.read(tmp_path, batch)


def test_the_file_says_on_which_day_it_was_made_and_no_more(tmp_path):
    batch = uuid4()
    batch_keys.create(tmp_path / "new" / "keys", batch)
    made = (tmp_path / "new" / "keys" / f"{batch}.key").stat()
    assert made.st_mtime_ns % (24 * 3600 * 10**9) == 0
    assert batch_keys.made_on(tmp_path / "new" / "keys", batch) is not None
