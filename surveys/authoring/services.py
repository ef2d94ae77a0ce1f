"""Writes of drafts: launch, close, delete a survey, replace options; what the audit log says."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from surveys.authoring.draft.openings import opening_of
from surveys.authoring.drafts import draft_questionnaires
from surveys.collecting import openings, spool
from surveys.collecting.keys import opening_keys, signing_keys
from surveys.collecting.keys.batch_keys import KeyLost
from surveys.counts.looks import keep_planned_look
from surveys.fieldwork.queries import invitation_counts
from surveys.models import (
    Catalogue,
    Condition,
    Openings,
    Option,
    Question,
    Revision,
    Survey,
    releasing,
)
from surveys.models.queries import questionnaire_of_id
from surveys.models.refusals import NotPossible
from surveys.models.translations import digest_of
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.formats.launched import together
from surveys.questionnaire.logic.quotes import renumbered
from surveys.questionnaire.plans.openings import DESTROY
from surveys.staff import differences
from surveys.staff.audit.services import record
from surveys.staff.roles import Ability
from surveys.trust import sealing
from surveys.trust.vouchers import SigningKey, new_signing_key

if TYPE_CHECKING:
    from django.contrib.auth.models import User
from surveys.staff.locks import locked

LONGEST_QUESTION = Question._meta.get_field("text").max_length or 0


@transaction.atomic
def launch(*, survey: Survey, by: "User") -> Revision:
    """Freeze the draft into a revision and open it.

    Raises NotAllowed, NotPossible (not a draft) or drafts.NotReady (with every reason).
    """
    survey = locked(survey, by, Ability.RULE)
    if survey.state != Survey.State.DRAFT:
        raise NotPossible(
            gettext(
                "“{survey}” cannot be launched, because it was launched before. A survey can be "
                "launched only once."
            ).format(survey=survey)
        )
    catalogues = survey.questions.exclude(catalogue=None).values("catalogue")
    list(Catalogue.objects.select_for_update().filter(pk__in=catalogues))  # no items are added now
    questionnaires = draft_questionnaires(survey)
    questionnaire = questionnaires[0]
    private = _new_opening_key(survey) if questionnaire.is_sealed else b""
    signing = _new_signing_key(survey) if questionnaire.vouchers else None
    today = timezone.now().date()
    documents = [
        _with_vouchers(
            _with_openings(drafted, private, today, survey.close_on), signing
        ).to_document()
        for drafted in questionnaires
    ]
    revision = Revision.objects.create(survey=survey, document=together(documents))
    Survey.objects.filter(pk=survey.pk).update(
        state=Survey.State.OPEN,
        minutes=questionnaire.minutes,
        opening=opening_of(survey).when,
    )
    _begin_collecting(survey, revision)
    Openings.objects.create(
        revision=revision,
        since=today,
        recovery=_for_recovery(recovery_label(revision.pk), private),
        voucher_recovery=_for_recovery(
            voucher_label(revision.pk), signing.to_bytes() if signing else b""
        ),
    )
    record("launched", by=by, survey=survey, after={"revision": str(revision.pk)})
    if questionnaire.releases and (releaser := releasing.registered()):
        releaser.launched(revision, by)
    return revision


def _begin_collecting(survey: Survey, revision: Revision) -> None:
    try:
        spool.begin(survey, revision)
    except OSError as problem:
        raise NotPossible(
            gettext(
                "“{survey}” was not launched, because the keys of its batches cannot be stored "
                "in {directory}. Ask your operator to check this directory."
            ).format(survey=survey, directory=spool.keys_directory())
        ) from problem


def _new_opening_key(survey: Survey) -> bytes:
    """Make the pair and put its private half where the worker finds it.

    Raises NotPossible if it cannot be kept: without it nothing could ever be opened.
    """
    private = sealing.new_private()
    try:
        opening_keys.destroy(survey.pk)  # of a launch that failed after it was made
        opening_keys.keep(survey.pk, private)
    except OSError as problem:
        raise NotPossible(
            gettext(
                "“{survey}” was not launched, because the key that opens its answers cannot be "
                "stored in {directory}. Ask your operator to check this directory."
            ).format(survey=survey, directory=opening_keys.directory())
        ) from problem
    return private


def _new_signing_key(survey: Survey) -> SigningKey:
    """Make the key that signs vouchers and put it where every web server finds it.

    Raises NotPossible if it cannot be kept: without it no code could ever be exchanged.
    """
    signing, directory = new_signing_key(), spool.keys_directory()
    try:
        signing_keys.destroy(directory, survey.pk)  # of a launch that failed after it was made
        signing_keys.keep(directory, survey.pk, signing)
    except OSError as problem:
        raise NotPossible(
            gettext(
                "“{survey}” was not launched, because the key that signs vouchers cannot be "
                "stored in {directory}. Ask your operator to check this directory."
            ).format(survey=survey, directory=directory)
        ) from problem
    return signing


def _with_vouchers(questionnaire: Questionnaire, signing: SigningKey | None) -> Questionnaire:
    """With the public half of the key that signs them; as it is where codes are sent."""
    if questionnaire.vouchers is None or signing is None:
        return questionnaire
    plan = replace(questionnaire.vouchers, n=signing.modulus.hex())
    return replace(questionnaire, vouchers=plan)


def _with_openings(
    questionnaire: Questionnaire, private: bytes, today: date, last_day: date | None
) -> Questionnaire:
    """With what openings are as of the launch: the key's public half, and the days planned for.

    As it is if nothing is ever sealed.
    """
    if questionnaire.opening is None or not private or last_day is None:
        return questionnaire
    plan = replace(
        questionnaire.opening,
        key=sealing.public_of(private).hex(),
        first=today.isoformat(),
        last=last_day.isoformat(),
    )
    return replace(questionnaire, opening=plan)


def _for_recovery(label: bytes, private: bytes) -> bytes | None:
    """A private key sealed for the installation's recovery key; None if there is none."""
    if not private or not settings.RECOVERY_KEY:
        return None
    return sealing.seal(settings.RECOVERY_KEY, label, private)


