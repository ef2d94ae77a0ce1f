"""The groups of a question's form, and the fields that its survey does not use."""

from collections.abc import Iterable, Iterator

from django.utils.translation import gettext_lazy

from surveys.authoring.grouping.groups import Group, filled_in
from surveys.collecting.scripts import can_count
from surveys.models import Question, Survey

ORDER = Group(
    "order",
    gettext_lazy("Sections, screens and random order"),
    gettext_lazy("Begin a section, show questions on one screen, or let chance decide the order."),
    gettext_lazy(
        "If you change nothing, the question has a screen of its own and belongs to the same "
        "section as the question before. All questions and answers keep your order."
    ),
    (
        "random_options",
        *("section", "section_text", "section_rule", "section_shape"),
        *("random_screens", "random_section"),
        "same_screen",
    ),
)
ANCHOR = Group(
    "anchor",
    gettext_lazy("Anchor"),
    gettext_lazy(
        "Use a question with a known share of Yes to find out how many people answer attentively."
    ),
    gettext_lazy("If you change nothing, this question is not an anchor."),
    ("known_share",),
)
RULE = Group(
    "rule",
    gettext_lazy("How conditions are read"),
    gettext_lazy(
        "Choose how several conditions are combined, and what is sent if a protected answer "
        "decides whether the question is asked."
    ),
    gettext_lazy(
        "If you change nothing, all conditions must be met. A question that depends on a "
        "protected answer is sent together with the protected question as one answer."
    ),
    ("rule_joins", "behind", "rule_text", "rule_shape"),
)
FILES = Group(
    "files",
    gettext_lazy("Name in files"),
    gettext_lazy("Choose the name of this question in files, in the codebook and in commands."),
    gettext_lazy(
        "If you change nothing, the name is made from the number of the question, such as q003."
    ),
    ("name",),
)
GROUPS = (ORDER, ANCHOR, RULE, FILES)
# Of what the survey's page switches on.
SWITCHED_ON = frozenset({"arms", "counted_table"})


def left_off(survey: Survey | None, question: Question | None) -> frozenset[str]:
    """Fields that the form of this question does not have; a value that is stored stays on it.

    Of a survey that is not chosen yet it is not known what it uses.
    """
    return frozenset(
        name for name in _unused(survey) if question is None or not getattr(question, name)
    )


def needed_fields(survey: Survey | None, question: Question) -> frozenset[str]:
    """The fields whose group is open: those that this or another question of the survey uses."""
    others: Iterable[Question] = survey.questions.exclude(pk=question.pk) if survey else ()
    return filled_in(question).union(*map(filled_in, others))


def _unused(survey: Survey | None) -> Iterator[str]:
    """Without the file that locks answers no page can count them locked."""
    yield "unfinished"  # which an import sets, and an author only removes
    if not can_count() or (survey is not None and not survey.locked_tables.exists()):
        yield "counted_table"
    if survey is not None and not survey.arms.strip():
        yield "arms"
