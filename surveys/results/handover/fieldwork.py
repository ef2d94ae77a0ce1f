"""Fieldwork: when, how and whom a survey asked, how many answered, and AAPOR's response rates.

Rates are those of AAPOR's Standard Definitions (10th edition, 2023). Whole days alone stand here,
and only those that are the same for all people.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC

from django.utils.translation import gettext, ngettext

from surveys.collecting.queries import set_aside_count
from surveys.fieldwork.queries import invitation_progress
from surveys.models import Revision, Survey
from surveys.models.base import choices
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.results.progress import SurveyProgress
from surveys.wording.language.numbers import count_words, day_words, percent


@dataclass(frozen=True)
class Rates:
    """How many answered among those invited.

    ``answered`` and ``issued`` are numbers of people and of invitations; unless ``is_exact``, at
    least so many answered.
    """

    answered: int
    issued: int
    is_exact: bool

    @property
    def rr1(self) -> float | None:
        """AAPOR's RR1, a share: None where no invitation was issued.

        No invitation that was not used is known to be of a refusal, a contact or a person who
        belongs to no sample, so that each of them counts as one who could have answered.
        """
        return self.answered / self.issued if self.issued else None


@dataclass(frozen=True)
class Fieldwork:
    """What is known of a launched survey's fieldwork, in words; ``rates`` need invitations."""

    survey: Survey
    revision: Revision
    questionnaire: Questionnaire
    progress: SurveyProgress
    responses: int
    rates: Rates | None

    @property
    def lines(self) -> list[tuple[str, list[str]]]:
        """Each as its name and its sentences."""
        return [
            (gettext("Field period"), [self.period]),
            (gettext("Survey mode"), list(self.mode)),
            (gettext("Who could answer"), [self.people]),
            (gettext("Answered"), list(self.answered)),
            (gettext("Response rate"), list(self.rate_sentences)),
            (gettext("Drop-outs"), list(self.drop_outs)),
        ]

    @property
    def period(self) -> str:
        """The day of the launch, and the last day as far as it is known."""
        first = day_words(self.revision.launched_at.astimezone(UTC).date())
        if self.survey.state == Survey.State.CLOSED and self.survey.closed_on:
            last = day_words(self.survey.closed_on)
            return gettext("{first} to {last}.").format(first=first, last=last)
        if self.survey.close_on:
            last = day_words(self.survey.close_on)
            words = gettext("Since {first}. The survey is open until {last}.")
            return words.format(first=first, last=last)
        return gettext("Since {first}. The survey is open and has no last day.").format(first=first)

    @property
    def mode(self) -> Iterator[str]:
        """How people were asked, and in which languages."""
        yield gettext(
            "A web questionnaire that people fill in by themselves, without an interviewer."
        )
        if self._has_own_coin:
            yield gettext(
                "People could use their own coin instead of the random numbers of the browser."
            )
            yield from self._coins()
        names = dict(choices())
        languages = ", ".join(str(names.get(code, code)) for code in self.survey.languages)
        yield gettext("Languages: {languages}.").format(languages=languages)

    @property
    def people(self) -> str:
        """Whom the survey takes answers of."""
        if self.questionnaire.invitation_only:
            return gettext("People with an invitation. Each invitation counts once.")
        return gettext(
            "Everyone with the link; there were no invitations. Respondents chose to take part "
            "themselves, and one person could answer more than once."
        )

    @property
    def answered(self) -> Iterator[str]:
        """How many responses are counted here, and why there may be fewer than were sent."""
        yield ngettext(
            "{count} response is counted in these results.",
            "{count} responses are counted in these results.",
            self.responses,
        ).format(count=count_words(self.responses))
        if self.rates:
            yield self._invited(self.rates)
        yield from self._missing()

    @property
    def rate_sentences(self) -> Iterator[str]:
        """AAPOR's rates: which are known, which are not, and why."""
        if self.rates is None:
            yield gettext(
                "No response rate can be given: with an open link, it is not known how many "
                "people saw the link. AAPOR’s rates RR1 to RR6 are for samples with known "
                "members."
            )
        elif self.rates.rr1 is None:
            yield gettext("No response rate can be given: no invitation was issued.")
        else:
            yield from _rate_words(self.rates, self.rates.rr1)

    @property
    def drop_outs(self) -> Iterator[str]:
        """Why there are none."""
        yield gettext(
            "Drop-outs cannot be counted. All answers of a person arrive together when the person "
            "presses Send. People who leave earlier leave nothing behind. So there are no partial "
            "answers."
        )
        if self.questionnaire.vouchers:
            yield gettext(
                "A code counts as used once the page has exchanged it for a signature. The page "
                "may have been closed before the answers were sent."
            )

    @property
    def _has_own_coin(self) -> bool:
        return bool(self.questionnaire.drawn) and self.questionnaire.own_coin.is_offered

    def _coins(self) -> Iterator[str]:
        if (count := self.progress.own_coin) is not None:
            words = ngettext(
                "{count} person used their own coin.", "{count} people used their own coin.", count
            )
            yield words.format(count=count_words(count))

    def _invited(self, rates: Rates) -> str:
        words = (
            gettext(
                "{issued} invitations were issued, and {answered} of the invited people answered."
            )
            if rates.is_exact
            else gettext(
                "{issued} invitations were issued, and at least {answered} of the invited people "
                "answered."
            )
        )
        issued, answered = count_words(rates.issued), count_words(rates.answered)
        return words.format(issued=issued, answered=answered)

    def _missing(self) -> Iterator[str]:
        """What came and is not counted, as the dashboard says it too."""
        if lost := self.survey.lost_answers:
            yield ngettext(
                "{count} more answer was lost with its key.",
                "{count} more answers were lost with their keys.",
                lost,
            ).format(count=count_words(lost))
        if set_aside_count(self.survey).is_any:
            yield gettext(
                "Some answers cannot be read, because the keys to these answers are gone."
            )
        if self.progress.was_destroyed and self.survey.state == Survey.State.CLOSED:
            yield gettext(
                "Answers that had not been opened when the survey closed were destroyed unread."
            )


