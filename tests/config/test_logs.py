"""Logs say where something failed and what kind of failure it was, never to whom."""

import ast
import errno
import io
import logging
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import django_tasks
import django_tasks_db
import gunicorn
import pytest
from django.test import RequestFactory
from gunicorn.config import Config

from config.logs import EMPTIED, OWN, SHOWN, AllowList, ErrorReport, ServerLogger, explain
from tests.conftest import ROOT

WHO = "192.0.2.77"
OURS = {"Uncaught", "Warning of Python: %s at %s"}


@pytest.fixture
def written():
    """A way to log through the formatter, and what was written."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(AllowList())

    def log(name: str, level: int, message: object, *args: object, **kwargs: object) -> str:
        logger = logging.Logger(name)
        logger.addHandler(handler)
        logger.log(level, message, *args, **kwargs)
        text = stream.getvalue()
        stream.truncate(0)
        stream.seek(0)
        return text

    return log


def failure(message: str = WHO) -> Exception:
    """An exception that was raised here, with somebody in its text and in its variables."""

    def deeper(visitor: str) -> None:
        try:
            raise OSError(errno.ENOSPC, visitor)
        except OSError as problem:
            raise ValueError(visitor) from problem

    try:
        deeper(message)
    except ValueError as problem:
        return problem
    raise AssertionError


def test_of_an_exception_its_type_its_code_and_its_places_are_written(written):
    text = written("django.request", logging.ERROR, "%s: %s", "x", WHO, exc_info=failure())
    assert "\n  ValueError\n" in text
    assert "\n  after OSError (ENOSPC)\n" in text
    assert "\n    tests/config/test_logs.py:" in text
    assert "failure.<locals>.deeper\n" in text


def test_neither_its_text_nor_its_variables_are(written):
    assert WHO not in written("surveys", logging.ERROR, "Failed", exc_info=failure())


def test_the_code_of_a_full_database_is_written():
    database = sqlite3.connect(":memory:")
    database.execute("PRAGMA max_page_count = 1")
    with pytest.raises(sqlite3.OperationalError) as caught:
        database.execute("CREATE TABLE t (text)")
    assert "  sqlite3.OperationalError (SQLITE_FULL)" in list(explain(caught.value))


def test_a_code_that_is_not_one_is_left_out():
    error = OSError(WHO)
    error.sqlstate = WHO
    assert list(explain(error)) == ["  OSError"]


def test_exceptions_that_led_to_each_other_are_written_once():
    first, second = ValueError(), KeyError()
    first.__cause__, second.__cause__ = second, first
    assert list(explain(first)) == ["  ValueError", "  after KeyError"]


def test_endless_recursion_fills_thirty_lines_not_a_thousand():
    def again() -> None:
        again()

    with pytest.raises(RecursionError) as caught:
        again()
    assert len(list(explain(caught.value))) == 1 + 30


def test_a_message_that_nobody_listed_is_replaced_by_the_place_that_wrote_it(written):
    text = written("some.library", logging.ERROR, f"Refused {WHO} and %s", WHO)
    assert WHO not in text
    assert "some.library: (message withheld) tests/config/test_logs.py:" in text


def test_a_message_that_is_an_exception_is_withheld(written):
    assert WHO not in written("gunicorn.error", logging.ERROR, ValueError(WHO))


def test_listed_messages_keep_their_arguments(written):
    text = written("gunicorn.error", logging.INFO, "Booting worker with pid: %s", 42)
    assert text.endswith("gunicorn.error: Booting worker with pid: 42\n")


def test_a_listed_message_of_another_logger_is_withheld(written):
    text = written("some.library", logging.INFO, "Booting worker with pid: %s", WHO)
    assert "(message withheld)" in text
    assert WHO not in text


def test_arguments_that_a_visitor_sent_are_left_out_of_messages_that_make_sense_without(written):
    text = written("gunicorn.error", logging.ERROR, "Error handling request %s %s", "GET", WHO)
    assert text.endswith(
        "gunicorn.error: Error handling request … …\n".encode("ascii", "backslashreplace").decode()
    )


def test_what_else_a_record_carries_is_left_out_but_for_the_status(written):
    request = RequestFactory().get("/", REMOTE_ADDR=WHO)
    carried = {"request": request, "client": WHO, "status_code": 500}
    text = written("django.request", logging.ERROR, "%s", WHO, extra=carried, stack_info=True)
    assert WHO not in text
    assert text.endswith(" (status 500)\n")


def test_a_status_that_is_no_number_is_left_out(written):
    carried = {"status_code": WHO}
    assert WHO not in written("django.request", logging.ERROR, "No", extra=carried)


def test_a_message_stays_on_one_line_of_plain_characters(written):
    text = written("surveys", logging.ERROR, "Stored %s", "a\r\nERROR [1] surveys: é\x00")
    assert text.count("\n") == 1
    assert text.isascii()


def test_no_line_says_when(written):
    text = written("surveys", logging.ERROR, "Failed")
    assert text == f"ERROR [{os.getpid()}] surveys: Failed\n"


def test_arguments_that_do_not_fit_lose_neither_the_message_nor_themselves(written, capsys):
    text = written("surveys", logging.ERROR, "Stored %d of %d", WHO)
    assert text.endswith("surveys: Stored %d of %d\n")
    assert WHO not in text + "".join(capsys.readouterr())


def test_a_line_that_cannot_be_written_is_not_printed_with_its_arguments(capfd):
    closed = io.StringIO()
    closed.close()
    logger = logging.Logger("surveys")
    logger.addHandler(logging.StreamHandler(closed))
    logger.error("Failed: %s", WHO)
    assert "".join(capfd.readouterr()) == ""


def test_every_handler_of_the_application_uses_the_list():
    """pytest adds handlers of its own, which write to no log."""
    names = ["", *logging.Logger.manager.loggerDict]
    found = [(n, h) for n in names for h in logging.getLogger(n).handlers]
    ours = [(n, h) for n, h in found if not type(h).__module__.startswith(("_pytest", "gunicorn"))]
    written = [(n, h) for n, h in ours if not isinstance(h, logging.NullHandler)]
    assert {"", "django"} <= {name for name, _ in written}
    assert [n for n, h in written if not isinstance(h.formatter, AllowList)] == []


def test_refused_requests_are_not_written_down():
    assert not logging.getLogger("django.request").isEnabledFor(logging.WARNING)
    assert not logging.getLogger("django.server").isEnabledFor(logging.INFO)
    assert not logging.getLogger("django.security.SuspiciousSession").isEnabledFor(logging.ERROR)


def test_what_a_wrong_setup_causes_is_written_down():
    assert logging.getLogger("django.security.DisallowedHost").isEnabledFor(logging.ERROR)
    assert logging.getLogger("django.security.csrf").isEnabledFor(logging.WARNING)


@pytest.mark.parametrize("settings", [{}, {"accesslog": "-", "loglevel": "debug"}])
def test_the_server_writes_no_line_for_a_request(settings, capfd):
    config = Config()
    for name, value in settings.items():
        config.set(name, value)
    logger = ServerLogger(config)
    logger.access(None, None, {"REMOTE_ADDR": WHO}, None)
    logger.access_log.info("%s", WHO)
    logger.warning(f"Invalid request from ip={WHO}: x")
    logger.debug("Closing connection.")
    assert not logger.access_log_enabled
    assert "".join(capfd.readouterr()) == ""


def test_the_server_says_when_it_starts_and_why_it_stops(capfd):
    logger = ServerLogger(Config())
    logger.info("Starting gunicorn %s", "1.0")
    logger.warning("Worker (pid:%s) was sent %s!", 42, "SIGSEGV")
    printed = "".join(capfd.readouterr())
    assert "Starting gunicorn 1.0\n" in printed
    assert "Worker (pid:42) was sent SIGSEGV!\n" in printed


def test_what_python_prints_by_itself_names_nobody():
    program = f"""
