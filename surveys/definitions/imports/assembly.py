"""From the entries of a form to a plan: names, texts, rules, sections, in this order.

All readers end here, so that a question loses the same by whichever form it comes. What a rule
reads must be there and come before it; else the question loses the rule and is unfinished, and no
survey with it can be launched before its author looked: it is never asked of more people unseen.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from surveys.definitions.definition import (
    LONGEST_HELP,
    LONGEST_NOTE,
    LONGEST_OPTION,
    LONGEST_QUESTION,
    LONGEST_TITLE,
    MOST_QUESTIONS,
    Definition,
    DraftOption,
    DraftQuestion,
    DraftRow,
    DraftSection,
    SpecialAnswer,
)
from surveys.definitions.imports.conditions import ConditionReader, Unreadable
from surveys.definitions.imports.entries import FormChoice, FormGroup, ReadForm, Written
from surveys.definitions.imports.markup import plain_text
from surveys.definitions.imports.naming import NamedEntry, named_entries
from surveys.definitions.imports.plans import ImportPlan, PlannedQuestion, stopped
from surveys.definitions.imports.quotes import QuoteWriter
from surveys.definitions.imports.remarks import Remarks, Spot
from surveys.definitions.imports.wording import TextWriter
from surveys.definitions.kinds import FIELDS, PAGES
from surveys.definitions.rules.tree import BadRuleTree, RuleTree, all_of, check_size
from surveys.randomized_response.messages import Message, counted_sentence, sentence

MOST_ON_A_SCREEN = 10
# What an entry has as a question does, where its kind has it at all.
OF_NUMBERS_AND_DAYS = ("minimum", "maximum", "decimal_places", "first_day", "last_day")
COPIED = frozenset([*OF_NUMBERS_AND_DAYS, "longest", "most", "random_options"])
UNFINISHED = sentence(
    "The question is imported without this rule and is marked “not finished”: {why}"
)
SET_RULE = sentence("Check who is asked and set the rule. Then remove the mark “not finished”.")


def plan_of(form: ReadForm, remarks: Remarks) -> ImportPlan:
    """The plan of a form that could be read; adds what is changed and lost on the way."""
    if not form.entries:
        remarks.stops(
            Spot(),
            "",
            sentence("No question of the form can be imported."),
            sentence("Read the other remarks, or check that you chose the right file."),
        )
    elif len(form.entries) > MOST_QUESTIONS:
        first_beyond = form.entries[MOST_QUESTIONS]
        remarks.stops(
            first_beyond.spot,
            first_beyond.name,
            sentence(
                "The form has {count} questions, but a survey can have at most {most}.",
                count=len(form.entries),
                most=MOST_QUESTIONS,
            ),
            sentence("Divide the form into several files."),
        )
    else:
        return _Assembly(form, remarks).plan()
    return stopped(form.form, remarks, form.asked)


class _Assembly:
    """The work on one form."""

    def __init__(self, form: ReadForm, remarks: Remarks) -> None:
        self.form, self.remarks = form, remarks
        self.named = list(named_entries(form.entries, remarks))
        # Of two fields of one name conditions read the first.
        sources = {each.entry.name: each.source for each in reversed(self.named)}
        self.positions = {each.name: at for at, each in enumerate(self.named)}
        self.reader = ConditionReader(form, sources)
        self.texts = TextWriter(form, remarks)
        self.quotes = QuoteWriter(form, remarks, sources, self.positions)
        self.title = self.texts.written(
            form.titles,
            form.title_spot,
            LONGEST_TITLE,
            column="title",
            instead=plain_text(form.name)[:LONGEST_TITLE] or form.form,
        )
        self.group_rules = dict(self._group_rules())

    def plan(self) -> ImportPlan:
        sections = self._sections()
        self._note_calculations()
        definition = Definition(
            languages=tuple(self.form.languages),
            title=self.title,
            introduction=self.texts.written(
                self.form.introductions,
                self.form.title_spot,
                LONGEST_NOTE,
                column="introduction",
                has_paragraphs=True,
            ),
            sections=sections,
        )
        planned = tuple(
            PlannedQuestion(
                each.name, each.entry.spot, each.entry.is_whole and not question.unfinished
            )
            for each, question in zip(self.named, definition.questions, strict=True)
        )
        held_count = sum(
            each.entry.counts
            for each, question in zip(self.named, planned, strict=True)
            if question.is_whole
        )
        form, counts = self.form, (self.form.asked, held_count)
        return ImportPlan(form.form, definition, planned, *counts, tuple(self.remarks))

    # ---- Rules ----------------------------------------------------------------------------------

    def _group_rules(self) -> Iterator[tuple[FormGroup, tuple[RuleTree | None, bool]]]:
        """Of each group the rule, and whether it is lost."""
        inside: dict[FormGroup, list[NamedEntry]] = {}
        for each in self.named:
            for group in each.entry.groups:
                inside.setdefault(group, []).append(each)
        for group, its in inside.items():
            try:
                yield group, (self._rule(group.rule, self.positions[its[0].name]), False)
            except Unreadable as problem:
                self._note_lost(group.rule, _all_unfinished(len(its), problem.words))
                yield group, (None, True)

    def _rule(self, written: Written | None, at: int) -> RuleTree | None:
        """The rule of what begins with this question. Raises Unreadable."""
        rule = self.reader.read(written) if written else None
        for name in sorted(rule.questions) if rule else ():
            if self.positions[name] >= at:
                words = sentence(
                    "The rule depends on “{name}”, which does not come before this question.",
                    name=name,
                )
                raise Unreadable(words)
        return rule

    def _note_lost(self, written: Written | None, outcome: Message) -> None:
        spot, text = (written.spot, written.text) if written else (Spot(), "")
        self.remarks.left_out(spot, text, outcome, SET_RULE)

    def _note_calculations(self) -> None:
        """What the form works out: in conditions that read it, else nowhere."""
        for name, calculation in self.form.calculations.items():
            written = calculation.formula
            if name in self.reader.used:
                self.remarks.changed(
                    written.spot,
                    written.text,
                    sentence(
                        "Each condition that depends on “{name}” now contains this formula.",
                        name=name,
                    ),
                    sentence("Check the rules of the questions that depend on this formula."),
                )
            else:
                self.remarks.left_out(
                    written.spot,
                    written.text,
                    sentence(
                        "The form calculates “{name}”. Surveys in Deniable cannot do such "
                        "calculations.",
                        name=name,
                    ),
                    sentence(
                        "Calculate the value from the data after the survey, if the calculation "
                        "needs no protected answer."
                    ),
                )

    # ---- Sections and questions -----------------------------------------------------------------

    def _sections(self) -> tuple[DraftSection, ...]:
        """One for each run of questions in the same groups; one alone without any group."""
        runs = [
            (groups, list(run))
            for groups, run in groupby(self.named, key=lambda each: each.entry.groups)
        ]
        if len(runs) == 1 and not runs[0][0]:
            return (DraftSection(questions=self._questions(runs[0][1], None, is_lost=False)),)
        return tuple(self._section(groups, run) for groups, run in runs)

    def _section(self, groups: tuple[FormGroup, ...], run: Sequence[NamedEntry]) -> DraftSection:
        rules = [self.group_rules[group] for group in groups]
        rule = all_of(*(rule for rule, _ in rules))
        is_lost = any(is_lost for _, is_lost in rules)
        try:
            _check_fit(rule)
        except Unreadable as problem:
            self._note_lost(groups[-1].rule, _all_unfinished(len(run), problem.words))
            rule, is_lost = None, True
        return DraftSection(
            title=self._section_title(groups),
            rule=rule,
            questions=self._questions(run, rule, is_lost=is_lost),
        )

    def _section_title(self, groups: tuple[FormGroup, ...]) -> dict[str, str]:
        """That of the innermost group with one; what has none stands below the form's own."""
        for group in reversed(groups):
            if any(text.strip() for text in group.titles.values()):
                return self.texts.written(group.titles, group.spot, LONGEST_TITLE)
        return self.title

    def _questions(
        self, run: Sequence[NamedEntry], above: RuleTree | None, *, is_lost: bool
    ) -> tuple[DraftQuestion, ...]:
        return tuple(
            self._question(each, above, is_lost=is_lost, is_below=_is_below(run, at))
            for at, each in enumerate(run)
        )

    def _question(
        self, named: NamedEntry, above: RuleTree | None, *, is_lost: bool, is_below: bool
    ) -> DraftQuestion:
        entry, name = named.entry, named.name
        rule = None
        try:
            own = self._rule(entry.rule, self.positions[name])
            _check_fit(all_of(above, own))
            rule = own
        except Unreadable as problem:
            self._note_lost(entry.rule, UNFINISHED.format(why=problem.words))
            is_lost = True
        return DraftQuestion(
            name=name,
            kind=entry.kind,
            text=self._text(named),
            help=self.texts.written(
                self.quotes.requoted(entry, name, entry.helps),
                entry.spot,
                LONGEST_HELP,
                column="help",
            ),
            required=entry.required and entry.kind not in PAGES,
            rule=rule,
            unfinished=is_lost,
            same_screen=is_below,
            **self._parts(named),
            **{field: getattr(entry, field) for field in COPIED & FIELDS[entry.kind]},
        )

    def _text(self, named: NamedEntry) -> dict[str, str]:
        entry, is_page = named.entry, named.entry.kind in PAGES
        return self.texts.written(
            self.quotes.requoted(entry, named.name, entry.texts),
            entry.spot,
            LONGEST_NOTE if is_page else LONGEST_QUESTION,
            instead=named.name,
            has_paragraphs=is_page,
        )

    def _parts(self, named: NamedEntry) -> dict[str, Any]:
        """Its options, its rows, and what stands beside a number."""
        options = tuple(
            DraftOption(
                value=value,
                text=self._choice_text(value, choice),
                exclusive=choice.is_exclusive,
            )
            for value, choice in named.options
        )
        rows = tuple(
            DraftRow(value=value, text=self._choice_text(value, choice))
            for value, choice in named.rows
        )
        special = tuple(
            SpecialAnswer(code=code, text=dict.fromkeys(self.form.languages, code))
            for code in named.entry.special
        )
        return {"options": options, "rows": rows, "special": special}

    def _choice_text(self, value: str, choice: FormChoice) -> dict[str, str]:
        return self.texts.written(
            choice.texts, choice.spot, LONGEST_OPTION, column="option", instead=value
        )


def _all_unfinished(count: int, why: Message) -> Message:
    return counted_sentence(
        "The question that this rule applies to is imported without the rule and is marked “not "
        "finished”: {why}",
        "The {count} questions that this rule applies to are imported without the rule and are "
        "marked “not finished”: {why}",
        count,
        why=why,
    )


def _is_below(run: Sequence[NamedEntry], at: int) -> bool:
    """Whether a question stands on the screen of the one before."""
    groups = run[at].entry.groups
    return bool(groups) and groups[-1].is_one_screen and at % MOST_ON_A_SCREEN != 0


def _check_fit(rule: RuleTree | None) -> None:
    """Raises Unreadable for a rule that is too large to be asked."""
    if rule is not None:
        try:
            check_size(rule)
        except BadRuleTree as problem:
            raise Unreadable(problem.words) from None
