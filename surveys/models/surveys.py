"""Tables: a survey with its dates and texts, and the launched revision."""

from datetime import date, timedelta
from decimal import Decimal

from django.conf import settings
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from surveys.models.base import LanguagesField, NamedTextsField, RandomKeyModel, choices
from surveys.questionnaire import tokens
from surveys.questionnaire.plans import openings, schedules, vouchers


class Survey(RandomKeyModel):
    """A survey from draft to closed. What respondents see is frozen in its revision at launch."""

    class State(models.TextChoices):
        DRAFT = "draft", gettext_lazy("Draft")
        OPEN = "open", gettext_lazy("Open")
        CLOSED = "closed", gettext_lazy("Closed")

    class Opening(models.TextChoices):
        CLOSE = (
            openings.CLOSE,
            gettext_lazy("At the close: everything together, after the last day"),
        )
        EVERY = (
            openings.EVERY,
            gettext_lazy("Every N days: about half each time, everything at the close"),
        )
        LIVE = (
            openings.LIVE,
            gettext_lazy("Live: every full batch at once (demonstrations, teaching, polls)"),
        )

    class BelowK(models.TextChoices):
        OPEN = openings.OPEN, gettext_lazy("Open them together")
        DESTROY = openings.DESTROY, gettext_lazy("Destroy them unread")

    class Reading(models.TextChoices):
        """When the numbers of a plan are looked at (``randomized_response.planning.Reading``)."""

        ONCE = "once", gettext_lazy("once")
        AT_OPENINGS = "openings", gettext_lazy("at openings, every N days")
        ALWAYS = "always", gettext_lazy("all the time")

    class Together(models.IntegerChoices):
        ALONE = (
            schedules.ALONE,
            gettext_lazy("Released tables alone: each question by itself"),
        )
        PAIRS = (
            schedules.PAIRS,
            gettext_lazy("Released tables alone: also each two questions together"),
        )

        __empty__ = gettext_lazy("As they are given: staff see and count them exactly")

    class VoucherWait(models.IntegerChoices):
        """What the page does between the exchange of a code and Send: its mean wait in seconds."""

        MINUTE = (
            vouchers.MEAN_WAIT,
            gettext_lazy("Exchanged unseen, and answers sent at random within minutes"),
        )
        NONE = 0, gettext_lazy("Exchanged unseen, and answers sent at once")

        __empty__ = gettext_lazy("Sent with the answers")

    # What respondents are promised: a draft may change it, a launched survey never.
    PROMISED = (
        "title",
        "introduction",
        "organisation",
        "contact",
        "minutes",
        "invitation_only",
        "voucher_wait",
        "script_only",
        "end_link",
        "language",
        "also_in",
        "asked",
        "arms",
        "batch_size",
        "opening",
        "opening_days",
        "opening_hour",
        "below_k",
        "released_together",
        "release_share",
        "publish_rows",
        "marked_up",
        "informal",
        "explanations",
    )

    # What a plan asks for; it may be changed as long as the survey is open.
    PLAN = ("planned_responses", "planned_reading", "planned_error")

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=gettext_lazy("owner"),
        on_delete=models.PROTECT,
        related_name="surveys",
    )
    title = models.CharField(gettext_lazy("title"), max_length=200)
    introduction = models.TextField(
        gettext_lazy("introduction"),
        max_length=4000,
        help_text=gettext_lazy("Why you ask, in the words that respondents read first."),
    )
    organisation = models.CharField(
        gettext_lazy("who asks"),
        max_length=200,
        help_text=gettext_lazy("The person or organisation that asks."),
    )
    contact = models.CharField(
        gettext_lazy("contact"),
        max_length=200,
        help_text=gettext_lazy("Where respondents can reach you: an e-mail address or a phone."),
    )
    minutes = models.PositiveSmallIntegerField(
        gettext_lazy("minutes"),
        default=5,
        validators=[MinValueValidator(1), MaxValueValidator(240)],
        help_text=gettext_lazy("How long answering takes, in minutes."),
    )
    end_link = models.CharField(
        gettext_lazy("link on the last page"),
        max_length=300,
        blank=True,
        default="",
        help_text=gettext_lazy(
            "An address that respondents may open after they sent, such as one with help. It is "
            "the same for all and says nothing of them. Frozen at launch."
        ),
    )
    language = models.CharField(
        gettext_lazy("your language"),
        max_length=2,
        default="en",
        choices=choices,
        help_text=gettext_lazy("The language in which you write this survey. Frozen at launch."),
    )
    also_in = LanguagesField(
        gettext_lazy("also in"),
        max_length=60,
        blank=True,
        default="",
        help_text=gettext_lazy(
            "Respondents choose among these languages and yours. Translate your words on the page "
            "“Translations”. Frozen at launch."
        ),
    )
    informal = models.BooleanField(
        gettext_lazy("informal address"),
        default=False,
        help_text=gettext_lazy(
            "German pages say “du” and French ones “tu”, not “Sie” and “vous”. Write your own "
            "words likewise. Other languages stay as they are. Frozen at launch."
        ),
    )
    planned_responses = models.PositiveIntegerField(
        gettext_lazy("planned responses"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=gettext_lazy("How many responses the plan asks for; the planner works it out."),
    )
    planned_reading = models.CharField(
        gettext_lazy("results are read"),
        max_length=8,
        choices=Reading.choices,
        default=Reading.ONCE,
        help_text=gettext_lazy(
            "Once: the exact interval, at the first opening with the planned number of responses, "
            "else at the close. At openings: intervals that hold at all openings together, and "
            "need more people. All the time: at all looks together, and need most. The planner "
            "compares them."
        ),
    )
    # In percentage points: half the width of the widest interval that is enough.
    planned_error = models.DecimalField(
        gettext_lazy("wanted error, in points"),
        max_digits=7,
        decimal_places=4,
        null=True,
        blank=True,
        validators=[
            MinValueValidator(Decimal("0.0001")),
            MaxValueValidator(Decimal("99.9999")),
        ],
        help_text=gettext_lazy(
            "How far each interval of a share may go to either side: 5 for ± 5 points. With it, "
            "pages say if the results are sure enough. The planner fills it in."
        ),
    )
    # How often an interval of the plan may miss the truth; the planner sets it.
    planned_failure = models.DecimalField(
        max_digits=10, decimal_places=9, default=Decimal("0.05"), editable=False
    )
    state = models.CharField(
        gettext_lazy("state"),
        max_length=6,
        choices=State.choices,
        default=State.DRAFT,
        editable=False,
    )

    invitation_only = models.BooleanField(
        gettext_lazy("only with an invitation"),
        default=False,
        help_text=gettext_lazy(
            "Each invitation counts once. Without it everybody who has the link can answer, as "
            "often as they like."
        ),
    )
    voucher_wait = models.PositiveSmallIntegerField(
        gettext_lazy("codes of invitations"),
        null=True,
        blank=True,
        choices=VoucherWait.choices,
        help_text=gettext_lazy(
            "For surveys with invitations. Exchanged unseen, a code gets a signature for something "
            "that this server cannot read, and answers come with that signature alone: nothing "
            "stored here links the two, whoever has every key. Sent at random within minutes, the "
            "time of an answer says less, too. Frozen at launch."
        ),
    )
    script_only = models.BooleanField(
        gettext_lazy("refuse answers without the script"),
        default=False,
        help_text=gettext_lazy(
            "For exchanged codes only. Without the script a code cannot be exchanged: it comes "
            "with the answers, and the page says so. Refusing that leaves out people whose "
            "browser runs no script. Frozen at launch."
        ),
    )
    asked = models.PositiveSmallIntegerField(
        gettext_lazy("protected questions asked of each person"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=gettext_lazy(
            "Ask each person so many of the protected questions, drawn by chance, and all that are "
            "not protected. A person’s answers then tell less, and each question gets fewer of "
            "them. Empty: all. Frozen at launch."
        ),
    )
    arms = models.TextField(
        gettext_lazy("arms"),
        max_length=1000,
        blank=True,
        default="",
        help_text=gettext_lazy(
            "To compare ways of asking: one arm on each line, as “Asked directly: 1”, the number "
            "being its weight. Chance puts each person into one of them, after Start, and "
            "questions say which arms they are for. Respondents read the names, and "
            "what each arm is asked. Empty: all people are asked the same. Frozen at "
            "launch."
        ),
    )
    batch_size = models.PositiveSmallIntegerField(
        gettext_lazy("batch size"),
        default=20,
        validators=[MinValueValidator(5), MaxValueValidator(1000)],
        help_text=gettext_lazy(
            "Answers wait, encrypted, until this many have come and are then stored in random "
            "order: somebody who saw in which order people answered finds a person's answers with "
            "one chance in this many. Frozen at launch."
        ),
    )
    opening = models.CharField(
        gettext_lazy("answers are opened"),
        max_length=5,
        choices=Opening.choices,
        blank=True,
        help_text=gettext_lazy(
            "At the close, you see no results before the survey has ended; in return, sending many "
            "answers does not single out one person. Every N days, you see results on the way, but "
            "a person who hands out the link one by one can find out whose answers are whose. "
            "Live, a person who sends enough answers around another’s sees what that other person "
            "sent; not possible with invitations. Empty: at the close with invitations, otherwise "
            "every 7 days. Frozen at launch."
        ),
    )
    opening_days = models.PositiveSmallIntegerField(
        gettext_lazy("days between openings"),
        default=7,
        validators=[
            MinValueValidator(openings.LEAST_DAYS),
            MaxValueValidator(openings.MOST_DAYS),
        ],
        help_text=gettext_lazy("For “every N days” only: N, from 1 to 28."),
    )
    opening_hour = models.PositiveSmallIntegerField(
        gettext_lazy("hour of an opening"),
        default=3,
        validators=[MaxValueValidator(23)],
        help_text=gettext_lazy(
            "In UTC, from 0 to 23. Answers are opened at this hour or later, never earlier."
        ),
    )
    below_k = models.CharField(
        gettext_lazy("if fewer come than are stored together"),
        max_length=7,
        choices=BelowK.choices,
        default=BelowK.OPEN,
        help_text=gettext_lazy(
            "Respondents read what you choose here before they answer. Frozen at launch."
        ),
    )
    released_together = models.PositiveSmallIntegerField(
        gettext_lazy("direct answers are shown"),
        null=True,
        blank=True,
        choices=Together.choices,
        help_text=gettext_lazy(
            "With released tables alone, no one, you included, sees or downloads an answer to a "
            "question asked directly, or an exact count of them. At each opening you see tables "
            "with random numbers added and a margin of error; the last ones are made at the close, "
            "and then the answers themselves are destroyed. Needs a budget for tables that hides "
            "one respondent’s answers replaced by others, and is not possible live. Frozen at "
            "launch."
        ),
    )
    release_share = models.PositiveSmallIntegerField(
        gettext_lazy("budget for these tables, in percent"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text=gettext_lazy(
            "For released tables alone: the part of the budget that the tables of all openings "
            "together are charged at launch. What is left pays for reports on texts. Empty: all."
        ),
    )
    publish_rows = models.BooleanField(
        gettext_lazy("rows of answers may be published"),
        default=False,
        help_text=gettext_lazy(
            "If every question is randomized, a deposit for an archive may then have a row for "
            "each person, as it was sent. Respondents read so beside their odds. Without the "
            "mark, a deposit never has rows. Frozen at launch."
        ),
    )
    marked_up = models.BooleanField(
        gettext_lazy("emphasis and lists in texts"),
        default=False,
        help_text=gettext_lazy(
            "Respondents then see *word* in italics and **word** in bold, or underlined in a "
            "question. In the introduction, in help texts and on pages of information and consent, "
            "lines that begin with “- ” or “1. ” are lists. There are no links, pictures or other "
            "marks. Frozen at launch."
        ),
    )
    explanations = NamedTextsField(
        gettext_lazy("your explanations"),
        help_text=gettext_lazy(
            "What you write here stands in the place of our sentence; empty, ours stays. What "
            "promises something always stays ours. Frozen at launch."
        ),
    )
    close_on = models.DateField(
        gettext_lazy("last day"),
        null=True,
        blank=True,
        help_text=gettext_lazy("The survey closes by itself after this day."),
    )
    delete_on = models.DateField(
        gettext_lazy("delete by"),
        null=True,
        blank=True,
        help_text=gettext_lazy(
            "All answers are deleted on this day. After launch it can only be made earlier."
        ),
    )
    # Characters of an invitation's code; null for drafts from before codes of 16. At launch it is
    # frozen in the revision, which alone counts from then on.
    code_length = models.PositiveSmallIntegerField(null=True, default=tokens.SHORT, editable=False)
    # The day for which ``Invitation.announced`` was renewed.
    announced_on = models.DateField(null=True, editable=False)
    closed_on = models.DateField(null=True, editable=False)
    erased_on = models.DateField(null=True, editable=False)
    lost_answers = models.PositiveIntegerField(default=0, editable=False)
    # Kept when the invitations themselves are erased.
    invited = models.PositiveIntegerField(null=True, editable=False)
    redeemed = models.PositiveIntegerField(null=True, editable=False)
    # Of them, those whose code was exchanged for a voucher; null where none is.
    exchanged = models.PositiveIntegerField(null=True, editable=False)

    class Meta:
        verbose_name = gettext_lazy("survey")
        verbose_name_plural = gettext_lazy("surveys")
        ordering = ["title", "id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(close_on__isnull=True)
                | models.Q(delete_on__isnull=True)
                | models.Q(delete_on__gt=models.F("close_on")),
                name="deleted_after_it_closes",
                violation_error_message=gettext_lazy(
                    "Answers are deleted after the survey's last day."
                ),
            )
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def state_words(self) -> str:
        """The state within a sentence."""
        words = {
            Survey.State.DRAFT: gettext("draft"),
            Survey.State.OPEN: gettext("open"),
            Survey.State.CLOSED: gettext("closed"),
        }
        return words[Survey.State(self.state)]

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of its pages: its author's own first, each once."""
        return tuple(dict.fromkeys((self.language, *self.also_in.split())))

    def takes_answers(self, today: date) -> bool:
        """Whether it is open and neither its last day nor its day of deletion is over."""
        return takes_answers(self.state, self.close_on, self.delete_on, today)

    def clean(self) -> None:
        """Refuse days that have passed, and everything that would break a promise."""
        stored = Survey.objects.filter(pk=self.pk).first()
        problems = self._passed_days(stored)
        if stored and stored.state != Survey.State.DRAFT:
            problems |= self._broken_promises(stored)
        if problems:
            raise ValidationError(problems)

    def _passed_days(self, stored: "Survey | None") -> dict[str, str]:
        today = timezone.now().date()
        chosen = {name: getattr(self, name) for name in ("close_on", "delete_on")}
        return {
            name: gettext("This day has passed: choose today or a later day.")
            for name, day in chosen.items()
            if day and day < today and day != getattr(stored, name, None)
        }

    def _broken_promises(self, stored: "Survey") -> dict[str, str]:
        broken = {
            name: gettext(
                "Respondents were promised this at launch, so it stays. Start a new survey."
            )
            for name in Survey.PROMISED
            if getattr(self, name) != getattr(stored, name)
        }
        if stored.delete_on and (not self.delete_on or self.delete_on > stored.delete_on):
            broken["delete_on"] = gettext(
                "Respondents were promised that their answers are deleted by {day}: choose that "
                "day or an earlier one."
            ).format(day=stored.delete_on)
        if self._closes_too_early(stored):
            broken["close_on"] = gettext(
                "Answers are opened when the survey closes, so the last day moves earlier only "
                "with notice: choose {day} or a later day."
            ).format(day=stored.earliest_last_day())
        order = list(Survey.State)
        if order.index(Survey.State(self.state)) < order.index(Survey.State(stored.state)):
            broken[NON_FIELD_ERRORS] = gettext(
                "This survey is {state} now and cannot go back. Open its page again."
            ).format(state=stored.state_words)
        return broken

    def earliest_last_day(self) -> date:
        """The earliest day to which the last day of an open, sealed survey can move."""
        is_periodic = self.opening == self.Opening.EVERY
        notice = self.opening_days if is_periodic else openings.NOTICE
        return timezone.now().date() + timedelta(days=notice)

    def _closes_too_early(self, stored: "Survey") -> bool:
        """Closing is no attacker's opening: an earlier last day is announced beforehand."""
        is_sealed = stored.opening in (Survey.Opening.CLOSE, Survey.Opening.EVERY)
        if not is_sealed or stored.state != Survey.State.OPEN or stored.close_on is None:
            return False
        if self.close_on is None:
            return True
        return self.close_on < stored.close_on and self.close_on < stored.earliest_last_day()


def takes_answers(state: str, close_on: date | None, delete_on: date | None, today: date) -> bool:
    """The same of a survey of which only this was read."""
    is_over = (close_on and close_on < today) or (delete_on and delete_on <= today)
    return state == Survey.State.OPEN and not is_over


class Revision(RandomKeyModel):
    """What respondents were promised, frozen at launch. Triggers refuse every later change."""

    survey = models.OneToOneField(Survey, on_delete=models.PROTECT, related_name="revision")
    document = models.JSONField()
    launched_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"Revision of {self.survey}"
