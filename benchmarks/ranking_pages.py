"""How long a ranking page over 100,000 items takes under gunicorn, on SQLite and PostgreSQL.

Run: ``python -m benchmarks.ranking_pages``. Asked for are different pages, orders and priors of one
question with 500,000 counts, as a person leafs and tries things: each address once, so that nothing
but the counts and the orders is kept from request to request. The first request after a batch of
new answers reads all counts again; it is told apart.

Before that, respondents open pages of the same survey, with ten of the items drawn adaptively:
the first page after the display has learned anew reads the counts, the others only draw.
"""

import argparse
import http.client
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from uuid import UUID

from benchmarks.machines import Gunicorn
from benchmarks.sites import DATABASES, cookie_of, make_owner, site

ITEMS, LEVELS, SHOWN = 100_000, 5, 10
LARGEST_MEDIAN = 0.3
WAYS = ("", "&order=cautious", "&prior=ml", "&u1=-10&u2=-5&u3=-3&u4=-2&u5=1", "&compare=on")


def main() -> None:
    """Measure and print; each database in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=DATABASES)
    parser.add_argument("--requests", type=int, default=100)
    arguments = parser.parse_args()
    if arguments.database:
        measure(arguments.database, arguments.requests)
        return
    for name in DATABASES:
        command = [sys.executable, "-m", "benchmarks.ranking_pages", "--database", name]
        subprocess.run([*command, "--requests", str(arguments.requests)], check=True)


def measure(name: str, requests: int) -> None:
    """One database: fill it, serve it, ask."""
    with site(name) as here:
        address, cookie, start = prepare()
        server = Gunicorn(here.directory / "gunicorn.log", workers=1)
        try:
            report_display(name, *openings(server, start, requests))
            report(name, *times(server, address, cookie, requests))
        finally:
            server.stop()


def prepare() -> tuple[str, str, str]:
    """A large rating question.

    The address of its ranking, a session's cookie, and the address of the respondents' page.
    """
    from django.urls import reverse

    owner = make_owner()
    survey = open_survey(owner)
    fill(survey)
    start = reverse("respondent:start", args=[survey.pk])
    return reverse("ranking:table", args=[survey.pk, 1]), cookie_of(owner), start


def open_survey(owner):
    """An open survey that has 100,000 items rated on five levels."""
    from surveys.authoring.services import launch
    from surveys.models import Catalogue, CatalogueItem, Option, Question, Survey

    catalogue = Catalogue.objects.create(owner=owner, name="Items")
    CatalogueItem.objects.bulk_create(
        (
            CatalogueItem(catalogue=catalogue, number=number, name=f"Item {number:06}")
            for number in range(1, ITEMS + 1)
        ),
        batch_size=5000,
    )
    survey = Survey.objects.create(
        owner=owner,
        title="Items",
        introduction="Rate.",
        organisation="Us",
        contact="us",
        opening=Survey.Opening.LIVE,
    )
    question = Question.objects.create(
        survey=survey,
        text="How good is it?",
        kind=Question.Kind.RATING,
        design=Question.Design.DIRECT,
        required=True,
        catalogue=catalogue,
        shown=SHOWN,
        adaptive=True,
    )
    Option.objects.bulk_create(
        Option(question=question, position=place, text=f"{place + 1}") for place in range(LEVELS)
    )
    launch(survey=survey, by=owner)
    return survey


def fill(survey) -> None:
    """Counts as the flush of batches leaves them: up to 60 ratings for each item."""
    import numpy as np

    from surveys.models import RatingCount, Response, Revision
    from surveys.models.queries import questionnaire_of

    revision = Revision.objects.get(survey=survey)
    question = UUID(questionnaire_of(revision).items[0].id)
    rng = np.random.default_rng(5)
    shares = rng.dirichlet(10 * np.array([0.1, 0.1, 0.2, 0.35, 0.25]), ITEMS)
    counts = rng.multinomial(rng.integers(0, 61, ITEMS), shares)
    items, levels = np.nonzero(counts)
    RatingCount.objects.bulk_create(
        (
            RatingCount(
                revision=revision,
                question=question,
                item=int(item) + 1,
                level=int(level),
                count=int(counts[item, level]),
            )
            for item, level in zip(items, levels, strict=True)
        ),
        batch_size=5000,
    )
    Response.objects.create(revision=revision, opening=0, answers="")
    learn(revision, question, int(counts.sum()) // SHOWN)


def learn(revision, question: UUID, responses: int) -> None:
    """Copy the counts for the display, as the flush does; it is timed, for a batch waits for it."""
    from django.db import transaction

    from surveys.catalogues.queries import display_responses
    from surveys.catalogues.services import keep_display

    start = time.perf_counter()
    with transaction.atomic():
        keep_display(revision.pk, question, responses, batch=20)
    print(f"a flush after which the display learns anew: {time.perf_counter() - start:.1f} s more")
    if display_responses(revision.pk, question).learned != responses:
        raise SystemExit("The display has learned nothing.")


def times(
    server: Gunicorn, address: str, cookie: str, requests: int
) -> tuple[float, list[float], list[float], float]:
    """Seconds of the very first request, of the first one of each way, and of all others.

    Last, the processor seconds that each of those others took: they do not depend on what else
    the machine is doing.
    """
    port = server.port
    first = ask(port, f"{address}?page=1", cookie)
    fresh = [ask(port, f"{address}?page=1{way}", cookie) for way in WAYS[1:]]
    pages = [1 + (place * 397) % (ITEMS // 50) for place in range(requests)]
    before = processor_seconds(server)
    kept = [
        ask(port, f"{address}?page={page + 1}{WAYS[place % len(WAYS)]}", cookie)
        for place, page in enumerate(pages)
    ]
    return first, fresh, kept, (processor_seconds(server) - before) / requests


def openings(server: Gunicorn, start: str, requests: int) -> tuple[float, list[float], float]:
    """Seconds of the first page for a respondent, of all others, and their processor seconds."""
    first = ask(server.port, start, "", marks=SHOWN, mark=b"data-item=")
    before = processor_seconds(server)
    others = [ask(server.port, start, "", marks=SHOWN, mark=b"data-item=") for _ in range(requests)]
    return first, others, (processor_seconds(server) - before) / requests


def processor_seconds(server: Gunicorn) -> float:
    """What the workers have used so far."""
    ticks = 0
    for pid in server.children():
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def ask(
    port: int, address: str, cookie: str, *, marks: int = 50, mark: bytes = b'class="bar"'
) -> float:
    """Seconds until the whole page is here, with so many marks. Raises SystemExit."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    start = time.perf_counter()
    connection.request("GET", address, headers={"Cookie": cookie})
    reply = connection.getresponse()
    content = reply.read()
    taken = time.perf_counter() - start
    if reply.status != 200 or content.count(mark) != marks:
        raise SystemExit(f"{address}: status {reply.status}, no page of {marks} items")
    return taken


def report(
    name: str, first: float, fresh: list[float], kept: list[float], processor: float
) -> None:
    median = statistics.median(kept)
    slow = statistics.quantiles(kept, n=20)[-1]
    print(f"{name}: {ITEMS:,} items, {LEVELS} levels, one worker, {len(kept)} different pages")
    print(f"  median {1000 * median:5.0f} ms (aim: below 300), p95 {1000 * slow:5.0f} ms")
    print(f"  processor time {1000 * processor:.0f} ms a page")
    print(f"  first page by another method {1000 * statistics.median(fresh):5.0f} ms (median)")
    print(f"  first page after new answers {1000 * first:5.0f} ms")
    if median > LARGEST_MEDIAN:
        raise SystemExit("The median is above the aim.")


def report_display(name: str, first: float, others: list[float], processor: float) -> None:
    print(f"{name}: a respondent's page, {SHOWN} of {ITEMS:,} items drawn adaptively")
    print(f"  median {1000 * statistics.median(others):5.0f} ms")
    print(f"  processor time {1000 * processor:.0f} ms a page")
    print(f"  first page after the display has learned anew {1000 * first:5.0f} ms")


if __name__ == "__main__":
    main()
