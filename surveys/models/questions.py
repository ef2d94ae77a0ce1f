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
        OTHER = (
            "other",
            gettext_lazy(
                "Other, please specify: a text for the last answer of the question before"
            ),
        )
        RATING = "rating", gettext_lazy("Rating of items")
        TICKS = "ticks", gettext_lazy("Multiple choice")
        MATRIX = "matrix", gettext_lazy("Table: several rows on the same scale")
        RANKING = "rank", gettext_lazy("Ranking")
        TRUST = "trust", gettext_lazy("Trust: do respondents believe the protection?")
        HONEST = "honest", gettext_lazy("Trust: of 100 people, how many answer honestly?")
        # No value has more than six characters, so that the column stays as it is.
        INFORMATION = "info", gettext_lazy("Information: a page to read")
        CONSENT = "agree", gettext_lazy("Consent: people who do not agree send nothing")

    class Design(models.TextChoices):
        DIRECT = "direct", gettext_lazy("Direct: sent as given, not protected")
        TWO_COINS = "two_coins", gettext_lazy("Two coins")
        FORCED_RESPONSE = "forced_response", gettext_lazy("Forced response")
        K_ARY = "k_ary", gettext_lazy("k-ary, by epsilon")
        WARNER = "warner", gettext_lazy("Warner: sometimes the opposite is sent")
        UNRELATED = (
            "unrelated",
            gettext_lazy("Unrelated question, answered at random by the browser"),
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
        CHANNEL_MATRIX = "channel_matrix", gettext_lazy("Your own channel matrix")
        SUBSET = (
            "subset",
            gettext_lazy(
                "Long list, by epsilon: each reported answer marks the same number of options"
            ),
        )
        OUE = "oue", gettext_lazy("Long list, by epsilon: each option is marked separately")
        SCALE_HISTOGRAM = (
            "scale_histogram",
            gettext_lazy("Long scale, by epsilon: best for the share of each answer"),
        )
        SCALE_CDF = (
            "scale_cdf",
            gettext_lazy("Long scale, by epsilon: best for cumulative shares (up to each answer)"),
        )
        SCALE_MEAN = "scale_mean", gettext_lazy("Long scale, by epsilon: best for the mean")

    class Joins(models.TextChoices):
        ALL = "all", gettext_lazy("all conditions are met")
        ANY = "any", gettext_lazy("at least one condition is met")

    class Behind(models.TextChoices):
        OWN = (
            "own",
            gettext_lazy(
                "Send a separate answer: for people who are not asked, the true answer counts "
                "as “Does not apply”"
            ),
        )
        COUNTS = (
            "counts",
            gettext_lazy(
                "Send a separate answer: for people who are not asked, the true answer counts "
                "as No, or as the first answer"
            ),
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
        help_text=gettext_lazy(
            "In a required question, respondents cannot choose “prefer not to say”."
        ),
    )
    kind = models.CharField(
        gettext_lazy("kind"), max_length=6, choices=Kind.choices, default=Kind.YES_NO
    )
    design = models.CharField(
        gettext_lazy("design"), max_length=15, choices=Design.choices, default=Design.TWO_COINS
    )
    forced = models.CharField(
        gettext_lazy("probabilities of forced answers"),
        max_length=400,
        blank=True,
        help_text=gettext_lazy(
            "For forced response: how likely it is that chance sends an option, regardless of "
            "the truth. Enter one fraction for each option, such as 1/6, 1/6. Yes comes before "
            "No. If the question is not required, “prefer not to say” comes last."
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
            "For the k-ary design, long lists and long scales: the local epsilon, in nats. ln 3 = "
            "1.0986 corresponds to two fair coins. In a rating, epsilon is shared equally among "
            "the items that a respondent sees."
        ),
    )
    p_sensitive = models.CharField(
        gettext_lazy("probability of the question"),
        max_length=40,
        blank=True,
        help_text=gettext_lazy(
            "For Warner: the probability that the true answer is sent instead of the opposite, "
            "such as 3/4. For an unrelated question: the probability that the answer to this "
            "question is sent, and not the answer to the second question, such as 2/3. For two "
            "groups: one probability for each group, such as 3/4, 1/4."
        ),
    )
    harmless = models.CharField(
        gettext_lazy("second question"),
        max_length=500,
        blank=True,
        help_text=gettext_lazy(
            "For designs with two questions: a harmless question with Yes or No. It has nothing "
            "to do with the first question. Only the respondent knows the answer, and no one "
            "else can look the answer up. For example: Think of a person whose birthday you "
            "know. Do not say who this person is. Is the birthday in January or February?"
        ),
    )
    harmless_yes = models.CharField(
        gettext_lazy("share of Yes to the second question"),
        max_length=40,
        blank=True,
        help_text=gettext_lazy(
            "For an unrelated question or crosswise: the known share of people who answer Yes "
            "to the second question, such as 1/6. A wrong share biases the estimate. For two "
            "groups: the smallest and the largest possible share, such as 1/4, 3/4."
        ),
    )
    channel = models.TextField(
        gettext_lazy("channel matrix"),
        max_length=8000,
        blank=True,
        help_text=gettext_lazy(
            "For a channel matrix: one line for each answer that can be sent. Each line "
            "contains one probability for each true answer, with commas between the "
            "probabilities. Keep the order in which the options are shown. The probabilities of "
            "each column add up to 1. For a required yes-or-no question: 3/4, 1/4 and below it "
            "1/4, 3/4."
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
        help_text=gettext_lazy("For questions that ask for a number."),
    )
    special = models.TextField(  # noqa: DJ001
        gettext_lazy("special answers"),
        max_length=1000,
        null=True,
        blank=True,
        help_text=gettext_lazy(
            "For questions that ask for a number: up to three special answers that people can "
            "choose instead of a number. Write one special answer on each line, after a code in "
            "brackets: [999] Do not know. The code is a number outside the bounds. Special "
            "answers do not count in means. Files contain the codes. The codes are typed by "
            "respondents who use their own coin, and by respondents who answer without the "
            "script."
        ),
    )
    longest = models.PositiveSmallIntegerField(
        gettext_lazy("maximum number of characters"),
        default=500,
        validators=[MinValueValidator(1), MaxValueValidator(2000)],
        help_text=gettext_lazy(
            "For free texts: how many characters a respondent can write. Every text is sent with "
            "the length of the longest possible text."
        ),
    )
    catalogue = models.ForeignKey(
        Catalogue,
        verbose_name=gettext_lazy("catalogue"),
        on_delete=models.PROTECT,
        related_name="questions",
        null=True,
        blank=True,
        help_text=gettext_lazy("For ratings: the catalogue of items that respondents rate."),
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
        gettext_lazy("maximum number of ticks"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_TICKS_OPTIONS)],
        help_text=gettext_lazy(
            "For multiple choice: how many options may be ticked. Empty: all options. If a "
            "person's answers to all options are sent, a smaller maximum reveals less about this "
            "person."
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
            "For an anchor only. An anchor is a harmless question right after a protected "
            "question, with the same design and a known share of Yes, such as 0 for “Were you on "
            "the moon last week?” The reported answers show how many people pay attention."
        ),
    )
    counted_table = models.PositiveSmallIntegerField(
        gettext_lazy("table of locked answers (number)"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_TABLES)],
        help_text=gettext_lazy(
            "Only for a question that is asked directly. If you enter a table number (1 or "
            "higher), each person's answer is locked in the browser and counted while it is "
            "locked. Up to three questions with the same number are counted together. No rule, "
            "comparison, weight, tree or regression can use such a question. Only the counts are "
            "ever opened, with noise."
        ),
    )
    table_rows = models.TextField(  # noqa: DJ001
        gettext_lazy("rows of the table"),
        max_length=4500,
        null=True,
        blank=True,
        help_text=gettext_lazy(
            "For tables: write one row of the table on each line. The options are the columns of "
            "the table."
        ),
    )
    first_day = models.DateField(
        gettext_lazy("first day"),
        null=True,
        blank=True,
        help_text=gettext_lazy(
            "For dates: the first and the last day that respondents can choose. In a protected "
            "question, respondents choose a period instead of a day. Deniable offers at most 32 "
            "periods: months if possible, otherwise quarters, otherwise years."
        ),
    )
    last_day = models.DateField(gettext_lazy("last day"), null=True, blank=True)
    adaptive = models.BooleanField(
        gettext_lazy("show promising items more often"),
        default=False,
        help_text=gettext_lazy(
            "For ratings: items with a better chance to be the best are drawn more often "
            "(Thompson sampling). Only for ratings that are asked directly, or with an epsilon of "
            "at least 2 for each item."
        ),
    )

    rule_joins = models.CharField(
        gettext_lazy("asked if"),
        max_length=3,
        choices=Joins.choices,
        default=Joins.ALL,
        help_text=gettext_lazy(
            "How the conditions below are combined. Without conditions, all people are asked the "
            "question."
        ),
    )
    arms = models.CharField(
        gettext_lazy("arms that are asked this question"),
        max_length=500,
        blank=True,
        default="",
        help_text=gettext_lazy(
            "Only if the survey has arms (groups drawn by chance): the names of the arms that "
            "are asked this question, with | between the names. Empty: all arms. If two arms "
            "have questions with the same words and options, the results compare these questions."
        ),
    )
    # A rule that no lines say, and the rule of the section that begins here: JSON over numbers of
    # conditions (``authoring.draft.trees``). Null, as the name is.
    rule_shape = models.TextField(null=True, blank=True, editable=False)  # noqa: DJ001
    section_shape = models.TextField(null=True, blank=True, editable=False)  # noqa: DJ001
    # Null, as a column with a default would make SQLite rebuild the table and drop its triggers.
    behind = models.CharField(  # noqa: DJ001
        gettext_lazy("if a protected answer decides whether this question is asked"),
        max_length=6,
        choices=Behind.choices,
        null=True,
        blank=True,
        help_text=gettext_lazy(
            "Only if a condition depends on a protected answer. Empty: the answers to this "
            "question and to the questions that it depends on are sent as one answer. This one "
            "answer has the design of the first question and costs one epsilon. A separate "
            "answer costs an additional epsilon, and every person sends a separate answer."
        ),
    )
    section = models.CharField(
        gettext_lazy("title of a section that begins here"),
        max_length=200,
        blank=True,
        default="",
        help_text=gettext_lazy(
            "Enter the title if a new section begins with this question. Empty: the question "
            "belongs to the same section as the question before."
        ),
    )
    section_text = models.CharField(
        gettext_lazy("text of the section"),
        max_length=500,
        blank=True,
        default="",
        help_text=gettext_lazy(
            "One or two sentences, shown below the title on the first screen of the section."
        ),
    )
    same_screen = models.BooleanField(
        gettext_lazy("on the same screen as the question before"),
        default=False,
        help_text=gettext_lazy("Respondents usually see one question on each screen."),
    )

    random_options = models.BooleanField(
        gettext_lazy("answers in random order"),
        default=False,
        help_text=gettext_lazy(
            "Each respondent sees the options or rows in a random order. “Prefer not to say” "
            "stays last. Browsers without scripts show options and rows in the order in which "
            "you wrote them."
        ),
    )
    random_screens = models.BooleanField(
        gettext_lazy("questions of the section in random order"),
        default=False,
        help_text=gettext_lazy(
            "Tick this box at the first question of a section. Questions on one screen stay "
            "together."
        ),
    )
    random_section = models.BooleanField(
        gettext_lazy("section in random order"),
        default=False,
        help_text=gettext_lazy(
            "Tick this box at the first question of a section. All sections with this tick are "
            "shown in random order."
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
        IS_NOT = "is_not", gettext_lazy("is missing or is not")
        LESS = "less", gettext_lazy("is less than")
        MOST = "most", gettext_lazy("is at most")
        MORE = "more", gettext_lazy("is more than")
        LEAST = "least", gettext_lazy("is at least")
        MARKED = "marked", gettext_lazy("has at least this many ticks:")
        FEWER = "fewer", gettext_lazy("is missing or has fewer ticks than")
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
            "Enter the answer option as respondents see it, or a number. Write | between "
            "several options."
        ),
    )
    # Null, as a column without a default does not make SQLite rebuild the table and drop triggers.
    bracket = models.PositiveSmallIntegerField(
        gettext_lazy("bracket"), null=True, blank=True, choices=Bracket.choices
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
                "These questions cannot be changed, because respondents were promised these "
                "questions at launch. To ask something else, start a new survey."
            )
        )
