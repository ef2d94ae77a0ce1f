"""How good private topics are, and how fast they are found.

Run: ``python -m benchmarks.topics [--corpus PATH] [--topics K] [--runs N]`` and
``python -m benchmarks.topics --speed [--answers N]``. A corpus is a CSV file (also .gz) with a
column ``answer``; without one it is the docstrings of NumPy and SciPy, one document per public
function. Everything is charged, at delta 1e-5; the peer is scikit-learn's NMF of tf-idf, which has
no privacy (``pip install scikit-learn``). NPMI favours frequent words: read it with diversity.
"""

import argparse
import csv
import gzip
import importlib
import inspect
import pkgutil
import resource
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import numpy as np
from scipy import sparse

from analytics.privacy.accounting import Budget, Cost
from analytics.privacy.mechanisms import Noise, SeededNoise
from analytics.text.bags import Bags, count_words, limit_words
from analytics.text.tokens import Tokenizer
from analytics.text.vocabulary import Vocabulary, release_vocabulary
from analytics.text.weighting import weigh_rows
from analytics.topics import coherence, nmf
from analytics.topics.partitions import LocalPartitions, total_word_weights
from analytics.topics.private_nmf import PrivateTopics, Settings, find_private_topics
from analytics.topics.published import factorise_privately
from analytics.topics.svd import decompose, decompose_privately

EPSILONS = (1.0, 2.0, 4.0, 8.0)
DELTA = 1e-5
PEER_MISSING = "scikit-learn is not installed: pip install scikit-learn (extra bench) to compare"


@dataclass(frozen=True)
class Score:
    """Of one run: tops as word numbers of the corpus; K is how many topics there are."""

    npmi: float
    diversity: float
    jaccard: float
    error: float
    topics: int

    @property
    def numbers(self) -> tuple[float, ...]:
        product = self.npmi * self.diversity
        return self.npmi, self.diversity, product, self.jaccard, self.error, self.topics


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--topics", type=int, default=8)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--stemmed", action="store_true", help="the corpus holds stems already")
    parser.add_argument("--refine", action="store_true", help="with step 5, for long texts")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--answers", type=int, default=10**6)
    given = parser.parse_args()
    if given.speed:
        print_speed(given.answers)
    else:
        print_utility(given)


def print_utility(given: argparse.Namespace) -> None:
    tokenizer = Tokenizer(None) if given.stemmed else Tokenizer("en")
    bags = count_words(texts_of(given.corpus), tokenizer)
    judge = Judge(bags, peer_tops(bags, given.topics))
    print(f"{bags.respondents:,} documents, {len(bags.words):,} words, K <= {given.topics}")
    print(f"{'method':34}{'eps':>5}   NPMI  divers. product Jaccard  error    K")
    if judge.peer:
        show("scikit-learn NMF, no privacy", "", [judge.score(judge.peer)])
    for epsilon in EPSILONS:
        cost = Budget(epsilon, DELTA, bags.respondents).limit
        for name, method in METHODS.items():
            runs = [judge.score(method(bags, cost, seed, given)) for seed in range(given.runs)]
            show(name, f"{epsilon:g}", runs, judge)
        print_private_svd(bags, cost, epsilon)


def show(name: str, epsilon: str, runs: Sequence[Score], judge: "Judge | None" = None) -> None:
    means = np.mean([run.numbers for run in runs], axis=0)
    line = f"{name:34}{epsilon:>5}" + "".join(f"{m:8.3f}" for m in means[:5]) + f"{means[5]:6.1f}"
    if judge and judge.peer:
        line += f"   {100 * means[0] / judge.score(judge.peer).npmi:4.0f} % of the peer's NPMI"
    print(line, flush=True)


