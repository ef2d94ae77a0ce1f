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
                "The standard deviation of the weights divided by the mean weight. 0 means that "
                "all people count equally."
            ),
        )
    )
    cluster_size: Fraction | None = asked_field(
        TypedClusterSize(
            sentence("People invited in each cluster"),
            help=sentence(
                "The average number, if classes, households or firms are drawn instead of single "
                "people. Otherwise leave this field empty."
            ),
        )
    )
    cluster_variation: Fraction = asked_field(
        TypedVariation(
            sentence("Variation of the cluster sizes"),
            "0",
            sentence(
                "The standard deviation of the cluster sizes divided by the mean size. 0 means "
                "that all clusters have the same size."
            ),
        )
    )
    intraclass_correlation: Fraction | None = asked_field(
        TypedCorrelation(
            sentence("Intraclass correlation"),
            help=sentence(
                "How similar the true answers within one cluster are. Write 0 if they are no "
                "more similar than the answers of people from different clusters. In schools and "
                "firms, the number is often from 0.01 to 0.05."
            ),
        )
    )
    response_rate: Fraction = asked_field(
        TypedDraw(
            sentence("Response rate"),
            "1",
            sentence(
                "Share of the invited people who answer, such as 0.4 or 2/5. 1 means that all "
                "invited people answer."
            ),
        )
    )
    assurance: Fraction = asked_field(
        TypedChance(
            sentence("Probability that enough people answer"),
            "0.9",
            sentence(
                "How often the invitations should bring enough answers: 0.9 is 9 times out of 10."
            ),
        )
    )
    arms: tuple[int, ...] | None = asked_field(
        TypedWeights(
            sentence("Weights of the arms"),
            help=sentence(
                "Needed only if chance puts people into arms and you need the estimate in each "
                "arm. Write one weight for each arm, such as 1, 1 or 2, 1, 1. Otherwise leave "
                "this field empty."
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
            words = sentence(
                "Write how similar the people in one cluster are. If they are no more similar "
                "than people from different clusters, write 0."
            )
            raise RequestError("intraclass_correlation", None, words)
        if not has_size and (alike is not None or self.cluster_variation):
            words = sentence("Write how many people are invited in each cluster, on average.")
            raise RequestError("cluster_size", None, words)
        if self.cluster_size == 1 and self.cluster_variation:
            words = sentence(
                "Clusters with an average of 1 person all have the same size. Write 0."
            )
            raise RequestError("cluster_variation", self.cluster_variation, words)


SAMPLING_FIELDS: dict[str, RequestField] = {
    own.name: own.metadata["asked"] for own in fields(SampledPeople)
}
