"""Environment: all variables that an operator sets, read, typed, checked; the stored secret key."""

import contextlib
import os
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from config.cluster import UnusableScheduler, parse_scheduler
from config.mail import MailServer, UnusableAddress, parse_sender, parse_server

PREFIX = "DENIABLE_"
# For which names browsers are told to use HTTPS alone; the safe default is the one of this site.
HSTS = ("host", "subdomains", "preload")
# Which part of the site a process is; the first is the whole of it.
ROLES = ("all", "web", "staff", "worker")
ROOT = Path(__file__).resolve().parent.parent
Parsed = TypeVar("Parsed")


class UnusableEnvironment(ValueError):
    """The environment is not usable; the message lists every reason."""


@dataclass(frozen=True)
class Environment:
    """Values read from ``DENIABLE_*`` variables. Anything absent has a safe default."""

    debug: bool
    role: str
    https: bool
    hsts: str
    behind_proxy: bool
    require_mfa: bool
    allowed_hosts: tuple[str, ...]
    data_dir: Path
    batch_keys_dir: Path
    opening_keys_dir: Path
    exports_dir: Path
    recovery_key: bytes
    submissions_per_hour: int
    api_rate: int
    database_url: str
    database_pooled: bool
    secret_key: str
    mail_server: MailServer | None
    mail_from: str
    mails_per_minute: int
    dask_scheduler: str | None
    source_url: str


def read(variables: Mapping[str, str]) -> Environment:
    """Parse the environment.

    Raises UnusableEnvironment naming every unknown variable and every value that is not usable, so
    that a misspelt setting stops the start instead of being silently ignored.
    """
    reader = _EnvironmentReader(variables)
    data_dir = Path(reader.text("DATA_DIR", str(ROOT / "var")))
    environment = dict(
        debug=reader.switch("DEBUG", default=False),
        role=reader.one_of("ROLE", ROLES),
        https=reader.switch("HTTPS", default=True),
        hsts=reader.one_of("HSTS", HSTS),
        behind_proxy=reader.switch("BEHIND_PROXY", default=False),
        require_mfa=reader.switch("REQUIRE_MFA", default=False),
        allowed_hosts=reader.names("ALLOWED_HOSTS", default=("127.0.0.1", "localhost")),
        data_dir=data_dir,
        batch_keys_dir=Path(reader.text("BATCH_KEYS_DIR", str(data_dir / "batch-keys"))),
        opening_keys_dir=Path(reader.text("OPENING_KEYS_DIR", str(data_dir / "opening-keys"))),
        exports_dir=Path(reader.text("EXPORTS_DIR", str(data_dir / "exports"))),
        recovery_key=reader.public_key("RECOVERY_KEY"),
        submissions_per_hour=reader.number("SUBMISSIONS_PER_HOUR", default=600, most=10**9),
        api_rate=reader.number("API_RATE", default=60, least=1, most=10**6),
        database_url=reader.database_url(f"sqlite:///{data_dir / 'deniable.sqlite3'}"),
        database_pooled=reader.switch("DATABASE_POOLED", default=False),
        secret_key=reader.secret(),
        mail_server=reader.mail_server(),
        mail_from=reader.mail_from(),
        mails_per_minute=reader.number("MAILS_PER_MINUTE", default=60, least=1, most=10_000),
        dask_scheduler=reader.dask_scheduler(),
        source_url=reader.source_url(),
    )
    reader.finish()
    environment["secret_key"] = environment["secret_key"] or _stored_secret(data_dir)
    return Environment(**environment)  # type: ignore[arg-type]


