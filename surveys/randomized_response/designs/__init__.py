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

REGISTRY: dict[str, type[Design]] = {
    "warner": Warner,
    "forced_response": ForcedResponse,
    "unrelated_question": UnrelatedQuestion,
    "crosswise": Crosswise,
    "triangular": Triangular,
    "mangat": Mangat,
    "rappor": Rappor,
    "kuk": Kuk,
    "k_ary": KAry,
    "two_coins": TwoCoins,
    "forced_response_options": ForcedResponseOptions,
    "channel_matrix": ChannelMatrix,
    "direct": Direct,
}

__all__ = [
    "REGISTRY",
    "Channel",
    "ChannelMatrix",
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
    "Triangular",
    "TwoCoins",
    "UnrelatedQuestion",
    "Warner",
    "channel_of",
    "permanent_epsilon",
    "scores_of",
]
