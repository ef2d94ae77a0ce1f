"""The WSGI application that gunicorn serves."""

import atexit
import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# A server loads hundreds of modules, and none of that is garbage: looking for some, while they
# load, beside requests and at the end, took a third of a process that answers few requests.
gc.disable()
application = get_wsgi_application()
gc.freeze()
gc.enable()
atexit.register(gc.freeze)
