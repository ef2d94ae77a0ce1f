"""What is stored.

Privacy invariants, each held by a test: a response or a comment has a random key, no time, no
address, no agent and no reference to a person, to an invitation or to each other; what waits for
its batch is encrypted under a key that is not in the database; what a launched survey promised
never changes (database triggers refuse it); submission keys have no link to responses and no time;
an address is never stored beside an invitation.
"""

import uuid
from datetime import date
from decimal import Decimal

from django.conf import settings
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone


class RandomKeyModel(models.Model):
    """Rows are named by random numbers, which say nothing about when they were made."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)

    class Meta:
        abstract = True


class Survey(RandomKeyModel):
    """A survey from draft to closed. What respondents see is frozen in its revision at launch."""

    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        OPEN = "open", "Open"
        CLOSED = "closed", "Closed"

    # What respondents are promised: a draft may change it, a launched survey never.
    PROMISED = (
        "title",
        "introduction",
        "organisation",
        "contact",
        "minutes",
        "invitation_only",
        "batch_size",
    )

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="surveys"
    )
    title = models.CharField(max_length=200)
    introduction = models.TextField(
        max_length=4000, help_text="Why you ask, in the words that respondents read first."
    )
    organisation = models.CharField(
        "who asks", max_length=200, help_text="The person or organisation that asks."
    )
    contact = models.CharField(
        max_length=200, help_text="Where respondents can reach you: an e-mail address or a phone."
    )
    minutes = models.PositiveSmallIntegerField(
        default=5,
        validators=[MinValueValidator(1), MaxValueValidator(240)],
        help_text="How long answering takes, in minutes.",
    )
    planned_responses = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="How many responses the plan asks for; the planner works it out.",
    )
    state = models.CharField(
        max_length=6, choices=State.choices, default=State.DRAFT, editable=False
    )

    invitation_only = models.BooleanField(
        "only with an invitation",
        default=False,
        help_text=(
            "Each invitation counts once. Without it everybody who has the link can answer, as "
            "often as they like."
        ),
    )
    batch_size = models.PositiveSmallIntegerField(
        default=20,
        validators=[MinValueValidator(5), MaxValueValidator(1000)],
        help_text=(
            "Answers wait, encrypted, until this many have come and are then stored in random "
            "order: somebody who saw in which order people answered finds a person's answers with "
            "one chance in this many. Frozen at launch."
        ),
    )
    close_on = models.DateField(
        "last day", null=True, blank=True, help_text="The survey closes by itself after this day."
    )
    delete_on = models.DateField(
        "delete by",
        null=True,
        blank=True,
        help_text="All answers are deleted on this day. After launch it can only be made earlier.",
    )
    closed_on = models.DateField(null=True, editable=False)
    erased_on = models.DateField(null=True, editable=False)
    lost_answers = models.PositiveIntegerField(default=0, editable=False)
    # Kept when the invitations themselves are erased.
    invited = models.PositiveIntegerField(null=True, editable=False)
    redeemed = models.PositiveIntegerField(null=True, editable=False)

    class Meta:
        ordering = ["title", "id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(close_on__isnull=True)
                | models.Q(delete_on__isnull=True)
                | models.Q(delete_on__gt=models.F("close_on")),
                name="deleted_after_it_closes",
                violation_error_message="Answers are deleted after the survey's last day.",
            )
        ]

    def __str__(self) -> str:
        return self.title

    def takes_answers(self, today: date) -> bool:
        """Whether it is open and neither its last day nor its day of deletion is over."""
        is_over = (self.close_on and self.close_on < today) or (
            self.delete_on and self.delete_on <= today
        )
        return self.state == self.State.OPEN and not is_over

    def clean(self) -> None:
        """Refuse days that have passed, and whatever would break a promise."""
        stored = Survey.objects.filter(pk=self.pk).first()
        problems = self._passed_days(stored)
        if stored and stored.state != Survey.State.DRAFT:
            problems |= self._broken_promises(stored)
        if problems:
            raise ValidationError(problems)

    def _passed_days(self, stored: "Survey | None") -> dict[str, str]:
        today = timezone.now().date()
        chosen = {name: getattr(self, name) for name in ("close_on", "delete_on")}
        return {
            name: "This day has passed: choose today or a later day."
            for name, day in chosen.items()
            if day and day < today and day != getattr(stored, name, None)
        }

    def _broken_promises(self, stored: "Survey") -> dict[str, str]:
        broken = {
            name: "Respondents were promised this at launch, so it stays. Start a new survey."
            for name in Survey.PROMISED
            if getattr(self, name) != getattr(stored, name)
        }
        if stored.delete_on and (not self.delete_on or self.delete_on > stored.delete_on):
            broken["delete_on"] = (
                f"Respondents were promised that their answers are deleted by {stored.delete_on}: "
                "choose that day or an earlier one."
            )
        order = list(Survey.State)
        if order.index(Survey.State(self.state)) < order.index(Survey.State(stored.state)):
            broken[NON_FIELD_ERRORS] = (
                f"This survey is {stored.get_state_display().lower()} now and cannot go back. "
                "Open its page again."
            )
        return broken


class Question(RandomKeyModel):
    """A question of a draft. After launch only the revision's copy counts."""

    class Kind(models.TextChoices):
        YES_NO = "yes_no", "Yes or no"
        CHOICE = "choice", "Single choice"
        SCALE = "scale", "Scale (ordered choice)"
        NUMBER = "number", "Number"
        TEXT = "text", "Free text"

    class Design(models.TextChoices):
        DIRECT = "direct", "Direct: sent as given, not protected"
        TWO_COINS = "two_coins", "Two coins"
        FORCED_RESPONSE = "forced_response", "Forced response"
        K_ARY = "k_ary", "k-ary, by epsilon"
        WARNER = "warner", "Warner: sometimes the opposite"
        UNRELATED = "unrelated", "Unrelated question, answered by the browser's chance"
        UNRELATED_SHOWN = "unrelated_shown", "Unrelated question, answered by the respondent"
        CROSSWISE = "crosswise", "Crosswise: one answer to two questions"
        TWO_GROUPS = "two_groups", "Two groups: unrelated question with an unknown share"
        CHANNEL_MATRIX = "channel_matrix", "Channel matrix of your own"

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="questions")
    position = models.PositiveSmallIntegerField(default=0, editable=False)
    text = models.CharField(max_length=500)
    help = models.CharField(max_length=500, blank=True)
    required = models.BooleanField(
        default=False, help_text='A required question offers no "prefer not to say".'
    )
    kind = models.CharField(max_length=6, choices=Kind.choices, default=Kind.YES_NO)
    design = models.CharField(max_length=15, choices=Design.choices, default=Design.TWO_COINS)
    forced = models.CharField(
        "forced probabilities",
        max_length=400,
        blank=True,
        help_text=(
            "Forced response only: for each answer in its order, the probability that it is sent "
            "whatever the truth, as fractions: 1/6, 1/6. Yes comes before No; unless the question "
            'is required, "prefer not to say" comes last.'
        ),
    )
    epsilon = models.DecimalField(
        max_digits=6,
        decimal_places=4,
        null=True,
        blank=True,
        validators=[MinValueValidator(Decimal("0.01")), MaxValueValidator(Decimal(5))],
        help_text="k-ary only: the local epsilon, in nats. ln 3 = 1.0986 is two fair coins.",
    )
    p_sensitive = models.CharField(
        "probability of the question",
        max_length=40,
        blank=True,
        help_text=(
            "Warner: how often the true answer is sent and not its opposite, such as 3/4. "
            "Unrelated question: how often this question counts and not the second one, such as "
            "2/3. Two groups: one for each group, such as 3/4, 1/4."
        ),
    )
    harmless = models.CharField(
        "second question",
        max_length=500,
        blank=True,
        help_text=(
            "For designs with two questions: a harmless question with Yes or No that has nothing "
            "to do with the first, and whose answer nobody knows or can look up. Such as: Think of "
            "somebody whose birthday you know, and keep to yourself who it is. Is it in January or "
            "February?"
        ),
    )
    harmless_yes = models.CharField(
        "share of Yes to the second question",
        max_length=40,
        blank=True,
        help_text=(
            "Unrelated question and crosswise: the known share, such as 1/6; a wrong one biases "
            "the estimate. Two groups: the least and the most that it can be, such as 1/4, 3/4."
        ),
    )
    channel = models.TextField(
        "channel matrix",
        max_length=8000,
        blank=True,
        help_text=(
            "Channel matrix only: one line for each answer that can be sent, in each line one "
            "probability for each true answer, both in the order shown, commas between. Each "
            "column sums to 1. For a required yes or no: 3/4, 1/4 and below it 1/4, 3/4."
        ),
    )
    minimum = models.DecimalField(max_digits=15, decimal_places=4, null=True, blank=True)
    maximum = models.DecimalField(max_digits=15, decimal_places=4, null=True, blank=True)
    decimal_places = models.PositiveSmallIntegerField(
        default=0, validators=[MaxValueValidator(4)], help_text="Numbers only."
    )
    longest = models.PositiveSmallIntegerField(
        "longest text",
        default=500,
        validators=[MinValueValidator(1), MaxValueValidator(2000)],
        help_text=(
            "Free text only: how many characters may be written. Every text is sent as long as "
            "the longest."
        ),
    )

    class Meta:
        ordering = ["position", "id"]
        indexes = [models.Index(fields=["survey", "position"])]

    def __str__(self) -> str:
        return self.text

    def clean(self) -> None:
        """Refuse every change after launch, and a question that is moved into or out of it."""
        stored = Question.objects.filter(pk=self.pk).values("survey")
        surveys = Survey.objects.filter(models.Q(pk=self.survey_id) | models.Q(pk__in=stored))
        _refuse_launched(surveys)


