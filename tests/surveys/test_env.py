"""The environment is typed, has safe defaults, and fails loudly."""

import stat

import pytest

from config import env


def read(tmp_path, **variables: str) -> env.Environment:
    return env.read({"DENIABLE_DATA_DIR": str(tmp_path), "PATH": "/bin", **variables})


def test_the_defaults_are_safe(tmp_path):
    environment = read(tmp_path)
    assert not environment.debug
    assert environment.https
    assert environment.allowed_hosts == ("127.0.0.1", "localhost")


def test_the_secret_is_generated_once_and_readable_by_its_owner_only(tmp_path):
    first, second = read(tmp_path / "new").secret_key, read(tmp_path / "new").secret_key
    assert first == second
    assert len(first) >= 50
    assert stat.S_IMODE((tmp_path / "new" / "secret_key").stat().st_mode) == 0o600
    assert read(tmp_path / "other").secret_key != first


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DENIABLE_DEBUG", "maybe"),
        ("DENIABLE_HTTPS", "1"),
        ("DENIABLE_ALLOWED_HOSTS", "*"),
        ("DENIABLE_DATABASE_URL", "mysql://host/name"),
        ("DENIABLE_SECRET_KEY", "short"),
        ("DENIABLE_DEBGU", "on"),
    ],
)
def test_a_value_that_is_not_usable_stops_the_start_and_is_named(tmp_path, name, value):
    with pytest.raises(env.UnusableEnvironment, match=name):
        read(tmp_path, **{name: value})


def test_every_reason_is_given_at_once(tmp_path):
    with pytest.raises(env.UnusableEnvironment) as problem:
        read(tmp_path, DENIABLE_DEBUG="x", DENIABLE_NONSENSE="y", DENIABLE_SECRET_KEY="z")
    assert str(problem.value).count("\n- ") == 3
