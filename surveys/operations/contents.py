"""What retention erases, in which columns: the one list of all contents.

PostgreSQL takes samples of columns for its planner and keeps them outside of the tables, where no
DELETE and no VACUUM of the table reaches them. So none of these columns is ever sampled; a contract
test holds the list complete, and migrations switch the samples off.
"""

from django.db.models import Model
from django_tasks_db.models import DBTaskResult

from surveys.models import (
    Addressee,
    AnswerCount,
    Ballot,
    Comment,
    DailyCount,
    Export,
    Extract,
    Invitation,
    JointCount,
    Mailing,
    Openings,
    PlannedLook,
    RatingCount,
    Response,
    Sealed,
    SealedText,
    SetAside,
    SubmissionKey,
    TallyFile,
    Waiting,
)

# Contents are what people answered, what was worked out from it without noise, who was asked, and
# what opens any of it. The tables are written anew in this order when they were erased.
CONTENTS: dict[type[Model], tuple[str, ...]] = {
    Response: ("answers",),
    Comment: ("text",),
    SealedText: ("content",),
    Ballot: ("content", "digest"),
    TallyFile: ("content", "locked"),
    Extract: ("document",),
    RatingCount: ("item", "level", "count"),
    AnswerCount: ("cell", "count"),
    PlannedLook: ("responses", "content"),
    JointCount: ("total", "content", "problem", "counted"),
    Export: ("total", "written", "size", "problem"),
    DailyCount: ("at_least",),
    Waiting: ("ciphertext",),
    SetAside: ("ciphertext",),
    Sealed: ("content",),
    SubmissionKey: ("digest", "content"),
    Invitation: ("digest", "request"),
    Mailing: ("subject", "message", "problem"),
    Addressee: ("address", "problem"),
    Openings: ("recovery", "voucher_recovery"),  # its row stays, the copies of keys do not
    DBTaskResult: ("traceback",),  # of a fault, whose words may quote a row
}


def columns() -> list[tuple[str, str]]:
    """Table and column of each content."""
    return [
        (model._meta.db_table, name)  # of no content column another name than its field's
        for model, names in CONTENTS.items()
        for name in names
    ]