class Option(RandomKeyModel):
    """An answer of a single choice or a scale."""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="options")
    position = models.PositiveSmallIntegerField(default=0)
    text = models.CharField(max_length=200)

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["question", "text"], name="one_option_per_text")
        ]

    def __str__(self) -> str:
        return self.text

    def clean(self) -> None:
        """Refuse every change after launch."""
        stored = Option.objects.filter(pk=self.pk).values("question")
        questions = models.Q(questions=self.question_id) | models.Q(questions__in=stored)
        _refuse_launched(Survey.objects.filter(questions))


def _refuse_launched(surveys: "models.QuerySet[Survey]") -> None:
    if surveys.exclude(state=Survey.State.DRAFT).exists():
        raise ValidationError(
            "Respondents were promised these questions at launch, so they stay as they are. "
            "Start a new survey to ask something else."
        )


class Revision(RandomKeyModel):
    """What respondents were promised, frozen at launch. Triggers refuse every later change."""

    survey = models.OneToOneField(Survey, on_delete=models.PROTECT, related_name="revision")
    document = models.JSONField()
    launched_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"Revision of {self.survey}"


class Response(RandomKeyModel):
    """One respondent's reported answers: fixed-width codes in the order of the questions."""

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="responses")
    own_coin = models.BooleanField()
    answers = models.TextField()

    def __str__(self) -> str:
        return self.answers


