"""gunicorn's settings: ``gunicorn -c config/server.py config.wsgi``."""

from typing import Any

bind = "127.0.0.1:8000"
workers = 2
threads = 4
# A thread is taken once header and body are there, and is free before its reply is read: neither
# slow senders nor slow readers stop anyone.
worker_class = "config.patient.PatientWorker"
# A connection is an open file, and one in four may be sending another: together fewer than the
# 1,024 that systems let a process have.
worker_connections = 750
# Longer than a proxy keeps its own (deploy/nginx.conf): it must not send on one that ends just now.
keepalive = 10
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
