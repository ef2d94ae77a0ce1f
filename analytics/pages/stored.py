"""What workers store of a report in English, in the language of a page: stages, notes, refusals.

A report is made once and read in any language, so its words are stored as they are made; a page
finds their pattern here. What no pattern fits is shown as it is stored.
"""

import re
from collections.abc import Sequence

from analytics.kinds.tables import sentences as of_tables
from analytics.pages.answers import sentences
from surveys.questionnaire.messages import Message, for_author
from surveys.randomized_response.errors import StatisticsError
from surveys.wording.language.messages import NUMBER, form_of, said_by, translated
from surveys.wording.language.numbers import localized

STAGES = (
    for_author("Started"),
    for_author("Adding noise"),
    for_author("Asking people it has not seen"),
    for_author("Clustering respondents"),
    for_author("Clustering words"),
    for_author("Comparing clouds"),
    for_author("Comparing groups"),
    for_author("Counting answers"),
    for_author("Counting pairs"),
    for_author("Counting respondents"),
    for_author("Counting respondents by topic"),
    for_author("Counting words"),
    for_author("Drawing noise"),
    for_author("Factorising, start {number} of {starts}"),
    for_author("Finding singular values"),
    for_author("Finding topics"),
    for_author("Growing the tree"),
    for_author("Iteration {number} of {count}"),
    for_author("Reading answers"),
    for_author("Reading texts"),
    for_author("Refining topics"),
    for_author("Weighing words"),
)
NOTES = (
    for_author("Internal: this report is not private and must not be published."),
    for_author("{asked} topics were asked for; these answers give {topics}."),
    for_author("{silent} respondents wrote none of the topics' words and are in no topic."),
    for_author(
        "{asked} topics were asked for; this report has {topics}: at this epsilon the data "
        "supports no more. More respondents, or a larger share of the budget, may show more."
    ),
    for_author(
        "{asked} topics were asked for; this report has {topics}: only {words} words are frequent "
        "enough to be told at this epsilon, and a topic needs {needed}."
    ),
    for_author(
        "One more topic was found whose words coincide with another's, and put together with it."
    ),
    for_author(
        "{count} more topics were found whose words coincide with another's, and put together with "
        "it."
    ),
    for_author(
        "The published method, {iterations} iterations, with everything charged that it looks at. "
        "It gives neither noise of loadings nor sizes of topics: nothing in it tells which words "
        "are noise."
    ),
    for_author(
        "{asked} singular values were asked for; {count} stand out from the noise at this epsilon."
    ),
    for_author(
        "No word was written by enough respondents to be told at this epsilon. What the report "
        "cost is spent: to refuse here would have told something unpaid."
    ),
    for_author(
        "{faint} of {shown} words shown have a loading within two standard deviations of the "
        "noise: they may stand there by chance. Topics with {least} words that stand out show no "
        "other."
    ),
    for_author(
        "private: computed from the released, noisy co-occurrences of words, which costs nothing "
        "more. It orders the topics of one report; its level cannot be compared with other reports."
    ),
    for_author("none: this kind releases no co-occurrences of words to compute it from."),
    for_author(
        "exact: shares of respondents who wrote both words. It is not private, like the whole "
        "report."
    ),
)
CHARGED = (
    for_author("How many wrote each word"),
    for_author("Which words occur together"),
    for_author("How well topics fit the texts"),
    for_author("Iteration {number} of {count}: how well topics fit the texts"),
    for_author("How many wrote mainly about each topic"),
)
PROBLEMS = (
    for_author(
        "Something unexpected went wrong. Repeat the report; if it fails again, show your operator "
        "this: {failure}"
    ),
    for_author("The answers were erased before the report was stored."),
    for_author("No text to this question is stored any more."),
    for_author(
        "The worker ended while it made this report, {runs} times in all. Ask your operator "
        "whether the machine ran out of memory, then repeat it."
    ),
)
REFUSED = for_author("{argument} = {value} cannot be used: {remedy}")
VALUES = (*sentences.VALUES, *of_tables.VALUES)
KNOWN = (*STAGES, *NOTES, *CHARGED, *PROBLEMS, *sentences.ALL, *of_tables.REMEDIES, REFUSED)
QUOTED = re.compile(r"(['\"]).*\1", re.DOTALL)  # as an error shows a text that was given
WRITTEN = {"name", "names", "title"}  # by authors: a number in there is no number of ours


def stored_words(stored: str) -> str:
    """A stored sentence in the language that is active."""
    return _known_words(stored, KNOWN)


def refusal_words(problem: Exception) -> str:
    """Why something was refused, in the language that is active: said as it is now, or stored."""
    said = problem.remedy if isinstance(problem, StatisticsError) else problem.args[0]
    return said_by(problem) if isinstance(said, Message) else stored_words(str(problem))


def _known_words(stored: str, known: Sequence[Message]) -> str:
    for message in known:
        if found := form_of(message).fullmatch(stored):
            values = {name: _value(name, value) for name, value in found.groupdict().items()}
            return translated(message.format(**values) if values else message)
    return stored


def _value(name: str, value: str) -> str:
    """A value within a stored sentence: another one, a number with its point or comma, a name."""
    if name == "remedy":
        return stored_words(value)
    if name == "value":
        quote = value[:1] if QUOTED.fullmatch(value) else ""
        parts = value.strip(quote).split("; ") if quote else [value]
        return quote + "; ".join(_known_words(one, VALUES) for one in parts) + quote
    is_number = name not in WRITTEN and NUMBER.fullmatch(value)
    return localized(value) if is_number else value
