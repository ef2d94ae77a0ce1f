"""The documentation's search: which sections of the built pages help with what is typed.

BM25 (Robertson and Zaragoza 2009) over sections, in which a word of the heading counts more than
one of the text. Sections about the program's code are ranked apart: most words stand there.
"""

import difflib
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from surveys.web.documentation_words import (
    Concept,
    Synonyms,
    concepts_of,
    plain,
    read_synonyms,
    stems_of,
    words_of,
)

INDEX = Path("search") / "search_index.json"  # MkDocs' own: the sections of all pages
GROUPS = Path("search") / "groups.json"  # the heading of each page in the list of pages
SYNONYMS = Path("synonyms.txt")

CODE = "Code"  # the heading of the pages for people who change the program
# What helps to do something comes before what explains why.
WORTH = {"How to": 1.0, "Tutorials": 1.0, "Reference": 0.8, "Explanation": 0.75, CODE: 1.0}

HEADING, PAGE, TEXT = 4, 1, 1  # a word there counts as so many in the text
SATURATION, LENGTH = 1.2, 0.6  # of BM25: k1 and b
MOST_RESULTS, MOST_CODE, MOST_OF_A_PAGE = 10, 5, 3
WINDOW = 30  # words of a section that a result shows
MOST_UNKNOWN = 4  # words for which others are proposed: each is compared with all headings

# The proofs of sentences are for developers, and lists of links say nothing by themselves.
TESTS = re.compile(r"\(\s*(?:tests/\S+\s*)+\)|tests/\S+")
LINKS_ALONE = "Read on"


@dataclass(frozen=True)
class Section:
    """A heading of a page and the text below it; ``group`` is where the list of pages has it."""

    location: str
    title: str
    page: str
    group: str
    text: str


@dataclass(frozen=True)
class Result:
    """A section that helps, and its words around what was typed."""

    section: Section
    excerpt: SafeString


@dataclass(frozen=True)
class Answer:
    """All that a query leads to; ``unknown`` words are on no page, ``similar`` ones are."""

    results: tuple[Result, ...] = ()
    code: tuple[Result, ...] = ()
    unknown: tuple[str, ...] = ()
    similar: tuple[str, ...] = ()


@dataclass(frozen=True)
class Index:
    """``postings``: for each stem, how often each section has it, by the section's number.

    ``vocabulary``: the words of headings, which are proposed in place of one that is on no page.
    """

    sections: tuple[Section, ...]
    lengths: tuple[float, ...]
    postings: Mapping[str, Mapping[int, float]]
    synonyms: Synonyms
    vocabulary: frozenset[str]

    @property
    def mean_length(self) -> float:
        return sum(self.lengths) / max(len(self.lengths), 1)


def search(folder: Path, query: str) -> Answer:
    """What the documentation built into ``folder`` has for a query.

    Raises OSError or ValueError where the folder has no search, as one that was copied in part.
    """
    index = _index_of(folder, (folder / INDEX).stat().st_mtime_ns)
    concepts = concepts_of(query, index.synonyms)
    ranked = _ranked(index, concepts)
    unknown = [each.written for each in concepts if not _is_known(index, each)]
    stems = {stem for concept in concepts for stem in concept.stems}
    return Answer(
        tuple(_results(ranked, stems, MOST_RESULTS, is_code=False)),
        tuple(_results(ranked, stems, MOST_CODE, is_code=True)),
        tuple(unknown),
        tuple(_similar(index, unknown[:MOST_UNKNOWN])),
    )


@lru_cache(maxsize=1)
def _index_of(folder: Path, built: int) -> Index:
    """The index as it was ``built`` at a time; one is kept, since it takes a while to make."""
    groups = json.loads((folder / GROUPS).read_text(encoding="utf-8"))
    entries = json.loads((folder / INDEX).read_text(encoding="utf-8"))["docs"]
    synonyms = (folder / SYNONYMS).read_text(encoding="utf-8").splitlines()
    return index_of(list(_sections(entries, groups)), read_synonyms(synonyms))


