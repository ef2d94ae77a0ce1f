"""Vocabulary: the words used and their weights, from a noisy histogram and a threshold, or a list.

A respondent with m distinct words adds 1/sqrt(m) to each of them, a vector of length 1, so that one
respondent moves the histogram by at most 1 (Gopi et al. 2020, Differentially private set union).
Only words above the threshold come out: below it, a word could be one person's alone.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analytics.privacy.accounting import Cost
from analytics.privacy.lattice import lattice_sd_for
from analytics.privacy.mechanisms import Noise, release_sum
from analytics.privacy.quantisation import GRID, weigh_words
from analytics.privacy.records import Arrays, Drawing, released
from analytics.privacy.thresholds import lattice_threshold
from analytics.text.bags import Bags
from analytics.text.tokens import MOST_USED, MOST_WORDS, VocabularyError
from analytics.text.weighting import inverse_document_frequencies
from surveys.randomized_response.checks import checked_whole_number

FloatArray = NDArray[np.float64]
# Rarer words carry less signal than the noise that each of them brings into the co-occurrences,
# unless there are so few others that topics have no words to differ in.
_FLOOR = 22.0
_BLOCK = 2**16


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Released words, the most frequent first, with their weights.

    ``frequencies`` are noisy sums of 1/sqrt(m); ``noise_sd`` is their noise and ``threshold`` what
    each had to exceed, so that it is no one person's (0 and 0 for a public list). ``weights`` are
    the idf weights of the words. ``mu`` is what was charged, ``is_private`` whether the noise was
    fit for a stored report.
    """

    words: tuple[str, ...]
    frequencies: FloatArray
    weights: FloatArray
    threshold: float
    noise_sd: float
    mu: float
    is_private: bool

    def select(self, bags: Bags) -> sparse.csr_array:
        """Counts of these words alone: CSR (respondents, words), columns in this order."""
        return take_columns(bags.counts, self.places(bags.words), len(self.words))

    def parts(self) -> tuple[Mapping[str, Any], Arrays]:
        """Itself as plain values and arrays."""
        plain = ("words", "threshold", "noise_sd", "mu", "is_private")
        header = {name: getattr(self, name) for name in plain}
        return header, {"frequencies": self.frequencies, "weights": self.weights}

    def first(self, count: int) -> "Vocabulary":
        """The most frequent words alone; which ones follows from what was released, and is free."""
        kept = self.words[:count], self.frequencies[:count], self.weights[:count]
        return replace(self, words=kept[0], frequencies=kept[1], weights=kept[2])

    def places(self, words: Sequence[str]) -> NDArray[np.int64]:
        """The columns of these words, -1 for those that are not in the vocabulary."""
        column_of = {word: column for column, word in enumerate(self.words)}
        return np.array([column_of.get(word, -1) for word in words], dtype=np.int64)


def take_columns(
    counts: sparse.csr_array, columns: NDArray[np.int64], width: int
) -> sparse.csr_array:
    """Entries of column j go to ``columns[j]``, or are dropped where that is -1."""
    target = columns[counts.indices] if counts.nnz else np.zeros(0, dtype=np.int64)
    kept = target >= 0
    ends = np.concatenate([[0], np.cumsum(kept)])[counts.indptr]
    parts = counts.data[kept], target[kept].astype(np.int32), ends.astype(np.int32)
    result = sparse.csr_array(parts, shape=(counts.shape[0], width))
    result.sort_indices()
    return result


def sum_word_weights(bags: Bags) -> Counter[str]:
    """What the respondents of a partition add to each word, in lattice units: exact integers.

    Bags must already hold at most L0 words a respondent (``limit_words``).
    """
    sizes = np.diff(bags.counts.indptr)
    weights = np.zeros(len(sizes), dtype=np.int64)
    weights[sizes > 0] = weigh_words(sizes[sizes > 0])
    sums = np.zeros(len(bags.words), dtype=np.int64)
    for start in range(0, len(sizes), _BLOCK):
        rows = bags.counts[start : start + _BLOCK]
        occurs = np.ones(rows.nnz, dtype=np.int64), rows.indices, rows.indptr
        table = sparse.csr_array(occurs, shape=rows.shape)
        sums += np.asarray(table.T @ weights[start : start + _BLOCK])
    return Counter({w: int(s) for w, s in zip(bags.words, sums, strict=True) if s})