class _EnvironmentReader:
    def __init__(self, variables: Mapping[str, str]) -> None:
        self.values = {
            name.removeprefix(PREFIX): value.strip()
            for name, value in variables.items()
            if name.startswith(PREFIX)
        }
        self.unread = set(self.values)
        self.reasons: list[str] = []

    def text(self, name: str, default: str) -> str:
        self.unread.discard(name)
        return self.values.get(name) or default

    def switch(self, name: str, *, default: bool) -> bool:
        value = self.text(name, "on" if default else "off")
        if value not in {"on", "off"}:
            self.reasons.append(f"{PREFIX}{name}={value!r} must be 'on' or 'off'.")
        return value == "on"

    def one_of(self, name: str, choices: tuple[str, ...]) -> str:
        value = self.text(name, choices[0])
        if value not in choices:
            quoted = ", ".join(repr(choice) for choice in choices)
            self.reasons.append(f"{PREFIX}{name}={value!r} must be one of {quoted}.")
        return value

    def number(self, name: str, *, default: int, most: int, least: int = 0) -> int:
        value = self.text(name, str(default))
        if not (value.isascii() and value.isdigit() and least <= int(value) <= most):
            self.reasons.append(
                f"{PREFIX}{name}={value!r} must be a number from {least} to {most}."
            )
            return default
        return int(value)

    def names(self, name: str, default: tuple[str, ...]) -> tuple[str, ...]:
        value = self.text(name, ",".join(default))
        names = tuple(part.strip() for part in value.split(",") if part.strip())
        if "*" in names:
            self.reasons.append(f"{PREFIX}{name} must name the hosts: '*' would accept any host.")
        return names

    def database_url(self, default: str) -> str:
        value = self.text("DATABASE_URL", default)
        if value.partition("://")[0] not in {"sqlite", "postgresql", "postgres"}:
            self.reasons.append(
                f"{PREFIX}DATABASE_URL must start with sqlite:/// or postgresql://."
            )
        return value

    def secret(self) -> str:
        value = self.text("SECRET_KEY", "")
        if value and len(value) < 50:
            self.reasons.append(
                f"{PREFIX}SECRET_KEY has {len(value)} characters. Set at least 50 random "
                "characters."
            )
        return value

    def public_key(self, name: str) -> bytes:
        value = self.text(name, "")
        if value and not re.fullmatch(r"[0-9a-f]{64}", value):
            self.reasons.append(
                f"{PREFIX}{name} must be 64 hexadecimal digits, as manage.py opening "
                "--new-recovery-key printed them."
            )
            return b""
        return bytes.fromhex(value)

    def mail_server(self) -> MailServer | None:
        return self._parsed("EMAIL_URL", parse_server)

    def mail_from(self) -> str:
        if self.values.get("EMAIL_URL") and not self.values.get("MAIL_FROM"):
            self.reasons.append(f"{PREFIX}EMAIL_URL needs {PREFIX}MAIL_FROM, the sender's address.")
        return self._parsed("MAIL_FROM", parse_sender) or ""

    def source_url(self) -> str:
        value = self.text("SOURCE_URL", "")
        if value and not re.fullmatch(r"https?://[!-~]+", value):
            self.reasons.append(
                f"{PREFIX}SOURCE_URL={value!r} must be an address, such as "
                "https://example.org/source."
            )
        return value

    def dask_scheduler(self) -> str | None:
        return self._parsed("DASK_SCHEDULER", parse_scheduler)

    def _parsed(self, name: str, parse: Callable[[str], Parsed]) -> Parsed | None:
        value = self.text(name, "")
        try:
            return parse(value) if value else None
        except (UnusableAddress, UnusableScheduler) as problem:
            self.reasons.append(f"{PREFIX}{name} {problem}")
            return None

    def finish(self) -> None:
        fault = "is not a setting of Deniable. Correct the name, or unset the variable."
        self.reasons += [f"{PREFIX}{name} {fault}" for name in sorted(self.unread)]
        if self.reasons:
            raise UnusableEnvironment("Deniable cannot start:\n- " + "\n- ".join(self.reasons))


def _stored_secret(data_dir: Path) -> str:
    """Read this installation's secret, generating it on the first start (mode 0600)."""
    path = data_dir / "secret_key"
    if not path.exists():
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write_once(path, secrets.token_urlsafe(64))
    return path.read_text().strip()


def _write_once(path: Path, text: str) -> None:
    """Put a whole file in place, unless another process was first."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    with contextlib.suppress(FileExistsError):
        os.link(draft, path)
    draft.unlink()
