"""FittedDraft: the rows of the database that a definition becomes, and remarks on what they cannot.

What a draft cannot hold is named before it is made, and a question that would be asked of other
people, or in other words, is marked unfinished.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import Field

from surveys.authoring.draft.building import LONGEST_SPECIAL
from surveys.authoring.draft.explanations import explanation_problem, tidied
from surveys.authoring.draft.names import refusal_of_name
from surveys.authoring.importing.conditions import Unsaid
from surveys.authoring.importing.rules import (
    SEPARATOR,
    Readable,
    give_rule,
    give_section_rule,
)
from surveys.authoring.importing.texts import DraftTexts, bodies_of, headings_of, yes_and_no
from surveys.definitions.definition import LONGEST_ARM, Definition, DraftQuestion, DraftSection
from surveys.definitions.imports.plans import ImportPlan
from surveys.definitions.imports.remarks import Remark, Remarks, Spot
from surveys.definitions.kinds import PAGES
from surveys.definitions.names import special_line, valued_line
from surveys.definitions.rules.text import written
from surveys.definitions.rules.tree import RuleTree, all_of
from surveys.models import Condition, Option, Question, Survey
from surveys.questionnaire.explanations import LONGEST
from surveys.questionnaire.kinds.question import field_name
from surveys.randomized_response.messages import counted_sentence, sentence

LONGEST_OPTION = Option._meta.get_field("text").max_length or 0
# What a question's row has as the definition does; a field that is not chosen keeps its default.
COPIED = (
    *("kind", "required", "same_screen", "random_options", "most", "shown"),
    *("minimum", "maximum", "decimal_places", "first_day", "last_day", "longest", "adaptive"),
    *("behind", "counted_table"),
)
CHANGE = sentence("Write the explanation on the page of the survey.")
LOOK = sentence("Check the question, correct it, and remove its mark “not finished”.")


@dataclass
class FittedDraft:
    """Rows that are not stored yet; the survey has no owner.

    ``catalogues`` are the names of those that ratings ask for, by the rating's key.
    """

    survey: Survey
    questions: list[Question] = field(default_factory=list)
    options: list[Option] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    translations: Mapping[tuple[str, str], str] = field(default_factory=dict)
    catalogues: dict[UUID, str] = field(default_factory=dict)
    remarks: tuple[Remark, ...] = ()


def fitted(plan: ImportPlan) -> FittedDraft:
    """The rows of a plan, with its remarks and those on fitting it.

    Raises ValueError for a plan without a definition.
    """
    if plan.definition is None:
        raise ValueError("a plan without a definition becomes no draft")
    spots = {question.name: question.spot for question in plan.questions}
    draft = _Fitting(plan.definition, spots).fit()
    draft.remarks = (*plan.remarks, *draft.remarks)
    return draft


class _Fitting:
    """The work on one definition."""

    def __init__(self, definition: Definition, spots: Mapping[str, Spot]) -> None:
        self.definition, self.spots, self.remarks = definition, spots, Remarks()
        self.drafted = {question.name: question for question in definition.questions}
        numbers = {name: number for number, name in enumerate(self.drafted, start=1)}
        self.texts = DraftTexts(definition.languages, numbers, self.remarks)
        # By name: the row of a question, and the words of its answers by their values.
        self.rows: dict[str, Question] = {}
        self.answers: dict[str, dict[str, str]] = {}
        self.readable = Readable(self.drafted, self.rows, self.answers)

    def fit(self) -> FittedDraft:
        draft = FittedDraft(self._survey(), translations=self.texts.translations)
        of_section: list[Condition] | None = None
        for section in self.definition.sections:
            for order, drafted in enumerate(section.questions):
                self._add(draft, drafted)
                if order == 0:
                    self._begin(drafted, section)
                    of_section = self._section_rule(section)
                    draft.conditions += of_section or ()
                # A text for a last answer follows its choice, which has the section's rule.
                joined = section.rule if of_section is None and drafted.kind != "other" else None
                self._add_rule(draft, drafted, all_of(joined, drafted.rule))
        draft.remarks = tuple(self.remarks)
        return draft

    # ---- The survey ------------------------------------------------------------------------------

    def _survey(self) -> Survey:
        definition = self.definition
        survey = Survey(
            language=definition.languages[0], also_in=" ".join(definition.languages[1:])
        )
        for name in ("title", "introduction", "organisation", "contact"):
            longest = _field(Survey, name).max_length or 0
            has_lines = name == "introduction"
            words = getattr(definition, name)
            setattr(survey, name, self.texts.own_words(words, longest, Spot(), has_lines=has_lines))
        arms = (
            f"{self.texts.own_words(arm.text, LONGEST_ARM, Spot())}: {arm.weight}"
            for arm in definition.arms
        )
        survey.arms = "\n".join(arms)
        survey.explanations = self._explanations()
        for name, value in asdict(definition.promises).items():
            if value not in (None, ""):
                setattr(survey, name, value)
        self._keep_valid(survey, Spot(), {"owner", *_empty_of(survey)})
        return survey

    def _explanations(self) -> dict[str, str]:
        """The author's own words; what cannot stand in the place of ours is left out."""
        texts: dict[str, str] = {}
        for each in self.definition.explanations:
            own = self.texts.own_words(each.text, LONGEST, Spot(), has_lines=True)
            if problem := explanation_problem(each.name, own):
                self.remarks.left_out(Spot(), own, problem, CHANGE)
            else:
                texts[each.name] = own
        return tidied(texts)

    # ---- Questions -------------------------------------------------------------------------------

    def _add(self, draft: FittedDraft, drafted: DraftQuestion) -> None:
        spot = self.spots.get(drafted.name, Spot())
        index = len(draft.questions)
        row = Question(survey=draft.survey, position=index, name=drafted.name)
        if drafted.name == field_name(index):
            row.name = None  # what files call a question that has no name
        elif refusal := refusal_of_name(drafted.name):
            row.name = None
            self.remarks.changed(
                spot, drafted.name, refusal, sentence("Choose a name for the question on its page.")
            )
        for name in COPIED:
            value = getattr(drafted, name)
            setattr(row, name, None if value == "" else value)
        row.design = drafted.design.name
        row.epsilon = drafted.design.epsilon or None
        row.forced, row.p_sensitive, row.harmless_yes = map(_listed, _lists(drafted))
        row.channel = "\n".join(map(_listed, drafted.design.channel))
        row.known_share = None if drafted.known_share is None else str(drafted.known_share)
        row.arms = SEPARATOR.join(drafted.arms)
        row.unfinished = drafted.unfinished or None
        self._add_texts(row, drafted, spot)
        self._add_options(draft, row, drafted, spot)
        is_whole = self._keep_valid(row, spot, {"survey", "catalogue"})
        row.unfinished = row.unfinished or (None if is_whole else True)
        if drafted.catalogue:
            draft.catalogues[row.pk] = drafted.catalogue
        draft.questions.append(row)
        self.rows[drafted.name] = row

    def _add_texts(self, row: Question, drafted: DraftQuestion, spot: Spot) -> None:
        texts = {"text": drafted.text, "help": drafted.help, "harmless": drafted.design.harmless}
        is_page = drafted.kind in PAGES
        if is_page:
            texts |= {"text": headings_of(drafted), "help": bodies_of(drafted)}
        for name, words in texts.items():
            longest = _field(Question, name).max_length or 0
            cuts = self.texts.cuts
            has_lines = name == "help" and (is_page or self.definition.promises.marked_up)
            setattr(row, name, self.texts.own_words(words, longest, spot, has_lines=has_lines))
            if self.texts.cuts > cuts:
                row.unfinished = True
        lines = [
            valued_line(
                each.value if each.value != str(number) else None,
                self.texts.own_words(each.text, LONGEST_OPTION, spot),
                number,
            )
            for number, each in enumerate(drafted.rows, start=1)
        ]
        row.table_rows = "\n".join(lines) or None
        self._add_special(row, drafted, spot)

    def _add_special(self, row: Question, drafted: DraftQuestion, spot: Spot) -> None:
        """Answers beside a number; rules name them by their words."""
        texts = {
            each.code: self.texts.own_words(each.text, LONGEST_SPECIAL, spot)
            for each in drafted.special
        }
        lines = [special_line(code, text) for code, text in texts.items()]
        row.special = "\n".join(lines) or None
        self.answers[drafted.name] = texts

    def _add_options(
        self, draft: FittedDraft, row: Question, drafted: DraftQuestion, spot: Spot
    ) -> None:
        used: set[str] = set()
        language = self.definition.languages[0]
        answers = yes_and_no(language) if drafted.kind == "yes_no" else {}
        repeated: list[str] = []
        for position, option in enumerate(drafted.options):
            text = self.texts.own_words(option.text, LONGEST_OPTION, spot)
            single, count = text, 1
            while single.casefold() in used:
                count += 1
                ending = f" ({count})"
                single = f"{text[: LONGEST_OPTION - len(ending)]}{ending}"
            if count > 1:
                repeated.append(text)
            used.add(single.casefold())
            row_of_option = Option(question=row, position=position, text=single)
            row_of_option.stands_alone = option.exclusive
            row_of_option.value = option.value if option.value != str(position + 1) else None
            draft.options.append(row_of_option)
            answers[option.value] = single
        if repeated:
            self.remarks.changed(
                spot,
                ", ".join(repeated),
                counted_sentence(
                    "One option has the same words as another option, so a number is added to it.",
                    "{count} options have the same words as another option, so a number is added "
                    "to each.",
                    len(repeated),
                ),
                sentence("Give these options different words, in each language."),
            )
        self.answers[drafted.name] |= answers

    def _begin(self, drafted: DraftQuestion, section: DraftSection) -> None:
        """Let a section begin with this question."""
        row, spot = self.rows[drafted.name], self.spots.get(drafted.name, Spot())
        for name, words in (("section", section.title), ("section_text", section.text)):
            longest = _field(Question, name).max_length or 0
            setattr(row, name, self.texts.own_words(words, longest, spot))
        row.random_screens, row.random_section = section.random_questions, section.random_section

    # ---- Rules -----------------------------------------------------------------------------------

    def _add_rule(self, draft: FittedDraft, drafted: DraftQuestion, rule: RuleTree | None) -> None:
        if rule is None:
            return
        row = self.rows[drafted.name]
        try:
            draft.conditions += give_rule(row, rule, self.readable)
        except Unsaid as problem:
            row.unfinished = True
            self.remarks.left_out(
                self.spots.get(drafted.name, Spot()),
                written(rule),
                sentence(
                    "The question is imported without this rule and is marked “not finished”: "
                    "{why}",
                    why=problem.words,
                ),
                LOOK,
            )

    def _section_rule(self, section: DraftSection) -> list[Condition] | None:
        """The conditions of a section's rule; None where its questions must have it instead.

        A draft's section has a title, and its rule reads direct answers before it.
        """
        first = next(iter(section.questions), None)
        if section.rule is None or first is None or not self.rows[first.name].section.strip():
            return None
        if any(self.drafted[name].design.name != "direct" for name in section.rule.questions):
            return None
        before = {name: row for name, row in self.rows.items() if name != first.name}
        readable = replace(self.readable, rows=before)
        try:
            return give_section_rule(self.rows[first.name], section.rule, readable)
        except Unsaid:  # each of its questions says why
            return None

    # ---- What is left out ------------------------------------------------------------------------

    def _keep_valid(self, row: Survey | Question, spot: Spot, exclude: set[str]) -> bool:
        """Put back what the table refuses, and note it; whether it refuses nothing."""
        try:
            row.clean_fields(exclude=exclude)
        except ValidationError as problem:
            for name, errors in problem.error_dict.items():
                refused, usual = getattr(row, name), _field(type(row), name)
                setattr(row, name, usual.get_default())
                self.remarks.left_out(
                    spot,
                    str(refused),
                    sentence(
                        "“{name}” is left out: {why}",
                        name=str(usual.verbose_name),
                        why=" ".join(words for error in errors for words in error.messages),
                    ),
                    LOOK,
                )
            return False
        return True


def _field(table: type[Survey | Question], name: str) -> Field:
    return next(each for each in table._meta.fields if each.name == name)


def _lists(drafted: DraftQuestion) -> tuple[Sequence[Fraction], ...]:
    design = drafted.design
    return design.forced, design.p_sensitive, design.harmless_yes


def _listed(shares: Sequence[Fraction]) -> str:
    return ", ".join(map(str, shares))


def _empty_of(row: Survey) -> set[str]:
    """What an author adds later: a draft may have it empty."""
    return {each.name for each in row._meta.fields if getattr(row, each.attname) in (None, "")}