class Judge:
    """Holds tops against the corpus itself and against the peer's tops."""

    def __init__(self, bags: Bags, peer: list[list[int]] | None) -> None:
        self.bags, self.peer = bags, peer
        self._vectors = weigh_rows(bags.counts)

    def score(self, tops: list[list[int]]) -> Score:
        useful = [top for top in tops if len(top) > 1]
        levels = [coherence.document_npmi(self.bags.counts, top) for top in useful]
        agreement = coherence.matched_jaccard(tops, self.peer) if self.peer else float("nan")
        mean = float(np.mean(levels)) if levels else 0.0
        return Score(mean, coherence.diversity(tops), agreement, self._error(useful), len(tops))

    def _error(self, tops: list[list[int]]) -> float:
        """|V - HW'| / |V| over the words of the tops, weights fitted: how much topics explain."""
        if not tops:
            return 1.0
        loadings = np.zeros((len(self.bags.words), len(tops)))
        for k, top in enumerate(tops):
            loadings[top, k] = 1 / np.sqrt(len(top))
        h = nmf.coefficients_of(self._vectors, loadings)
        square = (self._vectors.data**2).sum() - (h * (self._vectors @ loadings)).sum()
        return float(np.sqrt(max(square, 0) / (self._vectors.data**2).sum()))


def ours(bags: Bags, cost: Cost, seed: int, given: argparse.Namespace) -> list[list[int]]:
    settings = Settings(given.topics, refine=given.refine, start=seed)
    return numbers_of(bags, report(bags, cost, seed, settings).top())


def published(bags: Bags, cost: Cost, seed: int, given: argparse.Namespace) -> list[list[int]]:
    """Honestly charged: a fifth for the vocabulary, the rest for five iterations."""
    rng, noise = np.random.default_rng(seed), noise_of(seed)
    vocabulary = vocabulary_of(bags, cost, noise)
    vectors = weigh_rows(vocabulary.select(bags), vocabulary.weights)
    mu = cost.part(Fraction(4, 5)).mu
    found = factorise_privately(
        vectors, given.topics, rng, mu=mu, noise=noise, iterations=5, outlier_penalty=0.1
    )
    tops = coherence.top_words(found.topics)
    return numbers_of(bags, [[vocabulary.words[w] for w in top] for top in tops])


METHODS: dict[str, Callable[[Bags, Cost, int, argparse.Namespace], list[list[int]]]] = {
    "Deniable, private NMF": ours,
    "published DP-NMF, honestly charged": published,
}


def report(bags: Bags, cost: Cost, seed: int, settings: Settings) -> PrivateTopics:
    return find_private_topics(LocalPartitions([bags]), cost, noise_of(seed), settings)


def noise_of(seed: int) -> Noise:
    return SeededNoise(np.random.default_rng(seed))


def vocabulary_of(bags: Bags, cost: Cost, noise: Noise) -> Vocabulary:
    part = cost.part(Fraction(1, 5))
    first = Cost(part.mu_squared, cost.threshold_delta)
    sums = total_word_weights(LocalPartitions([bags]))
    return release_vocabulary(sums, first, noise, total_mu=cost.mu)


def numbers_of(bags: Bags, tops: list[list[str]]) -> list[list[int]]:
    place = {word: column for column, word in enumerate(bags.words)}
    return [[place[word] for word in top] for top in tops]


def print_private_svd(bags: Bags, cost: Cost, epsilon: float, k: int = 8) -> None:
    """Corrected singular values against the exact ones of the same vectors."""
    found = report(bags, cost, 0, Settings(20))
    if found.co_occurrence is None or found.spectrum is None:
        return
    limited = limit_words(bags)
    vectors = weigh_rows(found.vocabulary.select(limited), found.vocabulary.weights)
    private = decompose_privately(found.co_occurrence, found.spectrum.offdiagonal_sd, k)
    exact = decompose(vectors, max(len(private.values), 1))
    if not len(private.values):
        return
    worst = np.abs(private.values / exact.values - 1).max()
    energy = ((vectors @ private.words) ** 2).sum() / (exact.values**2).sum()
    print(
        f"{'private SVD':34}{epsilon:5g}   {len(private.values)} singular values, worst off by "
        f"{100 * worst:.1f} %, captured energy {energy:.3f}"
    )


