"""The codebook of a revision: what respondents were promised, and its columns."""

from dataclasses import asdict
from typing import Any

from surveys.kinds.silent.promise import InformationQuestion
from surveys.models import Revision
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.arms import FIELD
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import names_in_files
from surveys.questionnaire.kinds.registry import kind_name, of_kind
from surveys.questionnaire.plans.openings import LIVE
from surveys.questionnaire.sharing import sharing
from surveys.results.codebook.columns import columns
from surveys.results.codebook.sentences import (
    HOW_TO_ESTIMATE,
    HOW_TO_READ,
    HOW_TO_READ_ARMS,
    HOW_TO_READ_DEBIASED,
    HOW_TO_READ_ORDER,
    HOW_TO_READ_PAGES,
    HOW_TO_READ_RELEASED,
    HOW_TO_READ_SEALED_TEXTS,
    HOW_TO_READ_SHARED,
    HOW_TO_READ_TEXTS,
    HOW_TO_READ_THE_BUDGET,
    HOW_TO_READ_THE_DRAW,
    HOW_TO_READ_WITHHELD,
)
from surveys.results.progress import SurveyProgress, progress_of


def codebook(revision: Revision, *, responses: int) -> dict[str, Any]:
    """Everything that the CSV needs to be understood and estimated from."""
    questionnaire = questionnaire_of(revision)
    return {
        "title": questionnaire.title,
        "organisation": questionnaire.organisation,
        "responses": responses,
        "invitation_only": questionnaire.invitation_only,
        **_vouchers(questionnaire),
        "batch_size": questionnaire.batch_size,
        **_draw(questionnaire),
        **_arms(questionnaire),
        **_random_order(questionnaire),
        **_openings(questionnaire, progress_of(revision.survey, revision)),
        "delete_on": revision.survey.delete_on,  # may be earlier than it was promised
        "how_to_read": HOW_TO_READ,
        "how_to_estimate": HOW_TO_ESTIMATE,
        **_total(questionnaire),
        **_columns(questionnaire),
        **_texts(questionnaire),
        **_pages(questionnaire),
        **_released_alone(questionnaire),
        **_promise(questionnaire),
    }


def _columns(questionnaire: Questionnaire) -> dict[str, Any]:
    """The columns of the data file, and how to read debiased ones if it has some."""
    entries = list(columns(questionnaire))
    is_debiased = any("debiased" in entry for entry in entries)
    read = {"how_to_read_debiased": HOW_TO_READ_DEBIASED} if is_debiased else {}
    return {**read, "columns": entries}


def _vouchers(questionnaire: Questionnaire) -> dict[str, Any]:
    """How codes were exchanged, where they were."""
    return {"vouchers": questionnaire.vouchers.to_document()} if questionnaire.vouchers else {}


def _total(questionnaire: Questionnaire) -> dict[str, Any]:
    """The total epsilon; null, and why, where it is infinite: JSON has no such number."""
    name = "total_epsilon_of_randomized_questions"
    if not questionnaire.draw.shares_second:
        return {name: questionnaire.loss.epsilon}
    pairs = sharing(questionnaire.items)
    return {name: None, "share_a_second_question": pairs, "how_to_read_shared": HOW_TO_READ_SHARED}


def _draw(questionnaire: Questionnaire) -> dict[str, Any]:
    """How many of the protected questions each person was asked, if not all."""
    if questionnaire.asked is None:
        return {}
    return {
        "protected_questions_asked": questionnaire.asked,
        "protected_questions": len(questionnaire.randomized),
        "how_to_read_the_draw": HOW_TO_READ_THE_DRAW,
    }


def _random_order(questionnaire: Questionnaire) -> dict[str, Any]:
    """What changed places on the pages of respondents, if anything did."""
    layout = questionnaire.layout
    if not layout.is_random:
        return {}
    names = names_in_files(questionnaire.items)
    titles = {section.first: section.title for section in layout.sections}
    return {
        "random_order": {
            "answers_of_questions": [names[number - 1] for number in layout.order.options],
            "screens_of_sections": [titles[first] for first in layout.order.screens],
            "sections": [titles[first] for first in layout.order.sections],
        },
        "how_to_read_the_order": HOW_TO_READ_ORDER,
    }


def _arms(questionnaire: Questionnaire) -> dict[str, Any]:
    """The arms and the column that says which one a person was in; nothing where there are none."""
    if not questionnaire.arms:
        return {}
    arms = [
        {"code": arm.code, "label": arm.text, "weight": arm.weight} for arm in questionnaire.arms
    ]
    return {"arm_column": FIELD, "arms": arms, "how_to_read_arms": HOW_TO_READ_ARMS}


def _openings(questionnaire: Questionnaire, progress: SurveyProgress) -> dict[str, Any]:
    """When the answers in the file were opened, and what was withheld to hide a path."""
    plan = questionnaire.opening
    return {
        "opening": plan.when if plan else LIVE,
        "as_of": progress.as_of,
        "next_opening": progress.next_on,
        "withheld_rows": progress.withheld,
        **({"how_to_read_withheld": HOW_TO_READ_WITHHELD} if progress.withheld else {}),
    }


def _texts(questionnaire: Questionnaire) -> dict[str, Any]:
    texts = [
        {"number": number, "text": item.text, "required": item.required, "longest": item.longest}
        for number, item in questionnaire.numbered.texts
    ]
    if not texts:
        return {}
    if questionnaire.seals:
        sealed = {"texts_sealed_for": questionnaire.seals.to_document()}
        return {"how_to_read_texts": HOW_TO_READ_SEALED_TEXTS, "texts": texts, **sealed}
    return {"how_to_read_texts": HOW_TO_READ_TEXTS, "texts": texts}


def _pages(questionnaire: Questionnaire) -> dict[str, Any]:
    """What respondents read between the questions, and what all of them agreed to."""
    pages = [
        {"number": number, "page": kind_name(item), "text": item.text, "help": item.help}
        for number, item in of_kind(InformationQuestion, questionnaire.items)
    ]
    return {"how_to_read_pages": HOW_TO_READ_PAGES, "pages": pages} if pages else {}


def _released_alone(questionnaire: Questionnaire) -> dict[str, Any]:
    """The questions that have no column, because their answers come to light as tables alone."""
    if questionnaire.releases is None:
        return {}
    hidden = [
        {"name": name, "text": item.text, "kind": item.kind}
        for name, item in zip(names_in_files(questionnaire.items), questionnaire.items, strict=True)
        if item in questionnaire.row.hidden
    ]
    return {"released_in_tables_alone": hidden, "how_to_read_released": HOW_TO_READ_RELEASED}


def _promise(questionnaire: Questionnaire) -> dict[str, Any]:
    """What was promised about reports and tables, also that nothing was where texts are asked."""
    budget = questionnaire.budget
    if budget is None and not questionnaire.numbered.texts:
        return {}
    return {
        "budget": asdict(budget) if budget else None,
        "how_to_read_the_budget": HOW_TO_READ_THE_BUDGET,
    }
