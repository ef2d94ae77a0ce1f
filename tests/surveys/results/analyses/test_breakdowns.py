"""Break-downs: one question by others, and what is pooled, widened or withheld."""

import csv
import html
import io
import re
from collections import Counter
from itertools import combinations, combinations_with_replacement, permutations, product
from statistics import NormalDist

import pytest
from django.urls import reverse

from surveys.authoring.services import close, launch
from surveys.models import AuditEntry, Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.randomized_response.estimates import estimate_distribution
from surveys.randomized_response.relations import difference_of_shares, estimate_cross_table
from surveys.results.analyses.breakdown_kind import correction_words, hold_words, people_words
from surveys.results.analyses.breakdowns import breakdown
from surveys.results.analyses.findings import NOTHING_KNOWN, TOO_WIDE_WORDS, finding_row
from surveys.results.analyses.grouping import grouped
from surveys.results.analyses.queries import CrossCounts, cross_counts
from surveys.results.disclosure import FIRST, LEAST_CELL, LEAST_GROUP, POOLED, AnswerGroup, pooled
from surveys.results.reading import Reading
from tests import factories, kept
from tests.stored import store_rows

owner = kept.owner
asked = survey = kept.survey


@pytest.fixture(scope="module")
def launched_survey(made_once) -> Survey:
    """1 and 2 through two coins; 3: a place, 4: an age, 5: a car, all asked directly."""
    return made_once(make_asked_survey)


def make_asked_survey() -> Survey:
    draft = factories.make_survey(factories.make_user())
    direct, kinds = Question.Design.DIRECT, Question.Kind
    factories.add_question(draft, required=True)
    factories.add_question(draft, text="Driven drunk?", required=True)
    factories.add_question(
        draft, "North", "South", "East", text="Where?", kind=kinds.CHOICE, design=direct,
        required=True,
    )  # fmt: skip
    factories.add_question(
        draft, text="Age?", kind=kinds.NUMBER, design=direct, minimum=18, maximum=99
    )
    factories.add_question(draft, text="Car?", design=direct, required=True)
    return factories.launched(draft)


def items_of(survey, *numbers: int) -> tuple[PromisedQuestion, ...]:
    items = questionnaire_of(survey.revision).items
    return tuple(items[number - 1] for number in numbers)


def report_of(survey, numbers: tuple[int, ...], counts: dict[tuple[str, ...], int], **fields):
    together = fields.pop("together", True)
    item, *by = items_of(survey, *numbers)
    crossed = CrossCounts(numbers, item, tuple(by), Counter(counts))
    return breakdown(crossed, Reading(**fields), together=together)


def store(survey, *codes: str, times: int = 1) -> None:
    store_rows(survey.revision, ["".join(codes)] * times)


def page_of(client, survey, query: str = "", status: int = 200) -> str:
    client.force_login(survey.owner)
    response = client.get(reverse("surveys:break-down", args=[survey.pk]) + query)
    assert response.status_code == status
    return " ".join(response.content.decode().split())


PLACES = {("00", "00"): 300, ("01", "00"): 200, ("00", "01"): 250, ("01", "01"): 350}


