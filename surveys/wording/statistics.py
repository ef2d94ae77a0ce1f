"""said: what the statistics package says of its results, in the language of the page.

That package knows no language but English and needs no Django, so its sentences are known here by
their words: ``tests/surveys/wording/test_statistics.py`` holds that no note is missing. Which of
them stand on a page, is for the pages to say; a refusal that no page can cause stays English.
"""

import re
from functools import lru_cache

from django.utils.translation import gettext_noop

from surveys.wording.language.messages import looked_up, shape_of
from surveys.wording.language.numbers import localized

NOTES = (
    gettext_noop(
        "The normal (Wald) interval is undefined when there is one answer or all answers agree; "
        "this is the Clopper-Pearson interval."
    ),
    gettext_noop(
        "Where all answers agree the estimated variance is 0, which is no certainty: go by the "
        "interval, not by the standard error."
    ),
    gettext_noop("Profile likelihood with a calibrated limit: approximate."),
    gettext_noop("Guaranteed box: Bonferroni intervals for all reported levels, combined."),
    gettext_noop(
        "These reports are improbable under the design: the interval misses the possible range."
    ),
    gettext_noop("This share is known in advance."),
    gettext_noop("Variance bounded by the range of the scores, so the guarantee holds."),
    gettext_noop("A bet against each mean: valid however often one looks."),
    gettext_noop(
        "Each mean tested under its most likely law within the range: approximate, for one look."
    ),
    gettext_noop("Both groups' martingales together: valid however often one looks."),
    gettext_noop("The options compared may have a share of 0, so every value is possible."),
    gettext_noop("No share from 0 to 1 is excluded."),
    gettext_noop("Fieller's method: approximate, it uses the estimated covariance."),
    gettext_noop("Fieller's method is undefined here; this is the guaranteed box."),
    gettext_noop(
        "Guaranteed for all shares together: Bonferroni intervals for both groups, combined."
    ),
    gettext_noop(
        "Not identified: the part of the population that this share is a share of may be empty."
    ),
    gettext_noop("Hybrid score interval of both groups: approximate."),
    gettext_noop("Both groups' intervals at half the failure probability, subtracted: guaranteed."),
    gettext_noop("Both groups' intervals at half the failure probability, subtracted."),
    gettext_noop("Delta method: approximate, it uses the estimated covariance."),
    gettext_noop("Newcombe's hybrid score interval: approximate."),
    gettext_noop("One of the groups may be empty, so every difference is possible."),
    gettext_noop("No difference from -1 to 1 is excluded."),
    gettext_noop("Welch's interval: approximate, for one look."),
    gettext_noop(
        "All reports of one side agree, so guaranteed intervals of both means are subtracted."
    ),
    gettext_noop("Score test, both groups' shares fitted: approximate."),
    gettext_noop("Bonferroni over {options} options: each at {each}, together {level}."),
    gettext_noop(
        "By the linearised variance these {n} answers are worth {effective} independent ones."
    ),
    gettext_noop(
        "The linearised variance is 0, which is no certainty: the interval is that of {effective} "
        "independent answers of {n} (Kish)."
    ),
    gettext_noop(
        "One answer decides the linearised variance: the interval is that of {effective} "
        "independent answers of {n} (Kish)."
    ),
    gettext_noop("Sampling units less strata: {df} degrees of freedom."),
    gettext_noop(
        "The normal (Wald) interval is undefined where the linearised variance is 0 or missing; "
        "this is Korn and Graubard's interval."
    ),
    gettext_noop("The intervals of the groups, combined by square-and-add: approximate."),
    gettext_noop("{count} of {n} answers have a weight of 0 and do not count."),
    gettext_noop(
        "One answer carries {share} of all weight and decides the estimate: the standard error is "
        "not to be trusted. Trim the weights or look at that answer."
    ),
)
ASSUMPTIONS = (
    gettext_noop("The mean among these n people; only the randomizing adds error."),
    gettext_noop("The shares among these n people; only the randomizing adds error."),
    gettext_noop(
        "The mean among all who take part, asked or not; the randomizing and the draw of who is "
        "asked add error."
    ),
    gettext_noop(
        "The shares among all who take part, asked or not; the randomizing and the draw of who is "
        "asked add error."
    ),
    gettext_noop("The mean in an unlimited population; people are a simple random sample of it."),
    gettext_noop("The shares in an unlimited population; people are a simple random sample of it."),
    gettext_noop(
        "The mean in a population of {size}; people are a simple random sample of it, drawn "
        "without replacement."
    ),
    gettext_noop(
        "The shares in a population of {size}; people are a simple random sample of it, drawn "
        "without replacement."
    ),
    gettext_noop(
        "Chebyshev's inequality at the largest variance: guaranteed for every true share."
    ),
    gettext_noop(
        "Hoeffding's inequality from the range of the reports: guaranteed, and not reduced for a "
        "finite population."
    ),
    gettext_noop("Normal approximation at the largest variance: not guaranteed."),
    gettext_noop(
        "Half the width of the Clopper-Pearson interval at the worst count, for this n and every "
        "larger one; not reduced for these n people or a finite population."
    ),
)
DESIGNS = (
    gettext_noop("Two coins"),
    gettext_noop("Forced response"),
    gettext_noop("Forced response with options"),
    gettext_noop("Forced response, equal chances"),
    gettext_noop("k-ary"),
    gettext_noop("k-ary response"),
    gettext_noop("Optimised scale"),
    gettext_noop("Unrelated question"),
    gettext_noop("Crosswise"),
    gettext_noop("Direct"),
    gettext_noop("Rounded number"),
    gettext_noop("Subset selection"),
    gettext_noop("Optimised unary encoding"),
    gettext_noop("Symmetric unary encoding"),
    gettext_noop("Kuk, one card"),
    gettext_noop("Kuk, two cards"),
)
REFUSALS = (
    gettext_noop("{argument} = {value} cannot be used: {remedy}"),
    gettext_noop("combine at most {count} combinations of levels; take fewer questions"),
    gettext_noop(
        "the reports are as if none, or all, were a yes, so the intercept is infinite: estimate "
        "the prevalence instead, or collect more answers"
    ),
    gettext_noop(
        "its coefficient grows without end (a group in which the share is 0 or 1): drop it, merge "
        "its rare groups, or collect more answers"
    ),
    gettext_noop("the likelihood did not settle: drop this column, or use another link"),
    gettext_noop("{count} coefficients need at least as many answers; there are {n}"),
    gettext_noop("use another unit of measurement"),
    gettext_noop("it is 0 for all people: drop it"),
    gettext_noop("it is the same for all people, like the intercept: drop it"),
    gettext_noop("{columns} determine it: drop it or one of them"),
    gettext_noop("this name is taken: give another one"),
    gettext_noop("no one of this group answered: merge groups"),
    gettext_noop("give a value above {least} and of at most {most}, such as 1.1 (ln 3)"),
    gettext_noop("give a value above {least}"),
    gettext_noop("give a number above {least}, at most {most}"),
    gettext_noop("at 1/2 a report says nothing: use another value, e.g. 3/4"),
    gettext_noop("at 1/2 a report says nothing: choose a rarer harmless item, e.g. 1/4"),
    gettext_noop("leave some probability for the truth, e.g. 1/4 and 1/4"),
    gettext_noop("their sum must leave some probability for the truth"),
    gettext_noop("the sensitive question must be asked sometimes, e.g. with probability 0.7"),
    gettext_noop("the unrelated question must have some yes and some no answers"),
    gettext_noop("a mean has no exact law here: plan by chebyshev, hoeffding or normal"),
    gettext_noop("the population has only {size} people"),
    gettext_noop("this bound knows only the range of the reports: use Meaning.POPULATION"),
    gettext_noop("with Meaning.RESPONDENTS the respondents are the population: leave it out"),
    gettext_noop(
        "even all {size} people are too few: allow a larger error, a larger failure probability or "
        "a less private design"
    ),
    gettext_noop("this needs more than 10^9 people: allow a larger error"),
    gettext_noop("this needs more than 10^9 people: look for a larger difference"),
    gettext_noop("nothing is to be detected: choose a share that differs from the hypothesis"),
    gettext_noop("reports of this option are not a share + b: use power_one_sample"),
    gettext_noop("give a budget from {least} to {most}, such as 2"),
    gettext_noop("give {least} to {most} questions"),
    gettext_noop("give at most 10^9 people"),
    gettext_noop("simulate at most {most} respondents"),
    gettext_noop("inattentive and cheating respondents together are at most all of them"),
    gettext_noop(
        "in some of these surveys no person is asked every question: simulate more people"
    ),
    gettext_noop("with these questions, ask for at most {most} runs"),
    gettext_noop("give a difference above 0 and at most 1"),
    gettext_noop(
        "no share is that far from an assumed one of {share} %: give a difference of at most half "
        "of all people (50 percentage points)"
    ),
    gettext_noop("this group needs a known population size"),
    gettext_noop("a weight is finite and above 0: leave out people who stand for no one"),
    gettext_noop("this person has more than half of all the weight: trim it"),
)
DIGITS = re.compile(r"[0-9][0-9.,]*%?")
Sentence = tuple[str, dict[str, str]]


