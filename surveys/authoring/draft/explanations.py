"""An author's own explanations: what is wrong with one, and reasons against launching with it."""

from collections.abc import Iterator, Mapping

from surveys.authoring.draft.reasons import Reason
from surveys.definitions.documents import is_storable
from surveys.models import Survey
from surveys.randomized_response.messages import Message, sentence
from surveys.wording.language.explanations import EXPLANATIONS, Explained


def tidied(texts: Mapping[str, str]) -> dict[str, str]:
    """Texts without empty ones, each with one kind of line end and no blanks around it."""
    lines = {name: "\n".join(text.splitlines()).strip() for name, text in texts.items()}
    return {name: text for name, text in lines.items() if text}


def explanation_problem(name: str, text: str) -> Message | None:
    """Why a text cannot stand in the place of the explanation with this name."""
    explained = EXPLANATIONS.get(name)
    if explained is None:
        return sentence(
            "No explanation that a survey can replace is called “{name}”. Check this name.",
            name=name,
        )
    if not is_storable(text):
        return sentence(
            "The text contains a character that cannot be stored. Remove this character."
        )
    if len(text) > explained.longest:
        return sentence(
            "The text has {count} characters. Shorten the text to {most} characters.",
            most=explained.longest,
            count=len(text),
        )
    if explained.is_line and "\n" in text:
        return sentence(
            "The page shows this explanation within a single line. Remove the line breaks."
        )
    if missing := _missing(explained, text):
        return sentence(
            "Your text must contain {names}. The page shows a number or a date in place of "
            "{names}.",
            names=missing,
        )
    return None


def explanation_reasons(survey: Survey) -> Iterator[str]:
    """Why a survey cannot be launched with its explanations, in the language that they are in."""
    for name, text in survey.explanations.items():
        if problem := explanation_problem(name, text):
            words = sentence("Your explanation “{text}”: {why}", text=text[:60], why=problem)
            yield Reason(words, "explanations")


def _missing(explained: Explained, text: str) -> str:
    """The values that a text does not name, as it has to write them."""
    return ", ".join(f"{{{name}}}" for name in explained.values if f"{{{name}}}" not in text)
