"""The documentation's search: which sections of the built pages help with what is typed.

SQLite's full-text search (FTS5) knows the stems of words, ranks by BM25 and cuts out excerpts. Here
stands what it is given: the sections, and ``docs/synonyms.txt`` for words of other programs.
"""

import difflib
import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

INDEX = Path("search") / "search_index.json"  # MkDocs' own: the sections of all pages
GROUPS = Path("search") / "groups.json"  # the heading of each page in the list of pages
SYNONYMS = Path("synonyms.txt")

CODE = "Code"  # the heading of the pages for people who change the program
# What helps to do something comes before what explains why.
WORTH = {"Reference": 0.8, "Explanation": 0.75, "Gallery": 0.75}

LONGEST_QUERY = 200  # characters; the field takes no more
MOST_RESULTS, MOST_CODE, MOST_OF_A_PAGE = 10, 5, 3
MOST_UNKNOWN = 4  # words for which others are proposed: each is compared with all headings

# The proofs of sentences are for developers, and lists of links say nothing by themselves.
TESTS = re.compile(r"\(\s*(?:tests/\S+\s*)+\)|tests/\S+")
LINKS_ALONE = "Read on"
# MkDocs parts code from the text around it by spaces.
PARTED = re.compile(r" (?=[,.;:!?)\]])|(?<=[(\[]) ")

# Letters and digits alone, so that nothing typed is an operator of FTS5 or ends its quotes.
WORD = re.compile(r"[^\W_]+")
# Articles, question words and helpers; a query of these alone looks for nothing. The public lists
# have too many: "test", "page", "order" and "number" are in them.
SMALL_WORDS = """
a about after all am an and any are as at be before been being but by can cannot could did do does
done for from get give gives had has have having he her here his how i if in into is it its just let
make many me much my need no not of off on one only or our out over please previous put s set should
show so some t that the their them then there these they this those to too up us use using want was
we were what when where which while who why will with without would you your
"""
SMALL = frozenset(SMALL_WORDS.split())

# "asked" has one row, what is typed, in which synonyms are looked for. "heading" has words instead
# of stems, since these are proposed to people.
SCHEMA = """
CREATE VIRTUAL TABLE section USING fts5(
    title, page, text, location UNINDEXED, "group" UNINDEXED, worth UNINDEXED,
    tokenize = "porter unicode61 remove_diacritics 2");
INSERT INTO section (section, rank) VALUES ('rank', 'bm25(4, 1, 1)');
CREATE VIRTUAL TABLE synonym USING fts5(
    typed, ours UNINDEXED, tokenize = "porter unicode61 remove_diacritics 2");
CREATE VIRTUAL TABLE asked USING fts5(
    words, tokenize = "porter unicode61 remove_diacritics 2");
CREATE VIRTUAL TABLE heading USING fts5(words, tokenize = "unicode61 remove_diacritics 2");
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(heading, row);
"""
SYNONYMS_IN_QUERY = """
SELECT DISTINCT ours FROM synonym CROSS JOIN asked ON asked MATCH synonym.typed
"""
UNKNOWN = """
SELECT value FROM json_each(?)
WHERE NOT EXISTS (SELECT 1 FROM section WHERE section MATCH value)
AND NOT EXISTS (SELECT 1 FROM synonym WHERE synonym MATCH value)
"""
# FTS5's rank is below 0, and the best is the least. Each word is looked for alone, so that a
# section is worth more the more of them it has: bm25() of all together does not see to that.
RANKED = """
WITH fitting AS (
    SELECT section.rowid AS number, page, "group", sum(rank) * count(*) * worth AS score
    FROM json_each(:concepts) CROSS JOIN section ON section MATCH value GROUP BY section.rowid
), of_pages AS (
    SELECT *, row_number() OVER (PARTITION BY page ORDER BY score) AS of_page FROM fitting
), best AS (
    SELECT number, score, row_number() OVER (PARTITION BY "group" = :code ORDER BY score) AS place
    FROM of_pages WHERE of_page <= :most_of_a_page
)
SELECT location, title, page, "group", snippet(section, 2, char(1), char(2), '…', 30)
FROM best CROSS JOIN section ON section.rowid = number AND section MATCH :any
WHERE place <= :most ORDER BY score
"""

LOCK = Lock()


@dataclass(frozen=True)
class Result:
    """A section that helps, and its words around what was typed."""

    location: str
    title: str
    page: str
    group: str  # the heading of its page in the list of pages
    excerpt: SafeString


@dataclass(frozen=True)
class Answer:
    """All that a query leads to; ``unknown`` words are on no page, ``similar`` ones are."""

    results: Sequence[Result]
    code: Sequence[Result]
    unknown: Sequence[str]
    similar: Sequence[str]


