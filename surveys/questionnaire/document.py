"""Questionnaire: the document a respondent is promised: items, epsilon, dates; to and from JSON.

A frozen value, equal to the JSON document of a launched revision. Everything that answers, checks
or counts reads it from here; nothing reads the editable questions after launch.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from surveys.kinds.counted.promise import CountedQuestion, sends_something
from surveys.kinds.family.promise import FollowUpQuestion
from surveys.kinds.text.promise import TextQuestion
from surveys.questionnaire import tokens
from surveys.questionnaire.arms import Arm
from surveys.questionnaire.explanations import Explanations, explanations_in, to_entries
from surveys.questionnaire.facts.draw import Draw
from surveys.questionnaire.facts.exposure import loss_of_person
from surveys.questionnaire.facts.form import Form
from surveys.questionnaire.facts.numbered import Numbered
from surveys.questionnaire.facts.own_coin import OwnCoin
from surveys.questionnaire.facts.routes import Routes
from surveys.questionnaire.facts.row import StoredRow
from surveys.questionnaire.formats import early as early_documents
from surveys.questionnaire.formats.launched import (
    VERSION,
    canonical_bytes,
    in_language,
    version_of,
    with_languages,
)
from surveys.questionnaire.kinds.question import Question, with_marks
from surveys.questionnaire.kinds.registry import question_document, read_question
from surveys.questionnaire.layout import Layout, Section
from surveys.questionnaire.logic.loss import Loss
from surveys.questionnaire.logic.marks import plain
from surveys.questionnaire.plans.budgets import PromisedBudget
from surveys.questionnaire.plans.openings import OpeningPlan
from surveys.questionnaire.plans.schedules import ReleasePlan
from surveys.questionnaire.plans.seals import Seals
from surveys.questionnaire.plans.tallies import TallyPromise, tables_of
from surveys.questionnaire.plans.vouchers import TAKEN_FOR, VoucherPlan

FIRST = 1  # the wording of the first surveys, whose documents name none
ONE_PROMISE = 2  # the wording whose words follow from all protected answers together
TOTALS = 3  # the wording which says that totals of protected answers may be published
PLAIN = 4  # the wording with plainer words for five promises
CLEAR = 5  # the wording whose promises are each read once
CHOICES = ("publish_rows", "marked_up", "informal")  # written where an author made them


@dataclass(frozen=True)
class Questionnaire:
    """A whole survey as one respondent meets it, in one language.

    ``wording`` numbers the rules and the edition by which pages put its protection in words: they
    stay those of its launch. ``asked`` is how many of its protected questions each person is asked,
    drawn evenly and independently of the answers; None asks all of them. ``planned`` is the number
    of responses that was planned at launch, if one was. ``releases`` is there where direct answers
    come to light as released tables alone. Each person is in one of the ``arms``, if there are any:
    rules say which of them are asked a question. With ``seals`` the page seals free texts for the
    researchers' keys. With ``vouchers`` it exchanges an invitation's code for a signature that
    nothing links to it, and sends that. With a ``tally`` it locks the answers to some questions,
    which are added up while they are locked. ``publish_rows`` lets rows of answers be published,
    where all of them are protected. If its texts are ``marked_up``, those of its questions, their
    help, the introduction and the words of its sections have marks of emphasis and lists, as
    ``logic.marks`` reads them, and so have its ``explanations``, which stand in the place of the
    program's own. ``informal`` says "du" and "tu" in German and French.
    """

    title: str
    introduction: str
    organisation: str
    contact: str
    minutes: int
    items: tuple[Question, ...]
    invitation_only: bool = False
    batch_size: int = 20
    delete_on: str | None = None
    budget: PromisedBudget | None = None
    wording: int = CLEAR
    code_length: int = tokens.LONG  # that of documents from before codes of 16 characters
    opening: OpeningPlan | None = None
    asked: int | None = None
    releases: ReleasePlan | None = None
    language: str = early_documents.LANGUAGE
    layout: Layout = field(default_factory=Layout)
    arms: tuple[Arm, ...] = ()
    planned: int | None = None
    seals: Seals | None = None
    vouchers: VoucherPlan | None = None
    tally: TallyPromise | None = None
    publish_rows: bool = False
    marked_up: bool = False
    informal: bool = False
    explanations: Explanations = ()
    # As it stands in the launched document; a changed copy has none and computes its own.
    frozen_loss: Loss | None = field(default=None, init=False, compare=False, repr=False)

    @cached_property
    def form(self) -> Form:
        """The fields of a submission."""
        is_vouched = self.vouchers is not None
        return Form(
            self.items,
            self.arms,
            self.invitation_only,
            self.asked,
            is_vouched,
            tables_of(self.tally),
        )

    @classmethod
    def from_document(cls, document: Mapping[str, Any], language: str | None = None) -> Self:
        """Read a revision's JSON document of any version, in its first language unless told.

        Raises UnknownVersion, MissingText, or ValueError for a question of no known form.
        """
        if version_of(document) < VERSION:
            document = early_documents.upgraded(document)
        language = language or document["languages"][0]
        values = {"wording": FIRST, **in_language(document, language)}
        del values["deniable"], values["languages"]
        values["language"] = language
        values["seals"] = Seals.from_document(values.get("seals"))
        items = (read_question(entry) for entry in values["items"])
        values["items"] = tuple(locked(item, values["seals"]) for item in items)
        promised = values.get("budget")
        values["budget"] = PromisedBudget(**promised) if promised else None
        values["opening"] = OpeningPlan.from_document(values.get("opening"))
        values["releases"] = ReleasePlan.from_document(values.get("releases"))
        values["layout"] = Layout.from_document(values.get("layout"))
        values["arms"] = tuple(Arm(**arm) for arm in values.get("arms", ()))
        values["vouchers"] = VoucherPlan.from_document(values.get("vouchers"))
        values["tally"] = TallyPromise.from_document(values.get("tally"))
        values["explanations"] = explanations_in(values.get("explanations"))
        for choice in CHOICES:
            values[choice] = values.get(choice) is True
        if values["marked_up"]:
            values["items"] = tuple(map(with_marks, values["items"]))
        loss = values.pop("loss", None)
        questionnaire = cls(**values)
        require_tables(questionnaire)
        if loss is not None:
            ratio = None if loss["odds"] is None else Fraction(loss["odds"])
            object.__setattr__(questionnaire, "frozen_loss", Loss(ratio, loss["is_exact"]))
        return questionnaire

    def to_document(self) -> dict[str, Any]:
        """The JSON document that a revision stores: as ``formats.launched`` says."""
        values = {field.name: getattr(self, field.name) for field in fields(self) if field.init}
        language = values.pop("language")
        values["loss"] = {
            "odds": None if self.loss.ratio is None else str(self.loss.ratio),
            "is_exact": self.loss.is_exact,
        }
        values["budget"] = asdict(self.budget) if self.budget else None
        values["opening"] = self.opening.to_document() if self.opening else None
        if releases := values.pop("releases"):
            values["releases"] = asdict(releases)
        values["items"] = [question_document(item) for item in self.items]
        layout = values.pop("layout").to_document()
        if layout:  # surveys without sections stay the same bytes
            values["layout"] = layout
        if (planned := values.pop("planned")) is not None:
            values["planned"] = planned
        if seals := values.pop("seals"):
            values["seals"] = seals.to_document()
        if vouchers := values.pop("vouchers"):
            values["vouchers"] = vouchers.to_document()
        if tally := values.pop("tally"):
            values["tally"] = tally.to_document()
        for choice in CHOICES:
            if not values[choice]:  # as in documents from before there was a choice
                del values[choice]
        if arms := values.pop("arms"):
            values["arms"] = [asdict(arm) for arm in arms]
        if explanations := values.pop("explanations"):
            values["explanations"] = to_entries(explanations)
        texts = with_languages(values, language)
        return {**texts, "deniable": VERSION, "languages": [language]}

    def to_bytes(self) -> bytes:
        """The document as it is written to a file: the same bytes for the same questionnaire."""
        return canonical_bytes(self.to_document())

    @property
    def is_sealed(self) -> bool:
        """Whether answers stay sealed until an opening; not if launched before there were any."""
        return self.opening is not None and self.opening.is_sealed

    @cached_property
    def sent(self) -> tuple[Question, ...]:
        """Questions of which something is sent: no pages, and of a family its first question."""
        return tuple(filter(sends_something, self.items))

    @cached_property
    def randomized(self) -> tuple[Question, ...]:
        return tuple(item for item in self.items if item.is_randomized)

    @cached_property
    def drawn(self) -> tuple[Question, ...]:
        return tuple(item for item in self.items if item.is_drawn)

    @cached_property
    def direct(self) -> tuple[Question, ...]:
        """Questions of which answers are sent as they are given."""
        return tuple(item for item in self.items if item.is_sent and not item.is_randomized)

    @cached_property
    def numbered(self) -> Numbered:
        """The questions with their numbers, by what can be done with their answers."""
        return Numbered(self.items, self.row.hidden)

    @cached_property
    def row(self) -> StoredRow:
        """Where the code of each answer stands in a stored row, and which of them no one reads.

        Where direct answers come to light as released tables alone, only these are shown.
        """
        hidden = tuple(item for item in self.direct if item.width) if self.releases else ()
        return StoredRow(self.items, self.arms, hidden, tables_of(self.tally))

    @cached_property
    def routes(self) -> Routes:
        """Who is asked which question, by rules."""
        return Routes(self.items, self.arms)

    @cached_property
    def draw(self) -> Draw:
        """Which protected questions chance asks each person."""
        return Draw(self.items, self.asked)

    @cached_property
    def own_coin(self) -> OwnCoin:
        """What people with a coin of their own are asked."""
        return OwnCoin(self.items, self.vouchers is not None and self.vouchers.script_only)

    @cached_property
    def loss(self) -> Loss:
        """What all protected answers of one person tell at most together: as it was frozen."""
        return self.frozen_loss or loss_of_person(self.draw, self.routes.arm_codes)


def locked(item: Question, seals: Seals | None) -> Question:
    """A question as it is where the page seals its texts: only a text differs."""
    if seals is None or not isinstance(item, TextQuestion):
        return item
    return replace(item, layers=seals.layers)


def require_tables(questionnaire: Questionnaire) -> None:
    """Raises ValueError unless the tally's tables are of the questions that are counted."""
    tally, items = questionnaire.tally, questionnaire.items
    if tally:
        tally.require_of(items, has_own_coin=questionnaire.own_coin.is_offered)
    elif any(isinstance(item, CountedQuestion) for item in items):
        raise ValueError("A question is counted locked, and no table has it.")


