"""Bags: a sparse matrix of word counts, a row per respondent; hashes, lexicon, limit of words.

The respondent is the unit of privacy, so a respondent is a row with any number of texts, and
only so many distinct words of a row are kept. Which ones is decided by a keyed rule that looks at
nothing but that row: taking another respondent out changes no row that stays.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain, islice, pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analytics.text.tokens import MOST_WORDS, TextError, Tokenizer, is_non_answer
from surveys.randomized_response.checks import checked_whole_number

IntArray = NDArray[np.int64]
_BLOCK = 50_000
# Pieces that are remembered; beyond it the memory starts afresh (typing errors are endless).
_PIECES = 2_000_000


@dataclass(frozen=True, eq=False)
class Bags:
    """``counts[i, j]`` is how often respondent i wrote ``words[j]``.

    ``counts`` is CSR (respondents, words), int64, with no stored zeros; ``words`` are sorted.
    """

    words: tuple[str, ...]
    counts: sparse.csr_array

    def __post_init__(self) -> None:
        if self.counts.shape[1] != len(self.words):
            raise TextError("words", len(self.words), f"give {self.counts.shape[1]}, one a column")

    @property
    def respondents(self) -> int:
        return int(self.counts.shape[0])

    def rows(self, start: int, stop: int) -> "Bags":
        """The respondents from ``start`` up to ``stop``: a partition."""
        return Bags(self.words, self.counts[start:stop])

    def split(self, parts: int) -> list["Bags"]:
        """Partitions of nearly equal size, in order."""
        bounds = np.linspace(0, self.respondents, parts + 1).astype(int)
        return [self.rows(a, b) for a, b in pairwise(bounds)]


def count_words(
    texts: Iterable[str],
    tokenizer: Tokenizer | None = None,
    respondents: Sequence[Hashable] | None = None,
) -> Bags:
    """Bags of texts, one row per respondent in the order of their first text.

    ``respondents`` names who wrote each text; without it every text is a respondent's only one. A
    respondent whose texts hold no word is an empty row: they took part and are counted. Raises
    TextError.
    """
    lexicon = _Lexicon(tokenizer or Tokenizer())
    ids, lengths = lexicon.read(texts)
    rows = _rows_of(respondents, len(lengths))
    return _bags(lexicon.names, ids, np.repeat(rows, lengths), int(rows.max(initial=-1)) + 1)


def limit_words(bags: Bags, most: int = MOST_WORDS, key: bytes = b"public") -> Bags:
    """At most ``most`` distinct words a respondent: a random subset by a public keyed rule.

    A word's rank in a row is a hash of the key, the word and the row's own words, so that the rule
    favours no word, and needs nothing from any other row. Raises TextError.
    """
    if checked_whole_number("most", most, TextError) < 1:
        raise TextError("most", most, "keep at least 1 word per respondent")
    sizes = np.diff(bags.counts.indptr)
    if sizes.max(initial=0) <= most:
        return bags
    kept = _kept_entries(bags, sizes, most, key)
    ends = np.concatenate([[0], np.cumsum(np.minimum(sizes, most))])
    parts = bags.counts.data[kept], bags.counts.indices[kept], ends
    return Bags(bags.words, sparse.csr_array(parts, shape=bags.counts.shape))


def _kept_entries(bags: Bags, sizes: IntArray, most: int, key: bytes) -> IntArray:
    """Positions of the kept entries, ascending; only rows that are too long are looked at."""
    hashes = np.array([_hash(word, key) for word in bags.words], dtype=np.uint64)
    starts = bags.counts.indptr[:-1]
    keep = np.ones(bags.counts.nnz, dtype=bool)
    for row in np.flatnonzero(sizes > most):
        entries = np.arange(starts[row], starts[row] + sizes[row])
        own = hashes[bags.counts.indices[entries]]
        ranks = _mixed(own ^ own.sum(dtype=np.uint64))
        keep[entries[np.argsort(ranks, kind="stable")[most:]]] = False
    return np.flatnonzero(keep)


def _hash(word: str, key: bytes) -> int:
    digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8, key=key[:64])
    return int.from_bytes(digest.digest(), "little")


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit depends on every bit."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


class _Lexicon:
    """Numbers of words and, for speed, the words of every piece of text that was seen."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self._numbers: dict[str, int] = {}
        self._pieces = _Pieces(self)

    @property
    def names(self) -> list[str]:
        return list(self._numbers)

    def number(self, word: str) -> int:
        return self._numbers.setdefault(word, len(self._numbers))

    def read(self, texts: Iterable[str]) -> tuple[IntArray, IntArray]:
        """Word numbers of all texts, one after the other, and how many each text has."""
        blocks = [self._read_block(block) for block in _blocks(iter(texts))]
        empty = np.zeros(0, dtype=np.int64)
        ids = np.concatenate([empty, *(b[0] for b in blocks)])
        return ids, np.concatenate([empty, *(b[1] for b in blocks)])

    def _read_block(self, texts: list[str]) -> tuple[IntArray, IntArray]:
        skip = self.tokenizer.skip_non_answers
        pieces = [[] if skip and is_non_answer(t) else t.split() for t in map(_checked_text, texts)]
        numbers = np.fromiter(
            map(self._pieces.__getitem__, chain.from_iterable(pieces)), dtype=np.int64
        )
        owners = np.repeat(np.arange(len(texts)), [len(p) for p in pieces])
        ids, owners = self._pieces.expand(numbers, owners)
        if self.tokenizer.longest_phrase > 1:
            ids, owners = self._with_phrases(ids, owners)
        return ids, np.bincount(owners, minlength=len(texts))

    def _with_phrases(self, ids: IntArray, owners: IntArray) -> tuple[IntArray, IntArray]:
        names = self.names
        columns, whose = [ids], [owners]
        for size in range(2, self.tokenizer.longest_phrase + 1):
            starts = np.flatnonzero(owners[size - 1 :] == owners[: len(owners) - size + 1])
            windows = ids[starts[:, None] + np.arange(size)]
            phrases = [self.number(" ".join(names[i] for i in window)) for window in windows]
            columns.append(np.array(phrases, dtype=np.int64))
            whose.append(owners[starts])
        order = np.argsort(np.concatenate(whose), kind="stable")
        return np.concatenate(columns)[order], np.concatenate(whose)[order]


