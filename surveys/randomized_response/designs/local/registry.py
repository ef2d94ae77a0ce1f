"""Every protocol for one attribute, by the name under which a question may store it."""

from surveys.randomized_response.designs.local.hashing import (
    BLH,
    OLH,
)
from surveys.randomized_response.designs.local.levels import GRR
from surveys.randomized_response.designs.local.memoised import (
    LGRR,
    LOSUE,
    LOUE,
    LSOUE,
    LSUE,
)
from surveys.randomized_response.designs.local.protocol import FrequencyProtocol
from surveys.randomized_response.designs.local.subset import SubsetSelection
from surveys.randomized_response.designs.local.unary import (
    OUE,
    SUE,
    THE,
)

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
