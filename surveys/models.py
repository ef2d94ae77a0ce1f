"""What is stored.

Privacy invariants, each held by a test: a response row has a random key, no time, no address, no
agent and no reference to a person; a launched revision never changes (database triggers refuse
it); the table of submission keys has no link to responses and no time.
"""

import uuid
from decimal import Decimal

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models


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

    closed_on = models.DateField(null=True, editable=False)

    class Meta:
        ordering = ["title", "id"]

    def __str__(self) -> str:
        return self.title


class Question(RandomKeyModel):
    """A question of a draft. After launch only the revision's copy counts."""

    class Kind(models.TextChoices):
        YES_NO = "yes_no", "Yes or no"
        CHOICE = "choice", "Single choice"
        SCALE = "scale", "Scale (ordered choice)"
        NUMBER = "number", "Number"

    class Design(models.TextChoices):
        DIRECT = "direct", "Direct: sent as given, not protected"
        TWO_COINS = "two_coins", "Two coins"
        FORCED_RESPONSE = "forced_response", "Forced response"
        K_ARY = "k_ary", "k-ary, by epsilon"

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
    minimum = models.DecimalField(max_digits=15, decimal_places=4, null=True, blank=True)
    maximum = models.DecimalField(max_digits=15, decimal_places=4, null=True, blank=True)
    decimal_places = models.PositiveSmallIntegerField(
        default=0, validators=[MaxValueValidator(4)], help_text="Numbers only."
    )

    class Meta:
        ordering = ["position", "id"]
        indexes = [models.Index(fields=["survey", "position"])]

    def __str__(self) -> str:
        return self.text


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


class SubmissionKey(models.Model):
    """SHA-256 of a submission key, so that a body sent twice counts once. No link, no time."""

    digest = models.CharField(primary_key=True, max_length=64)

    def __str__(self) -> str:
        return self.digest
