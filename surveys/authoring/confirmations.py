"""Acts on a survey that cannot be undone: launch, close, stop, an earlier day of deletion."""

import math
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_lazy, ngettext

from surveys.authoring import services
from surveys.authoring.checklist.checks import checks_of_ready
from surveys.authoring.drafts import NotReady, draft_questionnaires
from surveys.authoring.key_proofs import key_challenges, trustee_challenges
from surveys.models import Survey, releasing
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire, count_answered
from surveys.questionnaire.plans.seals import Seals
from surveys.questionnaire.plans.tallies import TallyPromise
from surveys.staff import differences
from surveys.staff.acts import Act, AskingSection, Challenge, NotAsShown, Risk
from surveys.wording.language.messages import translated
from surveys.wording.learning import who_learns
from surveys.wording.protection import (
    direct_questions,
    keeping_lines,
    publishing_line,
    question_numbers,
    total_odds,
)
from surveys.wording.routes import route_line
from surveys.wording.subsets import subset_lines
from surveys.wording.tallies import counted_line, tally_lines
from surveys.wording.texts import direct_mark, reports_line, tables_line
from surveys.wording.vouchers import unlinked_line

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class Launch(Act):
    """Freeze a draft into a revision, and open it."""

    name = "launch"
    button = gettext_lazy("Launch for good")

    @property
    def title(self) -> str:
        return gettext("Launch “{survey}”?").format(survey=self.survey)

    @cached_property
    def questionnaire(self) -> Questionnaire:
        return self.questionnaires[0]

    @cached_property
    def questionnaires(self) -> tuple[Questionnaire, ...]:
        return draft_questionnaires(self.survey)

    def problems(self) -> list[str]:
        if self.survey.state != Survey.State.DRAFT:
            words = gettext(
                "“{survey}” cannot be launched, because it was launched before. A survey can be "
                "launched only once."
            )
            return [words.format(survey=self.survey)]
        try:
            drafted = draft_questionnaires(self.survey)
        except NotReady as problem:
            return [f"{self.survey}: {translated(reason)}" for reason in problem.reasons]
        missing = [one for one in checks_of_ready(self.survey, drafted) if one.is_missing]
        # The first line says what is wrong, the second what to do; further ones are details.
        return [f"{self.survey}: {line}" for check in missing for line in check.lines[:2]]

    def sections(self) -> list[AskingSection]:
        return [
            AskingSection(
                gettext("What you can no longer change"),
                (
                    *_fixed(self.questionnaire),
                    gettext(
                        "All people who have the survey's address can read everything in this "
                        "list as a file, revision.json. The file also contains the known share "
                        "of Yes of each anchor question."
                    ),
                ),
            ),
            AskingSection(
                gettext("What each respondent is promised"), tuple(_promised(self.questionnaire))
            ),
            AskingSection(
                gettext("What you can still change"),
                (
                    gettext("The last day, the planned responses, and who works on this survey."),
                    gettext(
                        "The day on which answers are deleted. You can only choose an earlier day."
                    ),
                ),
            ),
        ]

    def risks(self) -> tuple[Risk, ...]:
        """What the checklist asks a second look at; each is confirmed by itself."""
        return tuple(
            Risk(check.key, AskingSection(check.title, check.lines), check.confirm)
            for check in checks_of_ready(self.survey, self.questionnaires)
            if check.is_doubt
        )

    def challenges(self, by: "User", said: Mapping[str, str]) -> tuple[Challenge, ...]:
        """One for each key that texts or tables are lost with."""
        seals, tally = self.questionnaire.seals, self.questionnaire.tally
        of_texts = key_challenges(self.survey, seals, by, said) if seals else ()
        return of_texts + (trustee_challenges(self.survey, tally, by, said) if tally else ())

    def state(self) -> Any:
        """The document that would be frozen, and everything else that the form has."""
        flat = differences.described(self.survey).flat()
        return [*(questionnaire.to_document() for questionnaire in self.questionnaires), flat]

    def do(self, by: "User") -> str:
        """Raises NotAsShown too: a catalogue that grew meanwhile is part of what was shown."""
        revision = services.launch(survey=self.survey, by=by)
        for shown in self.questionnaires:
            frozen = questionnaire_of(revision, shown.language)
            if _before_launch(frozen).to_document() != shown.to_document():
                raise NotAsShown
        return gettext('"{survey}" is open at ').format(survey=self.survey)


def _before_launch(questionnaire: Questionnaire) -> Questionnaire:
    """Without what a launch makes after all was shown: public halves of keys, and its day."""
    opening, vouchers = questionnaire.opening, questionnaire.vouchers
    return replace(
        questionnaire,
        opening=opening and replace(opening, key="", first="", last=""),
        vouchers=vouchers and replace(vouchers, n=""),
    )


