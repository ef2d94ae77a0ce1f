"""The texts of a deposit: why it has no rows, what its files hold, README.md and CITATION.cff."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext

from surveys import PROGRAM
from surveys.models import Revision, Survey
from surveys.models.queries import awaits_openings, questionnaire_of
from surveys.questionnaire.document import (
    Questionnaire,
    may_publish_rows,
    plain_introduction,
    sent_as_given,
    shows_coins,
)
from surveys.results.deposit.licences import Licence
from surveys.results.handover.markdown import escaped
from surveys.results.labelled.shortening import one_line
from surveys.wording import odds
from surveys.wording.protection import publishing_line, question_numbers, total_odds

# Scripts are no data: the owner's licence, which may be one for data alone, is not theirs.
SCRIPTS_LICENCE = "`figures.py` and `figures.R` are Apache-2.0, by the Deniable contributors."
README, ROWS, FIGURES, SUMS = "README.md", "responses.csv", "figures.json", "SHA256SUMS"


@dataclass(frozen=True)
class Held:
    """A file of a deposit, and what it holds, in words."""

    name: str
    words: str


def why_no_rows(revision: Revision) -> str:
    """Why a deposit of this survey has no row of an answer; empty where it has rows."""
    questionnaire = questionnaire_of(revision)
    if may_publish_rows(questionnaire):
        return _why_not_yet(revision)
    if not questionnaire.randomized:
        return gettext(
            "The deposit contains no rows of answers, because no question of this survey is "
            "randomized."
        )
    if direct := sent_as_given(questionnaire):
        return gettext(
            "The deposit contains no rows of answers. Rows would show the answers to some "
            "questions exactly as people gave them, because these questions are not randomized: "
            "{questions}."
        ).format(questions=question_numbers(direct))
    if shows_coins(questionnaire):
        return gettext(
            "The deposit contains no rows of answers. Each row would show which questions have no "
            "answer, and therefore who flipped their own coin."
        )
    if questionnaire.publish_rows:
        return gettext(
            "The deposit contains no rows of answers, because respondents were promised that no "
            "one learns who took part."
        )
    return gettext(
        "The deposit contains no rows of answers. Before the launch, no one chose to publish "
        "rows, so respondents did not read that rows may be published."
    )


def _why_not_yet(revision: Revision) -> str:
    """Rows of before and after the last opening differ by those that came between."""
    if revision.survey.state == Survey.State.CLOSED and not awaits_openings(revision.pk):
        return ""
    return gettext(
        "The deposit contains no rows of answers yet. It will contain rows once the survey is "
        "closed and all answers are opened."
    )


def never_words(questionnaire: Questionnaire) -> str:
    """What no deposit has."""
    words = gettext(
        "A deposit never contains direct answers, weights made from direct answers, or texts."
    )
    if not questionnaire.tally:
        return words
    locked = gettext(
        "Of answers that were counted while locked, the deposit contains only the opened totals."
    )
    return f"{words} {locked}"


def promises(questionnaire: Questionnaire) -> Iterator[str]:
    """How far all answers of a person together are protected, as respondents read it."""
    yield gettext("All answers of one person together: {odds}.").format(
        odds=odds.total_words(questionnaire)
    )
    yield from filter(None, (total_odds(questionnaire), publishing_line(questionnaire)))


def readme(revision: Revision, licence: Licence, files: Iterable[Held]) -> str:
    """What the deposit is, what each file holds, and how the figures are reproduced."""
    questionnaire, why = questionnaire_of(revision), why_no_rows(revision)
    named = {one.name: one.words for one in files}
    named[SUMS] = f"digests of all other files, which `sha256sum -c {SUMS}` checks"
    parts = [
        f"# {escaped(questionnaire.title)}",
        f"A deposit of a survey by {escaped(questionnaire.organisation)}, made with {PROGRAM}.",
        escaped(plain_introduction(questionnaire)),
        "## How answers are protected",
        *promises(questionnaire),
        "## Files",
        "\n".join(f"- `{name}`: {words}" for name, words in named.items()),
        "## Rows of answers",
        why or _how_to_read(),
        never_words(questionnaire),
        "## How to reproduce the figures",
        _without_rows() if why else _how_to_reproduce(questionnaire),
        "## Licence and citation",
        f"{licence.name} ({licence.spdx}), see LICENSE. CITATION.cff says how to cite it.",
        *([] if why else [SCRIPTS_LICENCE]),
    ]
    return "\n\n".join(parts) + "\n"


def _how_to_read() -> str:
    return (
        f"`{ROWS}` has a row for each person, in the order of random keys. Every answer in it is a "
        "report that chance may have changed: columns whose names end in `_rep` are not true "
        "answers, and their means are no estimates. The columns behind them have estimates for "
        "their means. `codebook.md` says which is which."
    )


def _how_to_reproduce(questionnaire: Questionnaire) -> str:
    words = (
        "```sh\npython figures.py\nRscript figures.R\n```\n\n"
        f"Each script works every figure of `{FIGURES}` out from `{ROWS}`, prints it beside the "
        "one on the survey's page of results, and ends with an error if two differ. "
        "`figures.py` needs Python 3.9 alone, `figures.R` the package jsonlite. Intervals, which "
        "are made by several methods, are in `codebook.md`."
    )
    if any(item.known_yes is not None for item in questionnaire.items):
        words += (
            " What an anchor corrects is among them, with standard errors by linearisation; the "
            "intervals that the page gives for it are in none of these files."
        )
    if questionnaire.numbered.ratings:
        words += " Orders of rated items are none of these figures."
    return words


def _without_rows() -> str:
    return (
        "Without rows the estimates of single questions cannot be worked out anew from this "
        "deposit: the codebooks describe columns that are not in it. Releases and opened totals, "
        "where there are some, have their margins and how they were made with them."
    )


def citation_file(questionnaire: Questionnaire, licence: Licence) -> str:
    """CITATION.cff, format 1.2.0; an archive adds its date and its identifier."""
    lines = {
        "cff-version": "1.2.0",
        "message": "If you use these data, please cite them.",
        "type": "dataset",
        "title": one_line(questionnaire.title),
        "license": licence.spdx,
    }
    named = [f"{name}: {_quoted(text)}" for name, text in lines.items()]
    author = _quoted(one_line(questionnaire.organisation))
    return "\n".join([*named, "authors:", f"  - name: {author}"]) + "\n"


def _quoted(text: str) -> str:
    """A text of YAML: it reads what JSON writes."""
    return json.dumps(text, ensure_ascii=False)
