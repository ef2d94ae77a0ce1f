"""gunicorn's settings: ``gunicorn -c config/server.py config.wsgi``."""

from typing import Any

bind = "127.0.0.1:8000"
workers = 2
threads = 4
# Header and body arrive before a thread is taken: slow senders stop no one.
worker_class = "config.patient.PatientWorker"
# Starts, stops and failures. No line for a request, well formed or not.
logger_class = "config.logs.ServerLogger"
accesslog = None
errorlog = "-"
loglevel = "info"
# Signals do the same, and a socket is one more thing to guard.
control_socket_disable = True
limit_request_line = 4094
limit_request_fields = 60
timeout = 60
graceful_timeout = 20


def on_starting(server: Any) -> None:
    """Make what all workers count in before they are forked."""
    import surveys.web.counts  # noqa: F401


def post_worker_init(worker: Any) -> None:
    """Let a thread of each process flush whole batches beside its requests."""
    from surveys.collecting import flushing

    flushing.begin()


def worker_exit(server: Any, worker: Any) -> None:
    """Flush what waits to be flushed before the process ends."""
    from surveys.collecting import flushing

    flushing.end()
