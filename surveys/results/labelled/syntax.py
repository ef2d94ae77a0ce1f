"""LANGUAGES: the statistics programs for which a survey has a syntax file."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from surveys.results.labelled import r, spss, stata
from surveys.results.labelled.variables import Described


@dataclass(frozen=True)
class Language:
    """``lines`` writes the file, of what is in the file of codes and of what that is called.

    Its last argument says whether the file of codes has debiased columns; R and Stata look.
    """

    program: str
    lines: Callable[[Sequence[Described], str, bool], Iterator[str]]


# By the ending of the file.
LANGUAGES = {
    "R": Language("R", lambda questions, path, debiased: r.script(questions, path)),
    "do": Language("Stata", lambda questions, path, debiased: stata.script(questions, path)),
    "sps": Language(
        "SPSS", lambda questions, path, debiased: spss.script(questions, path, debiased=debiased)
    ),
}
