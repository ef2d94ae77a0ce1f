"""Local differential privacy: protocols for one of many options."""

from surveys.randomized_response.designs.local.fake_data import RSFDGRR
from surveys.randomized_response.designs.local.hashing import BLH, OLH
from surveys.randomized_response.designs.local.levels import GRR
from surveys.randomized_response.designs.local.memoised import (
    LGRR,
    LOSUE,
    LOUE,
    LSOUE,
    LSUE,
    MemoisedClient,
    MemoisedProtocol,
)
from surveys.randomized_response.designs.local.protocol import FrequencyProtocol, Support
from surveys.randomized_response.designs.local.subset import IntegerSubset, SubsetSelection
from surveys.randomized_response.designs.local.unary import (
    OUE,
    SUE,
    THE,
    IntegerUnary,
    UnaryEncoding,
)

# Every protocol for one attribute, by the name under which a question may store it.
PROTOCOLS: dict[str, type[FrequencyProtocol]] = {
    "grr": GRR,
    "sue": SUE,
    "oue": OUE,
    "the": THE,
    "blh": BLH,
    "olh": OLH,
    "subset_selection": SubsetSelection,
    "l_grr": LGRR,
    "l_sue": LSUE,
    "l_oue": LOUE,
    "l_osue": LOSUE,
    "l_soue": LSOUE,
}

__all__ = [
    "BLH",
    "GRR",
    "LGRR",
    "LOSUE",
    "LOUE",
    "LSOUE",
    "LSUE",
    "OLH",
    "OUE",
    "PROTOCOLS",
    "RSFDGRR",
    "SUE",
    "THE",
    "FrequencyProtocol",
    "IntegerSubset",
    "IntegerUnary",
    "MemoisedClient",
    "MemoisedProtocol",
    "SubsetSelection",
    "Support",
    "UnaryEncoding",
]
