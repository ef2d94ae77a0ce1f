"""STROBE's checklist for cross-sectional studies: what the report says, what authors fill in.

The 22 items are those of von Elm E, Altman DG, Egger M, Pocock SJ, Gøtzsche PC, Vandenbroucke JP:
The Strengthening the Reporting of Observational Studies in Epidemiology (STROBE) statement. PLoS
Medicine 4(10), 2007, e296. Their names are shortened here.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext, ngettext

from surveys.models import Survey
from surveys.results.handover.fieldwork import Fieldwork
from surveys.results.overview import Overview
from surveys.results.reading import Reading
from surveys.wording.language.numbers import count_words


@dataclass(frozen=True)
class StrobeItem:
    """One item: its ``number`` and ``title``, what this report says, and what authors add.

    ``known`` is empty where the survey knows nothing of it, ``missing`` where nothing is left.
    """

    number: int
    title: str
    known: str = ""
    missing: str = ""


def strobe(fieldwork: Fieldwork, overview: Overview, reading: Reading) -> list[StrobeItem]:
    """The items, in their order, about one survey as it is read now."""
    parts = (*_introduction(fieldwork), *_methods(fieldwork, overview, reading))
    parts += (*_results(fieldwork, overview), *_discussion(fieldwork))
    return [StrobeItem(number, *part) for number, part in enumerate(parts, start=1)]


Part = tuple[str, str, str]  # title, what is known, what is missing


def _introduction(fieldwork: Fieldwork) -> Iterator[Part]:
    yield (
        gettext("Title and abstract"),
        gettext("“{title}” is a cross-sectional survey.").format(title=fieldwork.survey.title),
        gettext("State the study design in your title, and add the abstract."),
    )
    yield (
        gettext("Background"),
        "",
        gettext("What was known before, and why you asked."),
    )
    yield (
        gettext("Objectives"),
        "",
        gettext("Your questions and hypotheses, as they were before you saw any result."),
    )


def _methods(fieldwork: Fieldwork, overview: Overview, reading: Reading) -> Iterator[Part]:
    yield gettext("Study design"), " ".join(_design(fieldwork)), ""
    yield (
        gettext("Setting"),
        f"{fieldwork.period} {' '.join(fieldwork.mode)}",
        gettext("Places, and how people heard of the survey."),
    )
    yield (
        gettext("Participants"),
        fieldwork.people,
        gettext("Who was eligible, where the people came from, and how they were chosen."),
    )
    yield (
        gettext("Variables"),
        gettext(
            "“Results” shows each question as it was asked. The codebook contains the codes of "
            "the answers."
        ),
        gettext("Which questions are outcomes, exposures, predictors and confounders."),
    )
    yield (
        gettext("Data sources and measurement"),
        gettext(
            "All answers are what people say about themselves. “Results” names the design and the "
            "epsilon of each randomized question."
        ),
        gettext("How the questions were tested."),
    )
    yield gettext("Bias"), " ".join(_bias(fieldwork)), gettext("What else you did against bias.")
    yield (
        gettext("Study size"),
        _size(fieldwork.survey, overview),
        gettext("Other reasons for this number of responses, if any."),
    )
    yield (
        gettext("Quantitative variables"),
        gettext(
            "Means are computed from the numbers that people entered. Groups of numbers are "
            "used only in the charts."
        ),
        gettext("Groups that you formed, and why."),
    )
    yield (
        gettext("Statistical methods"),
        " ".join(_statistics(reading)),
        gettext("Your own weights, subgroups, adjustments and sensitivity analyses."),
    )


def _results(fieldwork: Fieldwork, overview: Overview) -> Iterator[Part]:
    numbers = [*fieldwork.answered, *list(fieldwork.rate_sentences)[:1], *fieldwork.drop_outs]
    yield (
        gettext("Numbers of participants"),
        " ".join(numbers),
        gettext("How many people were eligible; reasons for not taking part, if you know some."),
    )
    yield (
        gettext("Descriptive data"),
        gettext("“Results” states for each question how many people answered the question."),
        gettext("A table of your own with the questions that describe the respondents."),
    )
    yield (
        gettext("Outcome data"),
        gettext(
            "“Results” shows how often each answer was reported, next to the estimate for the "
            "answer."
        ),
        "",
    )
    yield (
        gettext("Main results"),
        " ".join(_main_results(overview)),
        gettext("Adjusted estimates, and what they are adjusted for."),
    )
    yield (
        gettext("Other analyses"),
        gettext("Comparisons of groups, weights and regressions are not in this report."),
        gettext("Subgroups, interactions and sensitivity analyses that you made."),
    )


def _discussion(fieldwork: Fieldwork) -> Iterator[Part]:
    yield gettext("Key results"), "", gettext("The answers to your questions.")
    yield (
        gettext("Limitations"),
        " ".join(_limitations(fieldwork)),
        gettext("Direction and size of other possible bias."),
    )
    yield (
        gettext("Interpretation"),
        "",
        gettext("What the results mean, compared with other evidence."),
    )
    yield (
        gettext("Generalisability"),
        gettext(
            "The intervals describe a population. They assume that the respondents are like a "
            "simple random sample from this population."
        ),
        gettext("To whom the results apply."),
    )
    yield (
        gettext("Funding"),
        "",
        gettext("Who paid for the study, and what role the funders had in the study."),
    )


def _design(fieldwork: Fieldwork) -> Iterator[str]:
    questionnaire = fieldwork.questionnaire
    count = len(questionnaire.items)
    yield ngettext(
        "Cross-sectional: {count} question ({randomized} randomized), asked of each person at "
        "most once.",
        "Cross-sectional: {count} questions ({randomized} randomized), each asked of a person at "
        "most once.",
        count,
    ).format(count=count_words(count), randomized=count_words(len(questionnaire.randomized)))
    if questionnaire.arms:
        arms = ", ".join(str(arm.text) for arm in questionnaire.arms)
        yield gettext("Chance put each person into one of these groups (arms): {arms}.").format(
            arms=arms
        )


def _bias(fieldwork: Fieldwork) -> Iterator[str]:
    if fieldwork.questionnaire.randomized:
        yield gettext(
            "Randomizing protects people, so they do not need to hide the truth. Randomizing does "
            "not ensure that all people answered truthfully."
        )
    yield gettext(
        "No interval includes the error that arises because some people chose not to answer."
    )


def _size(survey: Survey, overview: Overview) -> str:
    if not survey.planned_responses:
        return gettext("No number of responses was planned.")
    planned = ngettext(
        "{count} response was planned.", "{count} responses were planned.", survey.planned_responses
    ).format(count=count_words(survey.planned_responses))
    read = gettext("Planned looks at the results: {reading}.").format(
        reading=Survey.Reading(survey.planned_reading).label
    )
    return " ".join(filter(None, (planned, read, overview.planned)))


def _statistics(reading: Reading) -> Iterator[str]:
    yield gettext(
        "“How the numbers were made” describes how shares are estimated, and for which looks at "
        "the results the intervals are valid. Confidence level: {level}. Method for the "
        "intervals: {method}."
    ).format(level=reading.level_name, method=reading.method_name)
    yield gettext(
        "Rows without an answer to a question are left out of the results of this question. The "
        "results of the question state the number of these rows."
    )


def _main_results(overview: Overview) -> Iterator[str]:
    yield gettext(
        "Estimates with intervals are in “Results”. The estimates are neither adjusted nor "
        "weighted."
    )
    if overview.number:
        yield gettext("The widest interval of a share is ± {reach}, in question {number}.").format(
            reach=overview.reach, number=overview.number
        )


def _limitations(fieldwork: Fieldwork) -> Iterator[str]:
    if fieldwork.survey.state == Survey.State.OPEN:
        yield gettext("The survey is still open: these results are not final.")
    if fieldwork.questionnaire.randomized:
        yield gettext(
            "Randomized questions have wider intervals than the same questions asked directly."
        )
    if not fieldwork.questionnaire.invitation_only:
        yield gettext(
            "Respondents chose to take part themselves, and nothing prevents a person from "
            "answering twice."
        )
    if fieldwork.questionnaire.releases:
        yield gettext("Answers to direct questions are shown only in released tables.")
