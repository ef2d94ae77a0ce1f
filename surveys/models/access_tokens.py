"""Table: tokens, with which programs act for a member of staff."""

from datetime import date

from django.conf import settings
from django.db import models

from surveys.models.base import RandomKeyModel
from surveys.models.surveys import Survey


class AccessToken(RandomKeyModel):
    """What a program shows to act for a person, in one survey or in this person's drafts (None).

    Of its text the 8 ``letters`` are kept, and ``digest``, the SHA-256 of all of it: 256 bits of
    chance need no salt. ``used_on`` is the last day of its use and
    ``used_for`` names what it read on that day: no time of the day is kept.
    """

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="access_tokens"
    )
    survey = models.ForeignKey(
        Survey, on_delete=models.CASCADE, null=True, related_name="access_tokens"
    )
    name = models.CharField(max_length=80)
    scopes = models.CharField(max_length=20)
    letters = models.CharField(max_length=8, unique=True)
    digest = models.CharField(max_length=64)
    made_on = models.DateField()
    last_day = models.DateField()
    used_on = models.DateField(null=True)
    used_for = models.CharField(max_length=400, default="")

    class Meta:
        ordering = ["name", "pk"]

    def __str__(self) -> str:
        return self.name

    def is_over(self, today: date) -> bool:
        """Whether its last day has passed."""
        return self.last_day < today
