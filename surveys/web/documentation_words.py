"""Words of the documentation's search: their stems, and what the pages call what people type."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

Stems = tuple[str, ...]

WORD = re.compile(r"\w+(?:['’]\w+)?")
LONGEST_QUERY = 200  # characters; the field takes no more
MOST_WORDS = 16  # of a query: what follows says little, and each takes time
SHORTEST_STEM = 3  # letters that are left of a word without its ending

# Articles, question words and helpers; a query of these alone looks for nothing.
SMALL_WORDS = """
a about after all am an and any are as at be before been being but by can cannot could did do does
done for from get give gives had has have having he her here his how i if in into is it its just let
make many me much my need no not of off on one only or our out over please previous put s set should
show so some that the their them then there these they this those to too up us use using want was we
were what when where which while who why will with without would you your
"""
SMALL = frozenset(SMALL_WORDS.split())
ENDINGS = (
    *("ations", "ation", "ating", "ated", "ates", "ate", "ators", "ator", "ions", "ion"),
    *("ings", "ing", "ities", "ity", "ies", "ied", "ers", "er", "ed", "es", "is", "s", "y", "e"),
)


@dataclass(frozen=True)
class Concept:
    """One thing that a query asks about: as it was typed, and the stems that speak of it."""

    written: str
    stems: Mapping[str, float]  # how much each counts, at most 1


# What people type, as stems, and the stems of the words that the pages have for it.
Synonyms = Mapping[Stems, Stems]


@lru_cache(maxsize=20_000)
def stem_of(word: str) -> str:
    """A word of small letters without its endings, so that "reminders" is found by "remind"."""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            return stem_of(word[: -len(ending)])
    return word


@lru_cache(maxsize=20_000)
def plain(text: str) -> str:
    """Small letters without accents, for comparing what is typed with what is written."""
    letters = unicodedata.normalize("NFKD", text.casefold().replace("’", "'")).removesuffix("'s")
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def words_of(text: str) -> Iterator[tuple[str, str]]:
    """Each word as it is written, and its stem; small words are left out."""
    for written in WORD.findall(text):
        word = plain(written)
        if word not in SMALL:
            yield written, stem_of(word)


def stems_of(text: str) -> list[str]:
    """The stems of a text, in order, without small words."""
    return [stem for _, stem in words_of(text)]


def read_synonyms(lines: Iterable[str]) -> Synonyms:
    """What the lines "typed, typed: word, word" say; one that begins with # is for people.

    Raises ValueError with the line that is neither.
    """
    synonyms: dict[Stems, Stems] = {}
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        typed, colon, ours = line.partition(":")
        words = tuple(stems_of(ours))
        phrases = [tuple(stems_of(phrase)) for phrase in typed.split(",")]
        if not (colon and words and all(phrases)):
            raise ValueError(f"No synonym: {line}")
        for phrase in phrases:
            synonyms[phrase] = (*synonyms.get(phrase, ()), *words)
    return synonyms


def concepts_of(query: str, synonyms: Synonyms) -> list[Concept]:
    """What a query asks about, each once; the longest phrase with synonyms first."""
    words = list(words_of(query[:LONGEST_QUERY]))[:MOST_WORDS]
    longest = max(map(len, synonyms), default=1)
    concepts: dict[Stems, Concept] = {}
    place = 0
    while place < len(words):
        sizes = range(min(longest, len(words) - place), 0, -1)
        phrases = (words[place : place + size] for size in sizes)
        phrase = next((each for each in phrases if _stems(each) in synonyms), words[place:][:1])
        concepts[_stems(phrase)] = _concept(phrase, synonyms.get(_stems(phrase), ()))
        place += len(phrase)
    return list(concepts.values())


def _stems(phrase: Sequence[tuple[str, str]]) -> Stems:
    return tuple(stem for _, stem in phrase)


def _concept(phrase: Sequence[tuple[str, str]], ours: Stems) -> Concept:
    """A word of a phrase alone says less than the phrase: "logic" is about more than skips."""
    typed = dict.fromkeys(_stems(phrase), 1.0 if len(phrase) == 1 else 0.5)
    return Concept(" ".join(word for word, _ in phrase), {**typed, **dict.fromkeys(ours, 1.0)})
