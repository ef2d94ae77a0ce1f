"""Tables: responses, comments, counts; spool, waiting, sealed; openings, keys, planned look."""

import uuid

from django.db import models

from surveys.models.base import RandomKeyModel
from surveys.models.surveys import Revision, Survey


class Response(RandomKeyModel):
    """One respondent's reported answers: fixed-width codes in the order of the questions.

    ``opening`` is the number of the opening that stored it, 0 where answers are never sealed. It
    exists for readers once that opening is done (``surveys.models.queries.opened``).
    """

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="responses")
    opening = models.PositiveIntegerField(default=0, editable=False)
    answers = models.TextField()

    def __str__(self) -> str:
        return self.answers


class Comment(RandomKeyModel):
    """What a person wrote to one free-text question. Nothing joins it to their other answers."""

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="comments")
    question = models.PositiveSmallIntegerField(help_text="The question's number, from 1.")
    text = models.TextField()
    opening = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        indexes = [models.Index(fields=["revision", "question"])]

    def __str__(self) -> str:
        return self.text


class SealedText(RandomKeyModel):
    """One person's text to one question as their page sealed it: only the keys' holders open it.

    Written at the close for each person, whether they wrote or not, in random order.
    """

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="sealed_texts")
    question = models.PositiveSmallIntegerField(help_text="The question's number, from 1.")
    opening = models.PositiveIntegerField(default=0, editable=False)
    content = models.BinaryField()

    class Meta:
        indexes = [models.Index(fields=["revision", "question"])]

    def __str__(self) -> str:
        return str(self.pk)


class Ballot(RandomKeyModel):
    """One person's answers to the questions of a table, locked: trustees open the total alone.

    Written at the close for each person, whether they were asked or not, in random order.
    ``digest`` is the SHA-256 of ``content``: ballots are compared and named by it, so that the
    kilobytes of each are not read for that.
    """

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="ballots")
    table = models.PositiveSmallIntegerField(help_text="The table's number, from 1.")
    opening = models.PositiveIntegerField(default=0, editable=False)
    content = models.BinaryField()
    digest = models.CharField(max_length=64, editable=False)

    class Meta:
        indexes = [models.Index(fields=["revision", "table", "digest"], name="ballots_by_digest")]

    def __str__(self) -> str:
        return str(self.pk)


class Spool(models.Model):
    """Where submissions to an open survey wait. It exists exactly while the survey is open.

    ``batch`` names the key, outside the database, under which the waiting submissions are
    encrypted. Adding a submission locks this row shared; moving them locks it alone.
    """

    survey = models.OneToOneField(
        Survey, on_delete=models.PROTECT, primary_key=True, related_name="spool"
    )
    revision = models.OneToOneField(Revision, on_delete=models.PROTECT, related_name="spool")
    batch = models.UUIDField(default=uuid.uuid4)

    def __str__(self) -> str:
        return f"Spool of {self.survey}"


class Waiting(RandomKeyModel):
    """One submission that waits for its batch: ciphertext of one length for all."""

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="waiting")
    ciphertext = models.BinaryField()

    def __str__(self) -> str:
        return str(self.pk)


class SetAside(RandomKeyModel):
    """A submission that waited for a batch whose key is gone, so that nothing opens it for now.

    It was acknowledged: it stays until its key returns, the operator gives it up, or the answers
    are erased.
    """

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="set_aside")
    batch = models.UUIDField()
    ciphertext = models.BinaryField()

    def __str__(self) -> str:
        return str(self.pk)


class KeyDirectory(models.Model):
    """Which directory has the keys of batches: one row, with the mark that stands in its file.

    An empty directory where another should be mounted has no mark, so that no key counts as gone
    because it is not there.
    """

    ONE = 1

    id = models.PositiveSmallIntegerField(primary_key=True, default=ONE)
    mark = models.UUIDField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(id=1), name="one_directory_of_keys")
        ]

    def __str__(self) -> str:
        return str(self.mark)


