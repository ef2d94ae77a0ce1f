"""What is stored.

Privacy invariants, each held by a test: a response or a comment has a random key, no time, no
address, no agent and no reference to a person, to an invitation or to each other; what waits for
its batch or for an opening is encrypted under a key that is not in the database; what a launched
survey promised never changes (database triggers refuse it); submission keys have no link to
responses and no time; an address is never stored beside an invitation.
"""

from surveys.models.access_tokens import AccessToken
from surveys.models.answers import (
    AnswerCount,
    Ballot,
    Comment,
    DailyCount,
    JointCount,
    KeyDirectory,
    Openings,
    PlannedLook,
    RatingCount,
    Response,
    Sealed,
    SealedText,
    SetAside,
    SpentBatch,
    SpentOpeningKey,
    Spool,
    SubmissionKey,
    Waiting,
)
from surveys.models.base import RandomKeyModel
from surveys.models.budgets import Extract, PrivacyBudget
from surveys.models.catalogues import Catalogue, CatalogueItem
from surveys.models.exports import Export
from surveys.models.people import Addressee, AuditEntry, Invitation, Mailing, Membership
from surveys.models.questions import Condition, Option, Question
from surveys.models.surveys import Revision, Survey
from surveys.models.text_keys import TextKey
from surveys.models.translations import Translation
from surveys.models.trustees import Tally, TallyFile, TallyTable, TallyTrustee
from surveys.models.versions import ProgramVersion

__all__ = [
    "AccessToken",
    "Addressee",
    "AnswerCount",
    "AuditEntry",
    "Ballot",
    "Catalogue",
    "CatalogueItem",
    "Comment",
    "Condition",
    "DailyCount",
    "Export",
    "Extract",
    "Invitation",
    "JointCount",
    "KeyDirectory",
    "Mailing",
    "Membership",
    "Openings",
    "Option",
    "PlannedLook",
    "PrivacyBudget",
    "ProgramVersion",
    "Question",
    "RandomKeyModel",
    "RatingCount",
    "Response",
    "Revision",
    "Sealed",
    "SealedText",
    "SetAside",
    "SpentBatch",
    "SpentOpeningKey",
    "Spool",
    "SubmissionKey",
    "Survey",
    "Tally",
    "TallyFile",
    "TallyTable",
    "TallyTrustee",
    "TextKey",
    "Translation",
    "Waiting",
]