def recovery_label(revision_id: UUID) -> bytes:
    """What the copy of an opening key is sealed with besides the key."""
    return b"deniable opening key" + revision_id.bytes


def voucher_label(revision_id: UUID) -> bytes:
    """The same of the key that signs vouchers."""
    return b"deniable voucher key" + revision_id.bytes


@transaction.atomic
def close(*, survey: Survey, by: "User") -> int:
    """Stop taking answers, for good. Returns the size of the last batch.

    Raises NotAllowed or NotPossible (not open, or sealed until its last day is over).
    """
    survey = locked(survey, by, Ability.RULE)
    _require_open(survey)
    if questionnaire_of_id(survey.revision.pk).is_sealed:
        raise NotPossible(closes_by_itself(survey))
    try:
        return finish(survey, by=by)
    except KeyLost as problem:
        raise NotPossible(
            gettext(
                "Nothing was changed. The key for some waiting answers to “{survey}” is "
                "missing, so these answers cannot be read. Ask your operator to look for the key "
                "with: manage.py spool"
            ).format(survey=survey)
        ) from problem


def closes_by_itself(survey: Survey) -> str:
    """Why a sealed survey is not closed by hand."""
    return gettext(
        "“{survey}” cannot be closed now. The survey closes automatically after {day}. At the "
        "close, its answers are opened, as respondents were promised. You can move the last day. "
        "Or you can stop the survey at once, which destroys all unopened answers unread."
    ).format(survey=survey, day=survey.close_on)


def not_open_words(survey: Survey) -> str:
    """Why a survey that is a draft or closed is not closed."""
    return gettext(
        "“{survey}” cannot be closed or stopped, because it is not open. Its state: {state}."
    ).format(survey=survey, state=survey.state_words)