class Sealed(RandomKeyModel):
    """A row of answers, a text or a ballot that waits for an opening: sealed for the opening key.

    Everything of one kind to one question is equally long. ``round`` is the opening for which it
    was sealed; texts and ballots stay as they are until the close. Where direct answers are only
    released in tables, an opened row leaves them behind as a ``kept`` record: ``round`` is then the
    opening that counted it first, and the last release destroys it.
    """

    class Kind(models.TextChoices):
        ROW = "row"
        TEXT = "text"
        KEPT = "kept"
        BALLOT = "lock"  # as long as the column

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="sealed")
    round = models.PositiveIntegerField()
    kind = models.CharField(max_length=4, choices=Kind.choices)
    content = models.BinaryField()

    class Meta:
        indexes = [models.Index(fields=["revision", "kind", "round"])]

    def __str__(self) -> str:
        return str(self.pk)


class Openings(models.Model):
    """How far the openings of a launched survey are.

    Answers are sealed for opening number ``round``; ``done`` is the last that finished. One is
    running exactly while ``round`` is above ``done + 1``: then ``left`` rows are not looked at
    yet, of which ``keep`` are to stay sealed. Of the ``others`` not looked at yet ``withhold`` are
    to lose their answers to questions that the own-coin path cannot ask: before the close, of those
    that do not stay, which wait for the close therefore; at the close, of the other rows.
    ``withheld`` counts the rows that wait so, and at the close those that lost their answers.
    """

    revision = models.OneToOneField(
        Revision, on_delete=models.PROTECT, primary_key=True, related_name="openings"
    )
    round = models.PositiveIntegerField(default=1)
    done = models.PositiveIntegerField(default=0)
    # The day of the last opening, of one that was put off, or of the launch: the next comes a
    # whole period later.
    since = models.DateField()
    done_on = models.DateField(null=True)
    left = models.PositiveIntegerField(default=0)
    keep = models.PositiveIntegerField(default=0)
    others = models.PositiveIntegerField(null=True)
    withhold = models.PositiveIntegerField(default=0)
    # The day of each opening that is done, and how many responses could be read then: how sure the
    # numbers of later ones are depends on how often there was something to look at.
    looks = models.JSONField(null=True)
    # Shown from the close on.
    own_coin = models.PositiveIntegerField(default=0)
    withheld = models.PositiveIntegerField(default=0)
    destroyed = models.PositiveIntegerField(default=0)
    # "At least 40 have answered": in steps of k, renewed once a day.
    at_least = models.PositiveIntegerField(default=0)
    counted_on = models.DateField(null=True)
    # Where tables alone are released and the database fell back past an opening: the moment of
    # which it is. No opening goes on until the operator says that this may be drawn; ``drawn_then``
    # is how many openings are known to have been drawn.
    fell_back_to = models.DateTimeField(null=True)
    drawn_then = models.PositiveIntegerField(null=True)
    # The opening key's private half, sealed for the installation's offline recovery key.
    recovery = models.BinaryField(null=True)
    # The same of the key that signs vouchers; gone at the close, when it signs no more.
    voucher_recovery = models.BinaryField(editable=False, null=True)

    def __str__(self) -> str:
        return f"Openings of {self.revision_id}"

    @property
    def is_running(self) -> bool:
        """Whether an opening has begun and is not done."""
        return self.round > self.done + 1


class DailyCount(RandomKeyModel):
    """How many answers had come at least, as pages said it on one day: kept for planning.

    One row a day, written with ``Openings.at_least`` and in the same steps of a batch. Who looked
    at the pages every day knows it all, so that keeping it tells no more; it goes with the answers.
    """

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="daily_counts")
    day = models.DateField()
    at_least = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["revision", "day"], name="one_count_per_day")
        ]

    def __str__(self) -> str:
        return f"at least {self.at_least} on {self.day}"


class SpentBatch(models.Model):
    """A batch that was stored: its key is to be destroyed, if a crash left it."""

    batch = models.UUIDField(primary_key=True)

    def __str__(self) -> str:
        return str(self.batch)


class SpentOpeningKey(models.Model):
    """An order to destroy a survey's opening key: nothing that it sealed is left, or may be read.

    Written in the transaction that destroys that, and the database's copy of the key. ``is_gone``
    says that the owner of the key's file has overwritten it. The row stays: a file that comes back
    with its disk is destroyed again.
    """

    revision = models.OneToOneField(
        Revision, on_delete=models.PROTECT, primary_key=True, related_name="spent_opening_key"
    )
    since = models.DateTimeField()
    is_gone = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"Opening key of {self.revision_id}"


