"""What vouchers cost the server: exchanges, and sends with them, beside sends to an open survey.

Run: ``python -m benchmarks.vouchers [--database postgresql]``. The same questions, served by the
same gunicorn over the same database, in turns; each person sends once. Processor time is that of
all processes that take part.
"""

import argparse
import secrets
import statistics
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.machines import Gunicorn
from benchmarks.sites import DATABASES, make_owner, site
from benchmarks.submit import BATCH, Round, Target, measure

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from surveys.models import Survey

VIEWS = ("open sends", "exchanges", "sends with vouchers")
# Of an open survey's rate, and exchanges a second of one core.
LEAST_SHARE, LEAST_EXCHANGES = 0.8, 100


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=DATABASES, default="sqlite")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--people", type=int, default=500, help="per round and view")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    settings = {"DJANGO_SETTINGS_MODULE": "benchmarks.settings", "DENIABLE_BEHIND_PROXY": "on"}
    with site(arguments.database, **settings) as here:
        rounds = arguments.rounds + 1  # the first one loads modules and plans, and counts not
        prepared = _prepared(make_owner(), arguments.people, rounds)
        server = Gunicorn(here.directory / "server.log", workers=arguments.workers)
        try:
            measured = partial(measure, server, here.database, requests=arguments.people)
            rounds = [[measured(target=one) for one in of_round] for of_round in prepared]
        finally:
            server.stop()
    _report(arguments.database, rounds[1:])


def _prepared(owner: "User", people: int, rounds: int) -> list[list[Target]]:
    """For each round the three targets, with bodies that were never sent."""
    from django.urls import reverse

    from tests.factories import make_survey
    from tests.vouching import make_vouched_survey, usual_fields

    invited = make_vouched_survey(owner, batch_size=BATCH)
    fields = {**usual_fields(), "batch_size": BATCH, "voucher_wait": None}
    open_survey = _like(make_survey(owner, **fields))
    open_path = reverse("respondent:send", args=[open_survey.pk])
    names = ("exchange", "send")
    exchange, send = (reverse(f"posted:{name}", args=[invited.pk]) for name in names)
    return [
        [
            Target(open_path, _open_bodies(open_survey, people)),
            Target(exchange, _exchanges(invited, people)),
            Target(send, _vouched_bodies(invited, people)),
        ]
        for _ in range(rounds)
    ]


def _like(draft: "Survey") -> "Survey":
    from tests.factories import add_question, add_text, launched

    add_question(draft)
    add_text(draft, text="What would help?")
    return launched(draft)


def _open_bodies(survey: "Survey", people: int) -> list[str]:
    from tests.bodies import body_of

    return [body_of(survey.revision).decode() for _ in range(people)]


def _exchanges(survey: "Survey", people: int) -> list[str]:
    """Any number below the modulus is signed; what a page blinds is as good as one drawn evenly."""
    from surveys.kinds.text.promise import based
    from tests.factories import invite

    return [
        f"path=browser&invitation={token}&blinded={based(bytes(1) + secrets.token_bytes(255))}"
        for token in invite(survey, people)
    ]


def _vouched_bodies(survey: "Survey", people: int) -> list[str]:
    from surveys.collecting import spool
    from surveys.collecting.keys import signing_keys
    from surveys.models.queries import questionnaire_of
    from surveys.trust.vouchers import sign_blinded
    from tests.vouching import Request

    modulus = questionnaire_of(survey.revision).vouchers.modulus
    signing = signing_keys.read(spool.keys_directory(), survey.pk, modulus)
    requests = [Request.drawn(survey) for _ in range(people)]
    return [one.body(one.voucher(sign_blinded(signing, one.blinded))).decode() for one in requests]


def _report(database: str, rounds: list[list[Round]]) -> None:
    by_view = dict(zip(VIEWS, zip(*rounds, strict=True), strict=True))
    for name, of_view in by_view.items():
        cost, rate = (
            statistics.median(getattr(one, part) for one in of_view) for part in ("cost", "rate")
        )
        late = statistics.median(_p95(one.latencies) for one in of_view)
        print(
            f"{database}, {name}: {cost:.2f} ms of CPU, {1000 / cost:.0f} a second and core, "
            f"{rate:.0f} a second here, p95 {1000 * late:.0f} ms"
        )
    pairs = list(zip(by_view[VIEWS[0]], by_view[VIEWS[2]], strict=True))
    share = statistics.median(one.cost / other.cost for one, other in pairs)
    exchanges = 1000 / statistics.median(one.server for one in by_view[VIEWS[1]])
    print(f"sends with vouchers: {share:.2f} of open sends (wanted: {LEAST_SHARE})")
    print(f"exchanges: {exchanges:.0f} a second and core (wanted: {LEAST_EXCHANGES})")


def _p95(latencies: list[float]) -> float:
    return sorted(latencies)[int(0.95 * len(latencies))]


if __name__ == "__main__":
    main()
