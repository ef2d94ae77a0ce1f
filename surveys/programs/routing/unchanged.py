"""SeenTags: which answers this process knows to be unchanged, without working them out again."""

from collections import OrderedDict
from threading import Lock

MOST = 1024  # answers, of some hundred bytes each


class SeenTags:
    """The tags of answers, by what was asked and all that the answer was made from."""

    def __init__(self) -> None:
        self._tags: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._lock = Lock()

    def tag(self, asked: str, inputs: str) -> str:
        """The tag of what was answered then; empty if that is not known."""
        with self._lock:
            return self._tags.get((asked, inputs), "")

    def keep(self, asked: str, inputs: str, tag: str) -> None:
        """Know it from now on, in the place of what was kept first."""
        with self._lock:
            self._tags[asked, inputs] = tag
            while len(self._tags) > MOST:
                self._tags.popitem(last=False)
