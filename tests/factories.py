"""Surveys as tests need them, built through the same services that people use."""

import datetime
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

from django.contrib.auth.models import User
from django.utils import timezone

from surveys.authoring.drafts import draft_questionnaire
from surveys.authoring.services import launch
from surveys.fieldwork.invitations import code_length_of
from surveys.kinds.trust.draft import add_trust_block
from surveys.models import (
    Catalogue,
    CatalogueItem,
    Condition,
    Invitation,
    Openings,
    Option,
    PrivacyBudget,
    Question,
    Revision,
    Spool,
    Survey,
)
from surveys.questionnaire import tokens
from surveys.questionnaire.document import PLAIN
from tests.early_documents import version_1


def make_user(name: str = "ada", *, superuser: bool = False) -> User:
    """A member of staff with the password ``correct horse``."""
    create = User.objects.create_superuser if superuser else User.objects.create_user
    return create(name, password="correct horse", is_staff=True)


def make_survey(owner: User, **fields: object) -> Survey:
    """A draft without questions, whose answers are stored one by one unless the test says how."""
    texts = {
        "title": "Habits and health",
        "introduction": "We ask how common some habits are.",
        "organisation": "Institute of Public Health",
        "contact": "habits@example.org",
        "batch_size": 1,
        "opening": Survey.Opening.LIVE,
    }
    return Survey.objects.create(owner=owner, **{**texts, **fields})


def add_question(survey: Survey, *options: str, **fields: object) -> Question:
    """Append a question; by default yes or no, through two coins, with a way to decline."""
    return add_questions(survey, (options, fields))[0]


def add_questions(
    survey: Survey, *asked: tuple[Sequence[str], Mapping[str, object]]
) -> list[Question]:
    """Append questions, each of its options and fields; what is not said is as in a single one."""
    placed = all("position" in fields for _, fields in asked)
    first = 0 if placed else survey.questions.count()
    defaults = {"text": "Have you ever shoplifted?"}
    questions = [
        Question(survey=survey, **{**defaults, "position": place, **fields})
        for place, (_, fields) in enumerate(asked, start=first)
    ]
    Question.objects.bulk_create(questions)
    Option.objects.bulk_create(
        Option(question=question, position=place, text=text)
        for question, (options, _) in zip(questions, asked, strict=True)
        for place, text in enumerate(options)
    )
    return questions


def add_condition(
    question: Question, source: Question, comparison: str = "is", value: str = "Yes", **more: int
) -> Condition:
    """Ask a question only if the answer to another one is as it says."""
    row = {"question": question, "source": source, "comparison": comparison, "value": value}
    return Condition.objects.create(**row, **more)


def add_text(survey: Survey, **fields: object) -> Question:
    """Append a free text."""
    defaults = {"text": "What else?", "kind": Question.Kind.TEXT, "longest": 100}
    return add_question(survey, **{**defaults, "design": Question.Design.DIRECT, **fields})


def add_other(survey: Survey, *, of_several: bool = False, **fields: object) -> Question:
    """Append a choice that is asked directly, and a text for its last answer below it."""
    choice = {"text": "How do you travel?", "kind": "ticks" if of_several else "choice"}
    add_question(survey, "Bus", "Car", "Other", **choice, design=Question.Design.DIRECT, **fields)
    return add_text(survey, text="Other: please specify", kind=Question.Kind.OTHER)


def add_trust(survey: Survey) -> None:
    """Append the two questions of the trust block."""
    add_trust_block(survey=survey, by=survey.owner)


def add_pages(survey: Survey) -> None:
    """Append a page to read and one to agree to."""
    pages = {"Thank you so far": Question.Kind.INFORMATION, "Taking part": Question.Kind.CONSENT}
    for text, kind in pages.items():
        words = {"text": text, "help": "Nothing of this page is sent."}
        add_question(survey, kind=kind, design=Question.Design.DIRECT, **words)


TRAVEL = ("Bus", "Car", "Bicycle", "On foot")


def add_ticks(survey: Survey, *options: str, **fields: object) -> Question:
    """Append a multiple choice; by default a blurred answer about one of four options."""
    defaults = {
        "text": "How did you travel last week?",
        "kind": Question.Kind.TICKS,
        "design": Question.Design.TWO_COINS,
        "required": True,
    }
    return add_question(survey, *(options or TRAVEL), **{**defaults, **fields})


