"""Every protocol for one attribute, by the name under which a question may store it."""

from .hashing import BLH, OLH
from .levels import GRR
from .memoised import LGRR, LOSUE, LOUE, LSOUE, LSUE
from .protocol import FrequencyProtocol
from .subset import SubsetSelection
from .unary import OUE, SUE, THE

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