class SubmissionKey(models.Model):
    """SHA-256 of a submission key, so that a body sent twice counts once.

    No link to a response and no time; the revision is there so that it can be erased with it.
    ``content`` is SHA-256 of everything that was sent, the random key included: it tells a repeat
    from other answers, and nothing to a reader who has not seen the key.
    """

    digest = models.CharField(primary_key=True, max_length=64)
    content = models.CharField(max_length=64, default="", editable=False)
    revision = models.ForeignKey(
        Revision, on_delete=models.PROTECT, related_name="+", null=True, db_index=False
    )

    def __str__(self) -> str:
        return self.digest


class RatingCount(models.Model):
    """How often one item of a rating question was reported at one level.

    Kept by the flush that stores the responses, in its transaction, so that nothing ever counts
    them all; ``question`` is the question's key in the questionnaire, ``item`` its number in the
    catalogue, ``level`` the place of the level in the question's alphabet, from 0.
    """

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="rating_counts")
    question = models.UUIDField()
    item = models.PositiveIntegerField()
    level = models.PositiveSmallIntegerField()
    count = models.PositiveBigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["revision", "question", "item", "level"], name="one_count_per_level"
            )
        ]

    def __str__(self) -> str:
        return f"{self.count} times level {self.level} of item {self.item}"


class AnswerCount(models.Model):
    """How often one cell of a question was reported: what pages read instead of all responses.

    Kept in the transactions that store responses and texts. ``opening`` is 0 for what readers see,
    and the number of an opening that is not done for its rows. ``question`` is the question's
    number, from 1; 0 counts the responses. ``cell`` is a code, or a part of one
    (``surveys.counts.cells``).
    """

    revision = models.ForeignKey(
        Revision, on_delete=models.PROTECT, related_name="answer_counts", db_index=False
    )
    opening = models.PositiveIntegerField(default=0)
    question = models.PositiveSmallIntegerField()
    cell = models.TextField()
    count = models.PositiveBigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["revision", "opening", "question", "cell"], name="one_count_per_cell"
            )
        ]

    def __str__(self) -> str:
        return f"{self.count} times {self.cell} to question {self.question}"


class JointCount(models.Model):
    """How often each combination of codes of several questions came: counted once and kept.

    ``questions`` are their numbers, ascending: "2,5". ``content`` counts ``total`` responses, up to
    ``opening``, whose day is ``as_of``; empty until they are counted first. While they are counted
    ``asked_at`` says when the worker was last heard of, and ``counted`` of how many rows it has
    read. It goes with the answers.
    """

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="joint_counts")
    questions = models.CharField(max_length=60)
    opening = models.PositiveIntegerField(default=0)
    total = models.PositiveBigIntegerField(default=0)
    as_of = models.DateField(null=True)
    content = models.BinaryField(default=b"")
    problem = models.CharField(max_length=200, default="")
    asked_at = models.DateTimeField(null=True)
    counted = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["revision", "questions"], name="one_joint_count_per_choice"
            )
        ]

    def __str__(self) -> str:
        return f"Questions {self.questions} of {self.revision_id}"


class PlannedLook(models.Model):
    """The one look that a survey has planned: its counts as they were then, kept once for all.

    Written with the opening, or the batch of a live survey, that is the first to have the
    ``planned`` number, else at the close (``is_at_close``); later plans and answers do not change
    it. ``as_of`` is the day of the opening, None where nothing is sealed: a day would say when the
    last of a batch answered. ``content`` holds the counts (``surveys.counts.looks``). It goes with
    the answers.
    """

    revision = models.OneToOneField(
        Revision, on_delete=models.PROTECT, primary_key=True, related_name="planned_look"
    )
    planned = models.PositiveIntegerField()
    responses = models.PositiveBigIntegerField()
    is_at_close = models.BooleanField(default=False)
    as_of = models.DateField(null=True)
    content = models.BinaryField()

    def __str__(self) -> str:
        return f"Planned look of {self.revision_id}"