def add_matrix(survey: Survey, *columns: str, **fields: object) -> Question:
    """Append a table of three rows; by default one of them is sent, through two coins."""
    defaults = {
        "text": "How often?",
        "kind": Question.Kind.MATRIX,
        "design": Question.Design.TWO_COINS,
        "required": True,
        "table_rows": "Walk\nSwim\nRun",
    }
    return add_question(survey, *(columns or ("Never", "Sometimes")), **{**defaults, **fields})


def add_rounded(survey: Survey, **fields: object) -> Question:
    """Append a number from 0 to 100 of which a drawn point is sent."""
    defaults = {
        "text": "How many cigarettes a week?",
        "kind": Question.Kind.NUMBER,
        "design": Question.Design.K_ARY,
        "epsilon": Decimal(2),
        "required": True,
        "minimum": 0,
        "maximum": 100,
    }
    return add_question(survey, **{**defaults, **fields})


def add_day(survey: Survey, **fields: object) -> Question:
    """Append a date in 2025 or 2026, asked directly."""
    defaults = {
        "text": "When did you move here?",
        "kind": Question.Kind.DATE,
        "design": Question.Design.DIRECT,
        "first_day": datetime.date(2025, 3, 15),
        "last_day": datetime.date(2026, 1, 31),
    }
    return add_question(survey, **{**defaults, **fields})


def add_ranking(survey: Survey, *options: str, **fields: object) -> Question:
    """Append an order of four; by default one pair of it is sent, through two coins."""
    defaults = {
        "text": "Which do you like best?",
        "kind": Question.Kind.RANKING,
        "design": Question.Design.TWO_COINS,
        "required": True,
    }
    return add_question(survey, *(options or TRAVEL), **{**defaults, **fields})


def add_budget(survey: Survey, **fields: object) -> PrivacyBudget:
    """Promise a budget; by default for reports on free texts alone, epsilon 4 and delta 1e-6."""
    return PrivacyBudget.objects.create(
        survey=survey, **{"source": PrivacyBudget.Source.TEXT, **fields}
    )


def add_serial_number(survey: Survey, *, width: int) -> Question:
    """A question to which every submission answers which one it is, in so many digits."""
    return add_question(
        survey,
        text="Which one are you?",
        kind=Question.Kind.NUMBER,
        design=Question.Design.DIRECT,
        required=True,
        minimum=0,
        maximum=10**width - 1,
    )


def add_one_of_each(survey: Survey) -> None:
    """Every kind of question with every design that it can carry."""
    kinds, designs = Question.Kind, Question.Design
    add_questions(
        survey,
        ((), {"required": True}),
        ((), {"text": "Have you taken drugs at work?"}),
        (
            ("Never", "Once", "Often"),
            {
                "text": "How often did you drive drunk?",
                "kind": kinds.SCALE,
                "design": designs.K_ARY,
                "epsilon": Decimal("1.5"),
            },
        ),
        (
            (),
            {
                "text": "Did you cheat on taxes?",
                "required": True,
                "design": designs.FORCED_RESPONSE,
                "forced": "1/6, 1/6",
            },
        ),
        (
            TRAVEL,
            {
                "text": "How do you travel?",
                "kind": kinds.CHOICE,
                "design": designs.TWO_COINS,
                "required": True,
            },
        ),
        ((), {"text": "Do you own a car?", "design": designs.DIRECT}),
        (
            (),
            {
                "text": "How old are you?",
                "kind": kinds.NUMBER,
                "design": designs.DIRECT,
                "minimum": Decimal(18),
                "maximum": Decimal(120),
            },
        ),
    )


BIRTHDAY = "Think of somebody whose birthday you know. Is it in January, February or March?"
MOTHER = "Was your mother born in January, February or March?"


def add_other_designs(survey: Survey) -> None:
    """Every design that ``add_one_of_each`` leaves out."""
    designs = Question.Design
    add_question(
        survey,
        text="Did you ever lie to a doctor?",
        required=True,
        design=designs.WARNER,
        p_sensitive="3/4",
    )
    add_question(
        survey,
        text="Have you hit a parked car and left?",
        required=True,
        design=designs.UNRELATED,
        p_sensitive="2/3",
        harmless_yes="1/2",
    )
    add_question(
        survey,
        text="Have you read somebody's diary?",
        required=True,
        design=designs.UNRELATED_SHOWN,
        p_sensitive="2/3",
        harmless=BIRTHDAY,
        harmless_yes="1/4",
    )
    add_question(
        survey,
        text="Did you ever hit a child?",
        required=True,
        design=designs.CROSSWISE,
        harmless=MOTHER,
        harmless_yes="1/4",
    )
    add_question(
        survey,
        text="Have you taken a bribe?",
        required=True,
        design=designs.TWO_GROUPS,
        p_sensitive="3/4, 1/4",
        harmless="Do you like the taste of liquorice?",
        harmless_yes="1/4, 3/4",
    )
    add_question(
        survey,
        text="Do you cheat at cards?",
        design=designs.CHANNEL_MATRIX,
        channel="5/8, 1/4, 1/8\n1/4, 5/8, 1/8\n1/8, 1/8, 3/4",
    )