class TestGroupsByDirectAnswers:
    """Who belongs to a group is known, so each group has an estimate of its own."""

    def test_each_group_has_the_librarys_estimate_for_its_own_people(self, asked):
        found = report_of(asked, (1, 3), PLACES, together=False)
        north, south = found.answers[0].shares
        channel = items_of(asked, 1)[0].channel
        expected = estimate_distribution(channel, [300, 200])
        assert (north.group, north.people) == ("North", 500)
        assert north.value == pytest.approx(expected.shares[1])
        assert north.interval == expected.interval(1)
        assert (south.group, south.people) == ("South", 600)

    def test_differences_are_taken_from_the_largest_group_with_their_own_interval(self, asked):
        found = report_of(asked, (1, 3), PLACES)
        (difference,) = found.answers[0].differences
        channel = items_of(asked, 1)[0].channel
        expected = difference_of_shares(
            estimate_distribution(channel, [300, 200]),
            estimate_distribution(channel, [250, 350]),
            1,
        )
        assert found.reference == "South"
        assert difference.value == pytest.approx(expected.value)
        assert difference.interval.low == pytest.approx(expected.interval.low)
        assert difference.verdict == "lower"

    def test_intervals_that_hold_together_are_wider_and_say_so(self, asked):
        each = report_of(asked, (1, 3), PLACES, together=False)
        both = report_of(asked, (1, 3), PLACES)
        wide = both.answers[0].shares[0].interval
        assert wide.width > each.answers[0].shares[0].interval.width
        channel = items_of(asked, 1)[0].channel
        assert wide == estimate_distribution(channel, [300, 200]).interval(1, 0.975)
        assert "Bonferroni" in correction_words(both)
        assert "separately" in correction_words(each)

    AGES = (0.246, 0.30, 0.33, 0.37, 0.456)

    def by_age(self, asked, people: int = 1272, **fields):
        """Reports through two coins of groups whose shares rise from 24.6 % to 45.6 %."""
        counts = {}
        for age, share in enumerate(self.AGES):
            yes = round(people * (0.25 + share / 2))
            counts |= {("01", f"{20 + age}"): yes, ("00", f"{20 + age}"): people - yes}
        return report_of(asked, (1, 4), counts, **fields)

    def test_a_closed_survey_says_which_of_its_groups_differ(self, asked):
        """6,360 answers: sequences, and two intervals subtracted, called no difference clear."""
        found = self.by_age(asked)
        verdicts = [finding.verdict for finding in found.answers[0].differences]
        assert "higher" in verdicts or "lower" in verdicts
        assert "Holm" in correction_words(found)
        assert hold_words(found) == "together (Bonferroni; Holm)"

    def test_the_verdicts_are_those_of_holms_method(self, asked):
        for people in (200, 500, 1272, 3000):
            found = self.by_age(asked, people)
            each = self.by_age(asked, people, together=False).answers[0].differences
            values = sorted(self.p_value(finding) for finding in each)
            held = [p <= 0.05 / (len(values) - place) for place, p in enumerate(values)]
            rejected = next((i for i, ok in enumerate(held) if not ok), len(held))
            assert sum(f.is_clear for f in found.answers[0].differences) == rejected

    @staticmethod
    def p_value(finding) -> float:
        """By the normal law from a 95 % interval: Newcombe's is nearly symmetric here."""
        middle = (finding.interval.low + finding.interval.high) / 2
        return 2 * NormalDist().cdf(-abs(middle) / (finding.interval.width / 3.92))

    def test_a_running_survey_keeps_sequences_and_bonferroni(self, asked):
        found = self.by_age(asked, method="confidence-sequence")
        levels = {answer.difference_level for answer in found.answers}
        assert levels == {1 - 0.05 / (found.groups - 1)}
        assert "Holm" not in correction_words(found)

    def test_two_direct_questions_make_a_group_for_each_pair(self, asked):
        counts = {
            (report, place, car): 40
            for report in ("00", "01")
            for place in ("00", "01")
            for car in ("00", "01")
        }
        found = report_of(asked, (1, 3, 5), counts)
        labels = [finding.group for finding in found.answers[0].shares]
        assert labels == [
            "3. North, 5. Yes",
            "3. North, 5. No",
            "3. South, 5. Yes",
            "3. South, 5. No",
        ]

    def test_numbers_are_cut_into_ranges_of_about_as_many_people(self, asked):
        counts = {("00", f"{age}"): 30 for age in range(20, 28)} | {("01", "--"): 25}
        found = report_of(asked, (1, 4), counts)
        people = [(f.group, f.people) for f in found.answers[0].shares]
        assert people == [
            ("20 to 21", 60),
            ("22 to 23", 60),
            ("24 to 25", 60),
            ("26 to 27", 60),
            ("Prefer not to say", 25),
        ]

    def test_a_sequence_promises_nothing_about_groups_that_move_between_looks(self, asked):
        def notes(numbers, counts, method="confidence-sequence"):
            return " ".join(report_of(asked, numbers, counts, method=method).notes)

        ages = {("00", "020"): 40, ("01", "050"): 40, ("01", "070"): 40}
        few = PLACES | {("00", "02"): 3}
        promised = "valid at every look covers only groups that stay the same"
        assert promised in notes((1, 4), ages)
        assert promised in notes((1, 3), few)
        assert "stay the same" not in notes((1, 3), PLACES)
        assert "stay the same" not in notes((1, 4), ages, "clopper-pearson")

    def test_everybody_with_the_same_number_is_one_group(self, asked):
        found = report_of(asked, (1, 4), {("00", "30"): 200, ("01", "30"): 100})
        assert [f.group for f in found.answers[0].shares] == ["30"]
        assert found.answers[0].differences == ()

    def test_more_than_two_answers_have_a_table_each_and_yes_stands_for_yes_and_no(self, asked):
        by_place = report_of(asked, (3, 5), {("00", "00"): 50, ("01", "01"): 40, ("02", "01"): 9})
        assert [a.label for a in by_place.answers] == ["North", "South", "East"]
        assert [a.label for a in report_of(asked, (1, 3), PLACES).answers] == ["Yes"]


