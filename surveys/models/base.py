"""RandomKeyModel: rows that are named by random numbers."""

import uuid

from django.db import models


class RandomKeyModel(models.Model):
    """Rows are named by random numbers, which say nothing about when they were made."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)

    class Meta:
        abstract = True
