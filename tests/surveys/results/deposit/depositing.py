"""Surveys whose rows may be published, and their deposits, unpacked."""

import io
import zipfile
from datetime import timedelta
from pathlib import Path

from django.contrib.auth.models import User
from django.utils import timezone

from surveys.authoring import services
from surveys.models import Survey
from surveys.results.deposit.contents import zipped
from tests import factories
from tests.families import add_family
from tests.stored import store_rows
from tests.surveys.results.test_anchors import add_pair
from tests.tallied import close

# Openings hide who used a coin, so that rows may be published where a coin cannot ask all.
CHOSEN = {
    "publish_rows": True,
    "opening": Survey.Opening.CLOSE,
    "close_on": timezone.now().date() + timedelta(days=30),
}


def randomized_draft(owner: User, **fields: object) -> Survey:
    """Every kind of question that can be randomized, each through chance, and a page and a text."""
    draft = factories.make_survey(owner, **{"batch_size": 1, **CHOSEN, **fields})
    factories.add_question(draft)
    factories.add_question(draft, "Bus", "Car", "Foot", text="How?", kind="choice", required=True)
    factories.add_question(draft, "1", "2", "3", text="How often?", kind="scale")
    factories.add_other_designs(draft)
    factories.add_long_list(draft, *factories.PLACES[:12])
    factories.add_long_scale(draft)
    factories.add_long_scale(draft, text="And with life?", design="scale_mean")
    factories.add_ticks(draft)
    factories.add_matrix(draft, "Never", "Now", "Often", text="Lately?", required=False, shown=2)
    factories.add_rounded(draft)
    factories.add_rounded(draft, text="How many?", special="[998] Do not know")
    factories.add_ranking(draft)
    factories.add_day(draft, design="two_coins")
    factories.add_rating(draft, size=4, design="k_ary", epsilon=4)
    factories.add_pages(draft)
    add_family(draft)
    return draft


def hidden_draft(owner: User, **fields: object) -> Survey:
    """Questions behind protected answers, one that counts as No and one with a level of its own."""
    draft = factories.make_survey(owner, **{"batch_size": 1, **CHOSEN, **fields})
    stolen = factories.add_question(draft, text="Have you stolen?", required=True)
    for text, behind in (("What for?", "own"), ("Were you caught?", "counts")):
        question = factories.add_question(draft, text=text, required=True, behind=behind)
        factories.add_condition(question, stolen)
    return draft


def arms_draft(owner: User, **fields: object) -> Survey:
    """Two arms, each asked in its own way."""
    arms = "With coins: 1\nBy comparing: 2"
    draft = factories.make_survey(owner, **{"batch_size": 1, "arms": arms, **CHOSEN, **fields})
    factories.add_question(draft, text="Stolen?", arms="With coins", required=True)
    factories.add_question(draft, text="Stolen?", arms="By comparing", design="warner",
                           p_sensitive="3/4", required=True)  # fmt: skip
    return draft


# 620 of the same answers to a question, 700 to its anchor: 80 % attended, and 20 % say Yes.
ATTENDED = [*["0101"] * 450, *["0100"] * 170, *["0001"] * 250, *["0000"] * 130]


def anchored(owner: User, rows: list[str] = ATTENDED) -> Survey:
    """A question with harmless shares of 1/4 and its anchor, answered."""
    draft = factories.make_survey(owner, batch_size=1, **CHOSEN)
    add_pair(draft)
    survey = factories.launched(draft)
    store_rows(survey.revision, rows)
    return survey


MAKERS = {"every kind": randomized_draft, "hidden": hidden_draft, "arms": arms_draft}


def end(survey: Survey) -> None:
    """Close it, with everything opened."""
    if survey.state != Survey.State.OPEN:
        return
    if survey.opening == Survey.Opening.LIVE:
        services.close(survey=survey, by=survey.owner)
        survey.refresh_from_db()
    else:
        close(survey)


def deposit(survey: Survey, licence: str = "CC-BY-4.0", *, is_open: bool = False) -> bytes:
    """The zip, after the close or before it."""
    if not is_open:
        end(survey)
    return b"".join(part for part, _ in zipped(survey.revision, licence))


def files_in(content: bytes) -> dict[str, bytes]:
    """What a zip has, by its names."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def unpack(survey: Survey, folder: Path) -> Path:
    """The folder with all files of its deposit."""
    with zipfile.ZipFile(io.BytesIO(deposit(survey))) as archive:
        archive.extractall(folder)
    return folder
