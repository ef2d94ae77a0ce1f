"""Designs for one yes/no question; index 0 is no, index 1 is yes."""

from dataclasses import dataclass
from typing import ClassVar

from surveys.randomized_response.checks import Probability, checked_probability
from surveys.randomized_response.designs.channel import Channel
from surveys.randomized_response.designs.design import Design
from surveys.randomized_response.errors import DesignError

# Closer to unidentifiable than this, an estimate would be rounding error.
SMALLEST_SLOPE = 1e-9


@dataclass(frozen=True)
class Warner(Design):
    """Ask "I have A" with probability ``p_direct``, otherwise "I do not have A".

    Two fair coins that flip an answer with probability 1/4 are ``Warner(Fraction(3, 4))``.
    Raises DesignError. Source: Warner (1965).
    """

    name: ClassVar[str] = "Warner"
    p_direct: Probability

    def __post_init__(self) -> None:
        p_direct = checked_probability("p_direct", self.p_direct)
        object.__setattr__(self, "p_direct", p_direct)
        if abs(2 * p_direct - 1) < SMALLEST_SLOPE:
            raise DesignError(
                "p_direct", p_direct, "at 1/2 a report says nothing: use another value, e.g. 3/4"
            )

    @property
    def channel(self) -> Channel:
        return Channel.binary(yes_if_true=self.p_direct, yes_if_false=1 - self.p_direct)


@dataclass(frozen=True)
class ForcedResponse(Design):
    """Report "yes" with probability ``p_forced_yes``, "no" with ``p_forced_no``, else the truth.

    Two fair coins are ``ForcedResponse(Fraction(1, 4), Fraction(1, 4))``: epsilon = ln 3.
    Raises DesignError. Source: Boruch (1971); Fox (2016), ch. 3.
    """

    name: ClassVar[str] = "Forced response"
    p_forced_yes: Probability
    p_forced_no: Probability

    def __post_init__(self) -> None:
        yes = checked_probability("p_forced_yes", self.p_forced_yes)
        no = checked_probability("p_forced_no", self.p_forced_no)
        object.__setattr__(self, "p_forced_yes", yes)
        object.__setattr__(self, "p_forced_no", no)
        if 1 - yes - no < SMALLEST_SLOPE:
            remedy = "leave some probability for the truth, e.g. 1/4 and 1/4"
            raise DesignError("p_forced_yes + p_forced_no", yes + no, remedy)

    @property
    def channel(self) -> Channel:
        return Channel.binary(yes_if_true=1 - self.p_forced_no, yes_if_false=self.p_forced_yes)
