"""SampledPeople: the fields of a request on how people come into a survey."""

from dataclasses import dataclass, fields
from fractions import Fraction

from ..messages import sentence
from .design_effects import DesignEffects, cluster_effect, weight_effect
from .request_fields import (
    RequestError,
    RequestField,
    TypedChance,
    TypedClusterSize,
    TypedCorrelation,
    TypedDraw,
    TypedVariation,
    TypedWeights,
    asked_field,
    check_fields,
)


@dataclass(frozen=True, kw_only=True)
class SampledPeople:
    """How people come into a survey: weights, clusters, the response rate and arms.

    ``cluster_size`` counts those who are invited, ``intraclass_correlation`` is that of the true
    answers. The usual values are people who are drawn one by one, of equal weight, and all answer.
    Raises StatisticsError that names a field.
    """

    weight_variation: Fraction = asked_field(
        TypedVariation(
            sentence("Variation of the weights"),
            "0",
            sentence(
                "The standard deviation of the weights divided by their mean: 0 if all people "
                "count alike."
            ),
        )
    )
    cluster_size: Fraction | None = asked_field(
        TypedClusterSize(
            sentence("People invited in each cluster"),
            help=sentence(
                "On average, if classes, households or firms are drawn and not people; otherwise "
                "leave it empty."
            ),
        )
    )
    cluster_variation: Fraction = asked_field(
        TypedVariation(
            sentence("Variation of the cluster sizes"),
            "0",
            sentence(
                "The standard deviation of the sizes divided by their mean: 0 if all clusters are "
                "of one size."
            ),
        )
    )
    intraclass_correlation: Fraction | None = asked_field(
        TypedCorrelation(
            sentence("Intraclass correlation"),
            help=sentence(
                "How alike the true answers of a cluster are: 0 as of any people, and often 0.01 "
                "to 0.05 in schools and firms."
            ),
        )
    )
    response_rate: Fraction = asked_field(
        TypedDraw(
            sentence("Response rate"),
            "1",
            sentence("Share of the invited people who answer: 0.4 or 2/5; 1 is all."),
        )
    )
    assurance: Fraction = asked_field(
        TypedChance(
            sentence("Probability that enough people answer"),
            "0.9",
            sentence("How often the invitations bring the answers needed: 0.9 is 9 times in 10."),
        )
    )
    arms: tuple[int, ...] | None = asked_field(
        TypedWeights(
            sentence("Weights of the arms"),
            help=sentence(
                "If chance puts people into arms, and the estimate is needed in each: 1, 1, or "
                "2, 1, 1. Otherwise leave it empty."
            ),
        )
    )

    def __post_init__(self) -> None:
        check_fields(self, SAMPLING_FIELDS)
        self._check_clusters()

    @property
    def arm_shares(self) -> tuple[Fraction, ...]:
        """The share of people in each arm; of one, all people, where there are none."""
        weights = self.arms or (1,)
        return tuple(Fraction(weight, sum(weights)) for weight in weights)

    @property
    def is_simple_sample(self) -> bool:
        """Whether nothing is said of how people are sampled, so that all who are asked answer."""
        return all(getattr(self, own.name) == own.default for own in fields(SampledPeople))

    def effects_of(self, share: Fraction) -> DesignEffects:
        """The design effects of a question that this share of the people who answer is asked."""
        clusters = Fraction(1)
        if self.cluster_size is not None and self.intraclass_correlation is not None:
            clusters = cluster_effect(
                self.cluster_size,
                self.intraclass_correlation,
                variation=self.cluster_variation,
                answering=share * self.response_rate,
            )
        return DesignEffects(weight_effect(self.weight_variation), clusters)

    def _check_clusters(self) -> None:
        """What is said of clusters says all of them. Raises RequestError."""
        has_size, alike = self.cluster_size is not None, self.intraclass_correlation
        if has_size and alike is None:
            words = sentence("Write how alike the people of a cluster are: 0 if no more than any.")
            raise RequestError("intraclass_correlation", None, words)
        if not has_size and (alike is not None or self.cluster_variation):
            words = sentence("Write how many people of each cluster are invited, on average.")
            raise RequestError("cluster_size", None, words)
        if self.cluster_size == 1 and self.cluster_variation:
            words = sentence("Clusters of 1 person on average are all of one size: write 0.")
            raise RequestError("cluster_variation", self.cluster_variation, words)


SAMPLING_FIELDS: dict[str, RequestField] = {
    own.name: own.metadata["asked"] for own in fields(SampledPeople)
}
