"""What every design has: a channel that can be undone, an epsilon and a name."""

from abc import ABC, abstractmethod
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import ClassVar

from surveys.randomized_response.designs.channel import Channel, IntegerChannel


class Design(ABC):
    """A randomizing device, valid from birth: its channel can always be inverted."""

    name: ClassVar[str]

    @property
    @abstractmethod
    def channel(self) -> Channel:
        """The channel that turns true answers into reported ones."""

    @property
    def epsilon(self) -> float:
        """Pure local privacy loss in natural-log units; infinite if a report can be proof."""
        return self.channel.epsilon

    # Not a plain property: designs whose parameter is the number of options store it as a field.
    @cached_property
    def options(self) -> int:
        """Number of true levels."""
        return self.channel.true_levels

    @property
    def label(self) -> str:
        """The design and its parameters in words."""
        names: list[str] = [field.name for field in fields(self)] if is_dataclass(self) else []
        parameters = ", ".join(f"{name} = {_shown(getattr(self, name))}" for name in names)
        return f"{self.name} ({parameters})" if parameters else self.name


DesignLike = Design | Channel | IntegerChannel


def channel_of(design: DesignLike) -> Channel:
    """The channel of a design, a stored integer channel, or the channel itself."""
    return design if isinstance(design, Channel) else design.channel


def _shown(value: object) -> str:
    return f"({', '.join(map(str, value))})" if isinstance(value, tuple) else str(value)
