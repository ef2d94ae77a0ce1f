"""Designs and protocols by the names under which files, commands and questions store them."""

from .binary import Crosswise, ForcedResponse, Mangat, Rappor, Triangular, UnrelatedQuestion, Warner
from .cards import Kuk
from .categorical import ChannelMatrix, Direct, ForcedResponseOptions, KAry, TwoCoins
from .design import Design
from .discretised import DiscretisedScrambling
from .local.hadamard import HadamardResponse
from .local.hashing import BLH, OLH
from .local.levels import GRR
from .local.memoised import LGRR, LOSUE, LOUE, LSOUE, LSUE
from .local.optimised import OptimisedScale
from .local.protocol import FrequencyProtocol
from .local.subset import SubsetSelection
from .local.unary import OUE, SUE, THE
from .scrambled import (
    Christofides,
    Devore,
    MangatSingh,
    MangatSinghSingh,
    MangatTwoStageUnrelated,
    SinghJoarder,
)
from .two_group import UnrelatedQuestionTwice

REGISTRY: dict[str, type[Design]] = {
    "warner": Warner,
    "forced_response": ForcedResponse,
    "unrelated_question": UnrelatedQuestion,
    "crosswise": Crosswise,
    "triangular": Triangular,
    "mangat": Mangat,
    "rappor": Rappor,
    "kuk": Kuk,
    "unrelated_question_twice": UnrelatedQuestionTwice,
    "devore": Devore,
    "mangat_singh": MangatSingh,
    "mangat_singh_singh": MangatSinghSingh,
    "mangat_two_stage_unrelated": MangatTwoStageUnrelated,
    "singh_joarder": SinghJoarder,
    "christofides": Christofides,
    "k_ary": KAry,
    "two_coins": TwoCoins,
    "forced_response_options": ForcedResponseOptions,
    "discretised_scrambling": DiscretisedScrambling,
    "channel_matrix": ChannelMatrix,
    "optimised_scale": OptimisedScale,
    "direct": Direct,
}

PROTOCOLS: dict[str, type[FrequencyProtocol]] = {
    "grr": GRR,
    "sue": SUE,
    "oue": OUE,
    "the": THE,
    "blh": BLH,
    "olh": OLH,
    "subset_selection": SubsetSelection,
    "hadamard_response": HadamardResponse,
    "l_grr": LGRR,
    "l_sue": LSUE,
    "l_oue": LOUE,
    "l_osue": LOSUE,
    "l_soue": LSOUE,
}
