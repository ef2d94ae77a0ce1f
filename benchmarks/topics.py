"""How good private topics are, and how fast they are found.

Run: ``python -m benchmarks.topics [--corpus PATH] [--topics K] [--runs N]``, with ``--noise`` for
the noise of loadings alone, or ``python -m benchmarks.topics --speed [--answers N]``. A corpus is a
CSV file (also .gz) with a column ``answer``, or the word ``synthetic``: 4,500 long texts of ten
planted themes; without one it is the docstrings of NumPy and SciPy, one document per public
function. Everything is charged, at delta 1e-5; the peer is scikit-learn's NMF of tf-idf, which has
no privacy (extra ``bench``: ``pip install ".[bench]"``). NPMI favours frequent words: read it with
diversity. Times are of the processor, on one thread.
"""

import argparse
import importlib
import time
import tracemalloc
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from scipy.sparse.linalg import svds
from threadpoolctl import threadpool_limits

from analytics.privacy.accounting import Budget, Cost, split
from analytics.privacy.mechanisms import Noise, SeededNoise, VettedNoise, release_symmetric
from analytics.privacy.quantisation import GRID
from analytics.text.bags import Bags, count_words, limit_words
from analytics.text.tokens import Tokenizer
from analytics.text.vocabulary import MOST_USED
from analytics.text.weighting import weigh_log_entropy, weigh_rows
from analytics.topics import coherence, nmf
from analytics.topics.clusters import adjusted_rand, cluster
from analytics.topics.loading_noise import simulate_noise
from analytics.topics.partitions import LocalPartitions, total_co_occurrence
from analytics.topics.private.nmf import SHARES, TopicsSettings, find_private_topics
from analytics.topics.private.published import factorise_without_noise, find_published_topics
from analytics.topics.private.reports import release_words
from analytics.topics.private.svd import SvdSettings, find_private_svd
from analytics.topics.spectrum import WORDS_PER_TOPIC, find_spectrum, find_topics
from analytics.topics.stages import unwatched
from analytics.topics.svd import SingularVectors, decompose, decompose_log_entropy
from benchmarks.corpora import docstrings, long_texts, synthetic, texts_of

EPSILONS = (1.0, 2.0, 4.0, 8.0)
DELTA = 1e-5
SYNTHETIC = "synthetic"
PEER_MISSING = """scikit-learn is not installed: there is nothing to compare with. Install it with
    .venv/bin/python -m pip install ".[bench]"
"""


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
    parser.add_argument("--epsilon", type=float, nargs="+", default=EPSILONS)
    parser.add_argument("--stemmed", action="store_true", help="the corpus holds stems already")
    parser.add_argument("--refine", action="store_true", help="with step 5, for long texts")
    parser.add_argument("--noise", action="store_true", help="is the stated noise true?")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--answers", type=int, default=10**6)
    given = parser.parse_args()
    with threadpool_limits(limits=1, user_api="blas"):
        if given.speed:
            print_speed(given.answers)
        elif given.noise:
            print_noise(given)
        else:
            print_utility(given)


def print_utility(given: argparse.Namespace) -> None:
    bags = bags_of(given)
    judge = Judge(bags, peer_tops(bags, given.topics))
    print(f"{bags.respondents:,} documents, {len(bags.words):,} words, K <= {given.topics}")
    print(f"{'method':34}{'eps':>5}   NPMI  divers. product Jaccard  error    K")
    if judge.peer:
        show("scikit-learn NMF, no privacy", "", [judge.score(judge.peer)])
    for epsilon in given.epsilon:
        cost = Budget(epsilon, DELTA, bags.respondents).limit
        for name, method in METHODS.items():
            runs = [judge.score(method(bags, cost, seed, given)) for seed in range(given.runs)]
            show(name, f"{epsilon:g}", runs, judge)
    for epsilon in given.epsilon:
        print_private_svd(bags, epsilon, given.runs)
    print_exact_svd(bags)
    print_objective(bags, given.topics)


