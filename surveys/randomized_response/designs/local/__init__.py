"""Local differential privacy: protocols for one of many options."""

from surveys.randomized_response.designs.local.protocol import FrequencyProtocol, Support
from surveys.randomized_response.designs.local.subset import IntegerSubset, SubsetSelection
from surveys.randomized_response.designs.local.unary import (
    OUE,
    SUE,
    THE,
    IntegerUnary,
    UnaryEncoding,
)

__all__ = [
    "OUE",
    "SUE",
    "THE",
    "FrequencyProtocol",
    "IntegerSubset",
    "IntegerUnary",
    "SubsetSelection",
    "Support",
    "UnaryEncoding",
]