class Close(Act):
    """Stop taking answers."""

    name = "close"
    button = gettext_lazy("Close for good")

    @property
    def title(self) -> str:
        return gettext("Close “{survey}”?").format(survey=self.survey)

    def problems(self) -> list[str]:
        if self.survey.state != Survey.State.OPEN:
            return [services.not_open_words(self.survey)]
        if questionnaire_of(self.survey.revision).is_sealed:
            return [services.closes_by_itself(self.survey)]
        return []

    def sections(self) -> list[AskingSection]:
        questionnaire = questionnaire_of(self.survey.revision)
        return [
            AskingSection(gettext("What cannot be undone"), tuple(_closing(questionnaire))),
            AskingSection(
                gettext("What respondents were promised"), tuple(_promised(questionnaire))
            ),
        ]

    def state(self) -> Any:
        return [self.survey.state, self.survey.revision.pk]

    def do(self, by: "User") -> str:
        services.close(survey=self.survey, by=by)
        return gettext('"{survey}" is closed.').format(survey=self.survey)


class Stop(Act):
    """Close a sealed survey before its last day, and destroy what was not opened."""

    name = "stop"
    button = gettext_lazy("Destroy answers and stop")

    @property
    def title(self) -> str:
        return gettext("Stop “{survey}” at once?").format(survey=self.survey)

    def problems(self) -> list[str]:
        if self.survey.state != Survey.State.OPEN:
            return [services.not_open_words(self.survey)]
        if not questionnaire_of(self.survey.revision).is_sealed:
            words = gettext(
                "“{survey}” cannot be stopped, because it has no sealed answers. Close the survey "
                "instead."
            )
            return [words.format(survey=self.survey)]
        return []

    def sections(self) -> list[AskingSection]:
        questionnaire = questionnaire_of(self.survey.revision)
        return [
            AskingSection(gettext("What cannot be undone"), tuple(_stopping(questionnaire))),
            AskingSection(
                gettext("What respondents were promised"), tuple(_promised(questionnaire))
            ),
            AskingSection(
                gettext("What you can do instead"),
                (
                    gettext(
                        "Move the last day. Respondents see the new last day immediately, and all "
                        "answers are opened after the new last day."
                    ),
                ),
            ),
        ]

    def state(self) -> Any:
        return [self.survey.state, self.survey.revision.pk]

    def do(self, by: "User") -> str:
        services.stop(survey=self.survey, by=by)
        words = gettext(
            "“{survey}” is closed. The answers that were still sealed were destroyed unread."
        )
        return words.format(survey=self.survey)


@dataclass(frozen=True)
class DeleteBy(Act):
    """Promise respondents that their answers are deleted by a day, or by an earlier one."""

    day: date

    name = "delete-by"
    button = gettext_lazy("Delete on this day")

    @property
    def title(self) -> str:
        return gettext("Delete the answers to “{survey}” on {day}?").format(
            survey=self.survey, day=date_format(self.day)
        )

    def problems(self) -> list[str]:
        changed = copy(self.survey)
        changed.delete_on = self.day
        try:
            changed.clean()
            changed.validate_constraints()
        except ValidationError as problem:
            return problem.messages
        return []

    def sections(self) -> list[AskingSection]:
        before = self.survey.delete_on
        was = gettext("At present, no day is set for deleting the answers.")
        if before:
            was = gettext("At present, the answers will be deleted on {day}.").format(
                day=date_format(before)
            )
        return [
            AskingSection(
                gettext("What cannot be undone"),
                (
                    gettext(
                        "All answers and texts of this survey are deleted on {day}, without "
                        "asking you again. Download what you need before that day."
                    ).format(day=date_format(self.day)),
                    was,
                    gettext(
                        "After you confirm, you can only choose an earlier day for the deletion."
                    ),
                ),
            )
        ]

    def state(self) -> Any:
        return [self.survey.state, self.survey.delete_on, self.day]

    def do(self, by: "User") -> str:
        services.set_day_of_deletion(survey=self.survey, day=self.day, by=by)
        return gettext("Saved: the answers to “{survey}” will be deleted on {day}.").format(
            survey=self.survey, day=date_format(self.day)
        )


