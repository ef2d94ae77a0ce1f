"""Settings of the test run: the real ones, under an environment that a test machine can hold."""

import atexit
import os
import shutil
import tempfile

from tests import memory

# For what is made once, for all processes that test side by side: of `make test`, or of xdist's.
TOGETHER = os.environ.get("TESTED_TOGETHER")
if "PYTEST_XDIST_WORKER" in os.environ:
    TOGETHER = os.environ.get("DENIABLE_DATA_DIR")  # of the process that starts them
if "PYTEST_XDIST_WORKER" in os.environ or "DENIABLE_DATA_DIR" not in os.environ:
    # Several processes test side by side; each has files of its own.
    made = tempfile.mkdtemp(prefix="deniable-tests-", dir=memory.place())
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    os.environ["DENIABLE_DATA_DIR"] = made
_data_dir = os.environ["DENIABLE_DATA_DIR"]
os.environ.setdefault("DENIABLE_HTTPS", "off")
# For audits of real forms and of DDI, and no settings: servers that tests start would refuse them.
for _name in ("FORMS", "DDI"):
    if f"DENIABLE_{_name}" in os.environ:
        os.environ[f"AUDITED_{_name}"] = os.environ.pop(f"DENIABLE_{_name}")
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
