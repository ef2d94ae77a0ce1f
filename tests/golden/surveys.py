"""What stands in the database: a survey with every kind of question, and every kind of report."""

from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

import numpy as np

from analytics import services, tasks
from analytics.kinds.private_trees import PrivateTreeSettings
from analytics.kinds.registry import KINDS
from analytics.kinds.tables.settings import TableQuestion, TableSettings
from analytics.models import Report
from analytics.services import making
from ranking.methods.registry import Method, read_prior
from ranking.services import choose_method
from surveys.collecting.services import receive
from surveys.models import Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds import question as promised
from tests import arms, factories, families
from tests.analytics import answering, releasing, reporting, tabulating
from tests.bodies import body_of
from tests.golden.stillness import Stillness
from tests.ranking import rated
from tests.staff_pages import Site
from tests.surveys.authoring.trustees import ruled_draft
from tests.versions import filling

AGE, MOOD, TOWN = answering.AGE, answering.MOOD, answering.TOWN


def every_kind(draft: Survey) -> None:
    """Add a question of every kind, with every design."""
    direct, k_ary = Question.Design.DIRECT, Question.Design.K_ARY
    factories.add_one_of_each(draft)
    factories.add_other_designs(draft)
    factories.add_long_list(draft, *factories.PLACES[:12])
    factories.add_long_list(
        draft, *factories.PLACES[:30], text="Where would you live?", design="oue", epsilon=2
    )
    factories.add_long_scale(draft)
    factories.add_text(draft)
    factories.add_other(draft)
    factories.add_pages(draft)
    factories.add_ticks(draft, design=direct)
    factories.add_ticks(draft)
    factories.add_rounded(draft)
    factories.add_ranking(draft)
    factories.add_ranking(draft, design=direct, required=False)
    factories.add_day(draft)
    factories.add_day(draft, design=Question.Design.TWO_COINS)
    factories.add_matrix(draft)
    factories.add_matrix(draft, design=direct, required=False)
    factories.add_ticks(draft, design=k_ary, epsilon=2, shown=4, most=1)
    families.add_family(draft)
    factories.add_rating(draft, size=3)
    factories.add_rating(draft, size=4, design=k_ary, epsilon=4)


