"""A process in which the clock stands and chance repeats itself."""

import datetime
import hashlib
import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any
from unittest import mock

from django.conf import settings

from analytics.privacy.mechanisms import VettedNoise
from tests.fake_noise import FakeNoise

# A Wednesday. In the future: triggers of the database ask its own clock, which does not stand.
BEGIN = datetime.datetime(2040, 3, 7, 9, 30, tzinfo=datetime.UTC)
# Each module that asks for the time by a name of its own.
CLOCKS = (
    "analytics.files.ledgers",
    "django.utils.timezone",
    "surveys.operations.checks.installation",
    "tests.analytics.releasing",
)
_DATETIME = datetime.datetime


class _Kind(type):
    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, _DATETIME)


class Stillness:
    """The clock, and bytes for keys, nonces and shuffles: the same ones after the same ``begin``.

    Each page begins anew, so that what one draws moves no other.
    """

    def __init__(self) -> None:
        self.now = BEGIN
        self.begin("")

    def begin(self, name: str, *, minutes: int = 0) -> None:
        """From here chance is that of this name, so many minutes later."""
        self.now += datetime.timedelta(minutes=minutes)
        self._name, self._count = name, 0
        random.seed(name)

    def time(self) -> float:
        return self.now.timestamp()

    def urandom(self, size: int) -> bytes:
        self._count += 1
        return hashlib.shake_256(f"{self._name} {self._count}".encode()).digest(size)


@contextmanager
def standing_still() -> Iterator[Stillness]:
    """Until the end, time passes when it is told to, and chance and noise are the same as ever."""
    # Modules draw bytes as they are loaded; pages load them, unless another test did.
    import_module(settings.ROOT_URLCONF)
    still, noise, state = Stillness(), FakeNoise(), random.getstate()
    with ExitStack() as stack:
        put = stack.enter_context
        for module in CLOCKS:
            put(mock.patch(f"{module}.datetime", _clock(still)))
        put(mock.patch("time.time", still.time))
        put(mock.patch("os.urandom", still.urandom))
        put(mock.patch("random._urandom", still.urandom))
        put(mock.patch.object(VettedNoise, "added_to", _of(noise.added_to)))
        put(mock.patch.object(VettedNoise, "laplace_added_to", _of(noise.laplace_added_to)))
        yield still
    random.setstate(state)


def _of(draw: Any) -> Any:
    return lambda self, values, size: draw(values, size)


def _clock(still: Stillness) -> type:
    """The class ``datetime``, but for its clock."""

    class Still(_DATETIME, metaclass=_Kind):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:
            return still.now.astimezone(tz) if tz else still.now.replace(tzinfo=None)

    return Still