def plain_introduction(questionnaire: Questionnaire) -> str:
    """Why a survey asks, for files: without marks of emphasis."""
    text = questionnaire.introduction
    return plain(text) if questionnaire.marked_up else text


def plain_sections(questionnaire: Questionnaire) -> tuple[Section, ...]:
    """The sections for pages of staff, their words without marks of emphasis."""
    sections = questionnaire.layout.sections
    if not questionnaire.marked_up:
        return sections
    return tuple(replace(section, text=plain(section.text)) for section in sections)


def may_publish_totals(questionnaire: Questionnaire) -> bool:
    """Whether respondents read that totals of their protected answers may be published.

    A total tells exactly how many people answered: the promise must not hide that.
    """
    budget = questionnaire.budget
    if questionnaire.wording < TOTALS or budget is None or not budget.pays_for_tables:
        return False
    return budget.adjacency == "replace_one"


def sent_as_given(questionnaire: Questionnaire) -> tuple[int, ...]:
    """The questions, by number, whose answers a row has as they were given."""
    numbered = enumerate(questionnaire.items, start=1)
    return tuple(n for n, item in numbered if item.width and not item.is_randomized)


def may_publish_rows(questionnaire: Questionnaire) -> bool:
    """Whether respondents read that rows of their answers may be published.

    A rule that reads an unprotected answer shows it by who was asked: so one of them is too many,
    also where no one reads it.
    """
    if not questionnaire.publish_rows or not questionnaire.randomized:
        return False
    if sent_as_given(questionnaire) or shows_coins(questionnaire):
        return False
    # Rows tell exactly how many people answered: no other promise may hide that.
    return questionnaire.budget is None or questionnaire.budget.adjacency == "replace_one"


