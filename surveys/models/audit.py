"""Table of the audit log's entries: what members of staff did."""

from django.db import models


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
