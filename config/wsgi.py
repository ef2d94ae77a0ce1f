"""The WSGI application that gunicorn serves."""

import atexit
import gc
import os

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application
from django.db import connection

from surveys.web.upkeep import maintenance, tables, versions

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
if settings.ROLE == "worker":
    raise ImproperlyConfigured(
        "DENIABLE_ROLE=worker serves no page. Start manage.py db_worker, or set DENIABLE_ROLE to "
        "web, staff or all."
    )
# A server loads hundreds of modules, and none of that is garbage: looking for some, while they
# load, beside requests and at the end, took a third of a process that answers few requests.
gc.disable()
application = get_wsgi_application()
if not maintenance.is_on():  # then it may start: it answers nothing before its tables are there
    tables.refuse_others()
    versions.note_start(connection.copy())
gc.freeze()
gc.enable()
atexit.register(gc.freeze)
