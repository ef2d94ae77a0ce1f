"""An author builds and launches a survey of twelve questions through its forms, in 60 operations.

An operation is a click, a choice or a filled field. Import is not used.
"""

from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page

from surveys.models import Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.trust import sealing
from tests import factories, tour
from tests.browser.following import another_page
from tests.conftest import serving

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MOST_OPERATIONS = 60


@dataclass
class Author:
    """A person at a page, whose operations are counted."""

    page: Page
    operations: list[str] = field(default_factory=list)

    def fill(self, name: str, text: str) -> None:
        self.operations.append(f"fill {name}")
        self.page.fill(f"#id_{name}", text)

    def choose(self, name: str, **choice: str) -> None:
        self.operations.append(f"choose {name}")
        self.page.select_option(f"#id_{name}", **choice)

    def tick(self, label: str) -> None:
        self.operations.append(f"tick {label}")
        self.page.get_by_label(label).check()

    def press(self, role: str, name: str) -> None:
        """A button or a link that leads to another page."""
        self.operations.append(f"press {name}")
        with another_page(self.page):
            self.page.get_by_role(role, name=name, exact=True).click()

    def ask(self, kind: str, text: str, *, last: bool = False, **fields: str) -> None:
        """Fill in a new question's form, and go on."""
        self.fill("text", text)
        if kind != Question.Kind.YES_NO:
            self.choose("kind", value=kind)
        for name, value in fields.items():
            if name in ("catalogue", "conditions-0-source"):
                self.choose(name, label=value)
            elif name == "design":
                self.choose(name, value=value)
            else:
                self.fill(name, value)
        self.press("button", "Save" if last else "Save and add another")


SCALE = "Never\t\nRarely\n\nSometimes\nOften\nAlways"
KINDS = Question.Kind
QUESTIONS: tuple[tuple[Question.Kind, str, dict[str, str]], ...] = (
    (KINDS.INFORMATION, "About this survey", {}),
    (KINDS.CONSENT, "I want to take part", {}),
    (KINDS.YES_NO, "Have you ever shoplifted?", {"design": "two_coins", "arms": "By coins"}),
    (KINDS.YES_NO, "Have you ever stolen from a shop?", {"design": "direct", "arms": "Directly"}),
    (KINDS.CHOICE, "Where do you live?", {"option_lines": "In a town\nIn a village"}),
    (KINDS.SCALE, "How often do you lie?", {"option_lines": SCALE}),
    (KINDS.NUMBER, "How old are you?", {"minimum": "18", "maximum": "99"}),
    (KINDS.RATING, "How good are these?", {"option_lines": "Bad\nGood", "catalogue": "Books"}),
    (KINDS.TICKS, "How do you travel?", {"option_lines": "Bus\tCar\tBicycle"}),
    (KINDS.MATRIX, "How often?", {"option_lines": "Never\nOften", "table_rows": "Walk\nSwim"}),
    (
        KINDS.YES_NO,
        "Was that last year?",
        {
            "conditions-0-source": "3. Have you ever shoplifted?",
            "conditions-0-value": "Yes",
        },
    ),
    (KINDS.TEXT, "What else?", {}),
)


@pytest.fixture
def site(server, tmp_path):
    """A site whose operator has made a recovery key, so that no author has to go without."""
    key = sealing.public_of(sealing.new_private()).hex()
    with serving(tmp_path / "log.txt", DENIABLE_RECOVERY_KEY=key) as running:
        yield running


@pytest.mark.audit
def test_twelve_questions_are_built_and_launched_in_sixty_operations(page, site, transactional_db):
    owner = factories.make_user()
    User.objects.filter(pk=owner.pk).update(email="habits@example.org")
    factories.make_catalogue(owner)
    tour.log_in(page, site, owner.username)
    page.goto(site.url + reverse("surveys:list"))
    author = Author(page)
    author.press("link", "New survey")
    author.fill("title", "Habits and health")
    author.fill("introduction", "We ask how common some habits are.")
    author.fill("organisation", "Institute of Public Health")
    author.press("button", "Save and continue editing")
    author.fill("arms", "Directly: 1\nBy coins: 1")
    author.fill("planned_responses", "1500")
    last_day = timezone.now().date() + timedelta(days=14)
    author.fill("close_on", str(last_day))
    author.fill("delete_on", str(last_day + timedelta(days=90)))
    author.press("button", "Save and add a question")
    for place, (kind, text, fields) in enumerate(QUESTIONS, start=1):
        author.ask(kind, text, last=place == len(QUESTIONS), **fields)
    author.press("link", "Launch…")
    assert "The survey cannot be launched yet" not in page.inner_text("main"), page.inner_text(
        "main"
    )
    for label in page.locator("input[name=accepted]").evaluate_all(
        "marks => marks.map(mark => mark.labels[0].innerText)"
    ):
        author.tick(label)
    author.press("button", "Launch for good")
    survey = Survey.objects.get()
    print(f"{len(author.operations)} operations for {len(QUESTIONS)} questions")
    assert survey.state == Survey.State.OPEN
    assert survey.contact == "habits@example.org"
    built = survey.questions.values_list("kind", "text")
    assert list(built) == [(kind.value, text) for kind, text, _ in QUESTIONS]
    launched = questionnaire_of(survey.revision)
    # The question and its follow-up are sent as one answer.
    assert "family" in {item.kind for item in launched.items}
    assert len(launched.arms) == 2
    assert len(author.operations) <= MOST_OPERATIONS, author.operations
