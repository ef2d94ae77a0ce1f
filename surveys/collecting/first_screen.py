"""How much respondents read before Start: on a long page, another Start stands above it."""

from collections.abc import Mapping

from surveys.questionnaire.document import Questionnaire
from surveys.wording.protection import OddsLine

# Characters beyond which the last Start is out of sight at 1,280 by 800 pixels: beside the table of
# who can learn an answer, and in the one column of a survey without it.
ROOM_BESIDE, ROOM_BELOW = 490, 380
CODE = 250  # what the field for an invitation's code takes up, as characters
LINE = 60  # of one that ends early
# What the first screen shows of a page's context, beside the odds of a question.
LINES = (
    "asked_words",
    "learning_note",
    "direct_questions",
    "total_odds",
    "publishing_line",
    "opening_summary",
    "text_readers",
)


def is_long(
    questionnaire: Questionnaire, shown: Mapping[str, object], odds: OddsLine | None
) -> bool:
    """Whether what the first screen shows, the ``LINES`` and the odds, pushes its Start down."""
    sentences = odds.sentences if odds else ()
    texts = [questionnaire.introduction, *(str(shown[line]) for line in LINES), *sentences]
    ended = LINE * questionnaire.introduction.count("\n")
    room = ROOM_BESIDE if questionnaire.randomized else ROOM_BELOW
    return sum(map(len, texts)) + ended + CODE * questionnaire.invitation_only > room