def bags_of(given: argparse.Namespace) -> Bags:
    if given.corpus == Path(SYNTHETIC):
        return long_texts()
    tokenizer = Tokenizer(None) if given.stemmed else Tokenizer("en")
    texts = docstrings() if given.corpus is None else texts_of(given.corpus)
    return count_words(texts, tokenizer)


def print_noise(given: argparse.Namespace) -> None:
    bags = bags_of(given)
    print(f"{bags.respondents:,} documents; spread of loadings over 24 draws of the noise, as a")
    print("share of the noise stated, in the middle of the ten heaviest words of all topics:")
    for epsilon in given.epsilon:
        found = noise_ratio(bags, Budget(epsilon, DELTA, bags.respondents).limit, given.topics, 24)
        print(f"    epsilon {epsilon:g}: {found:.2f}", flush=True)


def noise_ratio(bags: Bags, cost: Cost, topics: int, draws: int) -> float:
    """Spread of loadings over draws of the noise / stated noise, words and exact sums fixed.

    The median over the ten heaviest words of every topic; topics of the draws are matched with
    those of the first. The noise stated is the mean of the first four draws' with as many topics.
    """
    partitions, noise = LocalPartitions([bags]), noise_of(5)
    first, second, *_ = split(cost, SHARES)
    words = release_words(partitions, first, cost, noise, TopicsSettings(topics), unwatched)
    totals = total_co_occurrence(partitions, words)
    found = []
    for _ in range(draws):
        released = release_symmetric(totals, sensitivity=GRID**2, mu=second.mu, noise=noise)
        spectrum = find_spectrum(released.estimate, released.noise_sd / 2**0.5, topics)
        count = min(topics, spectrum.supported, len(words.words) // WORDS_PER_TOPIC)
        loadings = find_topics(spectrum, count, start=0)
        found.append((released.estimate, spectrum, loadings, count))
    start = found[0][2]
    same = [run for run in found if run[2].shape == start.shape]
    loadings = [matched(start, run[2]) for run in found if run[2].shape[1] >= start.shape[1]]
    stated = [
        matched(start, run[2], simulate_noise(*run[:3], asked=topics, tried=run[3], start=0))
        for run in same[:4]
    ]
    heavy = [
        (w, k) for k, top in enumerate(coherence.top_words(np.mean(loadings, axis=0))) for w in top
    ]
    places = tuple(np.array(heavy).T)
    spread = np.std(loadings, axis=0, ddof=1)[places]
    return float(np.median(spread / np.mean(stated, axis=0)[places]))


def matched(start: np.ndarray, loadings: np.ndarray, values: Any = None) -> np.ndarray:
    """Columns of the values (by default the loadings) in the order of ``start``."""
    _, columns = linear_sum_assignment(start.T @ loadings, maximize=True)
    return np.asarray((loadings if values is None else values)[:, columns])


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
    settings = TopicsSettings(given.topics, refine=given.refine, start=seed)
    found = find_private_topics(LocalPartitions([bags]), cost, noise_of(seed), settings)
    return numbers_of(bags, found.top())


@dataclass(frozen=True)
class FixedWords(TopicsSettings):
    """Settings under which so many words are used before the floor of 22 / mu holds."""

    enough: int = 0

    @property
    def enough_words(self) -> int:
        return self.enough


def with_floor(enough: int) -> "Method":
    """The same report with another dictionary: 0 for a floor of 22 / mu, many for the threshold."""

    def method(bags: Bags, cost: Cost, seed: int, given: argparse.Namespace) -> list[list[int]]:
        settings = FixedWords(given.topics, refine=given.refine, start=seed, enough=enough)
        found = find_private_topics(LocalPartitions([bags]), cost, noise_of(seed), settings)
        return numbers_of(bags, found.top())

    return method


def published(bags: Bags, cost: Cost, seed: int, given: argparse.Namespace) -> list[list[int]]:
    """Honestly charged: a fifth for the vocabulary, the rest for five iterations."""
    settings = TopicsSettings(given.topics, start=seed)
    found = find_published_topics(LocalPartitions([bags]), cost, noise_of(seed), settings)
    return numbers_of(bags, found.top())


Method = Callable[[Bags, Cost, int, argparse.Namespace], list[list[int]]]
METHODS: dict[str, Method] = {
    "Deniable, private NMF": ours,
    "    words above 22 / mu alone": with_floor(0),
    "    words above the threshold": with_floor(MOST_USED),
    "published DP-NMF, honestly charged": published,
}


def noise_of(seed: int) -> Noise:
    return SeededNoise(np.random.default_rng(seed))


def numbers_of(bags: Bags, tops: list[list[str]]) -> list[list[int]]:
    place = {word: column for column, word in enumerate(bags.words)}
    return [[place[word] for word in top] for top in tops]


def print_private_svd(bags: Bags, epsilon: float, runs: int, k: int = 8) -> None:
    """Corrected singular values and captured energy against the exact ones of the same vectors."""
    cost, limited = Budget(epsilon, DELTA, bags.respondents).limit, limit_words(bags)
    worst, energies, counts = [], [], []
    for seed in range(runs):
        report = find_private_svd(LocalPartitions([bags]), cost, noise_of(seed), SvdSettings(k))
        found = report.vectors
        counts.append(len(found.values))
        if not counts[-1]:
            continue
        vectors = weigh_rows(report.vocabulary.select(limited), report.vocabulary.weights)
        exact = decompose(vectors, counts[-1])
        worst.append(np.abs(found.values / exact.values - 1).max())
        energies.append(((vectors @ found.words) ** 2).sum() / (exact.values**2).sum())
    print(
        f"{'private SVD':34}{epsilon:5g}   {np.mean(counts):.1f} singular values of {k}, "
        f"worst off by {100 * max(worst, default=np.nan):.1f} % in any run, "
        f"captured energy at least {min(energies, default=np.nan):.3f}"
    )


def print_exact_svd(bags: Bags, k: int = 20) -> None:
    """Beside SciPy's own in the same run, and how stable the clusters are."""
    weighed = weigh_log_entropy(bags.counts)
    ours_took = min(seconds_of(lambda: decompose(weighed, k)) for _ in range(5))
    scipys = min(seconds_of(lambda: svds(weighed, k=k)) for _ in range(5))
    found = decompose_log_entropy(bags.counts, k)
    gap = np.abs(found.values - np.sort(svds(weighed, k=k, tol=0)[1])[::-1]).max()
    print(f"exact SVD, k = {k}: {ours_took:.3f} s, SciPy's svds {scipys:.3f} s")
    print(f"    ratio {ours_took / scipys:.2f}, values differ by at most {gap:.1e}")
    if min(weighed.shape) <= 3000 and max(weighed.shape) <= 20_000:
        dense = np.linalg.svd(weighed.toarray(), compute_uv=False)
        print(f"    from numpy.linalg.svd by at most {np.abs(found.values - dense[:k]).max():.1e}")
    print_clusters(found)


def print_clusters(found: SingularVectors, k: int = 8) -> None:
    """Stability over starts, and agreement of whole runs with different seeds."""
    for name, rows in (
        ("words", found.word_projections),
        ("documents", found.respondent_projections),
    ):
        runs = [cluster(rows, k, np.random.default_rng(seed)) for seed in range(5)]
        again = cluster(rows, k, np.random.default_rng(0))
        same = np.array_equal(runs[0].labels, again.labels)
        starts = np.mean([run.stability for run in runs])
        pairs = combinations([run.labels for run in runs], 2)
        seeds = np.mean([adjusted_rand(a, b) for a, b in pairs])
        print(
            f"{k} clusters of {name}: adjusted Rand over starts {starts:.3f}, over seeds "
            f"{seeds:.3f}, same seed gives {'the same' if same else 'OTHER'} clusters"
        )


def print_objective(bags: Bags, topics: int) -> None:
    """The published method without noise beside scikit-learn on the same vectors."""
    peer = peer_module("sklearn.decomposition")
    if peer is None:
        return
    vectors = weigh_rows(bags.counts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = peer.NMF(topics, init="nndsvd", random_state=0, max_iter=400)
        model.fit(sparse.csr_matrix(vectors))
    exact = nmf.factorise(vectors, topics, np.random.default_rng(0)).residual
    found = factorise_without_noise(vectors, topics, np.random.default_rng(0), iterations=200)
    w = found.topics / np.maximum(np.linalg.norm(found.topics, axis=0), 1e-300)
    square = (vectors.data**2).sum() - (nmf.coefficients_of(vectors, w) * (vectors @ w)).sum()
    theirs = model.reconstruction_err_
    print(f"without noise, |V - HW'| as a share of scikit-learn's {theirs:.4f}:")
    print(f"    published {np.sqrt(square) / theirs:.5f}, exact NMF {exact / theirs:.5f}")


def peer_module(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def peer_tops(bags: Bags, topics: int) -> list[list[int]] | None:
    decomposition = peer_module("sklearn.decomposition")
    text = peer_module("sklearn.feature_extraction.text")
    if decomposition is None or text is None:
        print(PEER_MISSING)
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vectors = text.TfidfTransformer().fit_transform(sparse.csr_matrix(bags.counts))
        model = decomposition.NMF(topics, init="nndsvd", random_state=0, max_iter=400).fit(vectors)
    return coherence.top_words(model.components_.T)


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


def print_speed(answers: int) -> None:
    bags, noises = synthetic(answers), []
    cost = Budget(2, 1e-8, bags.respondents).limit

    def report() -> Any:
        noises.append(TimedNoise())
        return find_private_topics(LocalPartitions([bags]), cost, noises[-1], TopicsSettings(20))

    took = [seconds_of(report) - noises[-1].seconds for _ in range(3)]
    found, memory = traced(report)
    print(f"{answers:,} answers, {len(bags.words):,} words, D = {len(found.vocabulary.words)}")
    print(
        f"report: {min(took):.2f} s of CPU ({', '.join(f'{t:.2f}' for t in took)}), "
        f"{found.topics} topics, +{memory:.0f} MiB above the matrix"
    )
    draws = noises[-1].draws
    noise = seconds_of(lambda: VettedNoise().added_to(np.zeros(draws, dtype=np.int64), 2.0**20))
    print(f"vetted noise: {noise:.1f} s of CPU for {draws:,} draws")
    reading = seconds_of_reading(bags)
    print(f"tokenising and counting: {reading:.1f} s of CPU")
    print(f"from texts to the report, with noise: {reading + min(took) + noise:.1f} s of CPU")
    print_peer_speed(bags)


def print_peer_speed(bags: Bags, topics: int = 20, iterations: int = 5) -> None:
    peer = peer_module("sklearn.decomposition")
    if peer is None:
        print(PEER_MISSING)
        return
    vectors = sparse.csr_matrix(weigh_rows(bags.counts))
    model = peer.NMF(topics, init="nndsvd", random_state=0, max_iter=iterations)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        _, memory = traced(lambda: model.fit(vectors))
    seconds = time.process_time() - start
    print(
        f"scikit-learn's NMF, its start and {iterations} iterations: {seconds:.1f} s of CPU, "
        f"+{memory:.0f} MiB above the matrix"
    )


def seconds_of_reading(bags: Bags) -> float:
    names, counts = np.array(bags.words), bags.counts
    texts = [" ".join(names[counts.indices[a:b]]) for a, b in pairwise(counts.indptr)]
    return seconds_of(lambda: count_words(texts, Tokenizer("en")))


def seconds_of(work: Callable[[], object]) -> float:
    """Of the processor, all threads together."""
    start = time.process_time()
    work()
    return time.process_time() - start


def traced(work: Callable[[], Any]) -> tuple[Any, float]:
    """What the work gives, and the most memory that it held at once in MiB."""
    tracemalloc.start()
    result = work()
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return result, peak


if __name__ == "__main__":
    main()