def _pattern(text: str) -> re.Pattern[str]:
    """What the text matches, with a group for each name in braces."""
    end = "(?: |$)" if text.endswith(".") else "$"  # a refusal is the last part of its sentence
    return re.compile(shape_of(text, end))


_KNOWN = tuple((text, _pattern(text)) for text in (*NOTES, *ASSUMPTIONS, *REFUSALS, *DESIGNS))


def said(text: str) -> str:
    """Sentences of the statistics package in the language that is active; others as they are."""
    return " ".join(
        looked_up(pattern, **{name: _shown(part) for name, part in values.items()})
        if pattern
        else values["text"]
        for pattern, values in _sentences(text)
    )


def _shown(part: str) -> str:
    return localized(part) if DIGITS.fullmatch(part) else said(part)


@lru_cache(maxsize=1024)
def _sentences(text: str) -> tuple[Sentence, ...]:
    """The known sentences of a text with their values; from the first unknown one on, the rest."""
    found: list[Sentence] = []
    while text:
        matches = ((known, pattern.match(text)) for known, pattern in _KNOWN)
        known, match = next((one for one in matches if one[1]), ("", None))
        found.append((known, match.groupdict() if match else {"text": text}))
        text = text[match.end() :] if match else ""
    return tuple(found)


def design_words(label: str) -> str:
    """A design with its parameters, as "Two coins (options = 2)", whose names are those of Python.

    Only its name is said in the language that is active.
    """
    name, bracket, parameters = label.partition(" (")
    return f"{said(name)}{bracket}{parameters}"


def is_known(text: str) -> bool:
    """Whether each sentence of a text is known here."""
    return all(pattern for pattern, _ in _sentences(text))
