"""``manage.py doctor``: look at everything that can be out of order, and say what to do."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from surveys.operations.checks import rounds
from surveys.operations.checks.findings import Finding, Severity


class Command(BaseCommand):
    help = (
        "Check the installation, the database, the spools and the dates. Exit code 1 means "
        "problems."
    )
    # It says itself, among everything else, what Django's checks and migrations would.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="Print the findings as JSON.")

    def handle(self, *, json: bool, **options: Any) -> None:
        """Print one line for each check. Raises SystemExit(1) if there are problems."""
        findings = []
        for finding in rounds.everything():
            findings.append(finding)
            if not json:
                self.stdout.write(line(finding))
        if json:
            self.stdout.write(as_json(findings))
        if any(finding.level == Severity.PROBLEM for finding in findings):
            raise SystemExit(1)


def line(finding: Finding) -> str:
    """One finding on one line, for every character that a survey's title can hold."""
    text = f"{finding.level:<8} {finding.check:<11} {finding.text}"
    text += f". {finding.remedy}" if finding.remedy else ""
    return "".join(letter if letter.isprintable() else "�" for letter in text)


def as_json(findings: list[Finding]) -> str:
    """All findings, and the worst level among them."""
    order = list(Severity)
    worst = max((finding.level for finding in findings), key=order.index)
    return json.dumps({"level": worst, "findings": [row.as_data() for row in findings]}, indent=1)
