"""Keys of batches: outside the database, made once, durable, and gone with their batch."""

import stat
from functools import partial
from uuid import uuid4

import pytest

from surveys.collecting.keys import batch_keys
from surveys.collecting.keys.batch_keys import KEY_BYTES, KeyLost
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
    assert [path.name for path in (tmp_path / "keys").iterdir()] == [
        batch_keys.path_of(tmp_path, batch).name
    ]


def test_only_the_service_may_read_the_keys(tmp_path):
    directory = tmp_path / "keys"
    batch = uuid4()
    batch_keys.create(directory, batch)
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert stat.S_IMODE(batch_keys.path_of(directory, batch).stat().st_mode) == 0o600


def test_a_destroyed_key_is_overwritten_in_place_by_that_of_a_later_batch(tmp_path):
    batch = uuid4()
    key = batch_keys.create(tmp_path, batch)
    following = batch_keys.following(tmp_path, batch)
    next_key = batch_keys.read(tmp_path, following)
    with batch_keys.path_of(tmp_path, batch).open("rb") as kept_open:
        batch_keys.destroy(tmp_path, batch)
        content = kept_open.read()
    assert key not in content
    assert next_key in content
    with pytest.raises(KeyLost):
        batch_keys.read(tmp_path, batch)
    batch_keys.destroy(tmp_path, batch)  # twice is once
    assert batch_keys.path_of(tmp_path, batch).read_bytes() == content


def test_two_hundred_batches_leave_the_listing_of_the_directory_as_it_was(tmp_path):
    batch = uuid4()
    batch_keys.create(tmp_path, batch)
    before = [(path.name, path.stat().st_size, path.stat().st_ino) for path in tmp_path.iterdir()]
    seen = set()
    for _ in range(200):
        following = batch_keys.following(tmp_path, batch)
        seen.add(batch_keys.read(tmp_path, following))
        batch_keys.destroy(tmp_path, batch)
        batch = following
    after = [(path.name, path.stat().st_size, path.stat().st_ino) for path in tmp_path.iterdir()]
    assert after == before
    assert len(seen) == 200


def test_the_file_of_a_closed_survey_is_overwritten_and_gone(tmp_path):
    batch = uuid4()
    key = batch_keys.create(tmp_path, batch)
    with batch_keys.path_of(tmp_path, batch).open("rb") as kept_open:
        batch_keys.remove(tmp_path, batch)
        assert key not in kept_open.read()
    assert batch_keys.kept(tmp_path) == set()
    batch_keys.remove(tmp_path, batch)  # twice is once


def test_a_key_from_before_there_were_slots_is_read_and_destroyed(tmp_path):
    batch = uuid4()
    (tmp_path / f"{batch}.key").write_bytes(b"k" * KEY_BYTES)
    assert batch_keys.read(tmp_path, batch) == b"k" * KEY_BYTES
    following = batch_keys.following(tmp_path, batch)
    batch_keys.destroy(tmp_path, batch)
    assert not (tmp_path / f"{batch}.key").exists()
    assert len(batch_keys.read(tmp_path, following)) == KEY_BYTES


@pytest.mark.parametrize("content", [b"", b"short", b"x" * (KEY_BYTES + 1)])
def test_a_damaged_key_is_a_lost_key(tmp_path, content):
    batch = uuid4()
    batch_keys.path_of(tmp_path, batch).write_bytes(content)
    with pytest.raises(KeyLost):
        batch_keys.read(tmp_path, batch)


def test_the_file_says_on_which_day_it_was_changed_and_no_more(tmp_path):
    batch = uuid4()
    batch_keys.create(tmp_path / "new" / "keys", batch)
    changed = batch_keys.path_of(tmp_path / "new" / "keys", batch).stat()
    assert changed.st_mtime_ns % (24 * 3600 * 10**9) == 0
