"""Clusters and Grouping: the group of each person, sums over groups, effects that differ."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ...checks import FloatArray
from ...columns import checked_labels
from ...errors import RegressionError
from ..covariates import Columns
from ..devices import IntArray


@dataclass(frozen=True)
class Clusters:
    """``labels``: one per cluster; ``of_person`` (n,) numbers people's clusters from 0."""

    labels: tuple[object, ...]
    of_person: IntArray

    @property
    def count(self) -> int:
        """How many clusters there are."""
        return len(self.labels)

    def sums(self, values: FloatArray) -> FloatArray:
        """Over the members of each cluster: (n,) -> (clusters,)"""
        return np.asarray(np.bincount(self.of_person, values, self.count), dtype=np.float64)

    def row_sums(self, rows: FloatArray) -> FloatArray:
        """(rows, n) -> (rows, clusters)"""
        return np.array([self.sums(row) for row in rows]).reshape(len(rows), self.count)


@dataclass(frozen=True)
class Grouping:
    """``effects``: the columns (n, d) whose coefficients differ between its clusters.

    Their covariance is L L'. L is lower triangular with its rows in ``order``; None is that of
    the columns.
    """

    name: str
    clusters: Clusters
    effects: Columns
    order: tuple[int, ...] | None = None

    @property
    def dimensions(self) -> int:
        """d"""
        return self.effects.count

    @property
    def size(self) -> int:
        """How many effects there are in all its clusters."""
        return self.clusters.count * self.dimensions

    @cached_property
    def triangle(self) -> tuple[IntArray, IntArray]:
        """Rows and columns of the parameters within L: (d (d + 1) / 2,) each."""
        rows, columns = np.tril_indices(self.dimensions)
        return (rows if self.order is None else np.array(self.order)[rows]), columns

    @property
    def parameter_count(self) -> int:
        """Entries of L."""
        return len(self.triangle[0])

    def root(self, parameters: FloatArray) -> FloatArray:
        """L: (d, d)"""
        root = np.zeros((self.dimensions, self.dimensions))
        root[self.triangle] = parameters
        return root

    def pivoted(self, parameters: FloatArray) -> tuple["Grouping", FloatArray]:
        """With the effect of the largest variance first, then of what is left; and its parameters.

        An effect without variance goes last: were it first, the variance of the others could stand
        in two columns of L, and the likelihood would be flat between them.
        Source: Higham (2002), section 10.3.
        """
        root = self.root(parameters)
        factor, order = pivoted_factor(root @ root.T)
        grouping = replace(self, order=order)
        return grouping, factor[np.tril_indices(self.dimensions)]

    def members(self, effects: FloatArray) -> FloatArray:
        """Those of each person's cluster: (clusters, d) -> (d, n)."""
        return effects.T[:, self.clusters.of_person]


def pivoted_factor(covariance: FloatArray) -> tuple[FloatArray, tuple[int, ...]]:
    """The lower triangular root (d, d) of a covariance whose rows stand in the order (d,)."""
    left, count = covariance.copy(), len(covariance)
    order, factor = list(range(count)), np.zeros_like(covariance)
    for step in range(count):
        pivot = step + int(np.argmax(np.diag(left)[order[step:]]))
        order[step], order[pivot] = order[pivot], order[step]
        factor[[step, pivot]] = factor[[pivot, step]]
        chosen = order[step]
        if not left[chosen, chosen] > 0:
            break
        factor[step:, step] = left[order[step:], chosen] / np.sqrt(left[chosen, chosen])
        column = left[:, chosen] / np.sqrt(left[chosen, chosen])
        left -= np.outer(column, column)
    return factor, tuple(order)


def clusters_from(argument: str, labels: ArrayLike, n: int) -> Clusters:
    """Labels of shape (n,), numbered. Raises RegressionError for fewer than two or all single."""
    raw = checked_labels(argument, labels, n, RegressionError)
    names, index = np.unique(raw, return_inverse=True)
    if len(names) < 2 or len(names) == n:
        remedy = "there must be two clusters or more, and some with several answers"
        raise RegressionError(argument, f"{len(names)} for {n} answers", remedy)
    return Clusters(tuple(names.tolist()), np.asarray(index, dtype=np.int64))