class TestGroupsByRandomizedAnswers:
    """Nobody knows who belongs to the group: the channels are undone together."""

    COUNTS = {("00", "00"): 900, ("01", "00"): 400, ("00", "01"): 600, ("01", "01"): 500}

    def test_shares_and_differences_are_those_of_the_joint_channel(self, asked):
        found = report_of(asked, (1, 2), self.COUNTS, method="wald", together=False)
        channel = items_of(asked, 1)[0].channel
        table = estimate_cross_table(channel, channel, [[900, 600], [400, 500]])
        yes = found.answers[0].shares[1]
        assert yes.value == pytest.approx(table.conditional(1, 1).value)
        assert yes.interval.low == pytest.approx(table.conditional(1, 1, 0.95, "wald").interval.low)
        assert (yes.people, yes.size) == (None, pytest.approx(table.group_shares[1]))
        assert people_words(finding_row(yes)).startswith("about ")
        (difference,) = found.answers[0].differences
        expected = table.difference(1, 1, 0, 0.95, "wald")
        assert difference.value == pytest.approx(expected.value)
        assert difference.interval.high == pytest.approx(expected.interval.high)
        assert "Kronecker" in found.notes[0]

    def test_a_direct_and_a_randomized_question_split_first_and_undo_then(self, asked):
        counts = {
            (report, hidden, car): n + (50 if car == "01" else 0)
            for (report, hidden), n in self.COUNTS.items()
            for car in ("00", "01")
        }
        found = report_of(asked, (1, 2, 5), counts, method="wald", together=False)
        assert [f.group for f in found.answers[0].shares] == [
            "5. Yes, 2. No",
            "5. Yes, 2. Yes",
            "5. No, 2. No",
            "5. No, 2. Yes",
        ]
        channel = items_of(asked, 1)[0].channel
        own = estimate_cross_table(channel, channel, [[950, 650], [450, 550]])
        assert found.answers[0].shares[1].value == pytest.approx(own.conditional(1, 1).value)
        assert len(found.answers[0].differences) == 3

    def test_too_many_combinations_are_refused_in_words(self, client, owner):
        survey = factories.make_survey(owner)
        for text in ("A?", "B?"):
            options = [f"{n}" for n in range(20)]
            factories.add_question(survey, *options, text=text, kind="choice", required=True)
        launch(survey=survey, by=owner)
        survey = Survey.objects.get(pk=survey.pk)
        store(survey, "00", "00", times=20)
        page = page_of(client, survey, "?question=1&by=2")
        assert "This break-down cannot be estimated" in page
        assert "Choose fewer questions" in page


