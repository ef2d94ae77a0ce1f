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
        ("DENIABLE_HSTS", "on"),
        ("DENIABLE_ROLE", "Web"),
        ("DENIABLE_DATABASE_POOLED", "yes"),
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


SENDER = {"DENIABLE_MAIL_FROM": "Surveys <surveys@example.org>"}


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("smtp://ada:p%40ss%3Aword@mail.example.org", (587, "ada", "p@ss:word", True, False)),
        ("smtp://mail.example.org:25/?tls=off", (25, "", "", False, False)),
        ("smtp://127.0.0.1:1025", (1025, "", "", False, False)),
        ("smtp://localhost:1025?tls=on", (1025, "", "", True, False)),
        ("smtps://ada:x@mail.example.org", (465, "ada", "x", False, True)),
    ],
)
def test_mail_leaves_this_machine_encrypted_unless_the_operator_says_otherwise(
    tmp_path, url, expected
):
    server = read(tmp_path, DENIABLE_EMAIL_URL=url, **SENDER).mail_server
    found = (server.port, server.user, server.password, server.starttls, server.implicit_tls)
    assert found == expected


@pytest.mark.parametrize(
    "url",
    [
        "mail.example.org",
        "http://mail.example.org",
        "smtp://",
        "smtp://mail.example.org:x",
        "smtp://mail.example.org:99999",
        "smtp://[::1",
        "smtp://mail.example.org/?tsl=on",
        "smtp://mail.example.org/?tls=maybe",
        "smtps://mail.example.org/?tls=off",
        "smtp://mail.example.org/inbox",
        "smtp://a%0D%0Ab:x@mail.example.org",
        "smtp://a%ff:x@mail.example.org",
    ],
)
def test_an_address_of_a_mail_server_that_cannot_be_used_stops_the_start(tmp_path, url):
    with pytest.raises(env.UnusableEnvironment, match="DENIABLE_EMAIL_URL"):
        read(tmp_path, DENIABLE_EMAIL_URL=url, **SENDER)


@pytest.mark.parametrize("sender", ["nobody", "a@", "@b", "a@b\nBcc: c@d", ""])
def test_a_mail_server_needs_a_sender_that_can_be_used(tmp_path, sender):
    with pytest.raises(env.UnusableEnvironment, match="DENIABLE_MAIL_FROM"):
        read(tmp_path, DENIABLE_EMAIL_URL="smtp://127.0.0.1", DENIABLE_MAIL_FROM=sender)


def test_the_password_of_the_mail_server_is_not_printed(tmp_path):
    environment = read(tmp_path, DENIABLE_EMAIL_URL="smtps://a:quiet@mail.example.org", **SENDER)
    assert "quiet" not in repr(environment.mail_server)


def test_without_a_mail_server_nothing_is_configured(tmp_path):
    assert read(tmp_path).mail_server is None


@pytest.mark.parametrize("rate", ["0", "-1", "10001", "1.5", "many"])
def test_a_rate_of_mails_that_is_none_is_refused_and_the_default_is_one_a_second(tmp_path, rate):
    with pytest.raises(env.UnusableEnvironment, match="number from 1 to 10000"):
        read(tmp_path, DENIABLE_MAILS_PER_MINUTE=rate)
    assert read(tmp_path).mails_per_minute == 60


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("tls://dask.example.org", "tls://dask.example.org:8786"),
        ("tls://10.0.0.7:9000", "tls://10.0.0.7:9000"),
        ("tcp://127.0.0.1:8786", "tcp://127.0.0.1:8786"),
        ("tcp://[::1]:8786/", "tcp://[::1]:8786"),
        ("tcp://localhost", "tcp://localhost:8786"),
        ("tcp://dask.example.org?tls=off", "tcp://dask.example.org:8786"),
    ],
)
def test_another_machines_scheduler_is_reached_encrypted_unless_the_operator_says_otherwise(
    tmp_path, url, address
):
    assert read(tmp_path, DENIABLE_DASK_SCHEDULER=url).dask_scheduler == address


@pytest.mark.parametrize(
    "url",
    [
        "tcp://dask.example.org:8786",
        "tcp://10.0.0.7",
        "dask.example.org:8786",
        "http://127.0.0.1:8786",
        "tls://",
        "tls://dask.example.org:x",
        "tls://dask.example.org:0",
        "tls://dask.example.org:99999",
        "tls://[::1",
        "tls://name:word@dask.example.org",
        "tls://dask.example.org/path",
        "tls://dask.example.org?tls=off",
        "tls://dask.example.org?tsl=on",
        "tcp://dask.example.org?tls=on",
        "tls://dask example.org",
        "tls://dask.example.org#8786",
    ],
)
def test_an_address_of_a_scheduler_that_cannot_be_used_stops_the_start(tmp_path, url):
    with pytest.raises(env.UnusableEnvironment, match="DENIABLE_DASK_SCHEDULER"):
        read(tmp_path, DENIABLE_DASK_SCHEDULER=url)


def test_without_a_scheduler_this_process_counts(tmp_path):
    assert read(tmp_path).dask_scheduler is None


@pytest.mark.parametrize("address", ["", "https://example.org/source", "http://127.0.0.1:8000/x?y"])
def test_the_address_of_the_source_is_taken_as_it_is(tmp_path, address):
    assert read(tmp_path, DENIABLE_SOURCE_URL=address).source_url == address


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "example.org", "https://a b", "ftp://a"]
)
def test_what_is_no_address_of_a_page_is_refused(tmp_path, address):
    with pytest.raises(env.UnusableEnvironment, match="DENIABLE_SOURCE_URL"):
        read(tmp_path, DENIABLE_SOURCE_URL=address)