class Comment(RandomKeyModel):
    """What somebody wrote to one free-text question. Nothing joins it to their other answers."""

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="comments")
    question = models.PositiveSmallIntegerField(help_text="The question's number, from 1.")
    text = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["revision", "question"])]

    def __str__(self) -> str:
        return self.text


class Spool(models.Model):
    """Where submissions to an open survey wait. It exists exactly while the survey is open.

    ``batch`` names the key, outside the database, under which the waiting submissions are
    encrypted. Whoever adds a submission holds this row shared; whoever moves them holds it alone.
    """

    survey = models.OneToOneField(
        Survey, on_delete=models.PROTECT, primary_key=True, related_name="spool"
    )
    revision = models.OneToOneField(Revision, on_delete=models.PROTECT, related_name="spool")
    batch = models.UUIDField(default=uuid.uuid4)

    def __str__(self) -> str:
        return f"Spool of {self.survey}"


class Waiting(RandomKeyModel):
    """One submission that waits for its batch: ciphertext of the same length for everybody."""

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="waiting")
    ciphertext = models.BinaryField()

    def __str__(self) -> str:
        return str(self.pk)


class SpentBatch(models.Model):
    """A batch that was stored: its key is to be destroyed, if a crash left it."""

    batch = models.UUIDField(primary_key=True)

    def __str__(self) -> str:
        return str(self.batch)


