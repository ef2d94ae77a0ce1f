"""What is stored of rankings: who chose which method and when, and files on their way in."""

from django.db import models
from django.utils.translation import gettext_lazy

from surveys.models import Catalogue, Revision


class RankingChoice(models.Model):
    """How one question's items are ordered from now on. Rows are only ever added.

    The newest row of a question counts. Database triggers refuse changes and deletions; people are
    named by their key alone, so that an erased account leaves no name.
    """

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="ranking_choices")
    question = models.UUIDField(help_text="The question's key in the questionnaire.")
    utilities = models.CharField(max_length=300)
    prior = models.CharField(max_length=300)
    order = models.CharField(max_length=8)
    actor = models.PositiveBigIntegerField(null=True, help_text="Null: Deniable itself.")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["revision", "question", "-id"])]

    def __str__(self) -> str:
        return f"utilities={self.utilities} prior={self.prior} order={self.order}"


class PendingImport(models.Model):
    """A file of items that its owner looks at before its items are made; then it goes.

    ``items`` and ``preview`` are what its page shows, so that no page reads the file again: how
    many there are, and the first of them with their counts.
    """

    catalogue = models.OneToOneField(
        Catalogue, on_delete=models.CASCADE, primary_key=True, related_name="pending_import"
    )
    form = models.CharField(max_length=4)
    content = models.BinaryField()
    items = models.PositiveIntegerField(default=0)
    preview = models.JSONField(default=list)
    imported = models.PositiveIntegerField(default=0)  # of its items; an import may be cut short

    class Meta:
        verbose_name = gettext_lazy("file of items")
        verbose_name_plural = gettext_lazy("files of items")

    def __str__(self) -> str:
        return str(self.catalogue)