def search(folder: Path, query: str) -> Answer:
    """What the documentation built into ``folder`` has for a query.

    Raises OSError or ValueError where the folder has no search, as one that was copied in part.
    """
    typed = WORD.findall(query[:LONGEST_QUERY].lower())
    # One connection for all threads, and one thread at a time, since a query writes what is asked:
    # it takes about ten milliseconds, and an index for each thread a tenth of a second to make.
    with LOCK:
        database = _built(folder, (folder / INDEX).stat().st_mtime_ns)
        words = [quoted(word) for word in dict.fromkeys(typed) if word not in SMALL]
        results = list(_results(database, [*words, *_synonyms_in(database, typed)]))
        unknown = _unknown(database, words)
        similar = list(_similar(database, unknown[:MOST_UNKNOWN]))
    others = [result for result in results if result.group != CODE]
    code = [result for result in results if result.group == CODE]
    return Answer(others, code[:MOST_CODE], unknown, similar)


def has_full_text_search() -> bool:
    """Whether Python's SQLite has what the search needs: it can be built without FTS5."""
    try:
        _empty().close()
    except sqlite3.OperationalError:
        return False
    return True


def _empty() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
    database.executescript(SCHEMA)
    return database


@lru_cache(maxsize=1)
def _built(folder: Path, built: int) -> sqlite3.Connection:
    """The index as it was ``built`` at a time; one is kept, since it takes a while to make."""
    groups = json.loads((folder / GROUPS).read_text(encoding="utf-8"))
    entries = json.loads((folder / INDEX).read_text(encoding="utf-8"))["docs"]
    synonyms = (folder / SYNONYMS).read_text(encoding="utf-8").splitlines()
    database = _empty()
    rows = _sections(entries, groups)
    database.executemany("INSERT INTO section VALUES (?, ?, ?, ?, ?, ?)", rows)
    database.executemany("INSERT INTO synonym VALUES (?, ?)", read_synonyms(synonyms))
    database.execute("INSERT INTO heading SELECT title FROM section")
    return database


def _sections(
    entries: Iterable[Mapping[str, str]], groups: Mapping[str, str]
) -> Iterator[tuple[str | float, ...]]:
    """MkDocs has an entry for each page, with all of its text, before those of its sections."""
    pages: dict[str, str] = {}
    for entry in entries:
        location, title = entry["location"], entry["title"]
        page, _, heading = location.partition("#")
        if not heading:
            pages[page] = title
        elif title != LINKS_ALONE:
            group = groups.get(page, "")
            yield title, pages[page], _plain(entry["text"]), location, group, WORTH.get(group, 1.0)


def _plain(text: str) -> str:
    """In one line, without names of tests, and with signs beside the words that they follow."""
    return PARTED.sub("", " ".join(TESTS.sub("", text).split()))


def read_synonyms(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """What the lines "typed, typed: word, word" say, as FTS5 asks; one with # is for people.

    Raises ValueError with the line that is neither.
    """
    for line in lines:
        if line.strip() and not line.startswith("#"):
            before, _, after = line.partition(":")
            typed, ours = before.split(","), after.split(",")
            if not all(map(WORD.search, [*typed, *ours])):
                raise ValueError(f"No synonym: {line}")
            yield from ((quoted(phrase), any_of(map(quoted, ours))) for phrase in typed)


def quoted(text: str) -> str:
    """A text as FTS5 asks for its words, one after the other, never as its own signs."""
    return '"' + text.strip().replace('"', '""') + '"'


def any_of(strings: Iterable[str]) -> str:
    return " OR ".join(strings)


def _synonyms_in(database: sqlite3.Connection, typed: Iterable[str]) -> list[str]:
    """What the pages have for what is typed, each line of synonyms once."""
    database.execute("INSERT INTO asked VALUES (?)", [" ".join(typed)])
    synonyms = [ours for (ours,) in database.execute(SYNONYMS_IN_QUERY)]
    database.execute("DELETE FROM asked")  # what people type is not kept
    return synonyms


def _results(database: sqlite3.Connection, concepts: Sequence[str]) -> Iterator[Result]:
    """The sections with any of these, best first; not all of them from one page."""
    most = {"most": MOST_RESULTS, "most_of_a_page": MOST_OF_A_PAGE}
    asked = {"concepts": json.dumps(concepts), "any": any_of(concepts), "code": CODE}
    for location, title, page, group, excerpt in database.execute(RANKED, {**asked, **most}):
        marked = escape(excerpt).replace("\x01", "<mark>").replace("\x02", "</mark>")
        safe = mark_safe(marked)  # noqa: S308 - the text is escaped
        yield Result(location, title, page, group, safe)


def _unknown(database: sqlite3.Connection, words: Sequence[str]) -> list[str]:
    return [word.strip('"') for (word,) in database.execute(UNKNOWN, [json.dumps(words)])]


def _similar(database: sqlite3.Connection, unknown: Iterable[str]) -> Iterator[str]:
    vocabulary = [word for (word,) in database.execute("SELECT term FROM vocabulary")]
    for word in unknown:
        yield from difflib.get_close_matches(word, vocabulary, n=1, cutoff=0.75)