@transaction.atomic
def stop(*, survey: Survey, by: "User") -> None:
    """Close a sealed survey at once: all that was not opened yet is destroyed unread.

    Raises NotAllowed or NotPossible (not open, or nothing is ever sealed in it).
    """
    survey = locked(survey, by, Ability.RULE)
    _require_open(survey)
    if not questionnaire_of_id(survey.revision.pk).is_sealed:
        raise NotPossible(
            gettext(
                "“{survey}” cannot be stopped, because it has no sealed answers. Close the survey "
                "instead."
            ).format(survey=survey)
        )
    record("stopped at once", by=by, survey=survey)
    stop_unread(survey, by=by)


def stop_unread(survey: Survey, *, by: "User | None" = None) -> None:
    """Close a survey that the caller has locked, and destroy what waits and was not opened."""
    openings.destroy_unread(survey)
    _mark_closed(survey, by=by, last_batch=0)


def _require_open(survey: Survey) -> None:
    if survey.state != Survey.State.OPEN:
        raise NotPossible(not_open_words(survey))


def finish(survey: Survey, *, by: "User | None", on: date | None = None) -> int:
    """Close a survey that the caller has locked: store what waits, erase whom it invited.

    What is sealed is destroyed unread now, if that was announced for so few, or else opened by the
    opening that begins here. Returns the size of the last batch.
    """
    revision_id = survey.revision.pk
    plan = questionnaire_of_id(revision_id).opening
    last_batch = 0
    if plan is None or not plan.is_sealed:
        last_batch = spool.drain(survey)
        keep_planned_look(revision_id, is_last=True)
    elif plan.below_k == DESTROY and openings.has_too_few(revision_id):
        openings.destroy_unread(survey)
        record("destroyed unread: too few answers", by=by, survey=survey)
    else:
        spool.drain(survey)
        openings.begin_last(survey)
    _mark_closed(survey, by=by, last_batch=last_batch, on=on)
    return last_batch


def _mark_closed(
    survey: Survey, *, by: "User | None", last_batch: int, on: date | None = None
) -> None:
    known = invitation_counts(survey)
    # Codes that a crash lost on the way reached no one.
    invited = max(known.redeemed, known.issued - known.undelivered)
    invitations = {"invited": invited, "redeemed": known.redeemed}
    Survey.objects.filter(pk=survey.pk).update(
        state=Survey.State.CLOSED,
        closed_on=on or timezone.now().date(),
        exchanged=None if survey.voucher_wait is None else known.exchanged,
        **invitations,
    )
    survey.invitations.all().delete()
    survey.mailings.all().delete()
    Openings.objects.filter(revision__survey=survey).update(voucher_recovery=None)
    # After the commit: rolled back, codes are still exchanged. After a crash the next round of
    # retention does it.
    transaction.on_commit(
        partial(signing_keys.destroy, spool.keys_directory(), survey.pk), robust=True
    )
    record("closed", by=by, survey=survey, after={**invitations, "last_batch": last_batch})


@transaction.atomic
def set_day_of_deletion(*, survey: Survey, day: date, by: "User") -> None:
    """Have all answers deleted on a day that ``Survey.clean`` allows. Raises NotAllowed."""
    survey = locked(survey, by, Ability.RULE)
    before = differences.described(survey)
    Survey.objects.filter(pk=survey.pk).update(delete_on=day)
    record_edit(survey, before=before, by=by)


@transaction.atomic
def replace_options(
    *,
    question: Question,
    texts: Sequence[str],
    alone: Collection[str] = (),
    values: Sequence[str] = (),
) -> None:
    """Give a draft's question exactly these options, in this order, within the caller's edit.

    One whose text stays is moved, and not made anew: other rows may belong to it. Those of
    ``alone`` can only be ticked alone; ``values`` are what files call them, none without.
    """
    stored = {option.text: option for option in question.options.all()}
    question.options.exclude(text__in=texts).delete()
    options = [stored.get(text) or Option(question=question, text=text) for text in texts]
    named = zip(options, values or [""] * len(options), strict=True)
    for position, (option, value) in enumerate(named):
        option.position, option.stands_alone = position, option.text in alone
        option.value = value or None
    Option.objects.bulk_update(
        [option for option in options if option.text in stored],
        ["position", "stands_alone", "value"],
    )
    Option.objects.bulk_create(option for option in options if option.text not in stored)


