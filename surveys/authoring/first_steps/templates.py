"""Three surveys to begin with: a share of people, a course with ratings, a workplace with texts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from surveys.models import Question

Words = str | Promise  # said in the language of who begins with it
KINDS, DESIGNS = Question.Kind, Question.Design


@dataclass(frozen=True)
class TemplateQuestion:
    """A question of a template; ``items`` are those of the catalogue that it has rated."""

    kind: Question.Kind
    text: Words
    design: Question.Design
    options: tuple[Words, ...] = ()
    items: tuple[Words, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Template:
    """A survey to begin with; ``about`` says to its author what it is for."""

    key: str
    title: Words
    about: Words
    introduction: Words
    questions: tuple[TemplateQuestion, ...]
    fields: Mapping[str, Any] = field(default_factory=dict)


# Three answers, and one who rather does not say: through two coins they and a yes or no together
# change odds 20-fold, the most for which respondents read "No".
HOW_OFTEN = (gettext_lazy("Never"), gettext_lazy("Once or twice"), gettext_lazy("More often"))
AGREEMENT = (gettext_lazy("Not at all"), gettext_lazy("Partly"), gettext_lazy("Fully"))
GRADES = (
    gettext_lazy("Very bad"),
    gettext_lazy("Bad"),
    gettext_lazy("Fair"),
    gettext_lazy("Good"),
    gettext_lazy("Very good"),
)

PREVALENCE = Template(
    "prevalence",
    gettext_lazy("Habits at work"),
    gettext_lazy(
        "How many people do something that few would admit? A yes-or-no question and a scale are "
        "each protected by two coins. Working hours are asked directly."
    ),
    gettext_lazy(
        "We would like to know how common some habits are. Answers to protected questions are "
        "changed by chance before they are sent, so no one learns what you did. All other answers "
        "are sent as you give them."
    ),
    (
        TemplateQuestion(
            KINDS.YES_NO,
            gettext_lazy("In the last year, did you take something from work that was not yours?"),
            DESIGNS.TWO_COINS,
        ),
        TemplateQuestion(
            KINDS.SCALE,
            gettext_lazy("How often did you work while you were tired enough to make mistakes?"),
            DESIGNS.TWO_COINS,
            HOW_OFTEN,
        ),
        TemplateQuestion(
            KINDS.NUMBER,
            gettext_lazy("How many hours do you work in a usual week?"),
            DESIGNS.DIRECT,
            fields={"minimum": 0, "maximum": 100},
        ),
    ),
    {"planned_responses": 1000},
)
COURSE = Template(
    "course",
    gettext_lazy("Evaluation of a course"),
    gettext_lazy(
        "What was good about a course? Each person rates four parts of the course, and the "
        "ratings are protected by chance. A yes-or-no question and a number are asked directly."
    ),
    gettext_lazy(
        "Please tell us how this course was. Your ratings are changed by chance before they are "
        "sent, so your teachers cannot learn your ratings."
    ),
    (
        TemplateQuestion(
            KINDS.RATING,
            gettext_lazy("How good were these parts of the course?"),
            DESIGNS.K_ARY,
            GRADES,
            (
                gettext_lazy("Lectures"),
                gettext_lazy("Exercises"),
                gettext_lazy("Reading"),
                gettext_lazy("Exam"),
            ),
            {"epsilon": Decimal(3)},
        ),
        TemplateQuestion(
            KINDS.YES_NO, gettext_lazy("Would you take this course again?"), DESIGNS.DIRECT
        ),
        TemplateQuestion(
            KINDS.NUMBER,
            gettext_lazy("How many of the ten meetings did you attend?"),
            DESIGNS.DIRECT,
            fields={"minimum": 0, "maximum": 10},
        ),
    ),
    {"planned_responses": 300},
)
WORKPLACE = Template(
    "workplace",
    gettext_lazy("Our workplace"),
    gettext_lazy(
        "What troubles people at work? Two questions are protected. Two texts are stored "
        "separately from all other answers."
    ),
    gettext_lazy(
        "We would like to know what is good at work and what is not. Please do not name people in "
        "your texts, because texts are sent as you write them."
    ),
    (
        TemplateQuestion(
            KINDS.YES_NO, gettext_lazy("Have you been bullied at work?"), DESIGNS.TWO_COINS
        ),
        TemplateQuestion(
            KINDS.SCALE,
            gettext_lazy("I can say what I think at work."),
            DESIGNS.TWO_COINS,
            AGREEMENT,
        ),
        TemplateQuestion(KINDS.TEXT, gettext_lazy("What should stay as it is?"), DESIGNS.DIRECT),
        TemplateQuestion(KINDS.TEXT, gettext_lazy("What should change first?"), DESIGNS.DIRECT),
    ),
    {"planned_responses": 300, "invitation_only": True},
)
TEMPLATES = {template.key: template for template in (PREVALENCE, COURSE, WORKPLACE)}
