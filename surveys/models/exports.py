"""Table: exports, files of all answers of a large survey that a worker writes for one person."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from surveys.models.base import RandomKeyModel
from surveys.models.surveys import Revision


class Export(RandomKeyModel):
    """A file of ``total`` rows, being written or to be taken away. No answer stands here.

    ``heard_at`` is when the worker was last heard of, ``written`` how many rows it has written;
    ``size`` is the file's in bytes, once it is whole. The file is named after the key. It goes a
    day after it was finished, and with the answers.
    """

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="exports")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    kind = models.CharField(max_length=20)
    total = models.PositiveBigIntegerField()
    written = models.PositiveBigIntegerField(default=0)
    size = models.PositiveBigIntegerField(default=0)
    heard_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    problem = models.CharField(max_length=200, default="")

    class Meta:
        verbose_name = gettext_lazy("export")
        verbose_name_plural = gettext_lazy("exports")
        constraints = [
            models.UniqueConstraint(
                fields=["revision", "person", "kind"], name="one_export_of_each_kind"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.revision_id}"
