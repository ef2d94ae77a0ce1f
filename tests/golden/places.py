"""Every address of the site: how it is asked for, or why it has no copy."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import URLResolver, get_resolver, reverse

from analytics.models import Report
from surveys.models import Survey
from tests.golden.surveys import Surveys
from tests.staff_pages import FORMS, LEAD_ELSEWHERE

SITE = "site"  # addresses without a name space
RESPONDENT, ADMIN = "respondent:", "admin:surveys_survey_"
SENT = "It takes what is sent; the page it leads to has a copy."
LEADS = "It leads to another page, which has a copy."
FACTOR = "A page of allauth, for a second factor: nothing of a survey or a result stands on it."
WITH_COPY = ("mfa_index", "mfa_list_webauthn")
LEFT_OUT = {
    **dict.fromkeys(FORMS, SENT),
    **dict.fromkeys(LEAD_ELSEWHERE, LEADS),
    "surveys:invitation-sheets": "It takes what is sent, and shows fresh codes and QR codes.",
    "admin:autocomplete": "Django's own; the lists it fills stand in the pages of forms.",
    "admin:jsi18n": "Django's own words of the admin.",
    "surveys:locked-table": "Its answers are locked anew for each survey; a test opens them.",
    **dict.fromkeys(
        ("surveys:locked", "surveys:locked-csv", "surveys:locked-json"),
        "Its noise is drawn anew; tests hold each state, each number and each file.",
    ),
    **dict.fromkeys(
        ("surveys:trustee-noise", "surveys:trustee-share"),
        "Its file is made anew by a trustee; a test reads it.",
    ),
    "surveys:sealed-texts": "Its texts are sealed anew for each survey; a test opens them.",
    "analytics:permit": "It names the SHA-256 of such a file; a test reads it.",
    "analytics:permit-file": "It names the SHA-256 of such a file; a test spends it.",
    "respondent:items": "A test of its own holds it to the digest in the launched document.",
    "respondent:status": "A test of its own holds each of its four members.",
    "respondent:audit": "A test of its own adds up its numbers; its digests are of fresh keys.",
    "posted:exchange": "It takes what is sent.",
    "posted:send": "It takes what is sent, and answers as the address with a language does.",
    "documentation": "A command makes it from docs/; it is not there in tests.",
    "source": "A redirect, or an archive of the code itself.",
    "short": "It leads to the page of the survey, which has a copy.",
    "analytics:publish": "It takes what is sent.",
}


def names(resolver: URLResolver | None = None, space: str = "") -> Iterator[str]:
    """The name of every address."""
    for one in (resolver or get_resolver()).url_patterns:
        if isinstance(one, URLResolver):
            yield from names(one, f"{one.namespace}:" if one.namespace else space)
        elif one.name:
            yield space + one.name


def why_left_out(name: str) -> str:
    """The reason why an address has no copy; empty if it has to have one."""
    return FACTOR if name.startswith("mfa_") and name not in WITH_COPY else LEFT_OUT.get(name, "")


@dataclass(frozen=True)
class Place:
    """An address, by its name; ``what`` tells it from others of the same name."""

    name: str
    what: str
    address: str
    is_open: bool = False  # to people without an account

    @property
    def file(self) -> str:
        """Below the folder of a language."""
        space, _, name = self.name.rpartition(":")
        return f"{space or SITE}/{name}{f'.{self.what}' if self.what else ''}.txt"

    @staticmethod
    def name_of(file: str) -> str:
        """The name of the address of a file."""
        space, name = file.split("/")
        return f"{'' if space == SITE else f'{space}:'}{name.split('.')[0]}"


PREDICTED = {"every-kind": "outcome=1-1&predictors=7", "arms": "outcome=7-1&predictors=1"}
# What a page or a file is asked, by the name of the survey.
ASKED = {
    "every-kind": {
        "break-down": ("question=1&by=6&also_by=3",),
        "weighted": ("by=6&margins=Yes:+60%0ANo:+40",),
    },
    "compared": {
        "break-down": ("question=3&by=1", "question=4&by=1", "question=2&by=1"),
        "weighted": ("by=1&margins=North:+40%0ASouth:+30%0AEast:+30",),
        "regression": ("outcome=3-1&predictors=4", "outcome=3-1&predictors=1&predictors=4"),
    },
}
# Of every kind one; the date behind coins (28) has hundreds of answers and takes seconds.
BROKEN_DOWN = (1, 3, 4, 7, 8, 12, 13, 14, 16, 18, 22, 23, 24, 25, 26, 27, 29, 30, 31, 32)


def places(surveys: Surveys) -> Iterator[Place]:
    """Every address that has a copy, but for pictures, to which pages lead."""
    yield from _of_site(surveys)
    for name, survey in surveys.all.items():
        if name == "draft":
            yield from _of_draft(survey)
        else:
            yield from _of_survey(name, survey)
            yield from _of_respondents(name, survey)
    yield from _of_respondents("invited", surveys.site.mailing.survey)
    yield from _of_reports(surveys.reports())
    for name in ("ranked", "ranked-protected", "ranked-both", "rated-groups", "every-kind"):
        yield from _of_ranking(name, surveys.all[name])
    yield from _of_planner()


def _of_site(surveys: Surveys) -> Iterator[Place]:
    for name, address in surveys.site.places().items():
        if name not in LEFT_OUT:
            yield Place(name, "", address)
    yield Place("surveys:audit-all-csv", "", reverse("surveys:audit-all-csv"))
    survey = surveys.site.survey
    first = "first=2040-04-02&last=2040-04-23&sends=2&rival_sends=1"
    for name in ("reminders", "reminders-csv", "reminders-ics"):
        yield Place(
            f"surveys:{name}", "planned", reverse(f"surveys:{name}", args=[survey.pk]) + f"?{first}"
        )


def _of_survey(name: str, survey: Survey) -> Iterator[Place]:
    yield Place(f"{ADMIN}definition", name, reverse(f"{ADMIN}definition", args=[survey.pk]))
    pages = (
        "dashboard",
        "exports",
        "deposit",
        "members",
        "audit",
        "audit-csv",
        "reminders",
        "invitations",
    )
    pages += ("responses", "responses-parquet", "texts", "report", "codebook")
    for page in (*pages, "break-down", "weighted", "regression"):
        yield Place(f"surveys:{page}", name, reverse(f"surveys:{page}", args=[survey.pk]))
    for page in ("overview", "ledger", "groups", "compare-groups", "clouds", "tree"):
        yield Place(f"analytics:{page}", name, reverse(f"analytics:{page}", args=[survey.pk]))
    for page in ("private-tree", "releases"):
        yield Place(f"analytics:{page}", name, reverse(f"analytics:{page}", args=[survey.pk]))
    yield Place("ranking:overview", name, reverse("ranking:overview", args=[survey.pk]))
    for page, queries in ASKED.get(name, {}).items():
        for number, query in enumerate(queries, start=1):
            for form in ("", "-csv", "-json"):
                address = reverse(f"surveys:{page}{form}", args=[survey.pk])
                yield Place(f"surveys:{page}{form}", f"{name}-{number}", f"{address}?{query}")
    if name == "every-kind":
        for page in ("codebook-md", "syntax-R", "syntax-do", "syntax-sps"):
            yield Place(f"surveys:{page}", name, reverse(f"surveys:{page}", args=[survey.pk]))
        address = reverse("surveys:break-down", args=[survey.pk])
        for number in BROKEN_DOWN:
            what = f"{name}-question-{number}"
            yield Place("surveys:break-down", what, f"{address}?question={number}&by=6")
    if name in PREDICTED:
        for form in ("", "-csv", "-json"):
            address = reverse(f"surveys:regression{form}", args=[survey.pk])
            yield Place(
                f"surveys:regression{form}", f"{name}-asked", f"{address}?{PREDICTED[name]}"
            )
    yield Place(f"{ADMIN}change", name, reverse(f"{ADMIN}change", args=[survey.pk]))
    yield Place(f"{ADMIN}questions", name, reverse(f"{ADMIN}questions", args=[survey.pk]))


def _of_respondents(name: str, survey: Survey) -> Iterator[Place]:
    for page in ("start", "own-coin", "how-it-works", "check", "revision"):
        address = reverse(f"{RESPONDENT}{page}", args=[survey.pk])
        yield Place(f"{RESPONDENT}{page}", name, address, is_open=True)


def _of_draft(survey: Survey) -> Iterator[Place]:
    for page in ("change", "questions", "checklist", "preview", "preview_own_coin", "launch"):
        yield Place(f"{ADMIN}{page}", "draft", reverse(f"{ADMIN}{page}", args=[survey.pk]))
    for number, question in enumerate(survey.questions.order_by("position"), start=1):
        name = "admin:surveys_question_change"
        yield Place(name, f"{number}-{question.kind}", reverse(name, args=[question.pk]))
    address = reverse("surveys:trial", args=[survey.pk])
    yield Place("surveys:trial", "every-kind", f"{address}?n=200&runs=40&seed=1")


def _of_reports(reports: list[Report]) -> Iterator[Place]:
    for number, report in enumerate(reports, start=1):
        what = f"{number:02}-{report.kind}"
        keys = [report.revision.survey_id, report.pk]
        is_table = report.kind in ("tables", "schedule")
        yield Place("analytics:report", what, reverse("analytics:report", args=keys))
        yield Place("analytics:progress", what, reverse("analytics:progress", args=keys))
        for form in ("csv", "json"):
            yield Place(f"analytics:{form}", what, reverse(f"analytics:{form}", args=keys))
        if not is_table:
            continue
        yield Place("analytics:release", what, reverse("analytics:release", args=keys))
        yield Place("releases:page", what, reverse("releases:page", args=keys[1:]), is_open=True)
        for form in ("csv", "covariance", "json", "parquet"):
            name = f"analytics:release-{form}"
            yield Place(name, what, reverse(name, args=keys))
            address = reverse(f"releases:{form}", args=keys[1:])
            yield Place(f"releases:{form}", what, address, is_open=True)
    topics = [one for one in reports if one.kind == "private_topics" and one.state == "done"]
    if len(topics) > 1:
        address = reverse("analytics:compare", args=[topics[0].revision.survey_id])
        query = f"?first={topics[0].pk}&second={topics[1].pk}"
        yield Place("analytics:compare", "two", address + query)


def _of_ranking(name: str, survey: Survey) -> Iterator[Place]:
    from ranking.queries import rated_questions

    for question in rated_questions(survey):
        number = question.number
        for page in ("table", "fragment", "history", "csv", "json", "parquet", "histograms"):
            address = reverse(f"ranking:{page}", args=[survey.pk, number])
            yield Place(f"ranking:{page}", f"{name}-{number}", address)
            if page in ("table", "csv", "json"):
                yield Place(f"ranking:{page}", f"{name}-{number}-compared", f"{address}?compare=on")


def _of_planner() -> Iterator[Place]:
    address = reverse("surveys:planner")
    for design in ("two-coins", "warner", "crosswise", "k_ary"):
        yield Place("surveys:planner", design, f"{address}?design={design}&error=0.03&answers=2,5")


PICTURE = re.compile(r'(?:src|srcset)="(/[^"]+\.svg[^"]*)"')


def pictures(page: str) -> list[str]:
    """The addresses of a page's charts, as a wide and light picture."""
    found = (address.replace("&amp;", "&") for address in PICTURE.findall(page))
    wide = (one for one in found if not re.search(r"narrow=1|dark=1", one))
    return [one for one in dict.fromkeys(wide) if not one.startswith("/static/")]
