"""Half-widths of Clopper-Pearson intervals at the widest count, and the n that reaches one.

The widest count is the middle one. Along the even n, and along the odd n, that half-width falls
strictly (proved in docs/statistics.md); from one n to the next it was only seen to fall. So each
parity is searched by halving, and the answer is the number after the last n, of either parity,
that is too wide.
"""

from collections.abc import Callable

from .intervals import clopper_pearson

# No plan is this large: the search ends here and the caller refuses the size.
_SEARCH_LIMIT = 2**31


def widest_half_width(n: int, failure_probability: float) -> float:
    """Half the width of the interval for n // 2 successes in n."""
    return clopper_pearson(n // 2, n, 1 - failure_probability).width / 2


def error_of_exact_interval(n: int, failure_probability: float) -> float:
    """The widest half-width at n or any larger size (one of each parity is enough)."""
    return max(widest_half_width(size, failure_probability) for size in (n, n + 1))


def exact_sample_size(half_width: float, failure_probability: float) -> int:
    """Smallest n from which every larger n has a half-width of at most ``half_width``."""

    def too_wide(n: int) -> bool:
        return widest_half_width(n, failure_probability) > half_width

    return max(_last_too_wide(parity, too_wide) for parity in (0, 1)) + 1


def _last_too_wide(parity: int, too_wide: Callable[[int], bool]) -> int:
    """Largest n of this parity that is too wide; n = 2 m + parity, and m = -1 stands for none."""
    low, high = (0 if parity == 0 else -1), 1
    while too_wide(2 * high + parity):
        low, high = high, 2 * high
        if high > _SEARCH_LIMIT:
            return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if too_wide(2 * middle + parity) else (low, middle)
    return 2 * low + parity
