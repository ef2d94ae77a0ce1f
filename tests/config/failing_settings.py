"""Production's settings with pages that fail, and somebody to whom error mail could be sent."""

import os

from config.settings import *  # noqa: F403

ROOT_URLCONF = "tests.config.failing"
PASSWORD_HASHERS = ["tests.hashers.OneIteration"]
ADMINS = [("Root", "root@example.org")]
EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
EMAIL_FILE_PATH = os.environ["MAIL_DIRECTORY"]
