"""Designs: how an answer is randomized before it leaves the respondent."""

from surveys.randomized_response.designs.binary import (
    Crosswise,
    ForcedResponse,
    Mangat,
    Rappor,
    Triangular,
    UnrelatedQuestion,
    Warner,
    permanent_epsilon,
)
from surveys.randomized_response.designs.cards import Kuk
from surveys.randomized_response.designs.categorical import (
    ChannelMatrix,
    Direct,
    ForcedResponseOptions,
    KAry,
    TwoCoins,
)
from surveys.randomized_response.designs.channel import Channel, IntegerChannel
from surveys.randomized_response.designs.design import Design, DesignLike, channel_of, scores_of
from surveys.randomized_response.designs.two_group import (
    TWO_GROUP_REGISTRY,
    AnchoredCrosswise,
    CheaterDetection,
    StochasticLieDetector,
    SymmetricCheaterDetection,
    TwoGroupDesign,
    UnrelatedQuestionTwice,
    UnrelatedQuestionTwoGroups,
)

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
    "k_ary": KAry,
    "two_coins": TwoCoins,
    "forced_response_options": ForcedResponseOptions,
    "channel_matrix": ChannelMatrix,
    "direct": Direct,
}

__all__ = [
    "REGISTRY",
    "TWO_GROUP_REGISTRY",
    "AnchoredCrosswise",
    "Channel",
    "ChannelMatrix",
    "CheaterDetection",
    "Crosswise",
    "Design",
    "DesignLike",
    "Direct",
    "ForcedResponse",
    "ForcedResponseOptions",
    "IntegerChannel",
    "KAry",
    "Kuk",
    "Mangat",
    "Rappor",
    "StochasticLieDetector",
    "SymmetricCheaterDetection",
    "Triangular",
    "TwoCoins",
    "TwoGroupDesign",
    "UnrelatedQuestion",
    "UnrelatedQuestionTwice",
    "UnrelatedQuestionTwoGroups",
    "Warner",
    "channel_of",
    "permanent_epsilon",
    "scores_of",
]
