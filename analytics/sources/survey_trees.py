"""The direct answers of a survey as the features and the label of a private tree."""

import numpy as np

from analytics.comparison.answers import TreeAnswers
from analytics.comparison.answers import TreeQuestion as Feature
from analytics.kinds.private_trees import PrivateTreeSettings
from analytics.kinds.settings import SettingsError
from surveys.kinds.levels.promise import LevelQuestion
from surveys.models import Revision
from surveys.models.queries import opened_responses, questionnaire_of, read_opened
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.registry import of_kind
from surveys.randomized_response.messages import sentence

_AT_ONCE = 5_000
Asked = tuple[LevelQuestion, ...]


def explainable(questionnaire: Questionnaire) -> dict[int, LevelQuestion]:
    """The questions that a private tree can ask, by number: asked directly, with levels."""
    tabulated = dict(questionnaire.numbered.tabulated)
    leveled = of_kind(LevelQuestion, questionnaire.items)
    return {number: item for number, item in leveled if number in tabulated}


def asked_of_tree(questionnaire: Questionnaire, settings: PrivateTreeSettings) -> Asked:
    """The question that is explained, then the others; no answer is read. Raises SettingsError."""
    questions, items = explainable(questionnaire), []
    for number in (settings.question, *settings.by):
        if number not in questions:
            remedy = sentence("choose direct questions with answers to choose from")
            raise SettingsError("by", number, remedy)
        items.append(questions[number])
    return tuple(items)


def features_of_tree(
    questionnaire: Questionnaire, settings: PrivateTreeSettings
) -> tuple[tuple[Feature, ...], Feature]:
    """The features and the label; who declined is a level. Raises SettingsError, TreeError."""
    items = asked_of_tree(questionnaire, settings)
    label, *features = map(_feature, (settings.question, *settings.by), items)
    return tuple(features), label


def tree_answers(revision: Revision, settings: PrivateTreeSettings) -> TreeAnswers:
    """One row a respondent. Raises SettingsError, TreeError."""
    questionnaire = questionnaire_of(revision)
    items = asked_of_tree(questionnaire, settings)
    starts = [questionnaire.row.place_of(item) for item in items]
    codes = [slice(start, start + item.width) for start, item in zip(starts, items, strict=True)]
    places = [
        {level.code: position for position, level in enumerate(item.levels)} for item in items
    ]
    stored = read_opened(opened_responses(revision.pk), revision.pk, "answers", at_once=_AT_ONCE)
    rows = [
        [positions[answers[code]] for positions, code in zip(places, codes, strict=True)]
        for (answers,) in stored
    ]
    table = np.array(rows, dtype=np.int64).reshape(-1, len(items))
    features, label = features_of_tree(questionnaire, settings)
    return TreeAnswers(features, label, table[:, 1:], table[:, 0])


def _feature(number: int, item: LevelQuestion) -> Feature:
    return Feature(f"{number}. {item.text}", tuple(level.text for level in item.levels))
