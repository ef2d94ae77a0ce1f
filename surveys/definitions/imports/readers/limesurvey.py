"""The structure of a survey of LimeSurvey as tab-separated values: one row a part and language."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from surveys.definitions.imports.conditions import field_names
from surveys.definitions.imports.entries import (
    Calculation,
    Entry,
    FormChoice,
    FormGroup,
    ReadForm,
    Written,
)
from surveys.definitions.imports.formulas import BadFormula, formula_of
from surveys.definitions.imports.readers.choices import make_yes_no
from surveys.definitions.imports.readers.limesurvey_types import (
    EQUATION,
    READERS,
    other_of,
)
from surveys.definitions.imports.readers.tables import FormRow, FormTable
from surveys.definitions.imports.remarks import Remarks, Spot, note_language
from surveys.definitions.languages import LANGUAGES, language_named
from surveys.randomized_response.messages import Message, sentence

COLUMNS = {"class", "type/scale", "name", "relevance", "text", "language"}
ALWAYS = ("", "1", "true")
OF_SURVEYS = ("S", "SL")
ANY_ANSWER = ".NAOK"  # a name with it may be of a question that was not asked
LEFT_OUT_CLASSES: Mapping[str, Message] = {
    **dict.fromkeys(
        ("QTA", "QTALS", "QTAM"),
        sentence(
            "Quotas are left out, because they work only if it is known who gave which answer."
        ),
    ),
    "AS": sentence("Assessments are left out, because Deniable does not show scores."),
    "C": sentence(
        "Conditions in the format of old versions are left out. The relevance equation has the "
        "same content."
    ),
}
NOT_CHECKED = sentence(
    "The validation is left out. Deniable checks only whether an answer is within its bounds."
)
# Attributes of a question, as columns, without which it asks something else.
LOST_ATTRIBUTES: Mapping[str, Message] = {
    "array_filter": sentence(
        "The filter is left out: all rows or options of the question are offered."
    ),
    "array_filter_exclude": sentence(
        "The filter is left out: all rows or options of the question are offered."
    ),
    "default": sentence("The default answer is left out: no answer is filled in beforehand."),
    "em_validation_q": sentence(
        "The validation is left out. Deniable checks only whether an answer is within its bounds."
    ),
    "em_validation_sq": sentence(
        "The validation is left out. Deniable checks only whether an answer is within its bounds."
    ),
    "min_answers": sentence(
        "The minimum number of ticked options is left out: people may tick any number of "
        "options, or none."
    ),
    "random_group": sentence(
        "The random position is left out: the question always keeps its position. You can put "
        "sections in random order."
    ),
    "time_limit": sentence("The time limit is left out: people have as much time as they need."),
    "validation": sentence("The pattern is left out: the text of an answer is not checked."),
}


def is_limesurvey(table: FormTable) -> bool:
    """Whether these are the columns of a structure."""
    return {label.casefold() for label in table.header} >= COLUMNS


def read_limesurvey(table: FormTable, language: str, name: str, remarks: Remarks) -> ReadForm:
    """The form of a structure; ``language`` is that of a file which names none."""
    settings = [FormLine(row) for row in table.rows if row.cells.get("class") in OF_SURVEYS]
    form = ReadForm("limesurvey", _languages(settings, language, remarks), {}, name)
    form.has_bare_fields, form.quote_marks = True, ("{", "}")
    named = dict.fromkeys(form.languages, "text")
    form.columns = {
        **{("label", code): "text" for code in named},
        **{("option", code): "text" for code in named},
        **{("help", code): "help" for code in named},
    }
    for line in settings:
        _read_setting(form, line)
    reader = _StructureReader(form, remarks)
    for row in table.rows:
        if row.cells.get("class") not in OF_SURVEYS:
            reader.read(FormLine(row))
    reader.finish()
    for entry in form.entries:
        make_yes_no(entry, remarks, entry.spot)
    return form


@dataclass(frozen=True)
class FormLine:
    """A row of the file: a setting, a group, a question, or a part of one, in one language."""

    row: FormRow

    def __getitem__(self, column: str) -> str:
        return self.row.cells.get(column, "").strip()

    def spot(self, column: str) -> Spot:
        return Spot(row=self.row.number, column=column)

    @property
    def language(self) -> str:
        return language_named(self["language"])


def _languages(settings: list[FormLine], language: str, remarks: Remarks) -> list[str]:
    """The base language of the survey, then its others; those that pages are made in."""
    named = {line["name"]: line for line in settings if line["class"] == "S"}
    languages = []
    for name in ("language", "additional_languages"):
        for word in named[name]["text"].split() if name in named else ():
            code = language_named(word)
            if code:
                languages.append(code)
                continue
            words = sentence(
                "Texts in this language are left out. Deniable has pages in these languages: "
                "{languages}."
            )
            remedy = sentence("Use a language in which Deniable has pages.")
            spot = named[name].spot("text")
            remarks.left_out(spot, word, words.format(languages=", ".join(LANGUAGES)), remedy)
    if not languages:
        note_language(language, remarks)
    return list(dict.fromkeys(languages)) or [language]


def _read_setting(form: ReadForm, line: FormLine) -> None:
    if line["class"] != "SL" or (line["language"] and line.language not in form.languages):
        return
    language = line.language or form.languages[0]
    if line["name"] == "surveyls_title":
        form.titles[language] = line["text"]
        form.title_spot = form.title_spot if form.title_spot.row else line.spot("text")
    elif line["name"] in ("surveyls_description", "surveyls_welcometext"):
        texts = [form.introductions.get(language, ""), line["text"]]
        form.introductions[language] = "\n\n".join(filter(None, texts))


@dataclass(eq=False)
class LimeQuestion:
    """A question as it is read, part by part: its first line, texts, and what stands below it."""

    line: FormLine
    groups: tuple[FormGroup, ...]
    texts: dict[str, str] = field(default_factory=dict)
    helps: dict[str, str] = field(default_factory=dict)
    parts: dict[tuple[str, str, str], FormChoice] = field(default_factory=dict)

    def of_class(self, name: str) -> list[FormChoice]:
        """Its subquestions (SQ) or answers (A) on the first scale."""
        return [
            part
            for (kind, scale, _), part in self.parts.items()
            if kind == name and scale in ("", "0")
        ]


class _StructureReader:
    """Reads groups, questions and their parts, in any order of languages."""

    def __init__(self, form: ReadForm, remarks: Remarks) -> None:
        self.form, self.remarks = form, remarks
        self.groups: dict[str, FormGroup] = {}
        self.questions: dict[str, LimeQuestion] = {}
        self.group: FormGroup | None = None
        self.question: LimeQuestion | None = None

    def read(self, line: FormLine) -> None:
        """Read one row."""
        if line["language"] and line.language not in self.form.languages:
            return  # its language is noted once
        match line["class"]:
            case "G":
                self._read_group(line)
            case "Q":
                self._read_question(line)
            case "SQ" | "A":
                self._read_part(line)
            case kind:
                words = LEFT_OUT_CLASSES.get(kind) or sentence(
                    "This row is left out, because its class is unknown."
                )
                remedy = sentence("Check whether the survey works without this part.")
                self.remarks.left_out(line.spot("class"), kind, words, remedy)

    def finish(self) -> None:
        """Make entries of the questions, once all of their parts are read."""
        for code, asked in self.questions.items():
            self._settle(code, asked)
        parts = {}
        for entry in self.form.entries:
            if entry.kind == "ticks":
                for option in entry.options:
                    parts[f"{entry.name}_{option.value}"] = (entry.name, option.value)
        self.form.parts = parts

    def _read_group(self, line: FormLine) -> None:
        key = line["type/scale"] or line["name"]
        if key not in self.groups:
            group = FormGroup(line.spot("name"), line["name"], rule=self._rule(line))
            self.groups[key] = group
        self.group = self.groups[key]
        self.group.titles.setdefault(self._language(line), line["name"])
        self.question = None

    def _read_question(self, line: FormLine) -> None:
        code, language = line["name"], self._language(line)
        known = self.questions.get(code)
        if known and (language in known.texts or known.line["type/scale"] != line["type/scale"]):
            code = f"{code} {line.row.number}"  # another question of the same name
            known = None
        if known is None:
            known = LimeQuestion(line, (self.group,) if self.group else ())
            self.questions[code] = known
        known.texts.setdefault(language, line["text"])
        known.helps.setdefault(language, line["help"])
        self.question = known

    def _read_part(self, line: FormLine) -> None:
        if self.question is None:
            words = sentence("This row is left out, because it belongs to no question.")
            remedy = sentence("Move this row below its question.")
            self.remarks.left_out(line.spot("class"), line["name"], words, remedy)
            return
        key = (line["class"], line["type/scale"], line["name"])
        part = self.question.parts.setdefault(key, FormChoice(line["name"], {}, line.spot("name")))
        part.texts.setdefault(self._language(line), line["text"])

    def _settle(self, code: str, asked: LimeQuestion) -> None:
        line, kind = asked.line, asked.line["type/scale"]
        rule = self._rule(line, asked.groups)
        if kind == EQUATION:
            text = asked.texts[self._language(line)].removeprefix("{").removesuffix("}")
            formula = Written(text, line.spot("text"))
            self.form.calculations[code] = Calculation(formula, rule)
            return
        self.form.asked += 1
        remedy = sentence("Ask this question in another way, if possible.")
        if line["hidden"] == "1":
            self._leave_out(
                line,
                "hidden",
                sentence("The question is left out, because people never see it."),
                remedy,
            )
        elif kind not in READERS:
            words = sentence(
                "The question is left out: Deniable has no questions of the type “{kind}”."
            )
            self._leave_out(line, "type/scale", words.format(kind=kind), remedy)
        else:
            self._add(line, asked, rule)

    def _leave_out(self, line: FormLine, column: str, outcome: Message, remedy: Message) -> None:
        self.form.lost.setdefault(line["name"], outcome)
        self.remarks.left_out(line.spot(column), line[column], outcome, remedy)

    def _add(self, line: FormLine, asked: LimeQuestion, rule: Written | None) -> None:
        ours, read = READERS[line["type/scale"]]
        entry = Entry(
            spot=line.spot("name"),
            name=line["name"],
            kind=ours,
            texts=asked.texts,
            helps=asked.helps,
            rule=rule,
            groups=asked.groups,
            required=line["mandatory"].casefold() in ("y", "s"),
            options=asked.of_class("A"),
            rows=asked.of_class("SQ"),
            random_options=line["random_order"] == "1" or line["answer_order"] == "random",
        )
        if not read(line.row.cells, line.spot("type/scale"), entry, self.remarks):
            self.form.lost.setdefault(
                entry.name, sentence("its options cannot be used in Deniable.")
            )
            return
        for name, outcome in LOST_ATTRIBUTES.items():
            if line[name] not in ("", "0"):
                remedy = sentence("Check whether the question works without this part.")
                entry.loses(self.remarks, line.spot(name), line[name], outcome, remedy)
        self.form.entries.append(entry)
        if line["other"].casefold() == "y" and ours in ("choice", "ticks"):
            text = line["other_replace_text"]
            self.form.entries.append(other_of(entry, self.form.languages, text))

    def _language(self, line: FormLine) -> str:
        return line.language or self.form.languages[0]

    def _rule(self, line: FormLine, groups: tuple[FormGroup, ...] = ()) -> Written | None:
        """The relevance of a row.

        A name without ``.NAOK`` makes the whole relevance false where its question is not asked, so
        that question's own relevance joins it.
        """
        text, spot = line["relevance"], line.spot("relevance")
        if text.casefold() in ALWAYS:
            return None
        also = [
            f"({condition})"
            for name in _strict_names(text)
            if (read := self.questions.get(name)) is not None
            for condition in (
                read.line["relevance"],
                *(group.rule.text for group in read.groups if group.rule and group not in groups),
            )
            if condition.casefold() not in ALWAYS
        ]
        return Written(" and ".join([*also, f"({text})"]) if also else text, spot)


def _strict_names(text: str) -> list[str]:
    """The names in a relevance that stand there without ``.NAOK``, in their order."""
    try:
        names = field_names(formula_of(text, has_bare_fields=True))
    except BadFormula:
        return []
    return [name for name in dict.fromkeys(names) if f"{name}{ANY_ANSWER}" not in text]