def shows_coins(questionnaire: Questionnaire) -> bool:
    """Whether a row shows that its person flipped a coin of their own, by what a coin cannot ask.

    Openings hide it: they take these answers from as many rows of others.
    """
    coin = questionnaire.own_coin
    return coin.is_offered and bool(coin.left_out) and not questionnaire.is_sealed


def closes_at(questionnaire: Questionnaire, last_day: date) -> datetime | None:
    """When the survey closes and everything opens; None for one from before there were openings.

    With vouchers not before the last one is taken that was signed on the last day.
    """
    if questionnaire.opening is None:
        return None
    at = questionnaire.opening.closes_at(last_day)
    midnight = datetime.combine(last_day + timedelta(days=1), time(0), UTC)
    return max(at, midnight + TAKEN_FOR) if questionnaire.vouchers else at


def languages_in(document: Mapping[str, Any]) -> tuple[str, ...]:
    """The languages of a document of any version, the first one first. Raises UnknownVersion."""
    early = version_of(document) < VERSION
    return (early_documents.LANGUAGE,) if early else tuple(document["languages"])


def count_answered(questionnaire: Questionnaire) -> int:
    """How many questions people answer: what is sent, and the follow-ups that are sent with it."""
    follow_ups = [item for item in questionnaire.items if isinstance(item, FollowUpQuestion)]
    return len(questionnaire.sent) + len(follow_ups)