def release_vocabulary(
    sums: Mapping[str, int],
    cost: Cost,
    noise: Noise,
    *,
    most_words: int = MOST_WORDS,
    most_used: int = MOST_USED,
    total_mu: float | None = None,
    enough: int = 0,
) -> Vocabulary:
    """The words above the threshold, at most ``most_used`` of them, for an add-or-remove ``cost``.

    ``cost`` pays mu^2 for the histogram and the delta of the threshold. ``most_words`` is L0, as
    given to ``limit_words``. Words must also exceed 22 / ``total_mu`` (the whole report's), unless
    fewer than ``enough`` do; this looks only at what is already noisy. In long texts words share a
    respondent's 1, so that few are above 22 / mu. Nothing above the threshold is an empty
    vocabulary: to refuse here would be to tell something unpaid. Raises NoiseError,
    VocabularyError.
    """
    if checked_whole_number("most_used", most_used, VocabularyError) < 1:
        raise VocabularyError("most_used", most_used, "use at least 1 word")

    def draw(source: Drawing) -> Vocabulary:
        return _drawn(sums, cost, source, most_words, most_used, total_mu, enough)

    # Kept as a whole: words below the threshold must not be seen, nor stored a second time.
    return released(noise, draw, _read_vocabulary)


def _read_vocabulary(header: Mapping[str, Any], arrays: Arrays) -> Vocabulary:
    fields: dict[str, Any] = {**header, **arrays, "words": tuple(header["words"])}
    return Vocabulary(**fields)


def _drawn(
    sums: Mapping[str, int],
    cost: Cost,
    noise: Drawing,
    most_words: int,
    most_used: int,
    total_mu: float | None,
    enough: int,
) -> Vocabulary:
    words = sorted(sums)
    lattice_sd = lattice_sd_for(GRID, cost.mu)
    least = lattice_threshold(lattice_sd, float(cost.threshold_delta), most_words, GRID) / GRID
    # One entry beyond the words: a release of nothing is no array at all.
    totals = np.array([*(sums[word] for word in words), 0], dtype=np.int64)
    release = release_sum(totals, sensitivity=GRID, mu=cost.mu, noise=noise)
    noisy = release.estimate[:-1]
    order = np.argsort(-noisy, kind="stable")[:most_used]
    passed = order[noisy[order] > least]
    clear = int((noisy[passed] > (_FLOOR / total_mu if total_mu else 0.0)).sum())
    kept = passed[: max(clear, enough)]
    return Vocabulary(
        tuple(words[i] for i in kept),
        noisy[kept],
        inverse_document_frequencies(noisy[kept]),
        least,
        release.noise_sd,
        release.mu,
        release.is_private,
    )


def public_vocabulary(words: Iterable[str], weights: Any = None) -> Vocabulary:
    """A vocabulary from a public list: free, and without a threshold.

    ``weights`` are public weights of the words, by default 1. Raises VocabularyError.
    """
    listed = tuple(dict.fromkeys(words))
    if not listed:
        raise VocabularyError("words", listed, "list at least 1 word")
    weighed = np.ones(len(listed)) if weights is None else np.asarray(weights, dtype=np.float64)
    if weighed.shape != (len(listed),) or not (np.isfinite(weighed) & (weighed > 0)).all():
        raise VocabularyError("weights", weights, "give one positive number a word")
    return Vocabulary(listed, np.zeros(len(listed)), weighed, 0.0, 0.0, 0.0, True)
