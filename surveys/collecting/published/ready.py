"""Ready pages: a launched survey's pages as bytes, rendered once for a language and a last day.

A process keeps them, and a new version of the program is a new process. Nothing else that a page
shows can change: what was launched is frozen. Not kept are pages with rated items that the server
draws for each fetch: without a script these are all.
"""

import logging
from datetime import date
from functools import lru_cache
from uuid import UUID

from surveys.collecting import rows
from surveys.collecting.published.rated_items import launched_items
from surveys.collecting.published.renderings import (
    LaunchedPage,
    has_door,
    how_it_works_page,
    own_coin_form,
    own_coin_page,
    start_page,
)
from surveys.collecting.refusals import FileMissing
from surveys.collecting.scripts import scripts_of
from surveys.models.queries import (
    digest_of_revision,
    languages_of,
    launched_revision,
    questionnaire_of_id,
)
from surveys.web.compression import Content, KeyedPage, ReadyPage
from surveys.web.locales import speaking
from surveys.web.static_files import is_served

logger = logging.getLogger(__name__)
# Pages of each sort that a process keeps, each of up to 200 KB; the one that was not asked for
# longest goes first.
MOST_KEPT = 64


def launched_page(survey_id: UUID, language: str, last_day: date | None) -> LaunchedPage:
    """What the survey's pages follow from, in one of its languages.

    Raises Revision.DoesNotExist for a draft.
    """
    revision = launched_revision(survey_id)
    return LaunchedPage(
        survey_id,
        revision,
        digest_of_revision(revision),
        questionnaire_of_id(revision, language),
        languages_of(revision),
        last_day,
        launched_items(revision),
    )


def scripted_page(survey_id: UUID, language: str, last_day: date | None) -> LaunchedPage:
    """The same for pages that name their scripts. Raises FileMissing.

    Others' cryptography is built when a server is installed, and no survey that needs it can be
    launched on one without it; but a database may be served by another one later.
    """
    page = launched_page(survey_id, language, last_day)
    locks = page.questionnaire.seals or page.questionnaire.tally
    if locks and not all(is_served(one.path) for one in scripts_of(page.questionnaire)):
        logger.error("A survey is not shown: a script of its page was not built or not collected")
        raise FileMissing
    return page


def ready_start(survey_id: UUID, language: str, last_day: date | None) -> Content:
    """The start page. Raises FileMissing."""
    page = _start(launched_revision(survey_id), survey_id, language, last_day)
    if page is None:
        return ReadyPage(start_page(scripted_page(survey_id, language, last_day)).encode())
    return page


def ready_how_it_works(survey_id: UUID, language: str, last_day: date | None) -> Content:
    """The channel of every question. Raises FileMissing."""
    return _how_it_works(launched_revision(survey_id), survey_id, language, last_day)


def ready_own_coin(survey_id: UUID, language: str, last_day: date | None) -> Content:
    """The door where codes are needed, else the form with a submission key of its own."""
    revision = launched_revision(survey_id)
    questionnaire = questionnaire_of_id(revision, language)
    if has_door(questionnaire) or not questionnaire.own_coin.is_offered:
        return _without_form(revision, survey_id, language, last_day)
    return _filled(survey_id, language, last_day)


def ready_form(survey_id: UUID, language: str, last_day: date | None, code: str) -> Content:
    """The form for a code that was let in at the door, with a submission key of its own."""
    return _filled(survey_id, language, last_day, code)


def _filled(survey_id: UUID, language: str, last_day: date | None, *codes: str) -> Content:
    """``codes`` are one that was let in, or none where no code is asked for."""
    form = _form(launched_revision(survey_id), survey_id, language, last_day)
    key = rows.new_key()
    if form is None:
        page = launched_page(survey_id, language, last_day)
        return ReadyPage(own_coin_form(page, key=key, code="".join(codes)).encode())
    return form.filled(key, *codes)


# In service a survey's key says as much as its revision's; tests launch the demonstration anew
# under the same key. The words are those of the language that a page is kept under, also where
# another one is active.


@lru_cache(maxsize=MOST_KEPT)
def _start(
    revision: UUID, survey_id: UUID, language: str, last_day: date | None
) -> ReadyPage | None:
    page = scripted_page(survey_id, language, last_day)
    if page.questionnaire.numbered.drawn_by_server:
        return None
    with speaking(page.questionnaire):
        return ReadyPage(start_page(page).encode())


@lru_cache(maxsize=MOST_KEPT)
def _how_it_works(
    revision: UUID, survey_id: UUID, language: str, last_day: date | None
) -> ReadyPage:
    page = scripted_page(survey_id, language, last_day)
    with speaking(page.questionnaire):
        return ReadyPage(how_it_works_page(page).encode())


@lru_cache(maxsize=MOST_KEPT)
def _without_form(
    revision: UUID, survey_id: UUID, language: str, last_day: date | None
) -> ReadyPage:
    page = launched_page(survey_id, language, last_day)
    with speaking(page.questionnaire):
        return ReadyPage(own_coin_page(page).encode())


@lru_cache(maxsize=MOST_KEPT)
def _form(
    revision: UUID, survey_id: UUID, language: str, last_day: date | None
) -> KeyedPage | None:
    page = launched_page(survey_id, language, last_day)
    if page.questionnaire.numbered.ratings:
        return None
    key, code = rows.new_key(), rows.new_key()
    with speaking(page.questionnaire):
        if has_door(page.questionnaire):
            return KeyedPage.around(own_coin_form(page, key=key, code=code), key, code)
        return KeyedPage.around(own_coin_form(page, key=key), key)
