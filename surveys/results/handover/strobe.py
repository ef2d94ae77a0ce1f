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
        gettext("The design in your own title; the abstract."),
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
        gettext("Who was eligible, the source of the people, and how they were chosen."),
    )
    yield (
        gettext("Variables"),
        gettext("“Results” has each question as it was asked; the codebook has its codes."),
        gettext("Which questions are outcomes, exposures, predictors and confounders."),
    )
    yield (
        gettext("Data sources and measurement"),
        gettext(
            "All answers are what people say of themselves. “Results” names the design and the "
            "epsilon of each randomized question."
        ),
        gettext("How the questions were tested."),
    )
    yield gettext("Bias"), " ".join(_bias(fieldwork)), gettext("What else you did against bias.")
    yield (
        gettext("Study size"),
        _size(fieldwork.survey, overview),
        gettext("Why this number, if it has other reasons."),
    )
    yield (
        gettext("Quantitative variables"),
        gettext("Means use numbers as they came. The groups of a picture are for it alone."),
        gettext("Groups that you formed, and why."),
    )
    yield (
        gettext("Statistical methods"),
        " ".join(_statistics(reading)),
        gettext("Weights, subgroups, adjustments and sensitivity analyses of your own."),
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
        gettext("“Results” says for each question how many answered it."),
        gettext("Which questions describe the people, in a table of your own."),
    )
    yield (
        gettext("Outcome data"),
        gettext("“Results” counts each answer as it was reported, beside its estimate."),
        "",
    )
    yield (
        gettext("Main results"),
        " ".join(_main_results(overview)),
        gettext("Adjusted estimates, and for what they are adjusted."),
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
    yield gettext("Interpretation"), "", gettext("What the results mean, beside other evidence.")
    yield (
        gettext("Generalisability"),
        gettext(
            "Intervals are about those from whom the respondents come like a simple random sample."
        ),
        gettext("To whom the results apply."),
    )
    yield gettext("Funding"), "", gettext("Who paid for the study, and what part they had in it.")


def _design(fieldwork: Fieldwork) -> Iterator[str]:
    questionnaire = fieldwork.questionnaire
    count = len(questionnaire.items)
    yield ngettext(
        "Cross-sectional: {count} question, asked of a person at most once, {randomized} of them "
        "randomized.",
        "Cross-sectional: {count} questions, each asked of a person at most once, {randomized} of "
        "them randomized.",
        count,
    ).format(count=count_words(count), randomized=count_words(len(questionnaire.randomized)))
    if questionnaire.arms:
        arms = ", ".join(str(arm.text) for arm in questionnaire.arms)
        yield gettext("Chance put each person into one arm: {arms}.").format(arms=arms)


def _bias(fieldwork: Fieldwork) -> Iterator[str]:
    if fieldwork.questionnaire.randomized:
        yield gettext(
            "Randomizing protects people, so that they need not hide the truth. It does not make "
            "sure that all told it."
        )
    yield gettext("An interval does not know who chose not to answer.")


def _size(survey: Survey, overview: Overview) -> str:
    if not survey.planned_responses:
        return gettext("No number was planned.")
    planned = ngettext(
        "{count} response was planned.", "{count} responses were planned.", survey.planned_responses
    ).format(count=count_words(survey.planned_responses))
    read = gettext("Results are read {reading}.").format(
        reading=Survey.Reading(survey.planned_reading).label
    )
    return " ".join(filter(None, (planned, read, overview.planned)))


def _statistics(reading: Reading) -> Iterator[str]:
    yield gettext(
        "“How the numbers were made” says how shares are estimated, and for which looks intervals "
        "hold: {level}, {method}."
    ).format(level=reading.level_name, method=reading.method_name)
    yield gettext("Rows without an answer to a question are left out of it, and counted there.")


def _main_results(overview: Overview) -> Iterator[str]:
    yield gettext("Estimates with intervals are in “Results”. None is adjusted or weighted.")
    if overview.number:
        yield gettext("The widest interval of a share is ± {reach}, in question {number}.").format(
            reach=overview.reach, number=overview.number
        )


def _limitations(fieldwork: Fieldwork) -> Iterator[str]:
    if fieldwork.survey.state == Survey.State.OPEN:
        yield gettext("The survey is open: these results are not final.")
    if fieldwork.questionnaire.randomized:
        yield gettext("Randomized questions have wider intervals than the same asked directly.")
    if not fieldwork.questionnaire.invitation_only:
        yield gettext("People chose themselves, and nothing keeps a person from answering twice.")
    if fieldwork.questionnaire.releases:
        yield gettext("Answers to direct questions are shown as released tables alone.")
