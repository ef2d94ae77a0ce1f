"""DisplayLaw: chances of items of a catalogue to be shown, learned: promising ones more often.

Thompson sampling (Thompson 1933; Russo et al. 2018, "A Tutorial on Thompson Sampling"): every item
gets a draw from the posterior of its mean level, and the items with the highest draws are shown.
The posterior is the best linear one (Bühlmann and Straub 1970), with the average of the catalogue
as prior and learned from the same counts; a level l of L is worth l / (L - 1). Randomized ratings
are scored on corrected worths u M^-1, whose mean over *reported* levels is unbiased for the mean of
u over true ones.

We depart from the book in two ways. A share of the items is drawn evenly, so that none is ever
given up. And a law is learned in rounds, each twice as long as all before, instead of after every
rating: that costs a constant factor of the regret (Kalkanli and Özgür 2021, "Batched Thompson
Sampling"; Karbasi, Mirrokni and Shadravan 2021) and gives away far less about who came when.

Nothing here knows Django.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from surveys.randomized_response.designs import Channel
from surveys.randomized_response.errors import CountsError

FloatArray = npt.NDArray[np.float64]

EVEN_SHARE = 0.2
EVEN_BATCHES = 5
EVEN_RESPONSES = 100


@dataclass(frozen=True)
class DisplayLaw:
    """What is believed of each item's mean worth: ``means`` and ``deviations``, both (items,).

    Deviations are above 0, so that no order is certain.
    """

    means: FloatArray
    deviations: FloatArray

    def draw(self, shown: int, rng: np.random.Generator) -> list[int]:
        """``shown`` different numbers from 1 to the number of items, in a random order.

        Of the places on the page, Binomial(shown, EVEN_SHARE) go to items drawn evenly and the
        others to the highest draws of the rest. Every item is therefore shown with a probability
        of at least EVEN_SHARE * shown / items, good or bad. The order is drawn evenly and
        tells nothing. Raises CountsError unless 1 <= shown <= items.
        """
        items = len(self.means)
        if not 1 <= shown <= items:
            raise CountsError("shown", shown, f"show between 1 and {items} items")
        drawn = self.means + self.deviations * rng.standard_normal(items)
        evenly = rng.choice(items, rng.binomial(shown, EVEN_SHARE), replace=False, shuffle=False)
        drawn[evenly] = np.inf
        highest = np.argpartition(drawn, items - shown)[items - shown :]
        return [int(position) + 1 for position in rng.permutation(highest)]


def learn_law(
    counts: npt.ArrayLike, channel: Channel | None = None, *, declines: bool = False
) -> DisplayLaw:
    """The law that follows from reported counts, (items, levels), lowest level first.

    With ``declines`` the last level is "Not rated". Open ratings have no channel: who did not rate
    is then left out. Where a randomized report may say "Not rated", items are compared by the mean
    of u - c, 0 for "Not rated", with c the ratio over all items; that is the item's score above c
    times the share who rate, which is taken as common to all (docs/ranking.md).

    Without ratings all items are alike. Raises CountsError for counts that no survey has, and
    DesignError for a channel that cannot be inverted.
    """
    reported = _checked(counts, channel, declines)
    if channel is None:
        ratings = reported[:, : reported.shape[1] - declines]
        return _posterior(ratings, _worths(ratings.shape[1]))
    return _posterior(reported, _corrected(reported, channel, declines))


def learns_anew(responses: int, learned: int, batch: int) -> bool:
    """Whether a law that knows ``learned`` responses gives way to one that knows ``responses``.

    The first one comes after EVEN_BATCHES batches and at least EVEN_RESPONSES responses, each
    further one after as many new responses as the law knows. A law thus stays for at least five
    batches, there are at most 1 + log2(responses / 100) changes, and between two laws lie at least
    half of all responses.
    """
    return responses >= max(2 * learned, EVEN_BATCHES * batch, EVEN_RESPONSES)


def _checked(counts: npt.ArrayLike, channel: Channel | None, declines: bool) -> FloatArray:
    table = np.asarray(counts, dtype=float)
    if table.ndim != 2 or not len(table) or table.shape[1] < 2 + declines:
        raise CountsError(
            "counts", table.shape, "give a row for each item, a column for each level"
        )
    if channel is not None and len(channel.rows) != table.shape[1]:
        remedy = f"give {len(channel.rows)}, one for each reported level of the channel"
        raise CountsError("levels", table.shape[1], remedy)
    if not np.isfinite(table).all() or (table < 0).any():
        raise CountsError("counts", float(np.min(table)), "give finite counts of 0 or more")
    return table


def _worths(levels: int) -> FloatArray:
    return np.linspace(0.0, 1.0, levels)


def _corrected(reported: FloatArray, channel: Channel, declines: bool) -> FloatArray:
    """What each reported level is worth, (levels,): u M^-1, or (u - c) M^-1 with "Not rated"."""
    inverse = np.asarray(channel.inverse, dtype=float)
    if not declines:
        return np.asarray(_worths(len(inverse)) @ inverse)
    worths = _worths(len(inverse) - 1)
    rated = (inverse @ reported.sum(axis=0))[:-1]
    total = float(rated.sum())
    ratio = float(np.clip(worths @ rated / total, 0.0, 1.0)) if total > 0 else 0.5
    return np.asarray(np.append(worths - ratio, 0.0) @ inverse)


def _posterior(reported: FloatArray, worths: FloatArray) -> DisplayLaw:
    """Bühlmann and Straub's credibility: n_i tau^2 / (n_i tau^2 + w) for an item's own mean.

    w counts one more rating, drawn evenly over the levels, so that it is never 0.
    """
    sizes, sums, squares = (reported @ np.stack([worths**0, worths, worths**2], axis=1)).T
    rated = sizes > 0
    n, y = sizes[rated], sums[rated] / sizes[rated]
    scatter = max(0.0, float((squares[rated] - n * y**2).sum())) + float(worths.var())
    within = scatter / float(max(n.sum() - len(n), 0) + 1)
    between = _between(n, y, within)
    doubt = within / (sizes * between + within)  # 1 - credibility, without its rounding
    credibility = sizes * between / (sizes * between + within)
    own = np.divide(sums, sizes, out=np.zeros_like(sums), where=rated)
    centre = float(credibility @ own / credibility.sum()) if len(n) else 0.0
    means = centre + credibility * (own - centre)
    return DisplayLaw(means, np.sqrt(between * doubt))


def _between(n: FloatArray, y: FloatArray, within: float) -> float:
    """Variance between items, by analysis of variance (Henderson 1953), plus its error at 0.

    ``n`` and ``y`` are numbers and means of rated items. With fewer than two of them nothing tells
    how items differ; they are then taken to differ as much as two ratings of one item.
    """
    if len(n) < 2:
        return within
    scale = float(n.sum() - (n @ n) / n.sum())
    freedom = len(n) - 1
    about = float(n @ (y - n @ y / n.sum()) ** 2)
    return (max(0.0, about - freedom * within) + within * float(np.sqrt(2 * freedom))) / scale
