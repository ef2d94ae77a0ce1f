"""PlainSettings of all kinds; Settings of a report on texts, checked; Watch, Stopped.

They are chosen before any text is read: all of it is public.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self

from analytics.kinds.plain import MISSHAPEN, from_plain, to_plain
from analytics.text.tokens import MOST_USED, MOST_WORDS, Tokenizer, languages
from surveys.randomized_response.errors import StatisticsError
from surveys.randomized_response.messages import sentence

MOST_TOPICS = 50
OTHER_QUESTIONS = sentence("choose other questions that may explain the answers to this question")
LARGEST_SEED = 2**63 - 1
_LONGEST_LIST = 10_000
_LONGEST_ENTRY = 200


class SettingsError(StatisticsError):
    """A setting that no report can be made with: it names the field, the value and the remedy."""


class Stopped(Exception):
    """The report is no longer wanted; raised by a ``Watch``, and nothing was stored of it."""


class Watch(Protocol):
    """A function that follows a report while it is made."""

    def reach(self, stage: str, fraction: float) -> None:
        """A stage begins; ``fraction`` in [0, 1] is done. Raises Stopped to end the report."""


class Unwatched:
    """Do nothing: the report is not followed."""

    def reach(self, stage: str, fraction: float) -> None:
        """Go on."""


class PlainSettings:
    """Settings of one kind, a dataclass that checks its fields; ``remedy`` says whose they are."""

    remedy: ClassVar[str]

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """The settings of a mapping of plain values. Raises SettingsError."""
        try:
            return from_plain(data, cls)
        except SettingsError:
            raise
        except MISSHAPEN:
            raise SettingsError("settings", sorted(data), cls.remedy) from None

    def to_data(self) -> dict[str, Any]:
        """Plain values for JSON; ``from_data`` reads them."""
        return to_plain(self)


@dataclass(frozen=True)
class Settings(PlainSettings):
    """The choices of a report; every field is plain data.

    ``topics`` is the largest number of topics (or clusters, or singular values), 1 to 50.
    ``refine`` looks at the texts a second time, for long texts (private topics only).
    ``language`` is an ISO 639-1 code with a public stop list, or None for neither stop list nor
    stems; ``stems``, ``longest_phrase`` (1 to 3), ``stop_words`` and ``skip_non_answers`` are as in
    ``Tokenizer``. ``vocabulary`` is a public list of words; without it words come from the answers
    and are paid for. ``most_words`` is how many distinct words count of one respondent,
    ``most_used`` how many words a report may use. ``seed`` is for internal kinds. Raises
    SettingsError.
    """

    topics: int = 10
    refine: bool = False
    language: str | None = "en"
    stems: bool = True
    longest_phrase: int = 1
    stop_words: tuple[str, ...] = ()
    skip_non_answers: bool = True
    vocabulary: tuple[str, ...] = ()
    most_words: int = MOST_WORDS
    most_used: int = MOST_USED
    seed: int = 0

    def __post_init__(self) -> None:
        _check_whole(self, "topics", 1, MOST_TOPICS)
        _check_whole(self, "longest_phrase", 1, 3)
        _check_whole(self, "most_words", 1, 10_000)
        _check_whole(self, "most_used", 2, 5_000)
        _check_whole(self, "seed", 0, LARGEST_SEED)
        for name in ("refine", "stems", "skip_non_answers"):
            _check(
                self, name, isinstance(getattr(self, name), bool), sentence("give true or false")
            )
        known = ", ".join(languages())
        listed = self.language is None or self.language in languages()
        _check(self, "language", listed, sentence("give one of {known}, or null", known=known))
        for name in ("stop_words", "vocabulary"):
            _check_words(self, name)
        if self.vocabulary:
            remedy = sentence("list words that are not stop words of the language")
            _check(self, "vocabulary", bool(self.public_words), remedy)
            remedy = sentence(
                "list at most {most:,} words, or raise most_used", most=self.most_used
            )
            _check(self, "vocabulary", len(self.public_words) <= self.most_used, remedy)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """The settings of a mapping of plain values; what is left out has its default."""
        if not isinstance(data, Mapping):
            raise SettingsError("settings", data, sentence("give an object of settings"))
        known = [field.name for field in fields(cls)]
        for name in data:
            if name not in known:
                raise SettingsError(
                    "settings",
                    name,
                    sentence("the known settings are {known}", known=", ".join(known)),
                )
        values: dict[str, Any] = {
            n: tuple(v) if isinstance(v, list) else v for n, v in data.items()
        }
        return cls(**values)

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """How texts become words under these settings."""
        return Tokenizer(
            self.language,
            self.stems,
            frozenset(self.stop_words),
            self.longest_phrase,
            self.skip_non_answers,
        )

    @cached_property
    def public_words(self) -> tuple[str, ...]:
        """The public vocabulary as the tokenizer writes it: "Trees" is the word of "tree"."""
        return tuple(self.listed_forms)

    @cached_property
    def listed_forms(self) -> Mapping[str, str]:
        """Each of these words with the first entry of the public vocabulary that it stands for."""
        plain = Tokenizer(self.language, self.stems, skip_non_answers=False)
        entries: dict[str, str] = {}
        for entry in self.vocabulary:
            entries.setdefault(" ".join(plain.words(entry)), entry.strip())
        return {word: entry for word, entry in entries.items() if word}


def _check(settings: Settings, name: str, is_good: bool, remedy: str) -> None:
    if not is_good:
        raise SettingsError(name, getattr(settings, name), remedy)


def _check_whole(settings: Settings, name: str, least: int, most: int) -> None:
    value = getattr(settings, name)
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    remedy = sentence("give a whole number from {least} to {most:,}", least=least, most=most)
    _check(settings, name, is_whole and least <= value <= most, remedy)


def _check_words(settings: Settings, name: str) -> None:
    value = getattr(settings, name)
    remedy = sentence("give a list of at most {most:,} words", most=_LONGEST_LIST)
    _check(settings, name, isinstance(value, tuple) and len(value) <= _LONGEST_LIST, remedy)
    for word in value:
        if not isinstance(word, str) or not 0 < len(word) <= _LONGEST_ENTRY:
            raise SettingsError(
                name,
                word,
                sentence("use only words of 1 to {longest} letters", longest=_LONGEST_ENTRY),
            )
