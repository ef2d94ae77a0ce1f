"""Reasons about a survey itself: its words, its days, its questions, keys for its texts."""

from collections.abc import Iterator, Sequence
from datetime import date

from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_lazy

from surveys.authoring.draft.reasons import Reason
from surveys.collecting.scripts import can_seal
from surveys.models import Question, Survey
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.facts.numbered import MOST_NAMES, MOST_RATINGS
from surveys.questionnaire.kinds import question as promised
from surveys.questionnaire.plans.seals import SealKey, Seals
from surveys.questionnaire.plans.vouchers import VoucherPlan
from surveys.randomized_response.messages import counted_sentence, sentence

MAXIMUM_QUESTIONS = 200
SAY = {
    "title": gettext_lazy("Write a title."),
    "introduction": gettext_lazy("Write an introduction that says why you ask."),
    "organisation": gettext_lazy("Write who asks."),
    "contact": gettext_lazy("Write where respondents can reach you (contact)."),
}


def survey_reasons(survey: Survey, questions: Sequence[Question], today: date) -> Iterator[str]:
    """What its author still has to say, and days that are over."""
    for field, missing in SAY.items():
        if not getattr(survey, field).strip():
            yield Reason(str(missing), field)
    if survey.close_on and survey.close_on < today:
        words = gettext("The last day, {day}, has passed. Choose a later last day, or no last day.")
        yield Reason(words.format(day=date_format(survey.close_on)), "close_on")
    if survey.delete_on and survey.delete_on <= today:
        words = gettext(
            "The answers would be deleted on {day}. This day is not in the future. Choose a "
            "later day."
        )
        yield Reason(words.format(day=date_format(survey.delete_on)), "delete_on")
    if not questions:
        yield gettext("Add at least one question.")
    if len(questions) > MAXIMUM_QUESTIONS:
        words = gettext("This draft has {count} questions. Ask at most {most} questions.")
        yield words.format(most=MAXIMUM_QUESTIONS, count=len(questions))


def seals_of(survey: Survey, items: Sequence[promised.Question]) -> Seals | None:
    """The keys that a draft's texts would be sealed for.

    None where the server can read them, and where no text is asked for: then nothing is sealed.
    """
    if not any(item.text_bytes for item in items):
        return None
    keys = tuple(SealKey(key.name, key.key) for key in survey.text_keys.all())
    return Seals(keys) if keys else None


def seal_reasons(questionnaire: Questionnaire) -> Iterator[str]:
    """Why a draft cannot promise that no server reads its texts."""
    if questionnaire.seals is None:
        return
    if not can_seal():
        yield sentence(
            "This installation cannot seal texts, because a file that its pages need for sealing "
            "is missing. Delete the keys for sealed texts."
        )
    if not questionnaire.is_sealed:
        yield Reason(
            sentence(
                "In a live survey, texts cannot be sealed with researchers' keys, because each "
                "batch is stored immediately. Open answers at the close, or every few days."
            ),
            "opening",
        )
    if questionnaire.numbered.drawn_by_server:
        yield sentence(
            "Texts cannot be sealed if the server draws the items to rate. People could then "
            "not check that the page seals the texts. To let the page draw, show all items "
            "equally often. Ask at most {questions} rating questions, with item names of at most "
            "{kilobytes} KB.",
            questions=MOST_RATINGS,
            kilobytes=MOST_NAMES // 1024,
        )


def vouchers_of(survey: Survey) -> VoucherPlan | None:
    """How a draft's codes would be exchanged; None where they are sent with the answers."""
    if survey.voucher_wait is None or not survey.invitation_only:
        return None
    return VoucherPlan(survey.voucher_wait, survey.script_only)


def voucher_reasons(survey: Survey) -> Iterator[str]:
    """What is chosen for codes needs codes, and what is refused needs another way."""
    if survey.voucher_wait is not None and not survey.invitation_only:
        yield Reason(
            sentence(
                "Codes can be exchanged only in a survey with invitations. Tick “only with an "
                "invitation”, or choose that codes are “Sent with the answers”."
            ),
            "voucher_wait",
        )
    if survey.script_only and survey.voucher_wait is None:
        yield Reason(
            sentence(
                "Answers from browsers without scripts can be refused only if codes are "
                "exchanged unseen. Choose that codes are exchanged unseen, or remove the tick "
                "“refuse answers from browsers without scripts”."
            ),
            "script_only",
        )


def unchecked_reasons(questionnaire: Questionnaire) -> Iterator[str]:
    """A page that differs from fetch to fetch could give each person a key of their own."""
    if questionnaire.vouchers is None:
        return
    if questionnaire.numbered.drawn_by_server:
        yield Reason(
            sentence(
                "Codes cannot be exchanged unseen if the server draws the items to rate. People "
                "could then not check the page. To let the page draw, show all items equally "
                "often. Ask at most {questions} rating questions, with item names of at most "
                "{kilobytes} KB.",
                questions=MOST_RATINGS,
                kilobytes=MOST_NAMES // 1024,
            ),
            "voucher_wait",
        )


def subset_reasons(survey: Survey, protected: int) -> Iterator[str]:
    """Asking all of them, each person's subset would be nothing to draw."""
    if survey.asked is not None and not 0 < survey.asked < protected:
        words = counted_sentence(
            "This draft has {count} protected question. Enter a smaller number for “protected "
            "questions per person”, or leave the field empty to ask all protected questions.",
            "This draft has {count} protected questions. Enter a smaller number for “protected "
            "questions per person”, or leave the field empty to ask all protected questions.",
            protected,
        )
        yield Reason(words, "asked")
