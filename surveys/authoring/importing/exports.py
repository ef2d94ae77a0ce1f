"""``definition_of``: a draft as the definition that an import reads again.

What a draft holds that no definition has stays behind: its owner, days, plan, budgets and keys.
Options and rows without a value are numbered from 1. A question without a name has the one that
files give it by its number.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

from surveys.authoring.draft.arms import typed_arms
from surveys.authoring.draft.building import row_lines, special_lines
from surveys.authoring.draft.languages import translations_of
from surveys.authoring.draft.trees import own_tree, section_tree
from surveys.authoring.draft.typed import probability_of, split_probabilities
from surveys.authoring.importing.rule_names import NamedQuestions, number_of, valued_options
from surveys.definitions.definition import (
    LONGEST_ARM,
    Definition,
    DraftArm,
    DraftDesign,
    DraftExplanation,
    DraftOption,
    DraftQuestion,
    DraftRow,
    DraftSection,
    Promises,
    SpecialAnswer,
)
from surveys.definitions.documents import is_storable
from surveys.definitions.kinds import FIELDS, PARAMETERS
from surveys.definitions.shapes import Texts
from surveys.models import Question, Survey
from surveys.models.translations import digest_of
from surveys.questionnaire.arms import MOST_ARMS, MOST_WEIGHT
from surveys.questionnaire.logic.quotes import QUOTE

# Fields that stand in both as they are; an empty one is not chosen.
PLAIN = ("most", "shown", "decimal_places", "longest", "adaptive", "counted_table")
NUMBERS = ("minimum", "maximum")
DAYS = ("first_day", "last_day")
FINEST = 10**9 - 1  # the largest denominator that a definition writes


def definition_of(survey: Survey) -> Definition:
    """The definition of a draft, in all its languages.

    A question with a rule or a number that cannot be read is marked unfinished in it, without it;
    so are those of a section with such a rule.
    """
    return _Writing(survey).definition()


class _Writing:
    """The work on one draft."""

    def __init__(self, survey: Survey) -> None:
        self.survey = survey
        self.questions = list(survey.questions.prefetch_related("options", "conditions"))
        self.named = NamedQuestions(tuple(self.questions), survey.languages[0])
        self.known = {each: translations_of(survey.pk, each) for each in survey.languages[1:]}

    def definition(self) -> Definition:
        survey = self.survey
        texts = {
            name: self._texts(getattr(survey, name))
            for name in ("title", "introduction", "organisation", "contact")
        }
        texts["title"] = texts["title"] or self._unwritten
        return Definition(
            languages=tuple(survey.languages),
            arms=tuple(self._arms())[:MOST_ARMS],
            promises=Promises(**dict(_chosen(survey))),
            sections=tuple(self._sections()),
            explanations=tuple(self._explanations()),
            **texts,
        )

    @property
    def _unwritten(self) -> Texts:
        """In the place of a text that a definition must have."""
        return {self.survey.languages[0]: "…"}

    def _texts(self, text: str) -> Texts:
        """A text by language; none of an empty one."""
        if not text.strip():
            return {}
        own, digest = self.survey.languages[0], digest_of(text)
        others = {each: known[digest] for each, known in self.known.items() if digest in known}
        texts = {language: _plain(words) for language, words in {own: text, **others}.items()}
        return {language: self._named(words) for language, words in texts.items() if words}

    def _named(self, text: str) -> str:
        """With names in the place of the numbers that quotes have."""
        names = list(self.named.names.values())

        def quote(match: Any) -> str:
            words, number = match.groups()
            if not 1 <= int(number) <= len(names):
                return str(match[0])
            return f"{{{words.removesuffix(number)}{names[int(number) - 1]}}}"

        return QUOTE.sub(quote, text)

    def _explanations(self) -> Iterator[DraftExplanation]:
        """Those that say something, in the order in which they are stored."""
        for name, text in self.survey.explanations.items():
            if texts := self._texts(text):
                yield DraftExplanation(name=name, text=texts)

    def _arms(self) -> Iterator[DraftArm]:
        """Those that a definition has room for, whether they can be launched or not."""
        for name, weight in typed_arms(self.survey):
            if len(name) <= LONGEST_ARM and 0 < weight <= MOST_WEIGHT:
                yield DraftArm(text=self._texts(name), weight=weight)

    def _sections(self) -> Iterator[DraftSection]:
        begun: list[Question] = []
        for question in self.questions:
            if begun and _begins_section(question):
                yield self._section(begun)
                begun = []
            begun.append(question)
        yield self._section(begun)

    def _section(self, questions: Sequence[Question]) -> DraftSection:
        if not questions:
            return DraftSection(questions=())
        first, asked = questions[0], tuple(map(self._question, questions))
        try:
            rule = self.named.exported(section_tree(first))
        except ValueError:
            rule, asked = None, tuple(replace(each, unfinished=True) for each in asked)
        return DraftSection(
            title=self._texts(first.section),
            text=self._texts(first.section_text),
            rule=rule,
            random_questions=first.random_screens,
            random_section=first.random_section,
            questions=asked,
        )

    def _question(self, question: Question) -> DraftQuestion:
        is_whole, parts = True, dict(self._parts(question))
        try:
            rule = self.named.exported(own_tree(question))
        except ValueError:
            rule, is_whole = None, False
        try:
            design = self._design(question)
            if question.known_share:
                parts["known_share"] = _share(question.known_share)
        except ValueError:
            design, is_whole = DraftDesign(name=question.design), False
        its = FIELDS[question.kind]
        return DraftQuestion(
            name=self.named.names[question.pk],
            kind=question.kind,
            text=self._texts(question.text) or self._unwritten,
            help=self._texts(question.help),
            required=question.required,
            design=design,
            rule=rule,
            unfinished=bool(question.unfinished) or not is_whole,
            arms=tuple(part.strip() for part in question.arms.split("|") if part.strip()),
            behind=question.behind or "",
            same_screen=question.same_screen,
            **{name: value for name, value in parts.items() if name in its},
        )

    def _parts(self, question: Question) -> Iterator[tuple[str, Any]]:
        yield from ((name, getattr(question, name)) for name in PLAIN)
        yield from ((name, number_of(getattr(question, name))) for name in NUMBERS)
        for name in DAYS:
            day = getattr(question, name)
            yield name, day.isoformat() if day else ""
        yield "random_options", question.random_options
        yield "catalogue", question.catalogue.name if question.catalogue else ""
        yield "options", tuple(self._options(question))
        yield "rows", tuple(self._rows(question))
        yield (
            "special",
            tuple(
                SpecialAnswer(code=code, text=self._texts(text))
                for code, text in special_lines(question)
            ),
        )

    def _rows(self, question: Question) -> Iterator[DraftRow]:
        for number, (value, text) in enumerate(row_lines(question), start=1):
            yield DraftRow(value=value or str(number), text=self._texts(text) or self._unwritten)

    def _options(self, question: Question) -> Iterator[DraftOption]:
        for value, each in valued_options(question):
            text = self._texts(each.text) or self._unwritten
            yield DraftOption(value=value, text=text, exclusive=each.stands_alone)

    def _design(self, question: Question) -> DraftDesign:
        """Raises ValueError for what is no probability."""
        written: dict[str, Any] = {
            "epsilon": number_of(question.epsilon),
            "forced": _shares(question.forced),
            "p_sensitive": _shares(question.p_sensitive),
            "harmless": self._texts(question.harmless),
            "harmless_yes": _shares(question.harmless_yes),
            "channel": _matrix(question.channel),
        }
        own = {name: written[name] for name in PARAMETERS[question.design]}
        return DraftDesign(name=question.design, **own)


def _begins_section(question: Question) -> bool:
    """What is said of a section stays, though a section without a title cannot be launched."""
    has_words = question.section.strip() or question.section_text.strip()
    is_random = question.random_screens or question.random_section
    return bool(has_words or is_random or question.section_shape)


def _plain(text: str) -> str:
    """A text as files hold it: browsers send line ends as two characters, and drafts keep both."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(letter for letter in lines if is_storable(letter))


def _shares(typed: str) -> tuple[Fraction, ...]:
    return tuple(map(_share, split_probabilities(typed)))


def _share(typed: str) -> Fraction:
    """Raises ValueError for what is no probability, or too fine for a file."""
    share = probability_of("", typed)
    if share.denominator > FINEST:
        raise ValueError(typed)
    return share


def _matrix(typed: str) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(_shares(",".join(row.split())) for row in re.split(r"[\n;]", typed) if row.strip())


def _chosen(survey: Survey) -> Iterator[tuple[str, Any]]:
    """What of the promises is not as usual."""
    usual = {each.name: each.get_default() for each in survey._meta.fields}
    for each in fields(Promises):
        value = getattr(survey, each.name)
        if value != usual[each.name]:
            yield each.name, value
