"""Design: what every design has: a channel that can be undone, scores, epsilon, name and label."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import Any, ClassVar

from ..checks import FloatArray, Probability, checked_probability
from ..errors import DesignError
from ..messages import together
from .channel import Channel, IntegerChannel


class Design(ABC):
    """A randomizing device, valid from birth: the true shares follow from those of its reports.

    ``scores @ channel.matrix`` is the identity. Where the channel is square, the scores are its
    inverse; a design with more reported than true levels chooses among its left inverses.
    """

    name: ClassVar[str]

    @property
    @abstractmethod
    def channel(self) -> Channel:
        """The channel that turns true answers into reported ones."""

    @property
    def epsilon(self) -> float:
        """Pure local privacy loss in natural-log units; infinite if a report can be proof."""
        return self.channel.epsilon

    @cached_property
    def scores(self) -> FloatArray:
        """Shape (true levels, reported levels): a report's unbiased score for each true level."""
        return self.channel.scores

    def posterior(self, prevalence: Probability) -> tuple[float | None, ...]:
        """P(yes is true | report) for each report, by Bayes' rule, at a prevalence in [0, 1].

        What a report gives away where epsilon is infinite; 0 or 1 is a proof. None for a report
        that cannot occur. Raises DesignError for a prevalence outside [0, 1] and for designs
        with other than two true levels.
        """
        if self.channel.true_levels != 2:
            raise DesignError("design", self.label, "this needs a question with answers yes and no")
        share = checked_probability("prevalence", prevalence)
        joint = [(no * (1 - share), yes * share) for no, yes in self.channel.rows]
        return tuple(float(yes / (no + yes)) if no + yes > 0 else None for no, yes in joint)

    # Not a plain property: designs whose parameter is the number of options store it as a field.
    @cached_property
    def options(self) -> int:
        """Number of true levels."""
        return self.channel.true_levels

    @property
    def label(self) -> str:
        """The design and its parameters in words."""
        return together(self.name, parameters_of(self))


DesignLike = Design | Channel | IntegerChannel


def channel_of(design: DesignLike, argument: str = "design") -> Channel:
    """The channel of a design, a stored integer channel, or the channel itself.

    Raises DesignError for everything else, by the name of the ``argument``.

    >>> from randomized_response.designs import Warner, channel_of
    >>> channel_of(Warner(0.75)).rows
    ((0.75, 0.25), (0.25, 0.75))
    """
    channel = design if isinstance(design, Channel) else getattr(design, "channel", None)
    if isinstance(channel, Channel):
        return channel
    remedy = "give a design such as Warner(0.75), or a channel such as Channel.from_matrix(...)"
    if callable(channel) and not isinstance(design, type):
        remedy = "it has a channel for each group: give one, such as design.channel(1)"
    raise DesignError(argument, design, remedy)


def integer_channel_of(design: DesignLike) -> IntegerChannel:
    """Whole weights to draw reports from, of a design or a channel; stored ones as they are.

    Exact, or rounded to 32 bits so that epsilon is kept. Raises DesignError.

    >>> from fractions import Fraction
    >>> from randomized_response.designs import Warner, integer_channel_of
    >>> integer_channel_of(Warner(Fraction(3, 4))).weights
    ((3, 1), (1, 3))
    """
    return design if isinstance(design, IntegerChannel) else channel_of(design).integer_weights()


def scores_of(design: DesignLike) -> FloatArray:
    """The scores of a design, or of a channel. Raises DesignError if it has none.

    >>> from randomized_response.designs import Warner, scores_of
    >>> scores_of(Warner(0.75)).round(3).tolist()
    [[1.5, -0.5], [-0.5, 1.5]]
    """
    return design.scores if isinstance(design, Design) else channel_of(design).scores


def design_label(design: DesignLike) -> str:
    """The design and its parameters in words, or how many levels a channel has."""
    if isinstance(design, Design):
        return design.label
    channel = channel_of(design)
    return f"Channel ({channel.reported_levels} by {channel.true_levels})"


def epsilon_words(epsilon: float | None) -> str:
    """Epsilon as it stands beside a design; None and infinity are none that is finite."""
    is_finite = epsilon is not None and math.isfinite(epsilon)
    return f"epsilon {epsilon:.6g}" if is_finite else "no finite epsilon"


def _shown(value: object) -> str:
    return f"({', '.join(map(str, value))})" if isinstance(value, tuple) else str(value)


def parameters_of(design: object, words: Callable[[Any], str] = _shown) -> str:
    """The fields of a design as ``(p_direct = 3/4)``; empty where it has none."""
    names = [field.name for field in fields(design)] if is_dataclass(design) else []
    parameters = ", ".join(f"{name} = {words(getattr(design, name))}" for name in names)
    return f"({parameters})" if parameters else ""
