"""``manage.py demo_ratings``: fill the demonstration's surveys and say if they found the truth."""

import secrets
from argparse import ArgumentParser
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from ranking import demonstration


class Command(BaseCommand):
    help = "Fill the demonstration's rating surveys; `demo` runs this."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--owner", required=True, help="The user name of the owner of the surveys."
        )
        parser.add_argument(
            "--site", default="", help="The address with which the printed links start."
        )
        parser.add_argument("--people", type=int, default=demonstration.PEOPLE)

    def handle(self, *args: Any, owner: str, site: str, people: int, **options: Any) -> None:
        """Open, fill and compare. Raises CommandError."""
        user = User.objects.filter(username=owner).first()
        if user is None:
            raise CommandError(f"--owner: there is no account {owner!r}.")
        best = int(np.argmax(demonstration.true_scores())) + 1
        for sort in demonstration.SORTS:
            survey = demonstration.open_survey(sort, user)
            rng = np.random.default_rng(secrets.randbits(128))
            demonstration.fill(survey, rng=rng, people=people)
            link = reverse("ranking:table", args=[survey.pk, 1])
            self.stdout.write(f"  {f'Ranking, {sort.name}':<20} {site}{link}")
            tau = demonstration.agreement(survey)
            self.stdout.write(
                f"  {'':<20} agreement with the true order: Kendall's tau {tau:.2f} "
                f"(1 is the same order); truly best is Unit {best:02}"
            )