def _fixed(questionnaire: Questionnaire) -> Iterator[str]:
    count = count_answered(questionnaire)
    yield gettext(
        "The title, the introduction, who asks, the contact and the answering time in minutes."
    )
    yield ngettext(
        "The question, its options and its protection.",
        "All {count} questions, their order, their options and their protection.",
        count,
    ).format(count=count)
    if questionnaire.asked is not None:
        yield gettext(
            "Each person is asked {asked} of the {size} protected questions, drawn by chance."
        ).format(asked=questionnaire.asked, size=len(questionnaire.randomized))
    yield from _fixed_rules(questionnaire)
    if questionnaire.draw.die and questionnaire.own_coin.is_offered:
        throws = math.ceil(questionnaire.draw.die.expected_throws)
        yield ngettext(
            "People who use their own coin throw a die about {throws} times to draw their "
            "questions.",
            "People who use their own coin throw a die about {throws} times to draw their "
            "questions.",
            throws,
        ).format(throws=throws)
    if questionnaire.invitation_only:
        yield gettext("Only people with an invitation can answer, once each.")
        yield from filter(None, [unlinked_line(questionnaire)])
    else:
        yield gettext("All people who have the link can answer, as often as they like.")
    yield gettext("Answers are stored in batches of at least {count} answers.").format(
        count=questionnaire.batch_size
    )
    yield gettext("When answers are opened, and what happens if there are too few answers.")
    if questionnaire.seals:
        yield _fixed_keys(questionnaire.seals)
    if questionnaire.tally:
        yield _fixed_tally(questionnaire.tally)
    if questionnaire.releases and (releaser := releasing.registered()):
        yield from releaser.foretold(questionnaire)
    if questionnaire.numbered.texts or questionnaire.numbered.tabulated:
        yield _fixed_budget(questionnaire)


def _fixed_rules(questionnaire: Questionnaire) -> Iterator[str]:
    """For whom each question with a rule is."""
    for number, item in enumerate(questionnaire.items, start=1):
        if item.rule is not None:
            yield gettext("Question {number}. {route}").format(
                number=number, route=route_line(questionnaire, number)
            )


def _fixed_keys(seals: Seals) -> str:
    names = [key.name for key in seals.keys]
    if seals.layers == 1:
        words = gettext(
            "Texts are sealed. They can be opened only with the key of {name}, and this server "
            "cannot read them. If the key is lost, the texts are lost."
        )
        return words.format(name=names[0])
    words = gettext(
        "Texts are sealed. They can be opened only with the keys of {first} and {second} "
        "together, and this server cannot read them. If either key is lost, the texts are lost."
    )
    return words.format(first=names[0], second=names[1])


def _fixed_tally(tally: TallyPromise) -> str:
    numbers = question_numbers(sorted(tally.table_of))
    names = ", ".join(trustee.name for trustee in tally.trustees)
    return gettext(
        "{questions}: answers are counted in {tables} while they are locked. These trustees "
        "together open the totals, once: {names}. If one trustee loses their key, the tables are "
        "lost."
    ).format(
        questions=numbers,
        tables=ngettext("{count} table", "{count} tables", len(tally.tables)).format(
            count=len(tally.tables)
        ),
        names=names,
    )


def _fixed_budget(questionnaire: Questionnaire) -> str:
    budget = questionnaire.budget
    if budget is None:
        return gettext("No privacy budget: protected reports and tables cannot be published later.")
    if budget.pays_for_tables:
        return gettext(
            "One shared privacy budget for reports on free texts and for tables of answers."
        )
    return gettext(
        "The privacy budget for reports on free texts. This budget does not pay for tables of "
        "answers."
    )


def _promised(questionnaire: Questionnaire) -> Iterator[str]:
    """What a respondent reads first, in the same words."""
    if questionnaire.randomized:
        yield gettext(
            "Can people who see what was sent learn a true answer to a protected question? "
            "{answer}."
        ).format(answer=who_learns(questionnaire))
    yield from subset_lines(questionnaire)
    yield total_odds(questionnaire)
    if line := publishing_line(questionnaire):
        yield line
    if direct := direct_questions(questionnaire):
        yield gettext("{questions}: answers are sent as given ({mark}).").format(
            questions=direct, mark=direct_mark(questionnaire)
        )
    lines = (counted_line, reports_line, tables_line)
    yield from filter(None, (line(questionnaire) for line in lines))
    yield from tally_lines(questionnaire)
    yield from keeping_lines(questionnaire)


def _closing(questionnaire: Questionnaire) -> Iterator[str]:
    """The same however many answers wait: their number would help to find a person's answers."""
    yield gettext("The survey takes no more answers and cannot be opened again.")
    yield gettext(
        "Answers still waiting are stored in random order, even if there are only a few. If "
        "fewer than {count} answers wait, a person who saw who answered last can more easily "
        "link these last people to their answers. Close the survey when no more answers come."
    ).format(count=questionnaire.batch_size)
    if questionnaire.invitation_only:
        yield gettext(
            "All invitations, and the addresses to which mails were sent, are erased. Codes that "
            "were not used become invalid."
        )


def _stopping(questionnaire: Questionnaire) -> Iterator[str]:
    yield gettext("The survey takes no more answers and cannot be opened again.")
    yield gettext("All answers that were not opened yet are destroyed unread.")
    if questionnaire.vouchers:
        yield gettext(
            "Some people may have exchanged their code already, but their page has not sent their "
            "answers yet. These people lose their answers and their code."
        )
    if questionnaire.invitation_only:
        yield gettext(
            "All invitations, and the addresses to which mails were sent, are erased. Codes that "
            "were not used become invalid."
        )
