"""Tables: the questions of a draft, their options, and the conditions of their rules."""

from decimal import Decimal

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext, gettext_lazy

from surveys.definitions.names import LONGEST_NAME
from surveys.kinds.ticks.promise import MOST_TICKS_OPTIONS
from surveys.models.base import RandomKeyModel
from surveys.models.catalogues import Catalogue
from surveys.models.surveys import Survey
from surveys.questionnaire.plans.tallies import MOST_TABLES
from surveys.questionnaire.ratings import MOST_SHOWN


class Question(RandomKeyModel):
    """A question of a draft. After launch only the revision's copy counts."""

    class Kind(models.TextChoices):
        YES_NO = "yes_no", gettext_lazy("Yes or no")
        CHOICE = "choice", gettext_lazy("Single choice")
        SCALE = "scale", gettext_lazy("Scale (ordered choice)")
        NUMBER = "number", gettext_lazy("Number")
        DATE = "date", gettext_lazy("Date")
        TEXT = "text", gettext_lazy("Free text")
        OTHER = "other", gettext_lazy("Other, please specify: a text for the last answer before it")
        RATING = "rating", gettext_lazy("Rating of items")
        TICKS = "ticks", gettext_lazy("Multiple choice")
        MATRIX = "matrix", gettext_lazy("Table: rows on the same scale")
        RANKING = "rank", gettext_lazy("Ranking")
        TRUST = "trust", gettext_lazy("Trust: is the protection believed?")
        HONEST = "honest", gettext_lazy("Trust: of 100 people, how many answer honestly?")
        # No value has more than six characters, so that the column stays as it is.
        INFORMATION = "info", gettext_lazy("Information: a page to read")
        CONSENT = "agree", gettext_lazy("Consent: without it, nothing is sent")

    class Design(models.TextChoices):
        DIRECT = "direct", gettext_lazy("Direct: sent as given, not protected")
        TWO_COINS = "two_coins", gettext_lazy("Two coins")
        FORCED_RESPONSE = "forced_response", gettext_lazy("Forced response")
        K_ARY = "k_ary", gettext_lazy("k-ary, by epsilon")
        WARNER = "warner", gettext_lazy("Warner: sometimes the opposite")
        UNRELATED = (
            "unrelated",
            gettext_lazy("Unrelated question, answered by the browser's chance"),
        )
        UNRELATED_SHOWN = (
            "unrelated_shown",
            gettext_lazy("Unrelated question, answered by the respondent"),
        )
        CROSSWISE = "crosswise", gettext_lazy("Crosswise: one answer to two questions")
        TWO_GROUPS = (
            "two_groups",
            gettext_lazy("Two groups: unrelated question with an unknown share"),
        )
        CHANNEL_MATRIX = "channel_matrix", gettext_lazy("Channel matrix of your own")
        SUBSET = "subset", gettext_lazy("Long list, by epsilon: as many marks in every report")
        OUE = "oue", gettext_lazy("Long list, by epsilon: each option marked on its own")
        SCALE_HISTOGRAM = (
            "scale_histogram",
            gettext_lazy("Long scale, by epsilon: best for the share of each answer"),
        )
        SCALE_CDF = (
            "scale_cdf",
            gettext_lazy("Long scale, by epsilon: best for the shares up to each answer"),
        )
        SCALE_MEAN = "scale_mean", gettext_lazy("Long scale, by epsilon: best for the mean")

    class Joins(models.TextChoices):
        ALL = "all", gettext_lazy("all conditions hold")
        ANY = "any", gettext_lazy("at least one condition holds")

    class Behind(models.TextChoices):
        OWN = "own", gettext_lazy("A report of its own: hidden is sent as “Does not apply”")
        COUNTS = (
            "counts",
            gettext_lazy("A report of its own: hidden counts as No, or as the first answer"),
        )

    LONGEST_HELP = 500
    # Read and not answered: what stands below their heading may be as long as a consent is.
    PAGES = frozenset({Kind.INFORMATION, Kind.CONSENT})

    # What is asked and how answers are randomized, in the order of the question's page.
    WORDS_AND_DESIGN = (
        "text",
        "help",
        "required",
        "kind",
        "design",
        "forced",
        "epsilon",
        "p_sensitive",
        "harmless",
        "harmless_yes",
        "channel",
    )

    survey = models.ForeignKey(
        Survey,
        verbose_name=gettext_lazy("survey"),
        on_delete=models.CASCADE,
        related_name="questions",
    )
    position = models.PositiveSmallIntegerField(default=0, editable=False)
    text = models.CharField(gettext_lazy("text"), max_length=500)
    # Of pages; what other questions may have is ``LONGEST_HELP``.
    help = models.CharField(gettext_lazy("help"), max_length=4000, blank=True)
    required = models.BooleanField(
        gettext_lazy("required"),
        default=False,
        help_text=gettext_lazy('A required question offers no "prefer not to say".'),
    )
    kind = models.CharField(
        gettext_lazy("kind"), max_length=6, choices=Kind.choices, default=Kind.YES_NO
    )
    design = models.CharField(
        gettext_lazy("design"), max_length=15, choices=Design.choices, default=Design.TWO_COINS
    )
    forced = models.CharField(
        gettext_lazy("forced probabilities"),
        max_length=400,
        blank=True,
        help_text=gettext_lazy(
            "Forced response only: for each answer in its order, the probability that it is sent "
            "whatever the truth, as fractions: 1/6, 1/6. Yes comes before No; unless the question "
            'is required, "prefer not to say" comes last.'
        ),
    )
    epsilon = models.DecimalField(
        gettext_lazy("epsilon"),
        max_digits=6,
        decimal_places=4,
        null=True,
        blank=True,
        validators=[MinValueValidator(Decimal("0.01")), MaxValueValidator(Decimal(5))],
        help_text=gettext_lazy(
            "k-ary, long lists and long scales: the local epsilon, in nats. ln 3 = 1.0986 is two "
            "fair coins. A rating shares it out equally among the items that a respondent sees."
        ),
    )
    p_sensitive = models.CharField(
        gettext_lazy("probability of the question"),
        max_length=40,
        blank=True,
        help_text=gettext_lazy(
            "Warner: how often the true answer is sent and not its opposite, such as 3/4. "
            "Unrelated question: how often this question counts and not the second one, such as "
            "2/3. Two groups: one for each group, such as 3/4, 1/4."
        ),
    )
    harmless = models.CharField(
        gettext_lazy("second question"),
        max_length=500,
        blank=True,
        help_text=gettext_lazy(
            "For designs with two questions: a harmless question with Yes or No that has nothing "
            "to do with the first, and whose answer nobody knows or can look up. Such as: Think of "
            "somebody whose birthday you know, and keep to yourself who it is. Is it in January or "
            "February?"
        ),
    )
    harmless_yes = models.CharField(
        gettext_lazy("share of Yes to the second question"),
        max_length=40,
        blank=True,
        help_text=gettext_lazy(
            "Unrelated question and crosswise: the known share, such as 1/6; a wrong one biases "
            "the estimate. Two groups: the least and the most that it can be, such as 1/4, 3/4."
        ),
    )
    channel = models.TextField(
        gettext_lazy("channel matrix"),
        max_length=8000,
        blank=True,
        help_text=gettext_lazy(
            "Channel matrix only: one line for each answer that can be sent, in each line one "
            "probability for each true answer, both in the order shown, commas between. Each "
            "column sums to 1. For a required yes or no: 3/4, 1/4 and below it 1/4, 3/4."
        ),
    )
    minimum = models.DecimalField(
        gettext_lazy("minimum"), max_digits=15, decimal_places=4, null=True, blank=True
    )
    maximum = models.DecimalField(
        gettext_lazy("maximum"), max_digits=15, decimal_places=4, null=True, blank=True
    )
    decimal_places = models.PositiveSmallIntegerField(
        gettext_lazy("decimal places"),
        default=0,
        validators=[MaxValueValidator(4)],
        help_text=gettext_lazy("Numbers only."),
    )
    special = models.TextField(  # noqa: DJ001
        gettext_lazy("answers beside the number"),
        max_length=1000,
        null=True,
        blank=True,
        help_text=gettext_lazy(
            "Number only: up to three answers in place of a number, one on each line. Before each "
            "stands its code in brackets, a number outside the bounds: [999] Do not know. Means "
            "leave them out. Files have the codes, and people who answer by hand write them."
        ),
    )
    longest = models.PositiveSmallIntegerField(
        gettext_lazy("longest text"),
        default=500,
        validators=[MinValueValidator(1), MaxValueValidator(2000)],
        help_text=gettext_lazy(
            "Free text only: how many characters may be written. Every text is sent as long as "
            "the longest."
        ),
    )
    catalogue = models.ForeignKey(
        Catalogue,
        verbose_name=gettext_lazy("catalogue"),
        on_delete=models.PROTECT,
        related_name="questions",
        null=True,
        blank=True,
        help_text=gettext_lazy("Ratings only: the catalogue whose items are rated."),
    )
    shown = models.PositiveSmallIntegerField(
        gettext_lazy("items shown"),
        default=0,
        validators=[MaxValueValidator(MOST_SHOWN)],
        help_text=(  # the page of a question says more, in its reader's language
            f"Ratings only: how many items each respondent rates, drawn evenly; 0 for all, if "
            f"there are at most {MOST_SHOWN}."
        ),
    )
    most = models.PositiveSmallIntegerField(
        gettext_lazy("ticks at most"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_TICKS_OPTIONS)],
        help_text=gettext_lazy(
            "Multiple choice only: how many options may be ticked. Empty: all. If all options are "
            "sent, fewer ticks tell less about a person."
        ),
    )
    # Null, as a column without a default does not make SQLite rebuild the table and drop triggers.
    name = models.CharField(  # noqa: DJ001
        gettext_lazy("name in files"), max_length=LONGEST_NAME, null=True, blank=True
    )
    # By an import that lost something of it; null for the same reason.
    unfinished = models.BooleanField(gettext_lazy("not finished"), null=True, blank=True)
    known_share = models.CharField(  # noqa: DJ001
        gettext_lazy("known share of Yes (anchor)"),
        max_length=40,
        null=True,
        blank=True,
        help_text=gettext_lazy(
            "Only for an anchor: a harmless question right after a protected one, through the same "
            "design, whose share of Yes is known, such as 0 for “Were you on the moon last week?” "
            "Its reports tell how many people attend."
        ),
    )
    counted_table = models.PositiveSmallIntegerField(
        gettext_lazy("counted while locked, in table"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_TABLES)],
        help_text=gettext_lazy(
            "Only for a question that is asked directly. With a number, from 1, each person's "
            "answer is locked in their browser and added up while it is locked; up to three "
            "questions with one number are counted together. No rule, comparison, weight, tree or "
            "regression can use such a question, and only its totals are ever opened, with noise."
        ),
    )
    table_rows = models.TextField(  # noqa: DJ001
        gettext_lazy("rows of the table"),
        max_length=4500,
        null=True,
        blank=True,
        help_text=gettext_lazy("Table only: one row on each line. Its columns are the options."),
    )
    first_day = models.DateField(
        gettext_lazy("first day"),
        null=True,
        blank=True,
        help_text=gettext_lazy(
            "Date only: the first and the last day that can be given. Through a device, a date is "
            "one of at most 32 months, quarters or years, whichever are the shortest."
        ),
    )
    last_day = models.DateField(gettext_lazy("last day"), null=True, blank=True)
    adaptive = models.BooleanField(
        gettext_lazy("show promising items more often"),
        default=False,
        help_text=gettext_lazy(
            "Ratings only: items are drawn by their chance to be the best (Thompson sampling) and "
            "not evenly. Only for open ratings, and from an epsilon of 2 for each item."
        ),
    )

    rule_joins = models.CharField(
        gettext_lazy("asked if"),
        max_length=3,
        choices=Joins.choices,
        default=Joins.ALL,
        help_text=gettext_lazy(
            "For the conditions below. Without conditions the question is asked of all."
        ),
    )
    arms = models.CharField(
        gettext_lazy("asked in arms"),
        max_length=500,
        blank=True,
        default="",
        help_text=gettext_lazy(
            "Only where the survey has arms: the names of those that are asked this question, with "
            "| between them. Empty: all of them. Two questions with the same words and "
            "answers, asked in different arms, are compared."
        ),
    )
    # A rule that no lines say, and the rule of the section that begins here: JSON over numbers of
    # conditions (``authoring.draft.trees``). Null, as the name is.
    rule_shape = models.TextField(null=True, blank=True, editable=False)  # noqa: DJ001
    section_shape = models.TextField(null=True, blank=True, editable=False)  # noqa: DJ001
    # Null, as a column with a default would make SQLite rebuild the table and drop its triggers.
    behind = models.CharField(  # noqa: DJ001
        gettext_lazy("if a protected answer decides"),
        max_length=6,
        choices=Behind.choices,
        null=True,
        blank=True,
        help_text=gettext_lazy(
            "Only where a condition reads a protected answer. Empty: this question and those that "
            "it follows are sent as one report, by the design of the first one, for one epsilon. A "
            "report of its own costs its epsilon too, and all people send it."
        ),
    )
    section = models.CharField(
        gettext_lazy("a section begins here"),
        max_length=200,
        blank=True,
        default="",
        help_text=gettext_lazy(
            "The title of the section. Empty: the question goes on with the section of the one "
            "before."
        ),
    )
    section_text = models.CharField(
        gettext_lazy("text of the section"),
        max_length=500,
        blank=True,
        default="",
        help_text=gettext_lazy(
            "A sentence or two, shown below the title on the first screen of the section."
        ),
    )
    same_screen = models.BooleanField(
        gettext_lazy("on the screen of the question before"),
        default=False,
        help_text=gettext_lazy("Respondents usually see one question a screen."),
    )

    random_options = models.BooleanField(
        gettext_lazy("answers in random order"),
        default=False,
        help_text=gettext_lazy(
            "Each respondent's page draws the order of the options or rows; “prefer not to say” "
            "stays last. Without the script they stand as you wrote them."
        ),
    )
    random_screens = models.BooleanField(
        gettext_lazy("questions of the section in random order"),
        default=False,
        help_text=gettext_lazy(
            "For the first question of a section. What is on one screen stays together."
        ),
    )
    random_section = models.BooleanField(
        gettext_lazy("section in random order"),
        default=False,
        help_text=gettext_lazy(
            "For the first question of a section: it changes places with the other sections that "
            "have this mark."
        ),
    )

    class Meta:
        verbose_name = gettext_lazy("question")
        verbose_name_plural = gettext_lazy("questions")
        ordering = ["position", "id"]
        indexes = [models.Index(fields=["survey", "position"])]

    def __str__(self) -> str:
        return self.text

    def clean(self) -> None:
        """Refuse every change after launch, and a question that is moved into or out of it."""
        stored = Question.objects.filter(pk=self.pk).values("survey")
        surveys = Survey.objects.filter(models.Q(pk=self.survey_id) | models.Q(pk__in=stored))
        _refuse_launched(surveys)


