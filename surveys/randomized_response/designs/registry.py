"""Every design, by the name under which files and commands store it."""

from surveys.randomized_response.designs.binary import (
    Crosswise,
    ForcedResponse,
    Mangat,
    Rappor,
    Triangular,
    UnrelatedQuestion,
    Warner,
)
from surveys.randomized_response.designs.cards import Kuk
from surveys.randomized_response.designs.categorical import (
    ChannelMatrix,
    Direct,
    ForcedResponseOptions,
    KAry,
    TwoCoins,
)
from surveys.randomized_response.designs.design import Design
from surveys.randomized_response.designs.discretised import DiscretisedScrambling
from surveys.randomized_response.designs.scrambled import (
    Christofides,
    Devore,
    MangatSingh,
    MangatSinghSingh,
    MangatTwoStageUnrelated,
    SinghJoarder,
)
from surveys.randomized_response.designs.two_group import UnrelatedQuestionTwice

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
    "direct": Direct,
}
