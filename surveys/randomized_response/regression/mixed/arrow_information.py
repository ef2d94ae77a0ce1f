"""ArrowInformation: a symmetric positive matrix that is blocks along its diagonal but for a border.

Information about the effects of crossed groupings: two clusters of one grouping share no person, so
the largest grouping has one small block a cluster, and all other effects are the border. The
blocks are taken out first; what is left is as large as the border alone (Schur's complement).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...checks import FloatArray


@dataclass(frozen=True)
class ArrowInformation:
    """[[blocks, side], [side', corner]]: (c, d, d), (c, d, r) and (r, r)."""

    blocks: FloatArray
    side: FloatArray
    corner: FloatArray

    @property
    def is_positive(self) -> bool:
        """Whether all eigenvalues are above 0."""
        if np.linalg.eigvalsh(self.blocks)[:, 0].min() <= 0:
            return False
        return bool(np.linalg.eigvalsh(self._left).min(initial=np.inf) > 0)

    @property
    def log_determinant(self) -> float:
        return float(np.linalg.slogdet(self.blocks)[1].sum() + np.linalg.slogdet(self._left)[1])

    def solve(self, first: FloatArray, rest: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The solution for a right side of the shapes (c, d) and (r,), in these shapes."""
        below = self.rest_inverse @ (rest - np.einsum("cdr,cd->r", self._eliminated, first))
        above = np.einsum("cde,ce->cd", self._inverses, first) - self._eliminated @ below
        return np.asarray(above), np.asarray(below)

    @cached_property
    def rest_inverse(self) -> FloatArray:
        """The inverse's part of the border: (r, r)."""
        return np.asarray(np.linalg.inv(self._left))

    @cached_property
    def side_inverse(self) -> FloatArray:
        """The inverse's part of blocks and border: (c, d, r)."""
        return np.asarray(-self._eliminated @ self.rest_inverse)

    @cached_property
    def block_inverse(self) -> FloatArray:
        """The inverse's blocks along the diagonal: (c, d, d)."""
        return np.asarray(self._inverses - self.side_inverse @ self._eliminated.transpose(0, 2, 1))

    @cached_property
    def _inverses(self) -> FloatArray:
        return np.asarray(np.linalg.inv(self.blocks))

    @cached_property
    def _eliminated(self) -> FloatArray:
        """The blocks' inverses times the side: (c, d, r)."""
        return np.asarray(self._inverses @ self.side)

    @cached_property
    def _left(self) -> FloatArray:
        """What is left of the corner: (r, r)."""
        return np.asarray(self.corner - np.tensordot(self.side, self._eliminated, ((0, 1), (0, 1))))