# Two hundred made-up places: no two alike, in the order in which a list would show them.
PLACES = tuple(
    f"{first}{second}"
    for first in ("Al", "Ber", "Cor", "Dun", "Els", "Fal", "Gor", "Hol", "Ing", "Kel")
    for second in (
        *("bach", "berg", "bruck", "burg", "dorf", "feld", "hausen", "heim", "hof", "horst"),
        *("kirch", "moor", "münde", "rode", "see", "stadt", "stein", "tal", "wald", "werder"),
    )
)


def add_long_list(survey: Survey, *options: str, **fields: object) -> Question:
    """One of two hundred places; by default as a subset of them, with epsilon ln 3."""
    defaults = {
        "text": "Where did it happen?",
        "kind": Question.Kind.CHOICE,
        "design": Question.Design.SUBSET,
        "epsilon": Decimal("1.0986"),
        "required": True,
    }
    return add_question(survey, *(options or PLACES), **{**defaults, **fields})


def add_picked(survey: Survey, *options: str, **fields: object) -> Question:
    """One of two hundred places, asked directly; it may be declined."""
    defaults = {
        "text": "Where were you born?",
        "kind": Question.Kind.CHOICE,
        "design": Question.Design.DIRECT,
    }
    return add_question(survey, *(options or PLACES), **{**defaults, **fields})


def add_long_scale(survey: Survey, *options: str, **fields: object) -> Question:
    """How happy, from 1 to 7; by default for the shares up to each answer, with epsilon ln 3."""
    defaults = {
        "text": "How happy are you with your pay?",
        "kind": Question.Kind.SCALE,
        "design": Question.Design.SCALE_CDF,
        "epsilon": Decimal("1.0986"),
        "required": True,
    }
    return add_question(survey, *(options or SEVEN), **{**defaults, **fields})


def make_lists(owner: User, **fields: object) -> Survey:
    """A launched survey with a long list of each design, one of which may be declined."""
    survey = make_survey(owner, **fields)
    add_long_list(survey)
    add_long_list(
        survey,
        *PLACES[:30],
        text="Where would you live?",
        design=Question.Design.OUE,
        epsilon=Decimal(2),
        required=False,
    )
    return launched(survey)


def make_picked(owner: User, **fields: object) -> Survey:
    """A launched survey with a long list that is asked directly, and a question that reads it."""
    survey = make_survey(owner, **fields)
    places = add_picked(survey)
    asked = add_question(survey, text="Do you like {your answer to question 1}?", required=True)
    add_condition(asked, places, value=" | ".join(PLACES[:3]))
    return launched(survey)


def make_other_survey(owner: User, **fields: object) -> Survey:
    """A launched survey with every design that ``make_open_survey`` leaves out."""
    survey = make_survey(owner, **fields)
    add_other_designs(survey)
    return launched(survey)


SCALE = ("Bad", "Fair", "Good")
SEVEN = tuple(str(level) for level in range(1, 8))
ELEVEN = tuple(str(level) for level in range(11))


def make_catalogue(owner: User, size: int = 4, name: str = "Books") -> Catalogue:
    """A catalogue with so many items, Item 1 to Item n."""
    catalogue = Catalogue.objects.create(owner=owner, name=name)
    CatalogueItem.objects.bulk_create(
        CatalogueItem(catalogue=catalogue, number=number, name=f"Item {number}")
        for number in range(1, size + 1)
    )
    return catalogue


def add_rating(survey: Survey, *levels: str, size: int = 4, **fields: object) -> Question:
    """A direct question that has all items of a new catalogue rated."""
    place = survey.questions.count()
    defaults = {
        "text": "How good is it?",
        "kind": Question.Kind.RATING,
        "design": Question.Design.DIRECT,
    }
    if "catalogue" not in fields:
        fields["catalogue"] = make_catalogue(
            survey.owner, size, f"Catalogue {place} of {survey.pk}"
        )
    return add_question(survey, *(levels or SCALE), **{**defaults, **fields})