import logging, threading, warnings
from gunicorn.config import Config
from config.logs import ServerLogger
ServerLogger(Config())
class Kept:
    def __del__(self):
        raise KeyError({WHO!r})
Kept()
def fail():
    raise LookupError({WHO!r})
thread = threading.Thread(target=fail, name={WHO!r})
thread.start()
thread.join()
warnings.warn({WHO!r}, UserWarning)
raise ValueError({WHO!r})
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    assert WHO not in ran.stdout + ran.stderr
    for name in ("KeyError", "LookupError", "UserWarning", "ValueError"):
        assert name in ran.stderr, ran.stderr


def test_djangos_own_report_leaves_out_the_request_and_every_value():
    request = RequestFactory().post("/", {"q": WHO}, REMOTE_ADDR=WHO, HTTP_USER_AGENT=WHO)
    problem = failure()
    report = ErrorReport(request, type(problem), problem, problem.__traceback__, is_email=True)
    for text in (report.get_traceback_text(), report.get_traceback_html()):
        assert WHO not in text
        assert "ValueError" in text
        assert "tests/config/test_logs.py:" in text


def test_every_listed_message_is_one_that_its_library_writes():
    libraries = {
        "gunicorn.error": gunicorn,
        "django_tasks": django_tasks,
        "django_tasks_db": django_tasks_db,
    }
    for name, library in libraries.items():
        source = "".join(
            constant
            for path in Path(library.__file__).parent.rglob("*.py")
            for constant in _texts(path)
        )
        for message in SHOWN.get(name, set()) | EMPTIED.get(name, set()):
            assert message in OURS or message.split("!")[0] in source, message


def _texts(path: Path) -> list[str]:
    nodes = ast.walk(ast.parse(path.read_text()))
    return [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]


LEVELS = {"debug", "info", "warning", "error", "critical", "exception", "log"}
NAMES_A_LOG = re.compile(r"logg|\blog\b")  # the modules worth parsing
HARMLESS = {"len", "_type_name", "_place"}


def log_calls() -> list[tuple[str, ast.Call]]:
    """Every call in our own code that writes to a log, with its place."""
    found = []
    for path in (path for room in OWN for path in ROOT.glob(f"{room}/**/*.py")):
        if not NAMES_A_LOG.search(source := path.read_text()):
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr not in LEVELS:
                    continue
                base = ast.unparse(node.func.value)
                if "logg" in base or base == "log":
                    found.append((f"{path.relative_to(ROOT)}:{node.lineno}", node))
    return found


def test_our_own_messages_are_fixed_and_name_only_types_and_counts():
    calls = log_calls()
    assert len(calls) >= 4
    for place, call in calls:
        message, *arguments = call.args
        assert isinstance(message, ast.Constant), f"{place}: the message is put together"
        for argument in arguments:
            assert _is_harmless(argument), f"{place}: {ast.unparse(argument)}"
        assert {keyword.arg for keyword in call.keywords} <= {"exc_info"}, place


def _is_harmless(argument: ast.expr) -> bool:
    """``type(x).__name__``, ``len(x)`` or a name of a type or a place."""
    if isinstance(argument, ast.Attribute) and argument.attr == "__name__":
        argument = argument.value
        return isinstance(argument, ast.Call) and ast.unparse(argument.func) == "type"
    return isinstance(argument, ast.Call) and ast.unparse(argument.func) in HARMLESS