@dataclass(frozen=True)
class Surveys:
    """The surveys by name; each is made at a minute of its own, with chance of its own."""

    still: Stillness

    @cached_property
    def site(self) -> Site:
        """One of everything that has a page of staff, beside what follows."""
        self.still.begin("site", minutes=1)
        site = Site(factories.make_user("root", superuser=True))
        site.places()
        return site

    @cached_property
    def all(self) -> dict[str, Survey]:
        found = {"every-kind": "_every_kind", "arms": "_arms", "list": "_list", "trust": "_trust"}
        found |= {"family": "_family", "hidden": "_hidden", "languages": "_languages"}
        found |= {"texts": "_texts", "compared": "_compared", "rated-groups": "_rated_groups"}
        found |= {"tables": "_tables", "alone": "_alone", "ranked": "_ranked"}
        found |= {"ranked-protected": "_ranked_protected", "ranked-both": "_ranked_both"}
        found |= {"counted": "_counted", "draft": "_draft", "picked": "_picked"}
        made = {}
        for name, maker in found.items():
            self.still.begin(name, minutes=1)
            made[name] = getattr(self, maker)()
        return made

    def reports(self) -> list[Report]:
        """Every stored report, in the order in which they were asked for."""
        return list(Report.objects.select_related("revision__survey").order_by("asked_at", "pk"))

    def _draft(self) -> Survey:
        draft = factories.make_survey(self.site.root, title="Every kind, a draft")
        every_kind(draft)
        return draft

    def _every_kind(self) -> Survey:
        draft = factories.make_survey(self.site.root, title="Every kind", planned_responses=400)
        every_kind(draft)
        return self._answered(factories.launched(draft), 90)

    def _arms(self) -> Survey:
        return self._answered(arms.make_arms_survey(self.site.root, title="Arms"), 90)

    def _list(self) -> Survey:
        draft = arms.make_list_experiment(self.site.root)
        return factories.launched(draft)

    def _trust(self) -> Survey:
        draft = factories.make_survey(self.site.root, title="Trust")
        factories.add_question(draft)
        factories.add_trust(draft)
        return self._answered(factories.launched(draft), 60)

    def _family(self) -> Survey:
        return self._answered(families.make_family_survey(self.site.root, title="Family"), 60)

    def _hidden(self) -> Survey:
        return self._answered(families.make_hidden_survey(self.site.root, title="Hidden"), 60)

    def _languages(self) -> Survey:
        draft = factories.make_survey(self.site.root, title="Zwei Sprachen", language="de")
        factories.add_one_of_each(draft)
        return factories.launched(draft)

    def _counted(self) -> Survey:
        """Two questions that a rule asks, counted together for two trustees while locked."""
        draft = ruled_draft(self.site.root, title="Counted")
        return self._answered(factories.launched(draft), 8)

    def _picked(self) -> Survey:
        """A long list that is asked directly."""
        return self._answered(factories.make_picked(self.site.root, title="Picked"), 30)

    def _texts(self) -> Survey:
        """Reports of every kind on texts: one with names, one that waits, one given up."""
        survey = reporting.make_text_survey(self.site.root)
        for kind in KINDS:
            self.still.begin(kind, minutes=1)
            share = None if kind.startswith("exact") else reporting.QUARTER / 2
            self._made(reporting.ask(survey, kind=kind, share=share))
        first = Report.objects.filter(revision__survey=survey).order_by("asked_at").first()
        services.rename_topics(report=first, names=["Gardens", "", "Bread"], by=survey.owner)
        self.still.begin("given up", minutes=1)
        reporting.cancel(reporting.ask(survey, kind="exact_topics"))
        self.still.begin("waits", minutes=1)
        reporting.ask(survey, kind="exact_svd")
        return survey

    def _compared(self) -> Survey:
        """Comparisons of every kind of question, with another survey, clouds, and trees."""
        survey = answering.make_compared_survey(self.site.root, budget={"epsilon": 8}, title="Who")
        other = answering.make_compared_survey(self.site.root, seed=2, title="Who, a year later")
        for question in (MOOD, answering.CHEAT, AGE):
            self.still.begin(f"by town {question}", minutes=1)
            answering.compared(survey, question)
        self.still.begin("two surveys", minutes=1)
        answering.compared(survey, MOOD, by=None, surveys=(str(other.pk),))
        self.still.begin("clouds", minutes=1)
        answering.clouded(survey, (MOOD, AGE))
        self.still.begin("tree", minutes=1)
        answering.grown(survey)
        self.still.begin("tree of numbers", minutes=1)
        answering.grown(survey, AGE, (TOWN, MOOD))
        return survey

    def _rated_groups(self) -> Survey:
        catalogue = rated.make_catalogue(self.site.root, "Algebra", "Logic", "Sets")
        survey = answering.make_rating_survey(self.site.root, catalogue, title="Rated by groups")
        answering.rate(survey, 0, 0, 1, 2, times=20)
        answering.rate(survey, 1, 2, 1, 0, times=25)
        answering.compared(survey, answering.RATED)
        return survey

    def _tables(self) -> Survey:
        """A release for all, one by link, and a private tree."""
        survey = tabulating.make_compared_survey(
            self.site.root, 1200, budget={"epsilon": 8}, title="Tables"
        )
        self._made(tabulating.ask(survey))
        self.still.begin("public tables", minutes=1)
        asked = (TableQuestion(TOWN), TableQuestion(MOOD))
        self._made(tabulating.ask(survey, TableSettings(asked, ((TOWN, MOOD),), is_public=True)))
        self.still.begin("private tree", minutes=1)
        settings = PrivateTreeSettings(MOOD, (TOWN,), depth=1)
        self._made(
            services.request_report(
                survey=survey,
                kind="private_tree",
                settings=settings,
                share=reporting.QUARTER,
                by=survey.owner,
                later=tasks.make_later,
                key=UUID(int=7),
            )
        )
        return survey

    def _alone(self) -> Survey:
        """Tables at each opening, two of which are past."""
        survey = releasing.make_released_survey(
            self.site.root, opening="every", opening_days=7, last_day=27, title="Released alone"
        )
        people = [(place % 3, place % 2, 18 + place % 60) for place in range(40)]
        releasing.answer(survey, people)
        releasing.let_pass(survey, 14)
        return survey

    def _ranked(self) -> Survey:
        catalogue = rated.make_catalogue(self.site.root, "Algebra", "Čeština", "Logic")
        survey = rated.make_rated_survey(self.site.root, catalogue, title="Ranked")
        survey = self._answered(survey, 60)
        question = rated.question_of(survey)
        method = Method((0.0, 1.0, 2.0), read_prior("average:2"), "cautious", 0.9)
        choose_method(
            revision=question.revision, item=question.item, method=method, by=self.site.root
        )
        return survey

    def _ranked_protected(self) -> Survey:
        catalogue = rated.make_catalogue(self.site.root, "Algebra", "Čeština", "Logic")
        survey = rated.make_rated_survey(self.site.root, catalogue, epsilon="2", title="Protected")
        return self._answered(survey, 60)

    def _ranked_both(self) -> Survey:
        survey = factories.make_rating_survey(self.site.root, title="Rated", batch_size=5)
        return self._answered(survey, 40)

    def _answered(self, survey: Survey, times: int) -> Survey:
        """The same people as ever answer: browsers, and some with a coin of their own."""
        rng, questionnaire = np.random.default_rng(3), questionnaire_of(survey.revision)
        for place in range(times):
            arm = f"{place % 3:02}" if survey.arms else None
            codes = _codes(questionnaire, rng, arm, own_coin=place % 4 == 3)
            body = body_of(survey.revision, codes, own_coin=place % 4 == 3, arm=arm)
            receive(survey_id=survey.pk, body=body)
        return Survey.objects.get(pk=survey.pk)

    def _made(self, report: Report) -> Report:
        making.make(report.pk, report.run)
        done = Report.objects.get(pk=report.pk)
        assert done.state == Report.State.DONE, (done.kind, done.problem)
        return done


def _codes(
    questionnaire: Questionnaire, rng: np.random.Generator, arm: str | None, *, own_coin: bool
) -> list[str]:
    """What a person sends: an answer to each question that the rules ask of them."""
    codes = [
        filling.CODES(item, rng, own_coin)
        if not own_coin or item.is_offered_with_own_coin
        else item.not_asked
        for item in questionnaire.items
    ]
    asked = questionnaire.routes.asked_of([*codes, *([arm] if arm else [])])
    pairs = zip(questionnaire.items, codes, asked, strict=True)
    return [code if is_asked else _left_out(item, own_coin) for item, code, is_asked in pairs]


def _left_out(item: promised.Question, own_coin: bool) -> str:
    if item.text_bytes:
        return "" if own_coin else item.encode("")
    return item.not_asked
