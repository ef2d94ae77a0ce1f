"""A draft's texts by place, their translations put into it, and which ones are missing."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext, gettext_lazy

from surveys.authoring.draft.arms import LONGEST_NAME, arms_of
from surveys.authoring.draft.building import LONGEST_SPECIAL, row_lines, special_lines
from surveys.authoring.draft.designs import WITH_SECOND
from surveys.authoring.draft.kinds import draft_kind
from surveys.authoring.draft.parts import LONGEST_ROW
from surveys.authoring.draft.reasons import Reason
from surveys.definitions.names import special_line, valued_line
from surveys.models import Option, Question, Survey, Translation
from surveys.models.translations import digest_of
from surveys.questionnaire.arms import Arm
from surveys.wording.language.explanations import EXPLANATIONS

Translations = Callable[[str], Mapping[str, str]]  # of a language: text by digest
ADDRESS = re.compile(r"[^@\s]+@(?=[^@\s]+\.[^@\s])[^@\s]+$|https?://\S+$|www\.\S+$")
LETTER = re.compile(r"[^\W\d_]")
SCRIPTS = {"ar": "ARABIC"}  # as names of letters in Unicode begin; the others are in Latin
MOST_NAMED = 10  # texts of one language in a list of reasons: the page of translations has all
SURVEY_TEXTS = {
    "title": gettext_lazy("Title"),
    "introduction": gettext_lazy("Introduction"),
    "organisation": gettext_lazy("Who asks"),
    "contact": gettext_lazy("Contact"),
}
QUESTION_TEXTS = {
    "section": gettext_lazy("section"),
    "section_text": gettext_lazy("text of the section"),
    "text": gettext_lazy("text"),
    "help": gettext_lazy("help"),
}


@dataclass(frozen=True)
class SourceText:
    """A text of a draft in its author's language, and where it stands first."""

    place: str
    text: str
    longest: int

    @property
    def digest(self) -> str:
        return digest_of(self.text)


def source_texts(survey: Survey, questions: Sequence[Question]) -> list[SourceText]:
    """All texts that respondents read and an author wrote, each once, in the order of the pages.

    An address is the same in every language.
    """
    by_digest: dict[str, SourceText] = {}
    for source in _texts(survey, questions):
        if source.text.strip() and not is_address(source.text):
            by_digest.setdefault(source.digest, source)
    return list(by_digest.values())


def is_address(text: str) -> bool:
    """Whether each of its words is an e-mail address, an address of a page or a number."""
    return all(ADDRESS.match(word) or not LETTER.search(word) for word in text.split())


def translations_of(survey_id: UUID, language: str) -> dict[str, str]:
    """What a draft's texts are called in this language, by the digests of the texts."""
    rows = Translation.objects.filter(survey=survey_id, language=language)
    return {digest: text for digest, text in rows.values_list("digest", "text") if text.strip()}


def missing_reasons(
    survey: Survey, questions: Sequence[Question], translations: Translations
) -> Iterator[str]:
    """Every text that is not translated into a language of the survey, with its place."""
    further = survey.languages[1:]
    texts = source_texts(survey, questions) if further else []
    for language in further:
        known = translations(language)
        missing = [source for source in texts if source.digest not in known]
        name = dict(settings.LANGUAGES)[language]
        for source in missing[:MOST_NAMED]:
            yield Reason(
                gettext("{name} ({language}): translate “{text}” ({place}).").format(
                    name=name, language=language, text=source.text.strip()[:60], place=source.place
                ),
                source.digest,
                language,
            )
        if len(missing) > MOST_NAMED:
            more = len(missing) - MOST_NAMED
            yield Reason(
                gettext(
                    "{name} ({language}): translate {more} more texts on the page “Translations”."
                ).format(name=name, language=language, more=more),
                language=language,
            )


def missing_in(survey: Survey, questions: Sequence[Question]) -> list[dict[str, int]]:
    """For each question, how many of its texts each further language of the survey lacks."""
    stored = survey.translations.exclude(text="") if survey.also_in else survey.translations.none()
    known = {(row.language, row.digest) for row in stored if row.text.strip()}
    return [
        {
            language: sum((language, digest) not in known for digest in digests)
            for language in survey.languages[1:]
        }
        for digests in map(_digests, questions)
    ]


