"""Copies of what management commands print, of files and of the database."""

import io
from collections.abc import Iterator
from pathlib import Path

from django.core.management import CommandError, call_command

from tests.analytics import reporting
from tests.golden.masks import masked
from tests.golden.stillness import Stillness
from tests.golden.surveys import Surveys

BOOKS = "name,1,2,3,4,5\nEmma,1,2,9,20,41\nWalden,4,9,9,4,2\nUlysses,9,1,0,1,12\n"
ANSWERS = "town,age,mood,text\n" + "".join(
    f"{('North', 'South')[row % 2]},{20 + row % 60},{('Bad', 'Fair', 'Good')[row % 3]},"
    f"{reporting.a_comment(row)}\n"
    for row in range(600)
)
COUNTS = "label,no,yes\nNorth,40,60\nSouth,70,50\n"
PEOPLE = "told,x\n" + "".join(
    f"{int(row % 3 == 0 or row % 7 == 1)},{row % 9}\n" for row in range(90)
)
FILES = {"books.csv": BOOKS, "answers.csv": ANSWERS, "counts.csv": COUNTS, "people.csv": PEOPLE}
TOPICS = "topics --input answers.csv --column text --topics 3"
PRIVATE = "--epsilon 4 --delta 1e-6"
REMINDERS = "--first 2040-04-02 --last 2040-04-23 --sends 3 --rival-sends 3"
REGRESS = "regress --input people.csv --outcome told --predictors x"
RANK = "rank --histograms books.csv --utilities 1,2,3,4,5"
WARNER = "--design warner --set p_direct=3/4"
RELEASE = (
    "release --input answers.csv --levels town=North|South --levels mood=Bad|Fair|Good "
    "--cuts age=30,45"
)
# By the name of the copy; {survey} is the key of a survey with this name.
COMMANDS = {
    "estimate": f"estimate --input counts.csv {WARNER}",
    "estimate-table": f"estimate --input counts.csv {WARNER} --format table",
    "regress": f"{REGRESS} {WARNER}",
    "regress-table": f"{REGRESS} {WARNER} --format table",
    "plan": "plan --design two-coins --error 0.03",
    "plan-json": "plan --design two-coins --error 0.03 --format json",
    "plan-reminders": f"plan_reminders {REMINDERS}",
    "rank": RANK,
    "rank-csv": f"{RANK} --format csv",
    "rank-json": f"{RANK} --format json --order cautious",
    "rank-gibbs": f"{RANK} --gibbs --seed 1 --design k_ary --epsilon 2",
    "topics-private": f"{TOPICS} {PRIVATE}",
    "topics-svd": f"{TOPICS} {PRIVATE} --kind private_svd",
    "topics-exact": f"{TOPICS} --kind exact_topics",
    "topics-exact-svd": f"{TOPICS} --kind exact_svd --seed 1",
    "release": f"{RELEASE} {PRIVATE}",
    "release-plan": f"{RELEASE} {PRIVATE} --plan",
    "ledger": "ledger",
    "ledger-json": "ledger --json",
    "retention": "retention --dry-run",
    "retention-json": "retention --dry-run --json",
    "spool": "spool",
    "opening": "opening",
    "recount": "recount {every-kind}",
}
# Why the others have no copy.
LEFT_OUT = {
    "account": "It changes accounts and prints a line of names.",
    "backup": "It writes a file; its own tests read it.",
    "columns": "It writes a file; its own tests read it.",
    "fingerprint": "Digests alone, which hold ids; its own tests compare them.",
    "keys": "Fresh keys in files; its own tests open them.",
    "texts": "It opens a file that fresh keys sealed; its own tests read it.",
    "demo": "It fills a site; it prints progress.",
    "demo_ratings": "The same.",
    "demo_release": "The same.",
    "demo_totals": "The same.",
    "doctor": "It looks at the machine it runs on.",
    "documentation": "It makes the site of the documentation.",
    "import": "It prints a file's plan; its own tests read it.",
    "invite": "It prints fresh codes.",
    "maintenance": "It prints one line about the site.",
    "restore": "It fills a site from a file.",
    "tally": "It reads files that fresh keys made; its own tests read what it prints.",
    "trustee": "Fresh keys and noise in files; its own tests open them.",
    "vouchers": "It prints one line about a key.",
}


def copies(still: Stillness, surveys: Surveys, folder: Path) -> Iterator[tuple[str, str]]:
    """(name, text) of what each command prints, or why it refuses."""
    for name, content in FILES.items():
        (folder / name).write_text(content)
    for name, typed in COMMANDS.items():
        still.begin(name)
        lines = _printed(_words(typed, surveys, folder)).splitlines()
        yield name, masked("\n".join(lines)) + "\n"


def _words(typed: str, surveys: Surveys, folder: Path) -> list[str]:
    keys = {name: str(survey.pk) for name, survey in surveys.all.items()}
    words = (word.format_map(keys) if "{" in word else word for word in typed.split())
    return [str(folder / word) if word in FILES else word for word in words]


def _printed(words: list[str]) -> str:
    out, errors = io.StringIO(), io.StringIO()
    try:
        call_command(*words, stdout=out, stderr=errors)
    except CommandError as refusal:
        return f"{out.getvalue()}refused: {refusal}\n"
    return out.getvalue() + errors.getvalue()
