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
from surveys.questionnaire.document import CLEAR
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
            gettext_lazy("At the close: all answers together, after the last day"),
        )
        EVERY = (
            openings.EVERY,
            gettext_lazy(
                "Every N days: about half of the waiting answers each time, all answers at the "
                "close"
            ),
        )
        LIVE = (
            openings.LIVE,
            gettext_lazy("Live: every full batch immediately (demonstrations, teaching, polls)"),
        )

    class BelowK(models.TextChoices):
        OPEN = openings.OPEN, gettext_lazy("Open the answers together")
        DESTROY = openings.DESTROY, gettext_lazy("Destroy the answers unread")

    class Reading(models.TextChoices):
        """When the numbers of a plan are looked at (``randomized_response.planning.Reading``)."""

        ONCE = "once", gettext_lazy("once")
        AT_OPENINGS = "openings", gettext_lazy("at openings, every N days")
        ALWAYS = "always", gettext_lazy("all the time")

    class Together(models.IntegerChoices):
        ALONE = (
            schedules.ALONE,
            gettext_lazy("Only in released tables: each question separately"),
        )
        PAIRS = (
            schedules.PAIRS,
            gettext_lazy(
                "Only in released tables: each question separately, and every two questions "
                "together"
            ),
        )

        __empty__ = gettext_lazy("As they are given: staff see and count direct answers exactly")

    class VoucherWait(models.IntegerChoices):
        """What the page does between the exchange of a code and Send: its mean wait in seconds."""

        MINUTE = (
            vouchers.MEAN_WAIT,
            gettext_lazy("Exchanged unseen; answers are sent at a random time within minutes"),
        )
        NONE = 0, gettext_lazy("Exchanged unseen; answers are sent immediately")

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
        help_text=gettext_lazy("Explain why you ask. Respondents read this text first."),
    )
    organisation = models.CharField(
        gettext_lazy("who asks"),
        max_length=200,
        help_text=gettext_lazy("The person or organisation that asks."),
    )
    contact = models.CharField(
        gettext_lazy("contact"),
        max_length=200,
        help_text=gettext_lazy(
            "Where respondents can reach you: an e-mail address or a phone number."
        ),
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
            "A link that respondents can open after sending their answers, for example to a page "
            "with help. The link is the same for all respondents and reveals nothing about them. "
            "Cannot be changed after launch."
        ),
    )
    language = models.CharField(
        gettext_lazy("your language"),
        max_length=2,
        default="en",
        choices=choices,
        help_text=gettext_lazy(
            "The language in which you write this survey. Cannot be changed after launch."
        ),
    )
    also_in = LanguagesField(
        gettext_lazy("other languages"),
        max_length=60,
        blank=True,
        default="",
        help_text=gettext_lazy(
            "Respondents choose between these languages and your language. Translate your texts "
            "on the page “Translations”. Cannot be changed after launch."
        ),
    )
    informal = models.BooleanField(
        gettext_lazy("informal address"),
        default=False,
        help_text=gettext_lazy(
            "German pages use “du” instead of “Sie”, and French pages use “tu” instead of “vous”. "
            "Write your own texts in the same way. Pages in other languages do not change. Cannot "
            "be changed after launch."
        ),
    )
    planned_responses = models.PositiveIntegerField(
        gettext_lazy("planned responses"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=gettext_lazy(
            "The number of responses that the plan asks for. The planner calculates this number."
        ),
    )
    planned_reading = models.CharField(
        gettext_lazy("when results are read"),
        max_length=8,
        choices=Reading.choices,
        default=Reading.ONCE,
        help_text=gettext_lazy(
            "Once: results are read at the first opening with the planned number of responses, "
            "or otherwise at the close. The exact interval is used. At openings: intervals are "
            "valid for all openings together, and more people are needed. All the time: "
            "intervals are valid for all looks together, and the most people are needed. The "
            "planner compares the three choices."
        ),
    )
    # In percentage points: half the width of the widest interval that is enough.
    planned_error = models.DecimalField(
        gettext_lazy("wanted error, in ± points"),
        max_digits=7,
        decimal_places=4,
        null=True,
        blank=True,
        validators=[
            MinValueValidator(Decimal("0.0001")),
            MaxValueValidator(Decimal("99.9999")),
        ],
        help_text=gettext_lazy(
            "How far the interval of a share may reach to either side: 5 means ± 5 points. With "
            "this number, pages can show you whether the results are precise enough. The planner "
            "fills in the number."
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
            "Each invitation counts once. Without invitations, all people who have the link can "
            "answer, as often as they like."
        ),
    )
    voucher_wait = models.PositiveSmallIntegerField(
        gettext_lazy("how codes of invitations are sent"),
        null=True,
        blank=True,
        choices=VoucherWait.choices,
        help_text=gettext_lazy(
            "For surveys with invitations. If codes are exchanged unseen, a browser exchanges "
            "its code for a signature before it sends answers. This server cannot read what it "
            "signs, and answers arrive with the signature only. Nothing stored on this server "
            "links a code to answers, even for a person who has every key. If answers are sent "
            "at a random time within minutes, the time of an answer also reveals less. Cannot be "
            "changed after launch."
        ),
    )
    script_only = models.BooleanField(
        gettext_lazy("refuse answers from browsers without scripts"),
        default=False,
        help_text=gettext_lazy(
            "Only for codes that are exchanged unseen. A browser without scripts cannot exchange "
            "a code. The code is then sent with the answers, and the page says this to "
            "respondents. If you refuse answers from browsers without scripts, you leave out "
            "people with such browsers. Cannot be changed after launch."
        ),
    )
    asked = models.PositiveSmallIntegerField(
        gettext_lazy("protected questions per person"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=gettext_lazy(
            "How many protected questions each person is asked. Chance draws these questions "
            "for each person. Each person is also asked all questions that are not protected. "
            "With fewer questions, a person’s answers reveal less, and each protected question "
            "gets fewer answers. Empty: all protected questions. Cannot be changed after launch."
        ),
    )
    arms = models.TextField(
        gettext_lazy("arms"),
        max_length=1000,
        blank=True,
        default="",
        help_text=gettext_lazy(
            "To compare ways of asking, write one arm on each line, such as “Asked directly: "
            "1”. The number is the weight of the arm. When a person presses Start, chance puts "
            "this person into one arm. For each question, choose the arms that are asked the "
            "question. Respondents can read the name of each arm and which questions it is "
            "asked. Empty: all people are asked the same questions. Cannot be changed after "
            "launch."
        ),
    )
    batch_size = models.PositiveSmallIntegerField(
        gettext_lazy("batch size"),
        default=20,
        validators=[MinValueValidator(5), MaxValueValidator(1000)],
        help_text=gettext_lazy(
            "Answers wait, encrypted, until this number of answers has come. All waiting "
            "answers are then stored in random order. Suppose that a person saw in which order "
            "people answered: the chance that this person finds one respondent's answers is 1 "
            "divided by this number. Cannot be changed after launch."
        ),
    )
    opening = models.CharField(
        gettext_lazy("when answers are opened"),
        max_length=5,
        choices=Opening.choices,
        blank=True,
        help_text=gettext_lazy(
            "At the close: you see no results before the survey has ended, but no one can single "
            "out a person by sending many answers. Every N days: you see results during the "
            "survey, but a person who hands out the link one by one can find out which answers "
            "belong to whom. Live: a person who sends enough answers around another person’s "
            "answers sees what that other person sent. Live is not possible with invitations. "
            "Empty: at the close with invitations, otherwise every 7 days. Cannot be changed "
            "after launch."
        ),
    )
    opening_days = models.PositiveSmallIntegerField(
        gettext_lazy("days between openings"),
        default=7,
        validators=[
            MinValueValidator(openings.LEAST_DAYS),
            MaxValueValidator(openings.MOST_DAYS),
        ],
        help_text=gettext_lazy("N, from 1 to 28. Used only for “every N days”."),
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
        gettext_lazy("if fewer answers come than one batch contains"),
        max_length=7,
        choices=BelowK.choices,
        default=BelowK.OPEN,
        help_text=gettext_lazy(
            "Respondents read your choice before they answer. Cannot be changed after launch."
        ),
    )
    released_together = models.PositiveSmallIntegerField(
        gettext_lazy("how direct answers are shown"),
        null=True,
        blank=True,
        choices=Together.choices,
        help_text=gettext_lazy(
            "With “Only in released tables”, no one, including you, sees or downloads a single "
            "direct answer or an exact count of direct answers. At each opening, you see tables "
            "with random numbers added and a margin of error. The last tables are made at the "
            "close. After that, the answers themselves are destroyed. You need a budget for "
            "tables that hides “one respondent’s answers replaced by other answers”. Not "
            "possible if answers are opened live. Cannot be changed after launch."
        ),
    )
    release_share = models.PositiveSmallIntegerField(
        gettext_lazy("percentage of the budget for released tables"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text=gettext_lazy(
            "For “Only in released tables”: the part of the budget that is charged at launch for "
            "the tables of all openings together. The rest pays for reports on texts. Empty: the "
            "whole budget."
        ),
    )
    publish_rows = models.BooleanField(
        gettext_lazy("rows of answers may be published"),
        default=False,
        help_text=gettext_lazy(
            "With this tick, a deposit for an archive may contain one row for each person, with "
            "the answers as sent. Rows are possible only if every question is randomized. "
            "Respondents read about these rows next to their odds. Without this tick, a deposit "
            "never contains rows. Cannot be changed after launch."
        ),
    )
    marked_up = models.BooleanField(
        gettext_lazy("emphasis and lists in texts"),
        default=False,
        help_text=gettext_lazy(
            "With this tick, respondents see *word* in italics and **word** in bold, or "
            "underlined in a question. Lines that begin with “- ” or “1. ” become lists in the "
            "introduction, in help texts, and on pages of information and consent. Links, "
            "pictures and other marks are not possible. Cannot be changed after launch."
        ),
    )
    explanations = NamedTextsField(
        gettext_lazy("your explanations"),
        help_text=gettext_lazy(
            "Your text replaces our sentence. If you leave the field empty, respondents read "
            "our sentence. Sentences that promise something cannot be replaced. Cannot be "
            "changed after launch."
        ),
    )
    close_on = models.DateField(
        gettext_lazy("last day"),
        null=True,
        blank=True,
        help_text=gettext_lazy("The survey closes automatically after this day."),
    )
    delete_on = models.DateField(
        gettext_lazy("delete answers on"),
        null=True,
        blank=True,
        help_text=gettext_lazy(
            "All answers are deleted on this day. After launch, you can only choose an earlier day."
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
                    "The day on which answers are deleted must be after the survey's last day."
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

    @property
    def wording(self) -> int:
        """Drafts and letters speak in the words of today; a launched document names its own."""
        return CLEAR

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
            name: gettext("This day has passed. Choose today or a later day.")
            for name, day in chosen.items()
            if day and day < today and day != getattr(stored, name, None)
        }

    def _broken_promises(self, stored: "Survey") -> dict[str, str]:
        broken = {
            name: gettext(
                "This field cannot be changed, because respondents were promised its content at "
                "launch. Start a new survey instead."
            )
            for name in Survey.PROMISED
            if getattr(self, name) != getattr(stored, name)
        }
        if stored.delete_on and (not self.delete_on or self.delete_on > stored.delete_on):
            broken["delete_on"] = gettext(
                "Respondents were promised that their answers are deleted by {day}. Choose {day} "
                "or an earlier day."
            ).format(day=stored.delete_on)
        if self._closes_too_early(stored):
            broken["close_on"] = gettext(
                "This last day is too soon. Answers are opened when the survey closes, so an "
                "earlier last day needs some days of notice. Choose {day} or a later day."
            ).format(day=stored.earliest_last_day())
        order = list(Survey.State)
        if order.index(Survey.State(self.state)) < order.index(Survey.State(stored.state)):
            broken[NON_FIELD_ERRORS] = gettext(
                "This survey is {state} now and cannot return to an earlier state. Open the "
                "survey’s page again."
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
