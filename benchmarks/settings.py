"""Production's settings, with bare pages to compare with: below a survey, and behind all else."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "benchmarks.urls"
RESPONDENT_URLS = "benchmarks.bare"
