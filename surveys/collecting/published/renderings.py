"""Respondents' pages as text: from a launched survey in one language, and from nothing else.

The views send what these functions give, and ``fingerprint`` digests it on another machine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from uuid import UUID

from django.template.loader import render_to_string

from surveys.collecting import rows
from surveys.collecting.published.rated_items import integrity_of
from surveys.kinds.long_list.promise import ListQuestion
from surveys.kinds.long_scale.promise import ScaleQuestion
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import of_kind
from surveys.web.addresses import posting_address, start_address
from surveys.wording.channels import channel_rows
from surveys.wording.protection import hiding_lines
from surveys.wording.reports import group_sentence, marking_sentence
from surveys.wording.texts import reports_explained

HOW_IT_WORKS = "surveys/collecting/how_it_works.html"


@dataclass(frozen=True)
class LaunchedPage:
    """What a respondent's page follows from, in the language that is active.

    ``digest`` is that of the revision; ``languages`` are all in which the survey reads.
    ``last_day`` is the one fact that may change. ``items`` are the files of rated items that the
    page draws from, by the number of their question.
    """

    survey: UUID
    revision: UUID
    digest: bytes
    questionnaire: Questionnaire
    languages: Sequence[str]
    last_day: date | None
    items: Mapping[int, bytes] = field(default_factory=dict)


def start_page(page: LaunchedPage) -> str:
    """The whole survey as one document; the browser shows its screens one after the other."""
    integrity = {number: integrity_of(content) for number, content in page.items.items()}
    launched = rows.Launched(str(page.revision), page.digest.hex(), integrity)
    if page.questionnaire.vouchers:
        launched = replace(
            launched,
            send_to=posting_address(page.survey, "send"),
            exchange_at=posting_address(page.survey, "exchange"),
        )
    context = rows.start_context(page.questionnaire, launched, last_day=page.last_day)
    context["languages"] = [
        (language, name, start_address(page.survey, language))
        for language, name in rows.languages_named(page.languages)
    ]
    return render_to_string(rows.START, context)


def has_door(questionnaire: Questionnaire) -> bool:
    """Whether people with their own coin show a code before they are asked anything."""
    return questionnaire.invitation_only and questionnaire.own_coin.is_offered


def own_coin_page(page: LaunchedPage) -> str:
    """The door where codes are needed, else the form, whose ``key`` is drawn for each fetch."""
    return door_page(page) if has_door(page.questionnaire) else own_coin_form(page)


def door_page(page: LaunchedPage, typed: str | None = None) -> str:
    """Where a code is typed; with what was ``typed`` and rejected, if something was."""
    context = rows.page_context(page.questionnaire, page.last_day)
    if typed is not None:
        context |= {"typed": typed, "rejected": True}
    return render_to_string(rows.DOOR, context)


def own_coin_form(page: LaunchedPage, *, key: str = "", code: str = "") -> str:
    """The form of people with their own coin; ``code`` was let in at the door.

    The submission key is drawn unless it is said.
    """
    context = rows.own_coin_context(
        page.questionnaire, str(page.revision), code, key=key, last_day=page.last_day
    )
    return render_to_string(rows.OWN_COIN, context)


def how_it_works_page(page: LaunchedPage) -> str:
    """The channel of every question as a table, and what is not protected."""
    questionnaire = page.questionnaire
    numbered = [
        (number, item, channel_rows(item)) for number, item in enumerate(questionnaire.items, 1)
    ]
    lists: list[tuple[int, Question, str]] = [
        (number, item, marking_sentence(item.marks))
        for number, item in of_kind(ListQuestion, questionnaire.items)
    ]
    lists += [
        (number, item, group_sentence(item))
        for number, item in of_kind(ScaleQuestion, questionnaire.items)
    ]
    context = {
        **rows.page_context(questionnaire, page.last_day),
        "channels": [one for one in numbered if one[2]],
        "lists": lists,
        "hiding": hiding_lines(questionnaire),
        "texts_explained": reports_explained(questionnaire),
    }
    return render_to_string(HOW_IT_WORKS, context)
