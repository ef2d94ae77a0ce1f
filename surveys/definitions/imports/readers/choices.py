"""What a list of options becomes: a choice, a yes or no, or nothing where it is too long."""

from surveys.definitions.definition import MOST_OPTIONS
from surveys.definitions.imports.entries import Entry, FormChoice
from surveys.definitions.imports.remarks import Remarks, Spot
from surveys.kinds.ranking.promise import MOST_RANKED
from surveys.kinds.ticks.promise import MOST_TICKS_OPTIONS
from surveys.randomized_response.messages import sentence

MOST = {
    "choice": MOST_OPTIONS,
    "scale": MOST_OPTIONS,
    "ticks": MOST_TICKS_OPTIONS,
    "rank": MOST_RANKED,
}
# "Yes" and "no" as the catalogues of respondents' pages have them.
YES_WORDS = frozenset(["yes", "ja", "oui", "sí", "si", "نعم"])
NO_WORDS = frozenset(["no", "nein", "non", "لا"])


def has_fitting_options(entry: Entry, remarks: Remarks, spot: Spot, text: str) -> bool:
    """Whether an entry has as many options as its kind takes; notes that it is left out if not."""
    count, most = len(entry.options), MOST[entry.kind]
    if 2 <= count <= most:
        return True
    remarks.left_out(
        spot,
        text,
        sentence(
            "The question is left out: it needs 2 to {most} options, but has {count}.",
            count=count,
            most=most,
        ),
        sentence("Change the number of options, or divide the question into several questions."),
    )
    return False


def make_yes_no(entry: Entry, remarks: Remarks, spot: Spot) -> None:
    """Turn a choice of yes and no, in the words of a language, into the kind that is called so."""
    if entry.kind != "choice" or len(entry.options) != 2:
        return
    for yes, no in (entry.options, entry.options[::-1]):
        if _says(yes, YES_WORDS) and _says(no, NO_WORDS):
            entry.kind, entry.options = "yes_no", []
            entry.yes_and_no = (yes.value, no.value)
            remarks.changed(
                spot,
                f"{yes.value}, {no.value}",
                sentence(
                    "The question becomes a yes-or-no question with the values “yes” and “no”."
                ),
                sentence("Use the values “yes” and “no” in programs that read the data."),
            )
            return


def _says(choice: FormChoice, words: frozenset[str]) -> bool:
    texts = {text.strip().strip(".!").casefold() for text in choice.texts.values() if text.strip()}
    return bool(texts) and texts <= words
