"""Questionnaire: the document a respondent is promised: items, epsilon, dates; to and from JSON.

A frozen value, equal to the JSON document of a launched revision. Everything that answers, checks
or counts reads it from here; nothing reads the editable questions after launch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import date
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, Self

from surveys.questionnaire import tokens
from surveys.questionnaire.arms import Arm, arm_question
from surveys.questionnaire.families import in_ways, protected_numbers
from surveys.questionnaire.formats import early as early_documents
from surveys.questionnaire.formats.launched import (
    VERSION,
    canonical_bytes,
    in_language,
    version_of,
    with_languages,
)
from surveys.questionnaire.kinds.family import FollowUpQuestion
from surveys.questionnaire.kinds.levels import LevelQuestion
from surveys.questionnaire.kinds.number import NumberQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.rating import RatingQuestion
from surveys.questionnaire.kinds.registry import of_kind, question_document, read_question
from surveys.questionnaire.kinds.text import TextQuestion
from surveys.questionnaire.layout import Layout
from surveys.questionnaire.logic.cells import limits_on
from surveys.questionnaire.logic.loss import (
    Asked,
    Loss,
    Open,
    Protected,
    Ratios,
    largest_loss,
    loss_of,
    of_channel,
    of_largest,
)
from surveys.questionnaire.logic.rules import Rule, asked_of, loosened, reduced, within
from surveys.questionnaire.plans.budgets import PromisedBudget
from surveys.questionnaire.plans.openings import OpeningPlan
from surveys.questionnaire.plans.schedules import ReleasePlan
from surveys.questionnaire.sharing import sharing
from surveys.randomized_response.designs.channel import log_of_ratio
from surveys.randomized_response.drawing import DieSubset

ONE_PROMISE = 2  # the wording whose words follow from all protected answers together
TOTALS = 3  # the wording which says that totals of protected answers may be published


@dataclass(frozen=True)
class Questionnaire:
    """A whole survey as one respondent meets it, in one language.

    ``wording`` numbers the rules by which pages put its protection in words: they stay those of
    its launch. ``asked`` is how many of its protected questions each person is asked, drawn
    evenly and independently of the answers; None asks all of them. ``releases`` is there where
    direct answers come to light as released tables alone. Each person is in one of the ``arms``,
    if there are any: rules say which of them are asked a question.
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
    wording: int = TOTALS
    code_length: int = tokens.LONG  # that of documents from before codes of 16 characters
    opening: OpeningPlan | None = None
    asked: int | None = None
    releases: ReleasePlan | None = None
    language: str = early_documents.LANGUAGE
    layout: Layout = field(default_factory=Layout)
    arms: tuple[Arm, ...] = ()
    # As it stands in the launched document; a changed copy has none and computes its own.
    frozen_loss: Loss | None = field(default=None, init=False, compare=False, repr=False)

    @cached_property
    def slots(self) -> tuple[tuple[str, ...], ...]:
        """The form fields of every question."""
        return tuple(tuple(item.fields(index)) for index, item in enumerate(self.items))

    @classmethod
    def from_document(cls, document: Mapping[str, Any], language: str | None = None) -> Self:
        """Read a revision's JSON document of any version, in its first language unless told.

        Raises UnknownVersion, MissingText, or ValueError for a question of no known form.
        """
        if version_of(document) < VERSION:
            document = early_documents.upgraded(document)
        language = language or document["languages"][0]
        values = in_language(document, language)
        del values["deniable"], values["languages"]
        values["language"] = language
        values["items"] = tuple(read_question(entry) for entry in values["items"])
        promised = values.get("budget")
        values["budget"] = PromisedBudget(**promised) if promised else None
        values["opening"] = OpeningPlan.from_document(values.get("opening"))
        values["releases"] = ReleasePlan.from_document(values.get("releases"))
        values["layout"] = Layout.from_document(values.get("layout"))
        values["arms"] = tuple(Arm(**arm) for arm in values.get("arms", ()))
        loss = values.pop("loss", None)
        questionnaire = cls(**values)
        if loss is not None:
            ratio = None if loss["odds"] is None else Fraction(loss["odds"])
            object.__setattr__(questionnaire, "frozen_loss", Loss(ratio, loss["is_exact"]))
        return questionnaire

    def to_document(self) -> dict[str, Any]:
        """The JSON document that a revision stores: what ``document_format`` says of it."""
        values = {one.name: getattr(self, one.name) for one in fields(self) if one.init}
        language = values.pop("language")
        values["loss"] = {
            "odds": None if self.loss.ratio is None else str(self.loss.ratio),
            "is_exact": self.loss.is_exact,
        }
        values["budget"] = asdict(self.budget) if self.budget else None
        values["opening"] = asdict(self.opening) if self.opening else None
        if releases := values.pop("releases"):
            values["releases"] = asdict(releases)
        values["items"] = [question_document(item) for item in self.items]
        layout = values.pop("layout").to_document()
        if layout:  # surveys without sections stay the same bytes
            values["layout"] = layout
        if arms := values.pop("arms"):
            values["arms"] = [asdict(arm) for arm in arms]
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
    def browser_only(self) -> tuple[Question, ...]:
        """Questions that the own-coin path cannot ask, with a place in the row."""
        return tuple(q for q in self.items if q.width and not q.is_offered_with_own_coin)

    @cached_property
    def sent(self) -> tuple[Question, ...]:
        """Questions of which something is sent: all but pages that are read or agreed to."""
        return tuple(item for item in self.items if item.is_sent)

    @cached_property
    def randomized(self) -> tuple[Question, ...]:
        return tuple(item for item in self.items if item.is_randomized)

    @cached_property
    def drawn(self) -> tuple[Question, ...]:
        return tuple(item for item in self.items if item.is_drawn)

    @cached_property
    def direct(self) -> tuple[Question, ...]:
        return tuple(item for item in self.sent if not item.is_randomized)

    @cached_property
    def hidden(self) -> tuple[Question, ...]:
        """Questions whose answers no one reads: only their released tables are shown."""
        return tuple(q for q in self.direct if q.width) if self.releases else ()

    @cached_property
    def readable(self) -> tuple[tuple[int, Question], ...]:
        """Questions whose answers, as they were sent, staff can count; with numbers from 1."""
        numbered = enumerate(self.items, start=1)
        return tuple((number, item) for number, item in numbered if item not in self.hidden)

    def without_hidden(self, answers: str) -> str:
        """A row of answers with dashes where no one reads them."""
        return self._dashed(answers, is_hidden=True)

    def hidden_alone(self, answers: str) -> str:
        """A row of answers with dashes everywhere else."""
        return self._dashed(answers, is_hidden=False)

    def _dashed(self, answers: str, *, is_hidden: bool) -> str:
        return "".join(
            "-" * (end - start) if hides is is_hidden else answers[start:end]
            for start, end, hides in self._spans
        )

    @cached_property
    def _spans(self) -> tuple[tuple[int, int, bool], ...]:
        """Where each question's code starts and ends in a row, and whether it is hidden."""
        hidden = self.hidden
        return tuple((place, place + item.width, item in hidden) for item, place in self.offsets)

    @cached_property
    def asks_with_own_coin(self) -> bool:
        """Whether anything is asked of people who flip their own coin."""
        return any(item.is_offered_with_own_coin for item in self.sent)

    @cached_property
    def texts(self) -> tuple[tuple[int, TextQuestion], ...]:
        """Free texts with their numbers, from 1."""
        return tuple(of_kind(TextQuestion, self.items))

    @property
    def may_publish_totals(self) -> bool:
        """Whether respondents read that totals of their protected answers may be published.

        A total tells exactly how many people answered: the promise must not hide that.
        """
        budget = self.budget
        if self.wording < TOTALS or budget is None or not budget.pays_for_tables:
            return False
        return budget.adjacency == "replace_one"

    @cached_property
    def tabulated(self) -> tuple[tuple[int, LevelQuestion | NumberQuestion], ...]:
        """Questions whose answers tables can count, as they were given by all; numbers from 1."""
        return tuple(
            (number, item)
            for number, item in enumerate(self.items, start=1)
            if isinstance(item, LevelQuestion | NumberQuestion)
            and not item.is_randomized
            and not item.rule
        )

    @cached_property
    def ratings(self) -> tuple[tuple[int, RatingQuestion], ...]:
        """Rating questions with their numbers, from 1."""
        return tuple(of_kind(RatingQuestion, self.items))

    @property
    def deleted_by(self) -> date | None:
        """The day on which all answers are deleted, as it was promised."""
        return date.fromisoformat(self.delete_on) if self.delete_on else None

    @property
    def protected_asked(self) -> int:
        """How many protected questions each person is asked."""
        return len(self.randomized) if self.asked is None else self.asked

    @property
    def share_asked(self) -> Fraction:
        """How many of all people are asked one protected question; 1 if all are."""
        return Fraction(self.asked, len(self.randomized)) if self.asked else Fraction(1)

    def share_of(self, item: Question) -> Fraction:
        """How many of all people chance asks a question: those of its arms, and who draws it."""
        weights = {arm.code: arm.weight for arm in self.arms} or {"": 1}
        in_arms = sum(weights[code] for code in self.arms_asked(item))
        drawn = self.share_asked if item.is_randomized else 1
        return Fraction(in_arms, sum(weights.values())) * drawn

    @property
    def items_asked(self) -> int:
        """How many questions each person is asked in all."""
        return len(self.direct) + self.protected_asked

    @cached_property
    def die(self) -> DieSubset | None:
        """How a die draws the protected questions that a person is asked; None if all are."""
        return DieSubset(len(self.randomized), self.asked) if self.asked else None

    @cached_property
    def has_rules(self) -> bool:
        """Whether some question is asked only of those whose answers its rule names."""
        return any(item.rule for item in self.items)

    @cached_property
    def arm_items(self) -> tuple[LevelQuestion, ...]:
        """The arm as an answer that a row has; none where there are no arms."""
        return (arm_question(self.arms),) if self.arms else ()

    @cached_property
    def variables(self) -> tuple[Question, ...]:
        """What a row has a code of, in its order: the questions, and the arm if there are any."""
        return (*self.items, *self.arm_items)

    @cached_property
    def has_routes(self) -> bool:
        """Whether the answers to some question decide if another one is asked."""
        return any(item.rule and item.rule.questions for item in self.items)

    @property
    def arm_codes(self) -> tuple[str, ...]:
        """The codes of the arms; one that is empty where there are none."""
        return tuple(arm.code for arm in self.arms) or ("",)

    def arms_asked(self, item: Question) -> tuple[str, ...]:
        """The codes of the arms in which a question may be asked."""
        rule = item.rule or Rule("all")
        return tuple(c for c in self.arm_codes if reduced(rule, {}, c) is not False)

    def asked_by_rules(self, codes: Sequence[str]) -> tuple[bool, ...]:
        """Which questions unprotected answers leave to a person with these codes, in their order.

        This is known of every stored row. Whether protected answers then hide one is not.
        """
        arm = codes[-1] if self.arms else ""
        pairs = zip(self.variables, codes, strict=True)
        given = [item.given(code) for item, code in pairs][: len(self.items)]
        return asked_of(self.open_rules, given, arm)

    @cached_property
    def open_rules(self) -> tuple[Rule | None, ...]:
        """What the rule of each question asks of unprotected answers; None if it is nothing.

        A question that these hide is sent as "not asked"; one that protected answers hide goes
        through its channel all the same.
        """
        protected = protected_numbers(self.items)
        rules = (item.rule and loosened(item.rule, protected) for item in self.items)
        return tuple(None if isinstance(rule, bool) else rule for rule in rules)

    @cached_property
    def protected_rules(self) -> frozenset[int]:
        """The numbers of the questions whose rules read protected answers."""
        protected = protected_numbers(self.items)
        numbered = enumerate(self.items, start=1)
        return frozenset(n for n, i in numbered if i.rule and i.rule.questions & protected)

    def may_be_undrawn(self, item: Question) -> bool:
        """Whether chance decides if a person is asked this question at all."""
        return self.asked is not None and item.is_randomized

    def may_be_unasked(self, item: Question) -> bool:
        """Whether chance or a rule may leave this question out."""
        return self.may_be_undrawn(item) or item.rule is not None

    def field_number(self, number: int) -> int:
        """The number of the question in whose field one is sent: of a follow-up, the first one."""
        item = self.items[number - 1]
        return item.family if isinstance(item, FollowUpQuestion) else number

    @property
    def loss(self) -> Loss:
        """What all protected answers of one person tell at most together: as it was frozen.

        What is drawn or asked by a rule does not depend on protected answers, and the reports are
        independent given those. It is that of the arm in which it is largest: the arm is sent, and
        says nothing of a person's answers. Infinite if two questions that share a second one can
        both be asked, as documents from before that was refused may say.
        """
        return self.frozen_loss or self._loss

    @cached_property
    def _loss(self) -> Loss:
        if self.shares_second:
            return Loss(None)
        items = in_ways(self.items)
        numbers = range(1, len(items) + 1)
        in_arms = ([_exposed(items, n, arm) for n in numbers] for arm in self.arm_codes)
        return largest_loss([loss_of(asked, self.asked) for asked in in_arms])

    @cached_property
    def total_epsilon(self) -> float:
        """The loss in nats; infinite if answers could be proved."""
        return log_of_ratio(self.loss.ratio)

    @cached_property
    def shares_second(self) -> bool:
        """Whether a person can be asked two questions that share a second question."""
        pairs = ((self.items[a - 1], self.items[b - 1]) for a, b in sharing(self.items))
        return any(sum(i.is_randomized for i in pair) <= self.protected_asked for pair in pairs)

    def place_of(self, question: Question) -> int:
        """The place (from 0) of a question's code in a stored row of answers."""
        return next(place for item, place in self.offsets if item is question)

    @cached_property
    def told_by_others(self) -> dict[int, tuple[Rule, dict[int, LevelQuestion]]]:
        """Questions whose people who are not asked count as an answer, by their numbers.

        Each with its rule, which reads families as one answer, and the questions that this rule
        reads: their reports, beside its own, tell how many were asked.
        """
        found = {}
        for number, item in of_kind(LevelQuestion, self.items):
            if item.hidden is None or item.hidden.is_own:
                continue
            ruled = in_ways(self.items)[number - 1].rule
            rules = {within(ruled, arm) for arm in self.arms_asked(item)}
            rule = rules.pop() if len(rules) == 1 else None  # arms asked by different answers
            sources = {n: self.items[n - 1] for n in sorted(rule.questions if rule else ())}
            levels = {n: one for n, one in sources.items() if isinstance(one, LevelQuestion)}
            if rule is not None and len(levels) == len(sources):
                found[number] = rule, levels
        return found

    @cached_property
    def offsets(self) -> tuple[tuple[Question, int], ...]:
        """Each question with the place (from 0) of its code in a stored row, and then the arm."""
        places = accumulate((item.width for item in self.variables), initial=0)
        return tuple(zip(self.variables, places, strict=False))


def languages_in(document: Mapping[str, Any]) -> tuple[str, ...]:
    """The languages of a document of any version, the first one first. Raises UnknownVersion."""
    early = version_of(document) < VERSION
    return (early_documents.LANGUAGE,) if early else tuple(document["languages"])


def _exposed(items: Sequence[Question], number: int, arm: str) -> Asked:
    """A question as the loss sees it in one arm, its rule in terms of ways through families."""
    item = items[number - 1]
    rule = within(item.rule, arm)
    if not item.is_randomized:
        return Open(item.told_apart(limits_on(items, number)), rule)
    if isinstance(item, LevelQuestion) and (item.hidden or _is_read(items, number)):
        return Protected(item.told_apart(()), _ratios(item), rule)
    return Protected((None, None), of_largest(item.largest_ratio), rule)


def _is_read(items: Sequence[Question], number: int) -> bool:
    return any(item.rule and number in item.rule.questions for item in items)


def _ratios(item: LevelQuestion) -> Ratios:
    """Of what can be answered; where a protected answer may hide it, of "hidden" at last."""
    states = (*item.answerable, *([item.hidden.level] if item.hidden else []))
    return of_channel([[Fraction(weight) for weight in item.weights[state]] for state in states])
