"""Texts to measure topics on: a file, docstrings that every machine has, and synthetic answers."""

import csv
import gzip
import importlib
import inspect
import pkgutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
from scipy import sparse

from analytics.text.bags import Bags


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


def long_texts(answers: int = 4_500, words: int = 120, themes: int = 10, seed: int = 7) -> Bags:
    """Long answers over 8,000 words with Zipf frequencies, half of each drawn from its theme.

    A theme is the same law with every word's frequency multiplied by a gamma variable of shape 0.2,
    so that themes share their words and differ in how often they use them.
    """
    rng = np.random.default_rng(seed)
    common = 1 / np.arange(1, 8_001)
    common /= common.sum()
    of = rng.integers(themes, size=answers)
    columns = np.empty((answers, words), dtype=np.int64)
    for theme in range(themes):
        own = common * rng.gamma(0.2, size=len(common))
        rows = np.flatnonzero(of == theme)
        law = (common + own / own.sum()) / 2
        columns[rows] = rng.choice(len(common), (len(rows), words), p=law)
    rows = np.repeat(np.arange(answers), words)
    entries = np.ones(columns.size, dtype=np.int64), (rows, columns.ravel())
    counts = sparse.coo_array(entries, shape=(answers, len(common))).tocsr()
    return Bags(tuple(f"word{i:04}" for i in range(len(common))), counts)
