"""TreeKind: which answers go with one answer. Internal: for the data curator alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from analytics.kinds.settings import SettingsError, Watch
from analytics.kinds.tree_reports import (
    ALPHAS,
    DEEPEST,
    LEAST_LEAF,
    MOST_LEAF,
    Branch,
    TreeReport,
    TreeSettings,
    report_tree,
)
from analytics.reports import charts
from analytics.reports.asking import OFF, AskForm, choose, question_words, refuse
from analytics.reports.charts import Node
from analytics.reports.kind import NO_FACTS, AnswerKind, Choices, ReportFacts
from analytics.reports.names import name_words, path_words, splits_words
from analytics.reports.words import p_words, share_words
from analytics.sources.survey_answers import answers_for_tree
from analytics.sources.survey_scales import TELLS_GROUPS
from surveys.models import Revision
from surveys.questionnaire.kinds.question import Question
from surveys.randomized_response.messages import sentence
from surveys.reports.documents import (
    Block,
    Card,
    Document,
    Items,
    Lead,
    Part,
    ResultColumn,
    ResultTable,
    Row,
    Text,
    chart_card,
)
from surveys.staff.roles import Ability
from surveys.web.drawing import figures
from surveys.web.drawing.figures import Figure
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import decimal, grouped, localized

SELECTED = sentence(
    "The same answers were used to choose the leaves and to compute the intervals, so the "
    "intervals are too optimistic (too narrow)."
)


class TreeForm(AskForm):
    """Which answer, and which others may go with it. ``can_ask``: there are two questions."""

    question = forms.ChoiceField(label=gettext_lazy("Question to explain"))
    by = forms.MultipleChoiceField(
        label=gettext_lazy("Questions that may explain the answers"),
        help_text=gettext_lazy("Hold Ctrl or Cmd to choose several."),
        widget=forms.SelectMultiple(attrs={"size": 6}),
    )
    alpha = forms.ChoiceField(
        label=gettext_lazy("Significance level for stopping"),
        choices=[(str(alpha), f"{100 * alpha:.0f} %") for alpha in ALPHAS],
        initial="0.05",
        help_text=gettext_lazy(
            "The level is corrected for all questions that could still be asked."
        ),
    )
    least = forms.IntegerField(
        label=gettext_lazy("Smallest branch (people)"),
        min_value=LEAST_LEAF,
        max_value=MOST_LEAF,
        initial=20,
        widget=OFF,
    )
    deepest = forms.IntegerField(
        label=gettext_lazy("Questions per path, at most"),
        min_value=1,
        max_value=DEEPEST,
        initial=4,
        widget=OFF,
    )
    use_ratio = forms.BooleanField(
        label=gettext_lazy("Prefer questions with few options (gain ratio)"), required=False
    )
    seed = forms.IntegerField(label=gettext_lazy("Seed"), min_value=0, initial=0, widget=OFF)

    def __init__(self, data: Any, items: Sequence[tuple[int, Question]]) -> None:
        super().__init__(data)
        levels = [(n, item) for n, item in items if TELLS_GROUPS(item)]
        choices = [(str(n), question_words(n, item)) for n, item in levels]
        self.can_ask = len(choices) > 1
        for name in ("question", "by"):
            choose(self, name, choices)

    def clean(self) -> dict[str, Any]:
        """The settings, or what is wrong with them."""
        values = self.cleaned_data
        if not {"question", "by", "alpha", "least", "deepest", "seed"} <= set(values):
            return values
        try:
            values["settings"] = TreeSettings(
                int(values["question"]),
                tuple(int(n) for n in values["by"]),
                float(values["alpha"]),
                values["least"],
                values["deepest"],
                values["use_ratio"],
                values["seed"],
            )
        except SettingsError as problem:
            refuse(self, problem)
        return values


class TreeKind(AnswerKind):
    """A tree of questions whose answers go with one answer."""

    name = "tree"
    address = "tree"
    title = sentence("Which answers go with a chosen answer? (internal)")
    explanation = sentence(
        "A tree that shows which answers occur together with one chosen answer. The tree "
        "describes groups and says nothing about single respondents. It is only for the data "
        "curator."
    )
    nothing_to_ask = sentence("A tree needs at least two questions with answers to choose from.")
    how_to_read = (
        "Each branch has the estimated shares of the answer among its people. p_value is that of "
        "the split below it, corrected for the questions that were left. accuracy is for people "
        "whom the tree has not seen, corrected for randomized answers. Internal: do not publish."
    )
    is_open = False
    asked_by = Ability.RULE

    def form(self, data: Any, choices: Choices) -> AskForm:
        """The form that asks for one."""
        return TreeForm(data, choices.items)

    def settings(self, data: Mapping[str, Any]) -> TreeSettings:
        """Stored settings. Raises SettingsError."""
        return TreeSettings.from_data(data)

    def make(self, revision: Revision, settings: TreeSettings, watch: Watch) -> TreeReport:
        """Grow the tree. Raises TreeError."""
        answers = answers_for_tree(revision, settings.question, settings.by)
        return report_tree(answers, settings, (SELECTED,), watch)

    def read(self, document: Mapping[str, Any]) -> TreeReport:
        """A stored result. Raises DocumentError."""
        return TreeReport.from_document(document)

    def show(self, result: TreeReport, facts: ReportFacts = NO_FACTS) -> Document:
        """Its leaves as sentences, a picture, every branch, and how it was computed."""
        root = in_words(result.root)
        answer: tuple[Block, ...] = (
            Lead(_lead(root)),
            Text(_accuracy(result)),
            Text(
                gettext("This tree describes groups. It says nothing about single respondents."),
                is_warning=True,
            ),
            Items(tuple(_leaf_sentences(root, ()))),
            Part("analytics/_taken_away.html", gettext("This tree")),
        )
        heading = gettext("Answers that go with “{question}”").format(question=result.question)
        return Document(
            (
                Card("found", heading, answer),
                chart_card(_picture(replace(result, root=root))),
                Card(
                    "branches-heading",
                    gettext("All branches of the tree"),
                    tuple(_branches(result)),
                ),
                Card("method", gettext("How this was computed"), (Items(_method()),), is_fold=True),
            )
        )


def in_words(branch: Branch) -> Branch:
    """A branch and those below it, with names in the language of the page."""
    return replace(
        branch,
        answer=name_words(branch.answer),
        shares=tuple(replace(share, level=name_words(share.level)) for share in branch.shares),
        branches=tuple(map(in_words, branch.branches)),
    )


def _lead(root: Branch) -> str:
    splits = sum(1 for _, branch in _walk(root) if branch.question)
    if not splits:
        return gettext(
            "Among these people, the tree finds no other answer that goes with the answers to "
            "this question."
        )
    return splits_words(splits)


def _accuracy(result: TreeReport) -> str:
    return gettext(
        "The tree was tested on people whose answers were not used to grow it. The tree names "
        "the true answer in {share} of cases (standard error {error} points). Always naming the "
        "most frequent answer would be right in {baseline} of cases."
    ).format(
        share=share_words(result.accuracy),
        error=decimal(100 * result.accuracy_error, 1),
        baseline=share_words(result.baseline),
    )


def _leaf_sentences(branch: Branch, path: tuple[str, ...]) -> Iterator[str]:
    """Each leaf as ``comparison.trees.leaves.Rule`` says it."""
    if not branch.branches:
        yield _leaf_sentence(branch, path)
    for below in branch.branches:
        condition = gettext("“{question}” is “{answer}”").format(
            question=branch.question, answer=below.answer
        )
        yield from _leaf_sentences(below, (*path, condition))


def _leaf_sentence(leaf: Branch, path: tuple[str, ...]) -> str:
    largest = max(leaf.shares, key=lambda estimate: estimate.share)
    share, low, high = (
        f"{100 * min(max(share, 0.0), 1.0):.0f}"
        for share in (largest.share, largest.low, largest.high)
    )
    words = (
        gettext(
            "If {path}, then {share} % answer “{answer}” ({low} to {high} %, about {people} "
            "people)."
        )
        if path
        else gettext(
            "Of all people, {share} % answer “{answer}” ({low} to {high} %, about {people} people)."
        )
    )
    return words.format(
        path=gettext(" and ").join(path),
        share=share,
        answer=largest.level,
        low=low,
        high=high,
        people=localized(f"{leaf.size:,.0f}"),
    )


def _branches(result: TreeReport) -> Iterator[Block]:
    columns = (
        ResultColumn("path", gettext("People who answered"), partial(_shown, "path")),
        ResultColumn("people", gettext("People"), is_number=True),
        ResultColumn("shares", gettext("Shares"), partial(_shown, "shares")),
        ResultColumn("asks", gettext("Next question"), lambda row: row["asks"] or "–"),
        ResultColumn("test", gettext("Test and information gain"), lambda row: row["test"] or "–"),
    )
    rows = tuple(_branch_rows(result))
    yield ResultTable(gettext("Estimated shares with intervals at 95 %"), columns, rows)
    if result.left_out:
        yield Text(
            gettext(
                "{count} more people are left out, because they were not asked all of these "
                "questions."
            ).format(count=grouped(result.left_out))
        )
    yield from (Text(translated(note)) for note in result.notes)


def _shown(name: str, row: Row) -> str:
    """What a page says where names of answers are none of an author's."""
    return str(row["shown"][name])