class SubmissionKey(models.Model):
    """SHA-256 of a submission key, so that a body sent twice counts once.

    No link to a response and no time; the revision is there so that it can be erased with it.
    ``content`` is SHA-256 of everything that was sent, the random key included: it tells a repeat
    from other answers, and nothing to whoever has not seen the key.
    """

    digest = models.CharField(primary_key=True, max_length=64)
    content = models.CharField(max_length=64, default="", editable=False)
    revision = models.ForeignKey(
        Revision, on_delete=models.PROTECT, related_name="+", null=True, db_index=False
    )

    def __str__(self) -> str:
        return self.digest


class Invitation(models.Model):
    """SHA-256 of an invitation's token, and whether it was used. No address, no time."""

    digest = models.CharField(primary_key=True, max_length=64)
    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="invitations")
    redeemed = models.BooleanField(default=False)

    def __str__(self) -> str:
        return self.digest


class Mailing(RandomKeyModel):
    """One e-mail with an invitation, to many addresses."""

    class State(models.TextChoices):
        DRAFT = "draft", "Not sent yet"
        SENDING = "sending", "Being sent"
        STOPPED = "stopped", "Stopped"
        DONE = "done", "Done"

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="mailings")
    subject = models.CharField(max_length=200)
    message = models.TextField(max_length=10_000)
    state = models.CharField(
        max_length=7, choices=State.choices, default=State.DRAFT, editable=False
    )
    problem = models.CharField(max_length=300, blank=True, editable=False)
    # The run that may send now; what was queued under another number does nothing.
    run = models.PositiveIntegerField(default=0, editable=False)
    # Invitations that are stored and of which no mail is known to have been sent.
    undelivered = models.PositiveIntegerField(default=0, editable=False)

    def __str__(self) -> str:
        return self.subject


class Addressee(RandomKeyModel):
    """An address to invite. Which invitation it got is never stored; erased at close."""

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        SENDING = "sending", "Being sent"
        SENT = "sent", "Sent"
        FAILED = "failed", "Failed"

    mailing = models.ForeignKey(Mailing, on_delete=models.CASCADE, related_name="addressees")
    address = models.EmailField(max_length=254)
    state = models.CharField(
        max_length=7, choices=State.choices, default=State.WAITING, editable=False
    )
    problem = models.CharField(max_length=300, blank=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["mailing", "address"], name="one_mail_per_address")
        ]
        indexes = [models.Index(fields=["mailing", "state"])]

    def __str__(self) -> str:
        return self.address


class Membership(RandomKeyModel):
    """What somebody besides the owner may do in one survey."""

    class Role(models.TextChoices):
        EDITOR = "editor", "Editor: prepares the survey and invites"
        ANALYST = "analyst", "Analyst: reads and downloads results"

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=7, choices=Role.choices)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["survey", "user"], name="one_role_per_person")
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.get_role_display()}"


class AuditEntry(models.Model):
    """What a member of staff did. Rows are only ever added: database triggers refuse the rest.

    People and surveys are named by their keys alone, so that an erased account leaves no name.
    """

    at = models.DateTimeField(auto_now_add=True)
    actor = models.PositiveBigIntegerField(null=True, help_text="Null: Deniable itself.")
    survey = models.UUIDField(null=True)
    action = models.CharField(max_length=60)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["survey", "-id"])]
        verbose_name_plural = "audit entries"

    def __str__(self) -> str:
        return self.action
