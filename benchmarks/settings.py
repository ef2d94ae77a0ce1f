"""Production's settings, with one more page to compare with."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "benchmarks.urls"