def replace_rule(
    *, question: Question, conditions: Sequence[Condition], of_section: bool = False
) -> None:
    """Give a draft's question these conditions of a rule, within the caller's edit.

    What joins them stands in the question's row. Without any, what a shape joined is gone, and
    lines stay. With ``of_section`` they are those of the section that begins with it.
    """
    question.save(update_fields=["section_shape"] if of_section else ["rule_joins", "rule_shape"])
    own = question.conditions.exclude(of_section=True)
    replaced = own if conditions else own.exclude(leaf=None)
    (question.conditions.filter(of_section=True) if of_section else replaced).delete()
    Condition.objects.bulk_create(conditions)


def keep_quotes(survey: Survey, before: Sequence[UUID]) -> None:
    """Renumber the quotes in a draft's texts; ``before`` has its questions in their old order.

    Raises NotPossible where a text would become too long.
    """
    new = {key: number for number, key in enumerate(_keys_of(survey), start=1)}
    numbers = {old: new.get(key, 0) for old, key in enumerate(before, start=1)}
    if all(old == number for old, number in numbers.items()):
        return
    known = [question for question in survey.questions.all() if question.pk in before]
    for question in known:
        old, question.text = question.text, renumbered(question.text, numbers)
        if len(question.text) > LONGEST_QUESTION:
            words = gettext(
                "This text quotes answers by the numbers of their questions. With the new "
                "numbers, the text would be too long. Shorten the text first: {question}"
            )
            raise NotPossible(words.format(question=question.text))
        if old != question.text:
            _keep_translations(survey, old, question.text, numbers)
    Question.objects.bulk_update(known, ["text"])


def _keep_translations(survey: Survey, old: str, new: str, numbers: Mapping[int, int]) -> None:
    """A text whose quotes alone have changed is still translated, with the same numbers."""
    for row in survey.translations.filter(digest=digest_of(old)):
        survey.translations.update_or_create(
            language=row.language,
            digest=digest_of(new),
            defaults={"text": renumbered(row.text, numbers)},
        )


def _keys_of(survey: Survey) -> list[UUID]:
    return list(survey.questions.values_list("pk", flat=True))


def record_creation(survey: Survey, *, by: "User") -> None:
    """Write down that the caller's transaction made a survey."""
    record("created", by=by, survey=survey, after=differences.described_flat(survey))


def begin_edit(*, survey: Survey, by: "User") -> differences.Draft:
    """Hold a survey for the caller's transaction, which changes it, and say how it reads now.

    Raises NotAllowed, or NotPossible if it was launched, closed or deleted since it was read.
    """
    draft = locked(survey, by, Ability.EDIT)
    if draft.state != survey.state:
        raise NotPossible(
            gettext(
                "Nothing was changed, because “{survey}” is now {state}. Its state changed after "
                "you opened this page. Open the page again."
            ).format(survey=draft, state=draft.state_words)
        )
    return differences.described(draft)


def record_edit(survey: Survey, *, before: differences.Draft, by: "User") -> None:
    """Write down what the caller's transaction changed since ``begin_edit``.

    Quotes go on naming the questions that they named.
    """
    keep_quotes(survey, list(before.questions))
    old, new = differences.between(before, differences.described(survey))
    if old or new:
        record("edited", by=by, survey=survey, before=old, after=new)


@transaction.atomic
def delete_survey(*, survey: Survey, by: "User") -> None:
    """Delete a draft with its questions. Raises NotAllowed or NotPossible (launched)."""
    survey = locked(survey, by, Ability.RULE)
    if survey.state != Survey.State.DRAFT:
        raise NotPossible(
            gettext(
                "“{survey}” cannot be deleted, because it was launched. Close the survey instead."
            ).format(survey=survey)
        )
    record("deleted", by=by, survey=survey, before=differences.described_flat(survey))
    survey.delete()