def peer_tops(bags: Bags, topics: int) -> list[list[int]] | None:
    try:
        decomposition = importlib.import_module("sklearn.decomposition")
        text = importlib.import_module("sklearn.feature_extraction.text")
    except ImportError:
        print(PEER_MISSING)
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vectors = text.TfidfTransformer().fit_transform(sparse.csr_matrix(bags.counts))
        model = decomposition.NMF(topics, init="nndsvd", random_state=0, max_iter=400).fit(vectors)
    return coherence.top_words(model.components_.T)


def texts_of(corpus: Path | None) -> Iterator[str]:
    if corpus is None:
        yield from docstrings()
        return
    opened = gzip.open if corpus.suffix == ".gz" else open
    with opened(corpus, "rt", encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            yield row["answer"]


def docstrings() -> list[str]:
    """One document per public function or class of NumPy and SciPy, each once."""
    seen: dict[str, str] = {}
    for package in ("numpy", "scipy"):
        for module in modules_of(package):
            for name in getattr(module, "__all__", ()):
                thing = getattr(module, name, None)
                text = inspect.getdoc(thing) if callable(thing) else None
                if text and len(text) > 100:
                    seen.setdefault(text, f"{module.__name__}.{name}")
    return list(seen)


def modules_of(package: str) -> Iterator[ModuleType]:
    root = importlib.import_module(package)
    yield root
    for found in pkgutil.iter_modules(root.__path__, package + "."):
        if found.ispkg and not found.name.split(".")[-1].startswith(("_", "test")):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield importlib.import_module(found.name)


class TimedNoise:
    """Noise whose own processor time is kept apart."""

    is_private = False

    def __init__(self) -> None:
        self._noise, self.seconds, self.draws = noise_of(0), 0.0, 0

    def added_to(self, values: np.ndarray, lattice_sd: float) -> np.ndarray:
        start = time.process_time()
        result = self._noise.added_to(values, lattice_sd)
        self.seconds += time.process_time() - start
        self.draws += values.size
        return result


def synthetic(answers: int, words: int = 20_000, topics: int = 20, length: int = 15) -> Bags:
    """Answers of some themes over a vocabulary with Zipf frequencies."""
    rng = np.random.default_rng(1)
    common = 1 / np.arange(1, words + 1)
    columns = np.empty((answers, length), dtype=np.int32)
    themes = rng.integers(topics, size=answers)
    for theme in range(topics):
        shares = common * rng.gamma(0.2, size=words)
        rows = np.flatnonzero(themes == theme)
        columns[rows] = rng.choice(words, (len(rows), length), p=shares / shares.sum())
    rows = np.repeat(np.arange(answers, dtype=np.int32), length)
    entries = np.ones(columns.size, dtype=np.int64), (rows, columns.ravel())
    counts = sparse.coo_array(entries, shape=(answers, words)).tocsr()
    return Bags(tuple(f"word{i:05}" for i in range(words)), counts)


def print_speed(answers: int) -> None:
    bags, noise = synthetic(answers), TimedNoise()
    before, start = peak_memory(), time.process_time()
    cost = Budget(2, 1e-8, bags.respondents).limit
    found = find_private_topics(LocalPartitions([bags]), cost, noise, Settings(20))
    seconds = time.process_time() - start - noise.seconds
    print(f"{answers:,} answers, {len(bags.words):,} words, D = {len(found.vocabulary.words)}")
    print(f"report: {seconds:.1f} s of CPU, {found.topics} topics")
    print(f"test noise: {noise.seconds:.1f} s for {noise.draws:,} draws")
    print(f"memory: +{peak_memory() - before:.0f} MiB above the matrix")
    print_tokenising(bags)


def print_tokenising(bags: Bags) -> None:
    names, counts = np.array(bags.words), bags.counts
    ends = counts.indptr
    texts = [" ".join(names[counts.indices[a:b]]) for a, b in pairwise(ends)]
    start = time.process_time()
    count_words(texts, Tokenizer("en"))
    print(f"tokenising and counting: {time.process_time() - start:.1f} s of CPU")


def peak_memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