class _Pieces(dict[str, int]):
    """From a piece of text to a number, and from the number to the words of the piece.

    Pieces without a word are -1 and pieces of one word are that word's number; pieces of several
    words ("and/or") are numbered downwards from -2.
    """

    def __init__(self, lexicon: _Lexicon) -> None:
        super().__init__()
        self._lexicon = lexicon
        self._several: list[tuple[int, ...]] = []

    def __missing__(self, piece: str) -> int:
        words = [self._lexicon.number(w) for w in self._lexicon.tokenizer.words_of_piece(piece)]
        number = words[0] if len(words) == 1 else self._number_of_several(tuple(words))
        if len(self) < _PIECES:
            self[piece] = number
        return number

    def _number_of_several(self, words: tuple[int, ...]) -> int:
        if not words:
            return -1
        self._several.append(words)
        return -1 - len(self._several)

    def expand(self, numbers: IntArray, owners: IntArray) -> tuple[IntArray, IntArray]:
        """The words of numbered pieces in order, and to whom each belongs."""
        kept = numbers != -1
        numbers, owners = numbers[kept], owners[kept]
        several = np.flatnonzero(numbers < -1)
        if not len(several):
            return numbers, owners
        words = [self._several[-2 - number] for number in numbers[several]]
        sizes = np.ones(len(numbers), dtype=np.int64)
        sizes[several] = [len(w) for w in words]
        ids = np.repeat(numbers, sizes)
        ids[ids < -1] = np.fromiter(chain.from_iterable(words), dtype=np.int64)
        return ids, np.repeat(owners, sizes)


def _blocks(texts: Iterator[str]) -> Iterator[list[str]]:
    while block := list(islice(texts, _BLOCK)):
        yield block


def _checked_text(text: object) -> str:
    if not isinstance(text, str):
        raise TextError("text", text, "give a text (str); leave out who wrote nothing")
    return text


def _rows_of(respondents: Sequence[Hashable] | None, texts: int) -> IntArray:
    if respondents is None:
        return np.arange(texts)
    if len(respondents) != texts:
        raise TextError("respondents", len(respondents), f"name who wrote each of {texts} texts")
    first: dict[Hashable, int] = {}
    return np.array([first.setdefault(r, len(first)) for r in respondents], dtype=np.int64)


def _bags(names: list[str], ids: IntArray, rows: IntArray, respondents: int) -> Bags:
    order = sorted(range(len(names)), key=names.__getitem__)
    column = np.empty(len(names), dtype=np.int64)
    column[order] = np.arange(len(names))
    parts = np.ones(len(ids), dtype=np.int64), (rows, column[ids])
    counts = sparse.coo_array(parts, shape=(respondents, len(names))).tocsr()
    return Bags(tuple(names[i] for i in order), counts)
