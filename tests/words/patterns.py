"""Patterns of sentences that had to be read twice, each with what to write instead."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Pattern:
    """What a text should not say, and how it is said."""

    found: re.Pattern[str]
    instead: str


def _pattern(found: str, instead: str) -> Pattern:
    return Pattern(re.compile(rf"\b(?:{found})\b", re.IGNORECASE), instead)


PATTERNS = (
    _pattern("whoever(?! you)|whomever", "Name who does it: “someone who …”, “people who …”."),
    _pattern(
        "of whom|those who|those of whom",
        "Name the people: “people who answered Yes to question 4”.",
    ),
    _pattern("of which|out of which", "Make two sentences, and name the thing again."),
    _pattern("whatever(?! you)", "Say what it is: “any answer”, “all answers”."),
    _pattern(
        "somebody|everybody", "Say who: “someone who sees it”, “all people who have the link”."
    ),
    _pattern("parted|parts them", "Write “separate” or “split”."),
    _pattern(
        "tells|tell that|told (?:that|of|by)|is told|are told",
        "Write “shows”, “says”, “reveals”; a person tells, and a page or a number does not.",
    ),
    _pattern(
        "is meant|are meant|whose share", "Write what it is: “describes”, “whom … describes”."
    ),
    _pattern("so many|so much", "Write the number: “up to 10 topics”, “with 1,574 answers”."),
    _pattern("responses? reach", "Write what is needed: “the plan needs 1,465 more responses”."),
    _pattern("in company|hangs? on", "Write “together with others”, “depends on”."),
    Pattern(
        re.compile(r"(?:^|[.!?:;] )Who (?!is|was|has|asks)[a-z]+s\b[^?]*[.;]"),
        "Begin with a person: “Someone who reads the database can …”.",
    ),
)
