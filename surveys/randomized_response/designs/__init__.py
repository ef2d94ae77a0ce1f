"""Designs: how an answer is randomized before it leaves the respondent."""

from .binary import (
    Crosswise,
    ForcedResponse,
    Mangat,
    Rappor,
    Triangular,
    UnrelatedQuestion,
    Warner,
    permanent_epsilon,
)
from .cards import Kuk
from .categorical import ChannelMatrix, Direct, ForcedResponseOptions, KAry, TwoCoins
from .channel import Channel, IntegerChannel
from .design import Design, DesignLike, channel_of, integer_channel_of, scores_of
from .discretised import DiscretisedScrambling, ModularNoise, TruncatedGeometricNoise
from .local.fake_data import RSFDGRR, RSFDUE, FakeBits
from .local.hadamard import HadamardResponse
from .local.hashing import BLH, OLH
from .local.histograms import SHE, DBitFlip
from .local.levels import GRR
from .local.memoised import LGRR, LOSUE, LOUE, LSOUE, LSUE, MemoisedClient, MemoisedProtocol
from .local.numbers import Hybrid, NumberProtocol, Piecewise, TwoPoint
from .local.optimised import OptimisedScale
from .local.pools import FLH, CountMeanSketch
from .local.prefixes import PrefixHashing
from .local.protocol import FrequencyProtocol, Support
from .local.scales import Purpose, gain_over_k_ary
from .local.subset import IntegerSubset, SubsetSelection
from .local.unary import OUE, SUE, THE, IntegerUnary
from .quantitative import (
    QUANTITATIVE_REGISTRY,
    BarLev,
    ChaudhuriChristofides,
    DianaPerri1,
    DianaPerri2,
    EichhornHayre,
    Eriksson,
    LinearScrambling,
    Saha,
)
from .registry import PROTOCOLS, REGISTRY
from .rounded import RoundedNumber
from .scrambled import (
    AnsweredTwice,
    Christofides,
    Devore,
    Horvitz,
    HorvitzTwice,
    MangatSingh,
    MangatSinghSingh,
    MangatSinghSinghTwice,
    MangatTwoStageTwice,
    MangatTwoStageUnrelated,
    SinghJoarder,
    SoberanisCruz,
)
from .transform import ChannelTransform, Transform, TransformedReports, transform_reports
from .two_group import (
    TWO_GROUP_REGISTRY,
    AnchoredCrosswise,
    CheaterDetection,
    StochasticLieDetector,
    SymmetricCheaterDetection,
    TwoGroupDesign,
    UnrelatedQuestionTwice,
    UnrelatedQuestionTwoGroups,
)

__all__ = [
    "BLH",
    "FLH",
    "GRR",
    "LGRR",
    "LOSUE",
    "LOUE",
    "LSOUE",
    "LSUE",
    "OLH",
    "OUE",
    "PROTOCOLS",
    "QUANTITATIVE_REGISTRY",
    "REGISTRY",
    "RSFDGRR",
    "RSFDUE",
    "SHE",
    "SUE",
    "THE",
    "TWO_GROUP_REGISTRY",
    "AnchoredCrosswise",
    "AnsweredTwice",
    "BarLev",
    "Channel",
    "ChannelMatrix",
    "ChannelTransform",
    "ChaudhuriChristofides",
    "CheaterDetection",
    "Christofides",
    "CountMeanSketch",
    "Crosswise",
    "DBitFlip",
    "Design",
    "DesignLike",
    "Devore",
    "DianaPerri1",
    "DianaPerri2",
    "Direct",
    "DiscretisedScrambling",
    "EichhornHayre",
    "Eriksson",
    "FakeBits",
    "ForcedResponse",
    "ForcedResponseOptions",
    "FrequencyProtocol",
    "HadamardResponse",
    "Horvitz",
    "HorvitzTwice",
    "Hybrid",
    "IntegerChannel",
    "IntegerSubset",
    "IntegerUnary",
    "KAry",
    "Kuk",
    "LinearScrambling",
    "Mangat",
    "MangatSingh",
    "MangatSinghSingh",
    "MangatSinghSinghTwice",
    "MangatTwoStageTwice",
    "MangatTwoStageUnrelated",
    "MemoisedClient",
    "MemoisedProtocol",
    "ModularNoise",
    "NumberProtocol",
    "OptimisedScale",
    "Piecewise",
    "PrefixHashing",
    "Purpose",
    "Rappor",
    "RoundedNumber",
    "Saha",
    "SinghJoarder",
    "SoberanisCruz",
    "StochasticLieDetector",
    "SubsetSelection",
    "Support",
    "SymmetricCheaterDetection",
    "Transform",
    "TransformedReports",
    "Triangular",
    "TruncatedGeometricNoise",
    "TwoCoins",
    "TwoGroupDesign",
    "TwoPoint",
    "UnrelatedQuestion",
    "UnrelatedQuestionTwice",
    "UnrelatedQuestionTwoGroups",
    "Warner",
    "channel_of",
    "gain_over_k_ary",
    "integer_channel_of",
    "permanent_epsilon",
    "scores_of",
    "transform_reports",
]