class TestWhatIsTooWide:
    def test_an_estimate_with_a_useless_interval_shows_the_interval_only(self, asked):
        few = {("00", "00"): 12, ("01", "00"): 8, ("00", "01"): 400, ("01", "01"): 300}
        small, large = report_of(asked, (1, 3), few, together=False).answers[0].shares
        assert small.value is None
        assert small.interval.width > 0.5
        assert small.reason.startswith(str(TOO_WIDE_WORDS))
        # The interval is 0.896 wide, and 20 times (0.896 / 0.5)^2 is 65.
        assert small.reason.endswith(
            "With about 65 people in this group, the interval would narrow to 50 percentage points."
        )
        assert large.value is not None

    def test_where_any_share_is_possible_nothing_is_shown(self, asked):
        few = {("00", "00"): 5, ("01", "00"): 5}
        (cell,) = report_of(asked, (1, 3), few, stated=0.99).answers[0].shares
        assert (cell.value, cell.interval) == (None, None)
        assert cell.reason.startswith(str(NOTHING_KNOWN))

    def test_what_would_be_enough_says_for_what(self, asked):
        few = {("00", "00"): 5, ("01", "00"): 5}
        (cell,) = report_of(asked, (1, 3), few, stated=0.99).answers[0].shares
        assert "the interval would narrow to 50 percentage points" in cell.reason

    def test_a_difference_that_cannot_be_told_is_withheld_with_its_group(self, asked):
        few = {("00", "00"): 6, ("01", "00"): 5, ("00", "01"): 6, ("01", "01"): 6}
        found = report_of(asked, (1, 3), few, stated=0.99)
        (difference,) = found.answers[0].differences
        assert difference.value is None
        assert difference.verdict in ("not known", "no clear difference")


def group(label: str, *counts: int) -> AnswerGroup:
    return AnswerGroup(label, Counter({(place,): n for place, n in enumerate(counts)}))


SIZES = (0, 1, 4, 5, 9, 12)


class TestSmallGroups:
    """LEAST_GROUP people at least, and with known answers no count from 1 to LEAST_CELL - 1."""

    def test_small_groups_are_pooled_and_named(self):
        shown = pooled([group("A", 40, 60), group("B", 3, 4), group("C", 4, 2)], known=())
        assert [(g.label, g.n) for g in shown.groups] == [("A", 100), (POOLED, 13)]
        assert shown.pooled == ("B", "C")

    def test_one_small_group_takes_the_next_smallest_along_so_that_subtraction_finds_nobody(self):
        shown = pooled([group("A", 40, 60), group("B", 30, 5), group("C", 1, 0)], known=())
        assert [(g.label, g.n) for g in shown.groups] == [("A", 100), (POOLED, 36)]

    def test_with_known_answers_a_count_of_a_few_is_pooled_too(self):
        groups = [group("A", 40, 60), group("B", 30, 2), group("C", 20, 0)]
        assert pooled(groups, known=()).pooled == ()
        shown = pooled(groups, known=FIRST)
        assert [(g.label, g.n) for g in shown.groups] == [(POOLED, 152)]

    def test_if_all_together_are_too_few_nothing_is_shown(self):
        shown = pooled([group("A", 4, 0), group("B", 5, 0)], known=())
        assert (shown.groups, shown.withheld) == ((), True)

    def test_an_answer_that_nobody_gave_says_nothing_about_a_few(self):
        shown = pooled([group("A", 40, 0), group("B", 0, 0)], known=FIRST)
        assert [g.label for g in shown.groups] == ["A"]

    def test_the_rule_holds_for_every_table_of_small_counts(self):
        """All tables of three groups with counts from 0 to 12 in steps that cross both limits.

        Each set of three groups once: the test below exchanges them.
        """
        for three in combinations_with_replacement(product(SIZES, repeat=2), 3):
            counts = [n for one in three for n in one]
            groups = [group(n, *one) for n, one in zip("ABC", three, strict=True)]
            for known in ((), FIRST):
                shown = pooled(groups, known=known)
                assert all(g.n >= LEAST_GROUP for g in shown.groups)
                if known:
                    cells = [n for g in shown.groups for n in g.counts.values()]
                    assert not [n for n in cells if 0 < n < LEAST_CELL]
                if not shown.withheld:
                    assert sum(g.n for g in shown.groups) == sum(counts)

    def test_the_order_of_groups_changes_nothing_of_what_is_shown(self):
        """Of groups with distinct sizes: those with the same may take one another's place."""
        for sizes in combinations([(0, 1), (4, 0), (5, 4), (9, 1), (5, 12), (12, 12)], 3):
            for known in ((), FIRST):
                shown = {
                    frozenset(
                        (g.label, g.n)
                        for g in pooled([group(*one) for one in order], known=known).groups
                    )
                    for order in permutations([(str(n), *n) for n in sizes])
                }
                assert len(shown) == 1, sizes

    def test_a_withheld_break_down_shows_no_number_on_the_page_or_in_the_files(self, client, asked):
        store(asked, "00", "00", "00", "30", "00", times=7)
        query = "?question=1&by=3"
        page = page_of(client, asked, query)
        assert "No results are shown" in page
        assert 'id="answer-' not in page
        found = client.get(reverse("surveys:break-down-json", args=[asked.pk]) + query).json()
        assert (found["withheld"], found["findings"]) == (True, [])