def _sections(entries: Iterable[Mapping[str, str]], groups: Mapping[str, str]) -> Iterator[Section]:
    """MkDocs has an entry for each page, with all of its text, before those of its sections."""
    pages: dict[str, str] = {}
    for entry in entries:
        page, _, heading = entry["location"].partition("#")
        if heading and entry["title"] != LINKS_ALONE:
            text = TESTS.sub("", entry["text"])
            group = groups.get(page, "")
            yield Section(entry["location"], entry["title"], pages[page], group, text)
        elif not heading:
            pages[page] = entry["title"]


def index_of(sections: Sequence[Section], synonyms: Synonyms) -> Index:
    """Count the words of sections."""
    postings: dict[str, dict[int, float]] = defaultdict(dict)
    lengths = []
    for number, section in enumerate(sections):
        counts = Counter[str]()
        for text, weight in ((section.title, HEADING), (section.page, PAGE), (section.text, TEXT)):
            for stem in stems_of(text):
                counts[stem] += weight
        lengths.append(float(counts.total()))
        for stem, count in counts.items():
            postings[stem][number] = count
    vocabulary = {plain(word) for section in sections for word, _ in words_of(section.title)}
    return Index(tuple(sections), tuple(lengths), postings, synonyms, frozenset(vocabulary))


def _ranked(index: Index, concepts: Sequence[Concept]) -> list[Section]:
    """The sections with any of these, best first; one with all of them comes before others."""
    scores: dict[int, float] = defaultdict(float)
    asked = Counter[int]()
    for concept in concepts:
        for number, score in _scores(index, concept).items():
            scores[number] += score
            asked[number] += 1

    def worth(number: int) -> float:
        covered = asked[number] / len(concepts)
        return scores[number] * covered * WORTH.get(index.sections[number].group, 1.0)

    return [index.sections[number] for number in sorted(scores, key=worth, reverse=True)]


def _scores(index: Index, concept: Concept) -> dict[int, float]:
    """BM25 of a concept for each section: that of the stem that fits it best."""
    scores: dict[int, float] = {}
    for stem, weight in concept.stems.items():
        counts = index.postings.get(stem, {})
        total = len(index.sections)
        rarity = math.log(1 + (total - len(counts) + 0.5) / (len(counts) + 0.5))
        for number, count in counts.items():
            length = 1 - LENGTH + LENGTH * index.lengths[number] / index.mean_length
            score = weight * rarity * count / (count + SATURATION * length)
            scores[number] = max(score, scores.get(number, 0.0))
    return scores


def _results(
    ranked: Iterable[Section], stems: set[str], most: int, *, is_code: bool
) -> Iterator[Result]:
    """The best of one kind, not all of them from one page."""
    shown = Counter[str]()
    for section in ranked:
        if (section.group == CODE) is is_code and shown[section.page] < MOST_OF_A_PAGE:
            shown[section.page] += 1
            yield Result(section, excerpt(section.text, stems))
        if shown.total() == most:
            return


def excerpt(text: str, stems: set[str]) -> SafeString:
    """The words of a text where most of a query stand together, marked; its first without any."""
    words = text.split()
    hits = [stems.intersection(stems_of(word)) for word in words]
    first = max(_fullest(hits) - WINDOW // 5, 0)
    shown = [
        format_html("<mark>{}</mark>", word) if hit else conditional_escape(word)
        for word, hit in zip(words[first : first + WINDOW], hits[first:], strict=False)
    ]
    before, after = "… " if first else "", " …" if first + WINDOW < len(words) else ""
    return mark_safe(f"{before}{' '.join(shown)}{after}")  # noqa: S308 - each word is escaped


def _fullest(hits: Sequence[set[str]]) -> int:
    """The first hit after which most different ones follow in a window; 0 without any."""
    follow = {
        place: len(set[str]().union(*hits[place : place + WINDOW]))
        for place, hit in enumerate(hits)
        if hit
    }
    return max(follow, key=follow.__getitem__, default=0)


def _is_known(index: Index, concept: Concept) -> bool:
    return any(stem in index.postings for stem in concept.stems)


def _similar(index: Index, unknown: Iterable[str]) -> Iterator[str]:
    for word in unknown:
        yield from difflib.get_close_matches(plain(word), index.vocabulary, n=1, cutoff=0.75)
