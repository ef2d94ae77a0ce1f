"""Every write of reports and of the ledger, as something a person would name.

Making one is in ``making`` and imported by name: it loads the topic models.
"""

from analytics.services.recovery import look_after, requeue_lost
from analytics.services.requests import (
    Later,
    cancel_report,
    open_report,
    record_download,
    rename_topics,
    repeat_report,
    request_report,
)

__all__ = [
    "Later",
    "cancel_report",
    "look_after",
    "open_report",
    "record_download",
    "rename_topics",
    "repeat_report",
    "request_report",
    "requeue_lost",
]