class TestReading:
    def test_counts_are_one_query_after_that_of_the_size(self, asked, django_assert_num_queries):
        store(asked, "00", "01", "02", "30", "01", times=3)
        store(asked, "01", "01", "00", "--", "00", times=2)
        questionnaire_of(asked.revision)
        with django_assert_num_queries(2):
            found = cross_counts(asked.revision, [1, 4, 5])
        assert found.by_codes == {("00", "30", "01"): 3, ("01", "--", "00"): 2}
        assert found.n == 5

    def test_a_question_that_does_not_exist_or_is_a_text_is_refused(self, owner):
        survey = factories.make_invited_survey(owner)
        with pytest.raises(ValueError, match="2"):
            cross_counts(survey.revision, [2])
        for number in (0, 3, -1):
            with pytest.raises(IndexError):
                cross_counts(survey.revision, [number])

    def test_who_was_not_asked_one_of_the_questions_is_left_out_and_counted(self, owner):
        item, by = items_of(factories.make_open_survey(owner), 3, 6)
        counts = CrossCounts((3, 6), item, (by,), Counter({("--", "00"): 14, ("00", "00"): 20}))
        found = grouped(counts)
        assert found.left_out == 14
        assert [g.n for g in found.groups] == [20]

    def test_where_a_few_were_not_asked_the_question_nothing_is_shown(self, owner):
        """Groups of another question have them too: they would be the difference."""
        item, by = items_of(factories.make_open_survey(owner), 3, 6)
        counts = CrossCounts((3, 6), item, (by,), Counter({("--", "00"): 4, ("00", "00"): 20}))
        assert grouped(counts).withheld


