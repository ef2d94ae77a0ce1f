"""gunicorn's settings: ``gunicorn -c config/server.py config.wsgi``."""

bind = "127.0.0.1:8000"
workers = 2
threads = 4
worker_class = "gthread"
# Access logs would put addresses and times beside requests.
accesslog = None
errorlog = "-"
# Warnings about malformed requests would name their addresses.
loglevel = "error"
limit_request_line = 4094
limit_request_fields = 60
timeout = 60
graceful_timeout = 20
