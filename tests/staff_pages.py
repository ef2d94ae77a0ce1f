"""Every address of staff: where each page is in a site with something on all of them.

``Site.places`` are looked at one by one in Chromium; ``ELSEWHERE`` are pages on the way of one
test, which looks at them; ``NO_PAGES`` are forms that are sent, files, and ways to other pages.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from django.contrib.auth.models import Group, User
from django.urls import URLResolver, get_resolver, reverse

from analytics.models import Report
from analytics.services.permits import give_permit
from surveys.models import Mailing, Question, Survey
from surveys.staff.members.services import add_member
from tests import factories, tallied
from tests.analytics import answering, examples, permits, reporting, tabulating
from tests.ranking import rated
from tests.stored import store_rows
from tests.surveys.fieldwork import mailing as mailings
from tests.surveys.fieldwork.mailing import people

SURVEY = "admin:surveys_survey_"
ASKED = f"ask{answering.TOWN}=counts&ask{answering.MOOD}=ranges"
PUBLISHED = f"?{ASKED}&which=pairs&percent=10&audience=link"
# What respondents, and people without an account, open.
NOT_OF_STAFF = ("respondent:", "posted:", "releases:", "short", "source", "documentation")


def addresses(resolver: URLResolver | None = None, space: str = "") -> Iterator[str]:
    """The name of every address of staff that has one."""
    for one in (resolver or get_resolver()).url_patterns:
        if isinstance(one, URLResolver):
            yield from addresses(one, f"{one.namespace}:" if one.namespace else space)
        elif one.name and not f"{space}{one.name}".startswith(NOT_OF_STAFF):
            yield f"{space}{one.name}"


@dataclass(frozen=True)
class Site:
    """A site in which every page has something to show; surveys are made when they are needed."""

    root: User

    @cached_property
    def survey(self) -> Survey:
        """Answered, with a plan that is not reached and a second member."""
        survey = factories.make_open_survey(self.root, planned_responses=400)
        cells = ((40, "00", "01", "035"), (20, "01", "01", "035"), (20, "00", "01", "052"))
        cells += ((20, "01", "01", "052"), (50, "00", "00", "028"), (35, "01", "00", "028"))
        cells += ((18, "00", "00", "044"), (12, "01", "00", "044"), (9, "00", "01", "061"))
        cells += ((6, "01", "01", "061"),)
        store_rows(
            survey.revision,
            [
                f"{first}{first}00{first}00{car}{age}"
                for times, first, car, age in cells
                for _ in range(times)
            ],
        )
        factories.make_user("grace")
        add_member(survey=survey, username="grace", role="analyst", by=self.root)
        return survey

    @cached_property
    def draft(self) -> Survey:
        """Ready to be launched."""
        draft = factories.make_survey(self.root, title="A draft")
        factories.add_one_of_each(draft)
        return draft

    @property
    def question(self) -> Question:
        return self.draft.questions.all()[0]

    @cached_property
    def mailing(self) -> Mailing:
        return mailings.prepare(factories.make_invited_survey(self.root), people(30))

    @cached_property
    def rated(self) -> Survey:
        catalogue = rated.make_catalogue(self.root, "Algebra", "Čeština")
        survey = rated.make_rated_survey(self.root, catalogue)
        rated.count(survey, [9, 20, 41], [20, 30, 3])
        return survey

    @cached_property
    def texts(self) -> Survey:
        survey = reporting.make_text_survey(self.root)
        reporting.make(reporting.ask(survey))
        return survey

    @cached_property
    def topics(self) -> tuple[Report, Report]:
        return tuple(examples.store(self.texts, examples.a_report()) for _ in range(2))

    @cached_property
    def compared(self) -> Survey:
        survey = answering.make_compared_survey(self.root)
        answering.compared(survey)
        return survey

    @cached_property
    def tables(self) -> Report:
        return tabulating.release(tabulating.make_tabulated_survey(self.root))

    @cached_property
    def permit(self) -> Report:
        locked = permits.make_sealed_survey(self.root)
        asked = {"question": 2, "kind": "private_svd", "share": Fraction(1, 2)}
        return give_permit(survey=locked, by=self.root, **asked)

    @cached_property
    def locked(self) -> Survey:
        survey = tallied.closed_survey(self.root, 0, 0, 2, 5, 6, 6)
        tallied.hand_in(survey, *tallied.files_of(survey))
        return survey

    @cached_property
    def group(self) -> Group:
        return Group.objects.create(name="Evaluation team")

    def survey_page(self, name: str, survey: Survey, *more: object) -> str:
        return reverse(name, args=[survey.pk, *more])

    def places(self) -> dict[str, str]:
        """The address of every page, by its name."""
        return self._of_everybody() | self._of_surveys() | self._of_reports() | self._of_admin()

    def _of_everybody(self) -> dict[str, str]:
        names = ("account_change_password", "account_inactive", "account_reauthenticate")
        names += ("account_set_password", "admin:index", "logged_in_again", "login", "mfa_index")
        names += ("mfa_list_webauthn", "staff_language", "surveys:audit-all", "surveys:list")
        names += ("surveys:tokens",)
        planned = "?share=0.2&null_share=0.1&budget=2&answers=2,5&responses=300"
        return {
            **{name: reverse(name) for name in names},
            "account_login": reverse("account_login"),
            "surveys:planner": reverse("surveys:planner") + planned,
        }

    def _of_surveys(self) -> dict[str, str]:
        asked = {
            "surveys:dashboard": "",
            "surveys:break-down": "?question=1&by=2&also_by=6",
            "surveys:weighted": "?by=7",
            "surveys:regression": "?outcome=1-1&predictors=6&predictors=7",
            "surveys:exports": "",
            "surveys:deposit": "",
            "surveys:members": "",
            "surveys:survey-tokens": "",
            "surveys:audit": "",
            "surveys:reminders": "",
        }
        ranked = reverse("ranking:table", args=[self.rated.pk, 2])
        invited = self.mailing.survey
        return {
            **{name: self.survey_page(name, self.survey) + query for name, query in asked.items()},
            "surveys:locked": self.survey_page("surveys:locked", self.locked),
            "surveys:trial": self.survey_page("surveys:trial", self.draft) + "?n=200&runs=40",
            "surveys:invitations": self.survey_page("surveys:invitations", invited),
            "surveys:new-mailing": self.survey_page("surveys:new-mailing", invited),
            "surveys:mailing": self.survey_page("surveys:mailing", invited, self.mailing.pk),
            "ranking:overview": self.survey_page("ranking:overview", self.rated),
            "ranking:table": f"{ranked}?compare=on&u1=x",
            "ranking:history": self.survey_page("ranking:history", self.rated, 2),
        }

    def _of_reports(self) -> dict[str, str]:
        first, second = self.topics
        tables, permitted = self.tables.revision.survey, self.permit.revision.survey
        answers = ("groups", "compare-groups", "clouds", "tree")
        return {
            "analytics:overview": self.survey_page("analytics:overview", self.texts),
            "analytics:ledger": self.survey_page("analytics:ledger", self.texts),
            "analytics:report": self.survey_page("analytics:report", self.texts, first.pk),
            "analytics:compare": self.survey_page("analytics:compare", self.texts)
            + f"?first={first.pk}&second={second.pk}",
            **{
                f"analytics:{name}": self.survey_page(f"analytics:{name}", self.compared)
                for name in answers
            },
            "analytics:permit": self.survey_page("analytics:permit", permitted, self.permit.pk),
            "analytics:private-tree": self.survey_page("analytics:private-tree", tables),
            "analytics:releases": self.survey_page("analytics:releases", tables),
            "analytics:publish": self.survey_page("analytics:publish", tables) + PUBLISHED,
            "analytics:release": self.survey_page("analytics:release", tables, self.tables.pk),
        }

    def _of_admin(self) -> dict[str, str]:
        catalogue = self.rated.questions.all()[1].catalogue
        rows = {
            "auth_user": self.root,
            "auth_group": self.group,
            "surveys_survey": self.draft,
            "surveys_question": self.question,
            "surveys_catalogue": catalogue,
            "surveys_catalogueitem": catalogue.items.first(),
        }
        found = {"admin:auth_user_password_change": [self.root.pk], "admin:app_list": ["surveys"]}
        for name, row in rows.items():
            found |= {f"admin:{name}_{page}": [] for page in ("changelist", "add")}
            found |= {f"admin:{name}_{page}": [row.pk] for page in ("change", "delete")}
        acts = ("launch", "questions", "copy_questions", "checklist", "preview", "preview_own_coin")
        found |= {SURVEY + act: [self.draft.pk] for act in acts}
        translated = factories.make_survey(self.root, title="Two languages", also_in="ar")
        factories.add_question(translated, "Bus", "Car", kind="choice")
        found |= {SURVEY + "translations": [translated.pk, "ar"]}
        found |= {
            "admin:password_change_done": [],
            SURVEY + "first_steps": [],
            SURVEY + "import": [],
        }
        found |= {SURVEY + "close": [self.survey.pk]}
        found |= {SURVEY + "stop": [factories.sealed_survey(self.root).pk]}
        found |= {SURVEY + "delete_by": [self.survey.pk, "2999-01-01"]}
        unused = rated.make_catalogue(self.root, "Geometry")
        found |= {"admin:surveys_catalogue_import": [rated.make_catalogue(self.root).pk]}
        found |= {"admin:surveys_catalogue_delete": [unused.pk]}
        found |= {"admin:surveys_catalogueitem_delete": [unused.items.first().pk]}
        return {name: reverse(name, args=keys) for name, keys in found.items()}


# Pages on the way of a test that looks at them: of a person with a second factor, after a form.
ACCOUNTS, INVITATIONS = "test_accounts.py", "test_invitations_staff.py"
ELSEWHERE = {
    "mfa_activate_totp": (ACCOUNTS, "mfa_activate_totp"),
    "mfa_add_webauthn": (ACCOUNTS, "mfa_add_webauthn"),
    "mfa_authenticate": (ACCOUNTS, "second factor"),
    "mfa_deactivate_totp": (ACCOUNTS, "mfa_deactivate_totp"),
    "mfa_edit_webauthn": (ACCOUNTS, "mfa_edit_webauthn"),
    "mfa_generate_recovery_codes": (ACCOUNTS, "mfa_generate_recovery_codes"),
    "mfa_reauthenticate": (ACCOUNTS, "mfa_reauthenticate"),
    "mfa_reauthenticate_webauthn": (ACCOUNTS, "mfa_reauthenticate_webauthn"),
    "mfa_remove_webauthn": (ACCOUNTS, "mfa_remove_webauthn"),
    "mfa_view_recovery_codes": (ACCOUNTS, "recovery codes"),
    "surveys:invitation-sheets": (INVITATIONS, "sheets"),
}
FORMS = [
    "account_logout",
    "admin:logout",
    "logout",
    "admin:surveys_survey_copy",
    "admin:surveys_survey_trust",
    "analytics:again",
    "analytics:ask",
    "analytics:ask-clouds",
    "analytics:ask-groups",
    "analytics:ask-private-tree",
    "analytics:ask-tree",
    "analytics:cancel",
    "analytics:close-permit",
    "analytics:give-permit",
    "analytics:names",
    "analytics:repeat",
    "ranking:save",
    "surveys:add-member",
    "surveys:ask-deposit",
    "surveys:ask-export",
    "surveys:change-member",
    "surveys:hand-over",
    "surveys:make-token",
    "surveys:mailing-action",
    "surveys:remove-member",
    "surveys:revoke-all-survey-tokens",
    "surveys:revoke-all-tokens",
    "surveys:revoke-survey-token",
    "surveys:revoke-token",
    "surveys:save-plan",
    "surveys:send-reminders",
    "surveys:take-trustee-file",
]
# Their pages are the audit log, the login and the page of the password.
LEAD_ELSEWHERE = [
    "admin:auth_group_history",
    "admin:auth_user_history",
    "admin:login",
    "admin:password_change",
    "admin:surveys_catalogue_history",
    "admin:surveys_catalogueitem_history",
    "admin:surveys_question_history",
    "admin:surveys_survey_history",
    "admin:view_on_site",
]
FILES_AND_PARTS = [
    "admin:autocomplete",
    "admin:jsi18n",
    "admin:surveys_survey_definition",
    "analytics:permit-file",
    "analytics:progress",
    "mfa_download_recovery_codes",
    "ranking:fragment",
    "surveys:export",
    "surveys:report",
    "surveys:locked-csv",
    "surveys:locked-json",
    "surveys:locked-table",
    "surveys:trustee-noise",
    "surveys:trustee-share",
    "surveys:sealed-texts",
    "surveys:reminders-ics",
]
NO_PAGES = {*FORMS, *LEAD_ELSEWHERE, *FILES_AND_PARTS}