class TestPage:
    def test_an_open_form_asks_and_shows_nothing_yet(self, client, asked):
        page = page_of(client, asked)
        assert "Break down</button>" in page
        assert 'id="found"' not in page
        assert 'role="alert"' not in page

    def test_without_answers_the_page_says_so(self, client, asked):
        assert "No answers yet" in page_of(client, asked, "?question=1&by=3")

    def test_shares_differences_pictures_and_links_are_there(self, client, asked):
        for report, place, times in (("00", "00", 90), ("01", "00", 60), ("01", "01", 120)):
            store(asked, report, "00", place, "30", "00", times=times)
        page = page_of(client, asked, "?question=1&by=3")
        assert "North" in page
        assert "Differences between two groups" in page
        assert "<td>North</td>" in page
        assert "break-down/1.svg?question=1&amp;by=3" in page
        address = reverse("surveys:break-down-picture", args=[asked.pk, 1])
        assert client.get(address + "?question=1&by=3").content.startswith(b"<svg")
        assert client.get(address + "?question=1").status_code == 404
        other = reverse("surveys:break-down-picture", args=[asked.pk, 7])
        assert client.get(other + "?question=1&by=3").status_code == 404

    def test_each_answer_has_a_picture_the_first_one_too(self, client, asked):
        for place, car in (("00", "00"), ("01", "00"), ("00", "01"), ("01", "01")):
            store(asked, "00", "00", place, "30", car, times=40)
        page = page_of(client, asked, "?question=3&by=5")
        addresses = re.findall(r'"([^"]*\.svg\?[^"]+)"', page)
        assert "/break-down/0.svg?" in addresses[0]
        for address in addresses:
            assert client.get(html.unescape(address)).status_code == 200, address

    def test_while_open_the_sequence_is_the_default_and_once_closed_the_exact_interval(
        self, client, asked
    ):
        chosen = '<option value="{}" selected>'
        query = "?question=1&by=3"
        assert chosen.format("confidence-sequence") in page_of(client, asked, query)
        store(asked, "00", "00", "00", "30", "00", times=30)
        assert chosen.format("confidence-sequence") in page_of(client, asked, query)
        close(survey=asked, by=asked.owner)
        assert chosen.format("clopper-pearson") in page_of(client, asked, query)
        hidden = page_of(client, asked, "?question=1&by=2")
        assert chosen.format("clopper-pearson") in hidden
        assert "Exact (Clopper-Pearson) where possible, otherwise score" in hidden

    @pytest.mark.parametrize(
        "query",
        [
            "?question=1&by=1",
            "?question=1&by=3&also_by=3",
            "?question=4&by=3",
            "?question=99&by=3",
            "?question=1&by=",
            "?question=%00&by=%F0%9F%98%80",
            "?question=1&by=3&method=guess",
            "?question=1&by=3&level=95.5",
            "?question=1e9&by=-1&hold=none",
        ],
    )
    def test_garbage_is_answered_with_words_at_the_field(self, client, asked, query):
        page = page_of(client, asked, query)
        assert 'role="alert"' in page
        assert 'id="found"' not in page
        for name in ("break-down-csv", "break-down-json"):
            assert (
                client.get(reverse(f"surveys:{name}", args=[asked.pk]) + query).status_code == 404
            )

    def test_the_files_hold_the_method_and_are_recorded(self, client, asked):
        store(asked, "00", "00", "00", "30", "00", times=80)
        store(asked, "01", "00", "01", "30", "00", times=80)
        client.force_login(asked.owner)
        query = "?question=1&by=3&method=wilson&level=90&hold=each"
        response = client.get(reverse("surveys:break-down-csv", args=[asked.pk]) + query)
        rows = list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))
        assert {row["method"] for row in rows} == {"Wilson"}
        assert [row["what"] for row in rows] == ["share", "share", "difference"]
        found = client.get(reverse("surveys:break-down-json", args=[asked.pk]) + query).json()
        assert (found["method"], found["level"], found["n"]) == ("Wilson", 0.9, 160)
        assert len(found["findings"]) == 3
        assert AuditEntry.objects.filter(action="break-down downloaded").count() == 2

    def test_a_survey_with_texts_only_says_that_there_is_nothing_to_break_down(self, client, owner):
        draft = factories.make_survey(owner)
        factories.add_question(draft, text="Why?", kind="text", design="direct")
        launch(survey=draft, by=owner)
        assert "Nothing to break down" in page_of(client, Survey.objects.get(pk=draft.pk))
