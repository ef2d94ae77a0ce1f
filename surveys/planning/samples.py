"""SampleReport: in words, the invitations of a plan, its design effect, and its arms."""

from dataclasses import dataclass

from django.utils.translation import gettext, ngettext

from surveys.randomized_response.planning import PlannedArm, PlannedSample, PlanRequest, SurveyPlan
from surveys.wording.language.numbers import count_words, number_words


@dataclass(frozen=True)
class ArmRow:
    """An arm: its number, the people in it, and their answers to the question, on average."""

    number: int
    arm: PlannedArm

    @property
    def name(self) -> str:
        return gettext("{number} ({share} of people)").format(
            number=self.number, share=str(self.arm.share)
        )

    @property
    def cells(self) -> tuple[str, str]:
        return count_words(self.arm.people), count_words(self.arm.answers)


@dataclass(frozen=True)
class SampleReport:
    """What a plan says of the people who are invited."""

    plan: SurveyPlan
    sample: PlannedSample

    @property
    def request(self) -> PlanRequest:
        return self.plan.request

    @property
    def invitations(self) -> int:
        return self.sample.invitations

    @property
    def invited(self) -> str:
        """The number of invitations in words."""
        return count_words(self.invitations)

    @property
    def arms(self) -> tuple[ArmRow, ...]:
        return tuple(ArmRow(number, arm) for number, arm in enumerate(self.sample.arms, start=1))

    @property
    def brief(self) -> str:
        """What the invitations bring, and what it is worth."""
        words = gettext(
            "To get {n} answers, which are worth {effective} independent answers (design effect "
            "{effect})"
        )
        if self.request.arms:
            words = gettext(
                "To get {n} answers in each arm, which are worth {effective} independent answers "
                "(design effect {effect})"
            )
        return words.format(
            n=count_words(self.plan.n),
            effective=count_words(round(self.sample.effective_n)),
            effect=number_words(self.sample.design_effect, 4),
        )

    @property
    def lines(self) -> tuple[str, ...]:
        """The sample in sentences: answers, clusters, what they are worth."""
        return tuple(filter(None, (self._answers, self._clusters, self._worth)))

    @property
    def _answers(self) -> str:
        asked, n = self.request, count_words(self.plan.n)
        if asked.response_rate == asked.share_answering == 1:
            return gettext(
                "{n} answers are needed. The plan assumes that all invited people answer."
            ).format(n=n)
        words = gettext(
            "{n} answers are needed. The invitations bring at least {n} answers with a "
            "probability of {assurance} %."
        )
        if asked.arms:
            words = gettext(
                "{n} answers are needed in each arm. The invitations bring at least {n} answers "
                "in every arm with a probability of {assurance} %."
            )
        line = words.format(n=n, assurance=number_words(100 * float(asked.assurance), 6))
        return f"{line} {self._missing}" if asked.response_rate < 1 else line

    @property
    def _missing(self) -> str:
        """What is assumed of those who do not answer."""
        return gettext(
            "The number of invitations assumes that {rate} % of the invited people answer. People "
            "who do not answer may differ from people who answer. No number of invitations makes "
            "up for this difference."
        ).format(rate=number_words(100 * float(self.request.response_rate), 6))

    @property
    def _clusters(self) -> str:
        clusters = self.sample.clusters
        if clusters is None:
            return ""
        words = ngettext(
            "The invited people are in about {count} cluster.",
            "The invited people are in about {count} clusters.",
            clusters,
        )
        few = gettext(
            "With few clusters, the data say little about how clusters differ. Intervals use "
            "Student's distribution and will be wider."
        )
        counted = words.format(count=count_words(clusters))
        return f"{counted} {few}" if clusters < FEW_CLUSTERS else counted

    @property
    def _worth(self) -> str:
        effects = self.sample.effects
        if effects.is_none:
            return ""
        return gettext(
            "Design effect {effect}: the answers are worth {effective} independent answers of "
            "equal weight. Unequal weights multiply the variance by {weights}. Clusters multiply "
            "only the part of the variance that comes from sampling, by {clusters}. Clusters do "
            "not change the noise of the design, because the noise is drawn separately for each "
            "person."
        ).format(
            effect=number_words(self.sample.design_effect, 4),
            effective=count_words(round(self.sample.effective_n)),
            weights=number_words(float(effects.weights), 4),
            clusters=number_words(float(effects.clusters), 4),
        )


# Student's quantile of 95 % is 3 % above the normal one at 39 degrees of freedom.
FEW_CLUSTERS = 40
