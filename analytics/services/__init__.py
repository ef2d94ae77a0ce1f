"""Every write of reports and of the ledger, as something a person would name."""

from analytics.services.making import ReportBroke, make
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
    "ReportBroke",
    "cancel_report",
    "look_after",
    "make",
    "open_report",
    "record_download",
    "rename_topics",
    "repeat_report",
    "request_report",
    "requeue_lost",
]