def _branch_rows(result: TreeReport) -> Iterator[Row]:
    nodes = zip(_walk(result.root), _walk(in_words(result.root)), strict=True)
    for (path, branch), (shown_path, shown) in nodes:
        yield {
            "path": path_words(path),
            "people": localized(f"{branch.size:,.0f}"),
            "shares": _shares(branch),
            "asks": branch.question,
            "test": _test_words(branch),
            "shown": {"path": path_words(shown_path), "shares": _shares(shown)},
        }


def _shares(branch: Branch) -> str:
    return "; ".join(
        gettext("{answer} {share} ({low} to {high})").format(
            answer=share.level,
            share=share_words(share.share),
            low=share_words(share.low),
            high=share_words(share.high),
        )
        for share in branch.shares
    )


def _method() -> tuple[str, ...]:
    return (
        gettext(
            "The tree asks the question that says most about the answer (information gain), but "
            "only if a chi-square test finds that question and answer go together. The test is "
            "corrected for all questions that could still be asked."
        ),
        gettext(
            "For randomized answers, the effect of the randomization is removed, also for the "
            "questions on the path."
        ),
        gettext(
            "The accuracy is measured in five rounds. In each round, a tree grows from the "
            "answers of four fifths of the people and is tested on the other fifth."
        ),
    )