class Option(RandomKeyModel):
    """An answer of a single choice or a scale."""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="options")
    position = models.PositiveSmallIntegerField(default=0)
    text = models.CharField(max_length=200)
    # Of a multiple choice: a person who ticks it ticks nothing else.
    stands_alone = models.BooleanField(default=False)
    # What files call it; without one, by its number. Null, as a default would rebuild the table.
    value = models.CharField(max_length=LONGEST_NAME, null=True, blank=True)  # noqa: DJ001

    class Meta:
        verbose_name = gettext_lazy("option")
        verbose_name_plural = gettext_lazy("options")
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["question", "text"], name="one_option_per_text")
        ]

    def __str__(self) -> str:
        return self.text

    def clean(self) -> None:
        """Refuse every change after launch."""
        stored = Option.objects.filter(pk=self.pk).values("question")
        questions = models.Q(questions=self.question_id) | models.Q(questions__in=stored)
        _refuse_launched(Survey.objects.filter(questions))


class Condition(RandomKeyModel):
    """A condition of a question's rule: what the answer to an earlier question must be."""

    class Comparison(models.TextChoices):
        IS = "is", gettext_lazy("is")
        IS_NOT = "is_not", gettext_lazy("is not, or is missing")
        LESS = "less", gettext_lazy("is less than")
        MOST = "most", gettext_lazy("is at most")
        MORE = "more", gettext_lazy("is more than")
        LEAST = "least", gettext_lazy("is at least")
        MARKED = "marked", gettext_lazy("has at least so many ticks")
        FEWER = "fewer", gettext_lazy("has fewer ticks, or is missing")
        ANSWERED = "answered", gettext_lazy("was given")
        MISSING = "missing", gettext_lazy("is missing")

    class Bracket(models.IntegerChoices):
        """Rows with one letter are one condition, whose rows the other word joins."""

        A = 1, "A"
        B = 2, "B"
        C = 3, "C"
        D = 4, "D"
        E = 5, "E"

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="conditions")
    source = models.ForeignKey(
        Question,
        on_delete=models.RESTRICT,
        related_name="read_by",
        verbose_name=gettext_lazy("the answer to"),
    )
    comparison = models.CharField(
        gettext_lazy("comparison"), max_length=8, choices=Comparison.choices, default=Comparison.IS
    )
    value = models.CharField(
        gettext_lazy("value"),
        max_length=1000,
        blank=True,
        help_text=gettext_lazy(
            "An answer as it is shown, several with | between them; or a number."
        ),
    )
    # Null, as a column without a default does not make SQLite rebuild the table and drop triggers.
    bracket = models.PositiveSmallIntegerField(
        gettext_lazy("in bracket"), null=True, blank=True, choices=Bracket.choices
    )
    # Its number in the shape of the question, or of the section that begins there; null likewise.
    leaf = models.PositiveSmallIntegerField(null=True, blank=True, editable=False)
    of_section = models.BooleanField(null=True, blank=True, editable=False)

    class Meta:
        verbose_name = gettext_lazy("condition")
        verbose_name_plural = gettext_lazy("conditions")
        ordering = ["source__position", "comparison", "value", "id"]

    def __str__(self) -> str:
        words = f"{self.source} {self.get_comparison_display()} {self.value}".strip()
        return f"{words} ({self.get_bracket_display()})" if self.bracket else words

    def clean(self) -> None:
        """Refuse every change after launch."""
        stored = Condition.objects.filter(pk=self.pk).values("question")
        questions = models.Q(questions=self.question_id) | models.Q(questions__in=stored)
        _refuse_launched(Survey.objects.filter(questions))


def _refuse_launched(surveys: "models.QuerySet[Survey]") -> None:
    if surveys.exclude(state=Survey.State.DRAFT).exists():
        raise ValidationError(
            gettext(
                "Respondents were promised these questions at launch, so they stay as they are. "
                "Start a new survey to ask something else."
            )
        )