def make_rating_survey(owner: User, **fields: object) -> Survey:
    """A launched survey with ratings of every sort: open, randomized, required, by selection."""
    survey = make_survey(owner, **fields)
    k_ary = Question.Design.K_ARY
    add_rating(survey, text="Open, all")
    add_rating(survey, text="Open, two of twelve", size=12, shown=2, required=True)
    add_rating(survey, text="Protected, all", size=3, design=k_ary, epsilon=Decimal(3))
    add_rating(
        survey,
        *ELEVEN,
        text="Protected, by selection",
        size=101,
        shown=2,
        required=True,
        design=k_ary,
        epsilon=Decimal(4),
    )
    return launched(survey)


def make_adaptive_survey(owner: User, **fields: object) -> Survey:
    """A launched survey that shows promising items more often: open, and randomized."""
    survey = make_survey(owner, **fields)
    add_rating(survey, text="Open, adaptive", size=12, shown=2, adaptive=True)
    add_rating(
        survey,
        text="Protected, adaptive",
        size=12,
        shown=2,
        adaptive=True,
        design=Question.Design.K_ARY,
        epsilon=Decimal(4),
    )
    return launched(survey)


def make_open_survey(owner: User, **fields: object) -> Survey:
    """A launched survey with one of each."""
    survey = make_survey(owner, **fields)
    add_one_of_each(survey)
    return launched(survey)


def launched_with(*adders: Callable[[Survey], object]) -> Callable[..., Survey]:
    """A function that makes a launched survey with what these add to a draft."""

    def make(owner: User, **fields: object) -> Survey:
        draft = make_survey(owner, **fields)
        for add in adders:
            add(draft)
        return launched(draft)

    return make


def launched(draft: Survey) -> Survey:
    """The same survey, open.

    One that is live and has invitations was launched before there were openings.
    """
    if draft.opening == Survey.Opening.LIVE and draft.invitation_only:
        return launched_before(draft)
    launch(survey=draft, by=draft.owner)
    return Survey.objects.get(pk=draft.pk)


def launched_before(draft: Survey) -> Survey:
    """The same survey as a version without openings launched it: its document knows of none.

    A budget was for texts alone then, and was called so.
    """
    Survey.objects.filter(pk=draft.pk).update(invitation_only=False)
    document = version_1(draft_questionnaire(Survey.objects.get(pk=draft.pk)).to_document())
    document |= {"invitation_only": draft.invitation_only, "wording": PLAIN}
    del document["opening"]
    if promised := document.pop("budget"):
        document["text_budget"] = {name: promised[name] for name in promised if name != "source"}
    revision = Revision.objects.create(survey=draft, document=document)
    Survey.objects.filter(pk=draft.pk).update(
        state=Survey.State.OPEN, opening="", invitation_only=draft.invitation_only
    )
    Spool.objects.create(survey=draft, revision=revision)
    Openings.objects.create(revision=revision, since=revision.launched_at.date())
    return Survey.objects.get(pk=draft.pk)


def sealed_survey(owner: User, **fields: object) -> Survey:
    """A launched survey that opens at its close, 30 days from now, in batches of five."""
    last_day = timezone.now().date() + datetime.timedelta(days=30)
    usual = {"opening": Survey.Opening.CLOSE, "batch_size": 5, "close_on": last_day}
    draft = make_survey(owner, **{**usual, **fields})
    add_serial_number(draft, width=5)
    add_text(draft)
    return launched(draft)


def after_the_close(survey: Survey) -> datetime.datetime:
    """A moment at which the survey is due to close and to be opened."""
    day = survey.close_on + datetime.timedelta(days=1)
    return datetime.datetime.combine(day, datetime.time(12), datetime.UTC)


def invite(survey: Survey, count: int) -> list[str]:
    """Fresh tokens of a survey, as they would be sent to people."""
    length = code_length_of(survey)
    fresh = [tokens.new_token(length) for _ in range(count)]
    Invitation.objects.bulk_create(
        Invitation(digest=tokens.digest(token), survey=survey) for token in fresh
    )
    return fresh


def make_invited_survey(owner: User, **fields: object) -> Survey:
    """A launched survey with a protected question and a text, for invited people only."""
    survey = make_survey(owner, invitation_only=True, **fields)
    add_question(survey)
    add_text(survey, text="What would help?")
    return launched(survey)
