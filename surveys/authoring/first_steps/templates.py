"""Three surveys to begin with: a share of people, a course with ratings, a workplace with texts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from surveys.models import Question

KINDS, DESIGNS = Question.Kind, Question.Design


@dataclass(frozen=True)
class TemplateQuestion:
    """A question of a template; ``items`` are those of the catalogue that it has rated."""

    kind: Question.Kind
    text: str
    design: Question.Design
    options: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Template:
    """A survey to begin with; ``about`` says to its author what it is for."""

    key: str
    title: str
    about: str
    introduction: str
    questions: tuple[TemplateQuestion, ...]
    fields: Mapping[str, Any] = field(default_factory=dict)


# Three answers, and one who rather does not say: through two coins they and a yes or no together
# change odds 20-fold, the most for which respondents read "No".
HOW_OFTEN = ("Never", "Once or twice", "More often")
AGREEMENT = ("Not at all", "Partly", "Fully")
GRADES = ("Very bad", "Bad", "Fair", "Good", "Very good")

PREVALENCE = Template(
    "prevalence",
    "Habits at work",
    "How many people do something that few would admit? One yes or no and one scale, each "
    "protected by two coins; how long people work is asked directly.",
    "We would like to know how common some habits are. Your browser changes your answers by chance "
    "before it sends them, so no one learns what you did.",
    (
        TemplateQuestion(
            KINDS.YES_NO,
            "In the last year, did you take something from work that was not yours?",
            DESIGNS.TWO_COINS,
        ),
        TemplateQuestion(
            KINDS.SCALE,
            "How often did you work while you were tired enough to make mistakes?",
            DESIGNS.TWO_COINS,
            HOW_OFTEN,
        ),
        TemplateQuestion(
            KINDS.NUMBER,
            "How many hours do you work in a usual week?",
            DESIGNS.DIRECT,
            fields={"minimum": 0, "maximum": 100},
        ),
    ),
    {"planned_responses": 1000},
)
COURSE = Template(
    "course",
    "Evaluation of a course",
    "What was good about a course? Each person rates four parts of it, through a device; a yes "
    "or no and a number are asked directly.",
    "Please tell us how this course was. What you rate is changed by chance before it is sent, so "
    "your teachers cannot learn your ratings.",
    (
        TemplateQuestion(
            KINDS.RATING,
            "How good were these parts of the course?",
            DESIGNS.K_ARY,
            GRADES,
            ("Lectures", "Exercises", "Reading", "Exam"),
            {"epsilon": Decimal(3)},
        ),
        TemplateQuestion(KINDS.YES_NO, "Would you take this course again?", DESIGNS.DIRECT),
        TemplateQuestion(
            KINDS.NUMBER,
            "How many of the ten meetings did you attend?",
            DESIGNS.DIRECT,
            fields={"minimum": 0, "maximum": 10},
        ),
    ),
    {"planned_responses": 300},
)
WORKPLACE = Template(
    "workplace",
    "Our workplace",
    "What troubles people at work? Two protected questions, and two texts that are stored apart "
    "from all other answers.",
    "We would like to know what is good and what is not. Please do not name people in your texts: "
    "they are sent as you write them.",
    (
        TemplateQuestion(KINDS.YES_NO, "Have you been bullied at work?", DESIGNS.TWO_COINS),
        TemplateQuestion(
            KINDS.SCALE, "I can say what I think at work.", DESIGNS.TWO_COINS, AGREEMENT
        ),
        TemplateQuestion(KINDS.TEXT, "What should stay as it is?", DESIGNS.DIRECT),
        TemplateQuestion(KINDS.TEXT, "What should change first?", DESIGNS.DIRECT),
    ),
    {"planned_responses": 300, "invitation_only": True},
)
TEMPLATES = {template.key: template for template in (PREVALENCE, COURSE, WORKPLACE)}
