"""Tables: Report with its state and progress, Budget (the account of a survey), Expenditure.

Held by tests and by database triggers: an account's terms never change, expenditures are only ever
added, and the result of a paid report is never replaced. People are named by their keys alone.
Amounts are decimals with 24 digits, written as text: a database would round them.
"""

from django.db import models
from django.utils.translation import gettext_lazy

from surveys.models import Extract, PrivacyBudget, RandomKeyModel, Revision
from surveys.models.base import DocumentField, MessageField


class Budget(models.Model):
    """The one account of a launched survey, for what it promised: texts alone, or tables too.

    Spending locks this row; its terms are copied from the revision's document.
    """

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="accounts")
    source = models.CharField(max_length=10, choices=PrivacyBudget.Source.choices)
    epsilon = models.CharField(max_length=20)
    delta = models.CharField(max_length=20)
    adjacency = models.CharField(max_length=17, choices=PrivacyBudget.Adjacency.choices)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["revision", "source"], name="one_account_per_source"),
            # An expression, because SQLite would rebuild the table for a plain one, and lose its
            # triggers.
            models.UniqueConstraint(models.F("revision"), name="one_account_per_survey"),
        ]

    def __str__(self) -> str:
        return f"epsilon {self.epsilon}, delta {self.delta}"


class Report(RandomKeyModel):
    """One report that a member of staff asked for, from the request to its result.

    A private report's result is ``document``; an internal one's is an ``extract``, which goes when
    the answers go. ``run`` is the attempt that may finish it: what an earlier one brings is
    dropped. ``beat`` is when that attempt was last heard of.
    """

    class State(models.TextChoices):
        QUEUED = "queued", gettext_lazy("Waiting for a worker")
        RUNNING = "running", gettext_lazy("Being made")
        DONE = "done", gettext_lazy("Ready")
        FAILED = "failed", gettext_lazy("Not made")
        CANCELLED = "cancelled", gettext_lazy("Cancelled")

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="reports")
    question = models.UUIDField(help_text="The question's key in the questionnaire.")
    kind = models.CharField(max_length=20)
    settings = models.JSONField(default=dict)
    # What it may cost in terms of the account's adjacency; nothing for an internal report.
    mu_squared = models.CharField(max_length=40, default="0")
    threshold_delta = models.CharField(max_length=40, default="0")
    state = models.CharField(max_length=9, choices=State.choices, default=State.QUEUED)
    stage = MessageField(blank=True)
    fraction = models.FloatField(default=0)
    problem = MessageField(blank=True)
    run = models.PositiveIntegerField(default=1)
    beat = models.DateTimeField(null=True)
    # From before its first text is read: then what was set aside is spent, also if it is cancelled.
    is_charged = models.BooleanField(default=False)
    actor = models.PositiveBigIntegerField(null=True, help_text="Null: Deniable itself.")
    asked_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    code_version = models.CharField(max_length=64, blank=True)
    document = DocumentField(null=True)
    extract = models.OneToOneField(
        Extract, on_delete=models.SET_NULL, null=True, related_name="report"
    )
    names = models.JSONField(default=list, help_text="Names that people gave to its topics.")

    class Meta:
        ordering = ["-asked_at", "id"]
        indexes = [
            models.Index(fields=["revision", "-asked_at"]),
            models.Index(fields=["state", "beat"]),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.asked_at:%Y-%m-%d}"


class KeptRelease(RandomKeyModel):
    """A noisy statistic of a report that is not made yet, by the order in which it was drawn.

    Goes when the report is stored; until then a repeat takes it instead of a further look.
    """

    report = models.ForeignKey(Report, on_delete=models.PROTECT, related_name="releases")
    place = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta(RandomKeyModel.Meta):
        abstract = False
        constraints = [
            models.UniqueConstraint(fields=["report", "place"], name="one_release_at_a_place")
        ]

    def __str__(self) -> str:
        return f"release {self.place}"


class OpeningRelease(RandomKeyModel):
    """What one opening released of a schedule of tables: noisy integers, drawn once.

    ``report`` is the schedule, which was charged at launch; ``opening`` the number of the opening,
    from 1, and ``place`` its place in the schedule, from 0, the last one being the close.
    ``content`` is a list of [questions, values]. Rows are only ever added.
    """

    report = models.ForeignKey(Report, on_delete=models.PROTECT, related_name="opening_releases")
    opening = models.PositiveIntegerField()
    place = models.PositiveIntegerField()
    content = models.JSONField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta(RandomKeyModel.Meta):
        abstract = False
        constraints = [
            models.UniqueConstraint(fields=["report", "place"], name="one_release_of_an_opening")
        ]

    def __str__(self) -> str:
        return f"opening {self.opening}"


class Expenditure(models.Model):
    """What one report cost: written in the transaction that stores the report. Only ever added."""

    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="expenditures")
    report = models.OneToOneField(Report, on_delete=models.PROTECT, related_name="expenditure")
    mu_squared = models.CharField(max_length=40)
    threshold_delta = models.CharField(max_length=40)
    actor = models.PositiveBigIntegerField(null=True, help_text="Null: Deniable itself.")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"mu^2 {self.mu_squared}, threshold delta {self.threshold_delta}"