def _test_words(branch: Branch) -> str:
    if branch.p_value is None:
        return ""
    return gettext("p = {p}, {gain} bits").format(
        p=p_words(branch.p_value), gain=decimal(branch.gain, 3)
    )


def _walk(branch: Branch, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Branch]]:
    yield path, branch
    for below in branch.branches:
        yield from _walk(below, (*path, f"{branch.question}: {below.answer}"))


def _picture(result: TreeReport) -> Figure:
    nodes = tuple(_nodes(result.root))
    splits = [words for _, _, words, is_leaf in nodes if not is_leaf]
    words = (
        gettext("A tree for “{question}”. The tree asks: {splits}.").format(
            question=result.question, splits="; ".join(splits)
        )
        if splits
        else gettext(
            "A tree for “{question}”. The tree asks no question and has only one leaf."
        ).format(question=result.question)
    )
    units = gettext(
        "Read from top to bottom. The answers to a question are below it, in italics. Each answer "
        "leads to the next question or, in blue, to the shares of a leaf."
    )
    chart = partial(charts.tree, nodes)
    table = figures.FigureTable(
        (gettext("Answers on the path"), gettext("Most frequent answer")),
        tuple(_leaves(result.root, ())),
    )
    return Figure("tree", gettext("The tree"), words, chart, units, table=table)


def _leaves(branch: Branch, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Each leaf: the answers that lead to it, and its largest share."""
    if not branch.branches:
        yield ", ".join(path) or gettext("All"), _leaf_words(branch)
    for below in branch.branches:
        yield from _leaves(below, (*path, f"{branch.question} {below.answer}"))


def _leaf_words(branch: Branch) -> str:
    largest = max(branch.shares, key=lambda estimate: estimate.share)
    share = 100 * min(max(largest.share, 0.0), 1.0)
    return gettext("{answer} {share} % of {people}").format(
        answer=largest.level, share=f"{share:.0f}", people=localized(f"{branch.size:,.0f}")
    )


def _nodes(branch: Branch, depth: int = 0, answer: str = "") -> Iterator[Node]:
    """The rows of the picture: a question before what its answers lead to."""
    words = branch.question if branch.branches else _leaf_words(branch)
    yield depth, answer, words, not branch.branches
    for below in branch.branches:
        yield from _nodes(below, depth + 1, below.answer)
