"""Log records: an allow-list of messages, and of a problem its type, code and place, never who.

A message, an argument, an exception's text and a local variable can all carry an address, an agent
or an answer. So nothing is filtered out; only what is named here is let in: the level, the process,
the logger's name, the messages listed below, the status of a reply, and of an exception its type,
its code (ENOSPC, SQLITE_FULL, 53100) and the places it passed through. No time is written: the
program that collects the lines adds one. Requests that were refused are not written down at all,
apart from two kinds that a wrong setup causes too: for another host, and a staff form without its
token.
"""

import errno
import logging
import re
import sys
import sysconfig
import threading
import warnings
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from traceback import walk_tb
from typing import Any, TextIO

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.debug import ExceptionReporter
from gunicorn.glogging import Logger

ROOTS = (sysconfig.get_path("purelib"), sysconfig.get_path("stdlib"), Path(__file__).parents[1])
FRAMES = 30
CODE = re.compile(r"[A-Z0-9_]{1,40}")
PLACEHOLDER = re.compile(r"%[sd]")

# Our own loggers; `tests/config/test_logs.py` reads every call for what it passes on.
OWN = ("surveys", "ranking", "analytics", "config")
# Messages of others whose arguments are the server's own: processes, signals, where it listens.
SHOWN = {
    "gunicorn.error": frozenset(
        {
            "Starting gunicorn %s",
            "Listening at: %s (%s)",
            "Using worker: %s",
            "Booting worker with pid: %s",
            "Worker exiting (pid: %s)",
            "Worker (pid:%s) exited with code %s.",
            "Worker (pid:%s) was sent %s!",
            "Worker (pid:%s) was sent %s! Perhaps out of memory?",
            "WORKER TIMEOUT (pid:%s)",
            "Autorestarting worker after current request.",
            "Parent changed, shutting down: %s",
            "Handling signal: %s",
            "Ignoring unknown signal: %s",
            "Unhandled signal: %s",
            "Unhandled exception in main loop",
            "Exception in worker process",
            "Hang up: %s",
            "Shutting down: %s",
            "Reason: %s",
            "graceful stop of workers",
            "Quick shutdown requested",
            "Connection in use: %s",
            "Invalid address: %s",
            "Can't connect to %s",
            "Error handling request",
            "Error handling request (no URI read)",
            "Socket error processing request.",
            "Uncaught",
            "Warning of Python: %s at %s",
        }
    ),
    "django_tasks": frozenset({"Task id=%s path=%s state=%s"}),
    "django_tasks_db": frozenset(
        {
            "Starting worker worker_id=%s queues=%s",
            "Task id=%s failed unexpectedly",
            "Received %s - shutting down gracefully... (press Ctrl+C again to force)",
        }
    ),
}
# Messages that say something even when their arguments, which a visitor sent, are left out.
EMPTIED = {
    "gunicorn.error": frozenset(
        {
            "Error handling request %s",
            "Error handling request %s %s",
            "Exception during worker exit:\n%s",
        }
    ),
    "django.security.csrf": frozenset({"Forbidden (%s): %s"}),
}

# Otherwise a line that could not be written would be printed together with its arguments.
logging.raiseExceptions = False


class AllowList(logging.Formatter):
    """Formats a record from the fields that are named above and from no others."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, then a line for each exception and each place that it passed through."""
        line = f"{record.levelname} [{record.process}] {record.name}: {_message(record)}"
        status = getattr(record, "status_code", None)
        if isinstance(status, int):
            line += f" (status {status:d})"
        error = record.exc_info[1] if record.exc_info else None
        lines = [line.replace("\r", " ").replace("\n", " "), *explain(error)]
        return "\n".join(lines).encode("ascii", "backslashreplace").decode()


def explain(error: BaseException | None) -> Iterator[str]:
    """Types, codes and places of an exception and of those that led to it; never their texts."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield f"  {'after ' if len(seen) > 1 else ''}{_type_name(type(error))}{_code(error)}"
        for frame, line in deque(walk_tb(error.__traceback__), FRAMES):
            code = frame.f_code
            if not code.co_filename.startswith("<frozen"):  # Python's own importing
                yield f"    {_place(code.co_filename, line, code.co_qualname)}"
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


class ErrorReport(ExceptionReporter):
    """Django's report of an exception without the request, settings, variables and texts."""

    def get_traceback_text(self) -> SafeString:
        """For mails."""
        return SafeString("\n".join(explain(self.exc_value)))

    def get_traceback_html(self) -> SafeString:
        """For mails that are also sent as HTML."""
        return format_html("<pre>{}</pre>", "\n".join(explain(self.exc_value)))


class ServerLogger(Logger):
    """gunicorn's logger: starts, stops, signals and failures; never a request."""

    access_log_enabled = False

    def setup(self, cfg: Any) -> None:
        """Keep where gunicorn writes and replace what it writes, against its settings."""
        super().setup(cfg)
        self.access_log.handlers.clear()
        self.error_log.propagate = False
        self.error_log.addFilter(_is_worth_a_line)
        for handler in self.error_log.handlers:
            handler.setFormatter(AllowList())
        watch()

    def access(self, resp: Any, req: Any, environ: Any, request_time: Any) -> None:
        """A line for each request would put addresses and times beside them."""


def watch() -> None:
    """Write what Python itself prints about this process's failures in the same way."""
    sys.excepthook = lambda kind, error, traceback: _uncaught(error)
    sys.unraisablehook = lambda problem: _uncaught(problem.exc_value)
    threading.excepthook = lambda problem: _uncaught(problem.exc_value)
    warnings.showwarning = _warned


def _uncaught(error: BaseException | None) -> None:
    logging.getLogger("gunicorn.error").critical("Uncaught", exc_info=error)


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    logging.getLogger("gunicorn.error").warning(
        "Warning of Python: %s at %s", _type_name(category), _place(filename, lineno)
    )


def _is_worth_a_line(record: logging.LogRecord) -> bool:
    """gunicorn's other lines below an error are about requests: their addresses, their ends."""
    return record.levelno >= logging.ERROR or _is_listed(record, SHOWN)


def _is_listed(record: logging.LogRecord, lists: dict[str, frozenset[str]]) -> bool:
    return isinstance(record.msg, str) and record.msg in lists.get(record.name, ())


def _message(record: logging.LogRecord) -> str:
    if record.name.partition(".")[0] in OWN or _is_listed(record, SHOWN):
        return _filled(record)
    if _is_listed(record, EMPTIED):
        return PLACEHOLDER.sub("…", record.msg)
    return f"(message withheld) {_place(record.pathname, record.lineno, record.funcName)}"


def _filled(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except (TypeError, ValueError):  # the arguments do not fit the message
        return str(record.msg)


def _type_name(kind: type[BaseException]) -> str:
    return f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")


def _code(error: BaseException) -> str:
    """A fixed word or number that tells an operator what to do, if the exception has one."""
    number = getattr(error, "errno", None)
    codes = [
        errno.errorcode.get(number) if isinstance(number, int) else None,
        getattr(error, "sqlite_errorname", None),
        getattr(error, "sqlstate", None),
        str(getattr(error, "smtp_code", "")),
    ]
    known = [code for code in codes if isinstance(code, str) and CODE.fullmatch(code)]
    return f" ({', '.join(known)})" if known else ""


def _place(path: str, line: int, function: str | None = None) -> str:
    for root in ROOTS:
        path = path.removeprefix(f"{root}/")
    return f"{path}:{line} {function or ''}".rstrip()
