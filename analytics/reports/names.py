"""Names of groups and answers that no author wrote, and paths of answers, in words."""

from django.utils.translation import gettext, ngettext

from analytics.kinds.tables.asked import NO_ANSWER
from analytics.sources.survey_answers import POOLED
from surveys.questionnaire.kinds.question import DECLINED_LABEL
from surveys.wording.language.messages import looked_up
from surveys.wording.language.numbers import grouped

GIVEN = {POOLED, NO_ANSWER, str(DECLINED_LABEL)}
_EARLIER = {"Other groups, pooled": POOLED}  # as reports of version 0.1.0 have it


def name_words(name: str) -> str:
    """The name of a group or an answer; an author's is as it was written."""
    name = _EARLIER.get(name, name)
    return looked_up(name) if name in GIVEN else name


def path_words(path: tuple[str, ...]) -> str:
    """The answers that lead to a node."""
    return gettext(" and ").join(path) or gettext("All people")


def splits_words(count: int) -> str:
    """How many questions a tree asks."""
    return ngettext(
        "This tree found {count} question that is related to the explained question.",
        "This tree found {count} questions that are related to the explained question.",
        count,
    ).format(count=grouped(count))
