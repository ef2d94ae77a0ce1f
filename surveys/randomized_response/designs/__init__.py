"""Designs: how an answer is randomized before it leaves the respondent."""

from surveys.randomized_response.designs.binary import ForcedResponse, Warner
from surveys.randomized_response.designs.categorical import (
    ChannelMatrix,
    Direct,
    ForcedResponseOptions,
    KAry,
    TwoCoins,
)
from surveys.randomized_response.designs.channel import Channel, IntegerChannel
from surveys.randomized_response.designs.design import Design, DesignLike, channel_of

REGISTRY: dict[str, type[Design]] = {
    "warner": Warner,
    "forced_response": ForcedResponse,
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
    "Design",
    "DesignLike",
    "Direct",
    "ForcedResponse",
    "ForcedResponseOptions",
    "IntegerChannel",
    "KAry",
    "TwoCoins",
    "Warner",
    "channel_of",
]