def _digests(question: Question) -> set[str]:
    """Of the texts of a question that are translated."""
    texts = (text for _, text, _ in _texts_of(question))
    return {digest_of(text) for text in texts if text.strip() and not is_address(text)}


def in_other_script(language: str, texts: Iterable[str]) -> Iterator[str]:
    """Texts without a letter of their language's script: perhaps meant for another one."""
    script = SCRIPTS.get(language, "LATIN")
    for text in texts:
        letters = LETTER.findall(text)
        if letters and not any(
            unicodedata.name(letter, "").startswith(script) for letter in letters
        ):
            yield text


def put_into(known: Mapping[str, str], survey: Survey, questions: Sequence[Question]) -> None:
    """Put translations in the place of the author's words, in rows that are never saved."""

    def change(text: str) -> str:
        return known.get(digest_of(text), text)

    for name in SURVEY_TEXTS:
        setattr(survey, name, change(getattr(survey, name)))
    survey.explanations = {name: change(text) for name, text in survey.explanations.items()}
    for question in questions:
        for name in (*QUESTION_TEXTS, "harmless"):
            setattr(question, name, change(getattr(question, name)))
        if question.table_rows:
            question.table_rows = "\n".join(
                valued_line(value, change(text), number)
                for number, (value, text) in enumerate(row_lines(question), start=1)
            )
        if question.special:
            question.special = "\n".join(
                special_line(code, change(text)) for code, text in special_lines(question)
            )
        for option in question.options.all():
            option.text = change(option.text)


def arms_in(known: Mapping[str, str], arms: Sequence[Arm]) -> tuple[Arm, ...]:
    """The arms with translated names."""
    return tuple(replace(arm, text=known.get(digest_of(arm.text), arm.text)) for arm in arms)


def _texts(survey: Survey, questions: Sequence[Question]) -> Iterator[SourceText]:
    for name, label in SURVEY_TEXTS.items():
        yield SourceText(str(label), getattr(survey, name), _longest(Survey, name))
    for number, arm in enumerate(arms_of(survey), start=1):
        yield SourceText(gettext("arm {number}").format(number=number), arm.text, LONGEST_NAME)
    for name, text in survey.explanations.items():
        if explained := EXPLANATIONS.get(name):
            where = gettext("your explanation “{says}”").format(says=explained.called)
            yield SourceText(where, text, explained.longest)
    for number, question in enumerate(questions, start=1):
        for part, text, longest in _texts_of(question):
            where = gettext("question {number}, {place}").format(number=number, place=part)
            yield SourceText(where, text, longest)


def _texts_of(question: Question) -> Iterator[tuple[str, str, int]]:
    for name, label in QUESTION_TEXTS.items():
        is_help = name == "help" and question.kind not in Question.PAGES
        longest = Question.LONGEST_HELP if is_help else _longest(Question, name)
        yield str(label), getattr(question, name), longest
    yield from _parts(question)


def _longest(table: type[Survey | Question | Option], name: str) -> int:
    """Characters that a text may have, in any language."""
    return int(getattr(table._meta.get_field(name), "max_length", 0))


def _parts(question: Question) -> Iterator[tuple[str, str, int]]:
    """What a question shows beside its own text, as far as its kind and design show it."""
    kind = draft_kind(question)
    if kind.has_options:
        for number, option in enumerate(question.options.all(), start=1):
            yield (
                gettext("option {number}").format(number=number),
                option.text,
                _longest(Option, "text"),
            )
    if "table_rows" in kind.fields:
        for number, (_, row) in enumerate(row_lines(question), start=1):
            yield gettext("row {number}").format(number=number), row, LONGEST_ROW
    if "special" in kind.fields:
        for number, (_, text) in enumerate(special_lines(question), start=1):
            label = gettext("special answer {number}").format(number=number)
            yield label, text, LONGEST_SPECIAL
    if question.design in WITH_SECOND:
        yield gettext("second question"), question.harmless, _longest(Question, "harmless")
