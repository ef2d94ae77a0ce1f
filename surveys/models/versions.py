"""Table: which versions of the program have answered here."""

from django.db import models


class ProgramVersion(models.Model):
    """A version and the day, in UTC, on which it first answered; ``surveys.web.upkeep.versions``.

    Rows are only added, in the order of their first starts.
    """

    version = models.CharField(max_length=40, unique=True)
    since = models.DateField()

    def __str__(self) -> str:
        return f"{self.version} since {self.since}"
