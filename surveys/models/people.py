"""Tables: members, invitations, mailings and their addresses, and what members of staff did."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from surveys.models.base import RandomKeyModel
from surveys.models.surveys import Survey


class Invitation(models.Model):
    """SHA-256 of an invitation's token, and whether it was used. No address, no time.

    ``announced`` says whether it was used before the day of ``Survey.announced_on``. ``request`` is
    the SHA-256 of the blinded message for which it was exchanged, if it was: the same again gets
    the same signature. It fits every answer alike, so that it links the invitation to none.
    """

    digest = models.CharField(primary_key=True, max_length=64)
    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="invitations")
    redeemed = models.BooleanField(default=False)
    announced = models.BooleanField(default=False)
    request = models.CharField(default="", editable=False, max_length=64)

    def __str__(self) -> str:
        return self.digest


class Mailing(RandomKeyModel):
    """One e-mail with an invitation, to many addresses."""

    class State(models.TextChoices):
        DRAFT = "draft", gettext_lazy("Not sent yet")
        SENDING = "sending", gettext_lazy("Being sent")
        STOPPED = "stopped", gettext_lazy("Stopped")
        DONE = "done", gettext_lazy("Done")

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
    # A reminder goes to every address of an earlier mailing, without a code.
    reminds = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, related_name="reminders", editable=False
    )
    due = models.DateTimeField(null=True, editable=False)

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
    """What a user besides the owner may do in one survey."""

    class Role(models.TextChoices):
        EDITOR = "editor", gettext_lazy("Editor: prepares the survey and invites respondents")
        ANALYST = "analyst", gettext_lazy("Analyst: reads and downloads results")

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=7, choices=Role.choices)

    class Meta:
        verbose_name = gettext_lazy("membership")
        verbose_name_plural = gettext_lazy("memberships")
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