def fieldwork_of(
    survey: Survey, revision: Revision, progress: SurveyProgress, responses: int
) -> Fieldwork:
    """The fieldwork of a launched survey, by the numbers that its dashboard shows."""
    questionnaire = questionnaire_of(revision)
    rates = None
    if questionnaire.invitation_only:
        invited = invitation_progress(survey)
        rates = Rates(
            # A code that was exchanged may have brought no answers: there the answers count.
            answered=responses if questionnaire.vouchers else invited.used,
            issued=invited.issued,
            is_exact=invited.is_exact and not progress.is_opening,
        )
    return Fieldwork(survey, revision, questionnaire, progress, responses, rates)


def _rate_words(rates: Rates, rr1: float) -> Iterator[str]:
    words = (
        gettext("The response rate RR1 (AAPOR) is {rate}: {answered} of {issued} invitations.")
        if rates.is_exact
        else gettext(
            "The response rate RR1 (AAPOR) is at least {rate} so far: {answered} of {issued} "
            "invitations."
        )
    )
    answered, issued = count_words(rates.answered), count_words(rates.issued)
    yield words.format(rate=percent(rr1), answered=answered, issued=issued)
    if rates.is_exact:
        # As they were counted at the close: codes that a mail never took along reached no one.
        yield gettext(
            "Invitations that were never mailed are left out. By definition, RR1 also counts the "
            "people for whom these invitations were intended. Add these people if you know how "
            "many there are."
        )
    yield gettext("RR2 equals RR1, because there are no partial answers.")
    yield gettext(
        "RR3 and RR4 need e, the share of eligible people among the unused invitations. Only the "
        "authors can estimate this share."
    )
    if rates.is_exact:
        yield gettext("RR3 and RR4 are both {answered} / ({answered} + e × {unused}).").format(
            answered=answered, unused=count_words(rates.issued - rates.answered)
        )
    yield gettext(
        "RR5 and RR6 leave out all invitations about which nothing is known. In this survey, "
        "these are all unused invitations. So RR5 and RR6 would be 100 % and would say nothing."
    )
    yield gettext(
        "Rates of cooperation, refusal and contact are not known either. Nothing shows whether an "
        "unused invitation arrived, was read or was refused."
    )
