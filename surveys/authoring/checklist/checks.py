"""Checks of a draft before launch: what is missing, what asks for a second look, what is done."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from surveys.authoring.checklist.weakness import weakness_of
from surveys.authoring.checklist.weight import weight_of
from surveys.authoring.draft.languages import MOST_NAMED, in_other_script
from surveys.authoring.draft.openings import openings_planned
from surveys.authoring.drafts import DraftRows, NotReady, StoredRows, draft_questionnaires
from surveys.authoring.editor.copies import TITLE
from surveys.authoring.protection.ways import without_coin_words
from surveys.kinds.counted.promise import sends_something
from surveys.models import Survey
from surveys.questionnaire.arms import statements_counted
from surveys.questionnaire.document import (
    Questionnaire,
    count_answered,
    may_publish_rows,
    sent_as_given,
    shows_coins,
)
from surveys.questionnaire.plans.openings import EVERY, LIVE
from surveys.questionnaire.plans.readings import Plan, enough, least_sure, looks_planned
from surveys.wording import odds
from surveys.wording.language.numbers import day_words, decimal, grouped
from surveys.wording.protection import publishing_line, question_numbers
from surveys.wording.readings import (
    at_last_opening_words,
    error_words,
    level_words,
    wanted_words,
)
from surveys.wording.routes import route_line

TOO_ROUGH = 0.15  # beyond 15 points either way, one third of the scale says "more or less" only
HEAVIEST = 60 * 1024  # bytes of all that is loaded, so that a slow telephone loads it too


class Standing(StrEnum):
    """How a check stands. A doubt is confirmed by a mark of its own before launch."""

    MISSING = "missing"
    DOUBT = "doubt"
    DONE = "done"

    @property
    def label(self) -> str:
        """The word that stands before the title of a check."""
        return {
            Standing.MISSING: gettext("Missing"),
            Standing.DOUBT: gettext("Please check"),
            Standing.DONE: gettext("Done"),
        }[self]


@dataclass(frozen=True)
class Check:
    """One point of the list; ``confirm`` is what a person says who launches in spite of a doubt.

    It is decided by a ``field`` of the survey's form, or by a ``question``, numbered from 1.
    """

    key: str
    title: str
    standing: Standing
    lines: tuple[str, ...] = ()
    confirm: str = ""
    field: str = ""
    question: int = 0

    @property
    def is_missing(self) -> bool:
        return self.standing is Standing.MISSING

    @property
    def is_doubt(self) -> bool:
        return self.standing is Standing.DOUBT


def checks_of(survey: Survey, unstored: DraftRows | None = None) -> list[Check]:
    """All points of a draft; only what is missing, as long as something is.

    ``unstored`` are the rows of one that is in no database.
    """
    try:
        drafted = draft_questionnaires(survey, unstored)
    except NotReady as problem:
        return [Check("missing", gettext("To do"), Standing.MISSING, tuple(problem.reasons))]
    return checks_of_ready(survey, drafted, unstored)


def checks_of_ready(
    survey: Survey, drafted: tuple[Questionnaire, ...], unstored: DraftRows | None = None
) -> list[Check]:
    """All points of a draft that can be launched, with its questionnaire in each language."""
    first, its_rows = drafted[0], unstored or StoredRows(survey.pk)
    return [
        _questions(first),
        _languages(its_rows, drafted),
        _title(first),
        _odds(survey, its_rows, first),
        *_publishing(first),
        _refusals(first),
        *_texts_behind_rules(first),
        *_direct_counts(first),
        _door(survey),
        _sample(survey, first),
        _openings(survey, first),
        *_recovery(first),
        _retention(survey),
        _weight(survey, drafted),
    ]


def _judged(is_doubt: bool) -> Standing:
    return Standing.DOUBT if is_doubt else Standing.DONE


def _questions(questionnaire: Questionnaire) -> Check:
    count, minutes = count_answered(questionnaire), questionnaire.minutes
    asked = ngettext(
        "Questions: {count}. Answering takes about {minutes} minute.",
        "Questions: {count}. Answering takes about {minutes} minutes.",
        minutes,
    ).format(count=count, minutes=minutes)
    return Check("questions", gettext("All questions are finished"), Standing.DONE, (asked,))


def _languages(its_rows: DraftRows, drafted: tuple[Questionnaire, ...]) -> Check:
    """Texts that were written into the form of another language are seen by their letters."""
    names = dict(settings.LANGUAGES)
    words = ", ".join(names[questionnaire.language] for questionnaire in drafted)
    swapped = [
        gettext("{language}: “{text}” is not written in the letters of this language.").format(
            language=names[questionnaire.language], text=text[:60]
        )
        for questionnaire in drafted[1:]
        for text in in_other_script(
            questionnaire.language, its_rows.translations(questionnaire.language).values()
        )
    ]
    if swapped:
        return Check(
            "languages",
            gettext("Some texts may be in the wrong language"),
            Standing.DOUBT,
            tuple(swapped[:MOST_NAMED]),
            gettext("I checked that these texts are in the right language."),
        )
    return Check("languages", gettext("All texts exist in every language"), Standing.DONE, (words,))


def _title(questionnaire: Questionnaire) -> Check:
    is_copied = questionnaire.title.startswith(TITLE.format(""))
    return Check(
        "title",
        gettext("The title that respondents read"),
        _judged(is_copied),
        (questionnaire.title,),
        gettext("I accept that respondents read in the title that this is a copy."),
        field="title",
    )


def _odds(survey: Survey, its_rows: DraftRows, questionnaire: Questionnaire) -> Check:
    """Of each question, and of all that one person sends."""
    each = (
        gettext("Question {number}: {odds}.").format(number=number, odds=odds.epsilon_words(item))
        for number, item in enumerate(questionnaire.items, start=1)
        if item.is_sent
    )
    weak = tuple(weakness_of(survey, its_rows, questionnaire))
    total = gettext("All answers of one person together: {odds}.").format(
        odds=odds.total_words(questionnaire)
    )
    coin = filter(None, [without_coin_words(questionnaire)])
    lines = (total, *weak, *coin, *each)
    title = gettext("Weak protection") if weak else gettext("What answers reveal about a person")
    confirm = gettext("I accept this weak protection for the people who answer.")
    return Check("odds", title, _judged(bool(weak)), lines, confirm)


def _publishing(questionnaire: Questionnaire) -> Iterator[Check]:
    """Chosen in vain, it is seen only when the deposit is made, which is too late."""
    if not questionnaire.publish_rows:
        return
    is_vain = not may_publish_rows(questionnaire)
    yield Check(
        "publishing",
        gettext("Rows of answers cannot be published")
        if is_vain
        else gettext("Rows of answers may be published"),
        _judged(is_vain),
        (_why_in_vain(questionnaire) if is_vain else publishing_line(questionnaire),),
        gettext(
            "I launch, although the archive deposit of this survey will contain no rows of answers."
        ),
        field="publish_rows",
    )


def _why_in_vain(questionnaire: Questionnaire) -> str:
    direct = sent_as_given(questionnaire)
    if not questionnaire.randomized:
        return gettext(
            "You allowed rows of answers to be published. This has no effect, because no "
            "question is randomized."
        )
    if not direct and shows_coins(questionnaire):
        return gettext(
            "You allowed rows of answers to be published. This has no effect, because the rows "
            "would show who used their own coin: some questions cannot be asked with a coin. To "
            "hide who used a coin, open answers at the close or every few days."
        )
    if not direct:
        return gettext(
            "You allowed rows of answers to be published. This has no effect, because the "
            "survey promises to hide who took part, and rows would show who took part."
        )
    return gettext(
        "{questions}: the answers are not randomized. So rows of answers cannot be published, "
        "although you allowed this. Respondents read nothing about publishing rows."
    ).format(questions=question_numbers(direct))


def _refusals(questionnaire: Questionnaire) -> Check:
    """Who does not want to answer a required question leaves, or does not tell the truth."""
    asked = enumerate(questionnaire.items, start=1)
    required = [n for n, item in asked if item.required and sends_something(item)]
    words = (
        gettext(
            "{questions}: people cannot choose “Prefer not to say”. They must answer or leave "
            "the survey."
        ).format(questions=question_numbers(required))
        if required
        else gettext("Every question can be left out or declined.")
    )
    return Check("refusals", gettext("Which questions can be declined"), Standing.DONE, (words,))


def _texts_behind_rules(questionnaire: Questionnaire) -> Iterator[Check]:
    for number, item in enumerate(questionnaire.items, start=1):
        if item.rule is not None and item.text_bytes:
            yield Check(
                f"text-{number}",
                gettext("Question {number} asks only some people for a text").format(number=number),
                Standing.DOUBT,
                (
                    gettext(
                        "Someone who reads a text to question {number} knows that its writer met "
                        "the condition of this question."
                    ).format(number=number),
                    route_line(questionnaire, number),
                ),
                gettext(
                    "I accept this: people who read a text know that its writer met the "
                    "condition of the question."
                ),
                question=number,
            )


def _direct_counts(questionnaire: Questionnaire) -> Iterator[Check]:
    """A count of statements hides a person only between its ends."""
    for number, item in enumerate(questionnaire.items, start=1):
        most = statements_counted(item)
        if most is not None and not item.is_randomized:
            yield Check(
                f"count-{number}",
                gettext("Question {number} asks directly how many statements are true").format(
                    number=number
                ),
                Standing.DOUBT,
                (
                    gettext(
                        "A person who answers 0 reveals that none of the statements is true. A "
                        "person who answers {most} reveals that all {most} are true. Choose the "
                        "k-ary design. Or choose statements so that, for nearly all people, some "
                        "are true and some are not."
                    ).format(most=most),
                ),
                gettext(
                    "I accept that some people may give themselves away by answering 0 or the "
                    "largest number."
                ),
                question=number,
            )


def _door(survey: Survey) -> Check:
    """Forgotten before launch, this is what people ask first after it."""
    words = (
        gettext(
            "Only people with an invitation can answer. After the launch, send e-mails or print "
            "codes under “Invitations”."
        )
        if survey.invitation_only
        else gettext("All people who have the link can answer.")
    )
    lines = [words]
    if survey.voucher_wait is not None:
        lines += _exchanged(survey)
    if survey.close_on:
        lines.append(gettext("The last day is {day}.").format(day=day_words(survey.close_on)))
    title = gettext("Who can answer, and until when")
    return Check("door", title, Standing.DONE, tuple(lines), field="invitation_only")


def _exchanged(survey: Survey) -> Iterator[str]:
    """How codes are used, and who is left out by that."""
    yield gettext(
        "Codes are exchanged unseen: nothing that is stored links a code to answers. If the key "
        "for exchanging codes is lost without a copy, all codes that were not exchanged yet are "
        "worthless."
    )
    if survey.script_only:
        yield gettext(
            "People whose browser runs no script, or opens this site without https, cannot take "
            "part."
        )
    else:
        yield gettext(
            "People whose browser runs no script, or opens this site without https, send their "
            "code together with their answers. The page informs these people before they send."
        )


def _sample(survey: Survey, questionnaire: Questionnaire) -> Check:
    """What the planned responses are good for; a plan of ten is hardly better than none."""
    plan = Plan.of(survey)
    title, field = gettext("Sample size"), "planned_responses"
    if plan is None:
        return Check(
            "sample",
            title,
            Standing.DOUBT,
            (
                gettext(
                    "You have not planned how many responses you want. The planner shows how many "
                    "responses this survey needs."
                ),
            ),
            gettext("I launch without a plan, although estimates may be too rough to use."),
            field=field,
        )
    plan = replace(plan, openings=openings_planned(survey, timezone.now().date()))
    sure = least_sure(questionnaire, plan)
    is_sure = sure is None or (sure[1] <= TOO_ROUGH and plan.is_enough(sure[1]))
    return Check(
        "sample",
        title,
        _judged(not is_sure),
        tuple(_planned(survey, questionnaire, plan, sure)),
        gettext("I launch with this plan, although estimates may be too rough to use."),
        field=field,
    )


def _planned(
    survey: Survey, questionnaire: Questionnaire, plan: Plan, sure: tuple[int, float] | None
) -> Iterator[str]:
    yield gettext("Responses planned: {planned}. Results are read: {reading}.").format(
        planned=grouped(plan.responses), reading=Survey.Reading(survey.planned_reading).label
    )
    if sure:
        number, half = sure
        yield gettext(
            "With the planned responses, the shares in question {number} have the largest "
            "margin of error: ± {points} or less ({level} confidence). This check does not cover "
            "long lists, numbers, and questions that depend on other answers."
        ).format(number=number, points=error_words(half), level=level_words(plan.failure))
        looks = looks_planned(questionnaire, plan)
        wanted = wanted_words(plan, half, enough(questionnaire, plan))
        yield from filter(None, [at_last_opening_words(looks), wanted])


def _openings(survey: Survey, questionnaire: Questionnaire) -> Check:
    plan = questionnaire.opening
    is_live = plan is not None and plan.when == LIVE
    return Check(
        "openings",
        gettext("When answers can be read"),
        _judged(is_live),
        (_opening_words(survey, questionnaire),),
        gettext(
            "I accept live results, although a person who sends enough answers can find out what "
            "another person sent."
        ),
        field="opening",
    )


def _recovery(questionnaire: Questionnaire) -> Iterator[Check]:
    """After launch it is too late to find that a lost file is all that can open the answers."""
    if questionnaire.is_sealed and not settings.RECOVERY_KEY:
        yield Check(
            "recovery",
            gettext("No recovery key"),
            Standing.DOUBT,
            (
                gettext(
                    "This installation has no recovery key. If the file with the opening key is "
                    "lost, all sealed answers are lost too. Ask your operator to make a recovery "
                    "key before you launch."
                ),
            ),
            gettext("I launch without a recovery key."),
            field="opening",
        )


def _opening_words(survey: Survey, questionnaire: Questionnaire) -> str:
    plan, day = questionnaire.opening, day_words(survey.close_on) if survey.close_on else "-"
    if plan is None or plan.when == LIVE:
        return gettext(
            "Each batch of answers can be read as soon as the batch is full. A person who sends "
            "the {others} other answers of a batch can see what the remaining person sent."
        ).format(others=questionnaire.batch_size - 1)
    if plan.when == EVERY:
        return ngettext(
            "Answers are sealed. Half of the waiting answers are opened every day. After the last "
            "day, {day}, all answers are opened.",
            "Answers are sealed. Half of the waiting answers are opened every {count} days, "
            "counted back from the last day, {day}. After the last day, all answers are opened.",
            plan.days,
        ).format(count=plan.days, day=day)
    return gettext(
        "All answers stay sealed until the last day, {day}, is over. After the last day, all "
        "answers are opened."
    ).format(day=day)


def _retention(survey: Survey) -> Check:
    day = survey.delete_on
    words = (
        gettext("All answers are deleted on {day}.").format(day=day_words(day))
        if day
        else gettext("No day is set for deleting the answers.")
    )
    confirm = gettext("I accept that no day is set for deleting the answers.")
    return Check(
        "retention",
        gettext("When answers are deleted"),
        _judged(day is None),
        (words,),
        confirm,
        field="delete_on",
    )


def _weight(survey: Survey, drafted: tuple[Questionnaire, ...]) -> Check:
    weight = weight_of(survey, drafted)
    lines: tuple[str, ...] = (
        gettext(
            "A respondent loads {total} KB in total, compressed. Up to {most} KB load quickly on "
            "a slow telephone. A survey with more than {most} KB cannot be launched."
        ).format(total=_kilobytes(weight.total), most=_kilobytes(HEAVIEST)),
        gettext(
            "The page itself: {page} KB. Style and icon: {styles} KB. Scripts: {scripts} KB."
        ).format(
            page=_kilobytes(weight.page),
            styles=_kilobytes(weight.styles),
            scripts=_kilobytes(weight.scripts),
        ),
    )
    if weight.names:
        words = gettext("Names of the items that people rate: {names} KB.")
        lines += (words.format(names=_kilobytes(weight.names)),)
    standing = Standing.DONE
    if weight.total > HEAVIEST:
        standing = Standing.MISSING
        words = gettext(
            "The survey may have at most {most} KB. Shorten texts, leave out questions, or divide "
            "the survey into two surveys."
        )
        lines = (lines[0], words.format(most=_kilobytes(HEAVIEST)), *lines[1:])
    return Check("weight", gettext("Size of the page"), standing, lines)


def _kilobytes(size: int) -> str:
    return decimal(size / 1024, 0)
