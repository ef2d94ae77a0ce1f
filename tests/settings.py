"""Settings of the test run: the real ones, under an environment that a test machine can hold."""

import os
import tempfile

if "PYTEST_XDIST_WORKER" in os.environ:
    # Several processes test side by side; each has files of its own.
    os.environ["DENIABLE_DATA_DIR"] = tempfile.mkdtemp(prefix="deniable-tests-")
_data_dir = os.environ.setdefault("DENIABLE_DATA_DIR", tempfile.mkdtemp(prefix="deniable-tests-"))
os.environ.setdefault("DENIABLE_HTTPS", "off")
# All tests come from one address; the test of the limit sets its own.
os.environ.setdefault("DENIABLE_SUBMISSIONS_PER_HOUR", "0")
os.environ.setdefault("DENIABLE_ALLOWED_HOSTS", "127.0.0.1,localhost,testserver")

from config.settings import *  # noqa: E402, F403
from config.settings import DATABASES, MIDDLEWARE  # noqa: E402

if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # A file, not memory: a server process and the test look at the same database.
    DATABASES["default"]["TEST"] = {"NAME": f"{_data_dir}/test.sqlite3"}
PASSWORD_HASHERS = ["tests.hashers.OneIteration"]
# The browser's driver runs an event loop in the process of the tests.
SILENCED_SYSTEM_CHECKS = ["async.E001"]
# Every test client would read all static files anew; servers that tests start have it.
MIDDLEWARE = [one for one in MIDDLEWARE if one != "whitenoise.middleware.WhiteNoiseMiddleware"]
