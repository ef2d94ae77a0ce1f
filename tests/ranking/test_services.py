"""The history of a ranking, and items from files: who may, all or nothing, written down."""

from contextlib import suppress
from importlib import import_module

import pytest
from django.apps import apps
from django.db import DatabaseError, Error, connection, transaction

from ranking import services
from ranking.methods.histograms import HistogramsUnreadable
from ranking.methods.registry import EmpiricalPrior, FixedPrior
from ranking.models import PendingImport, RankingChoice
from surveys.models import AuditEntry, Catalogue, CatalogueItem
from surveys.models.refusals import NotAllowed, NotPossible
from tests import factories
from tests.ranking import rated


@pytest.fixture
def catalogue(owner) -> Catalogue:
    return rated.make_catalogue(owner, "Algebra")


@pytest.fixture
def question(owner, catalogue):
    return rated.question_of(rated.make_rated_survey(owner, catalogue))


def choose(question, by, *utilities: float, prior=None):
    method = question.method(utilities, prior or EmpiricalPrior(), "score", 0.95)
    return services.choose_method(
        revision=question.revision, item=question.item, method=method, by=by
    )


def imported(catalogue, text: str, by, form: str = "csv") -> int:
    services.put_up_import(catalogue=catalogue, content=text.encode(), form=form, by=by)
    return services.import_items(catalogue=catalogue, by=by)


def items_of(catalogue) -> list[tuple[int, str, list[int]]]:
    rows = CatalogueItem.objects.filter(catalogue=catalogue).order_by("number")
    return list(rows.values_list("number", "name", "starting"))


def test_a_choice_is_a_row_of_the_history_and_an_entry_of_the_audit_log(question, owner):
    choose(question, owner, 1, 2, 3)
    choose(question, owner, -5, 0, 7, prior=FixedPrior((1.0, 2.0, 1.0)))
    newest, first = RankingChoice.objects.all()
    assert (newest.utilities, newest.prior, newest.actor) == ("-5,0,7", "fixed:1,2,1", owner.pk)
    assert newest.at >= first.at
    entry = AuditEntry.objects.filter(action="ranking changed").first()
    assert entry.actor == owner.pk
    assert entry.before["utilities"] == "1,2,3"
    assert entry.after["utilities"] == "-5,0,7"


def test_nobody_without_the_ability_chooses(question, owner):
    with pytest.raises(NotAllowed):
        choose(question, factories.make_user("eve"), 1, 2, 3)
    assert not RankingChoice.objects.exists()


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE ranking_rankingchoice SET prior = 'ml'",
        "DELETE FROM ranking_rankingchoice",
    ],
)
def test_the_database_refuses_to_change_the_history(question, owner, statement):
    choose(question, owner, 1, 2, 3)
    with pytest.raises(Error), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert RankingChoice.objects.get().prior == "empirical"


@pytest.mark.both_databases
def test_no_row_of_the_history_is_replaced(question, owner):
    choice = choose(question, owner, 1, 2, 3)
    fields = 'id, revision_id, question, utilities, prior, "order", actor, at'
    columns = fields.replace("prior", "'ml'")
    verb = "REPLACE INTO" if connection.vendor == "sqlite" else "INSERT INTO"
    with pytest.raises(Error), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            f"{verb} ranking_rankingchoice ({fields})"
            f" SELECT {columns} FROM ranking_rankingchoice WHERE id = {choice.pk}"
        )
    assert RankingChoice.objects.get().prior == "empirical"


def test_a_file_becomes_items_after_those_that_are_there(catalogue, owner):
    assert imported(catalogue, "name,1,2,3\nČeština,1,2,3\nDrama,0,0,0\n", owner) == 2
    assert items_of(catalogue) == [
        (1, "Algebra", []),
        (2, "Čeština", [1, 2, 3]),
        (3, "Drama", [0, 0, 0]),
    ]
    entry = AuditEntry.objects.get(action="items imported")
    assert (entry.before["items"], entry.after["items"]) == (1, 3)
    assert not PendingImport.objects.exists()


def test_names_alone_are_items_without_starting_counts(catalogue, owner):
    imported(catalogue, '[{"name": "B"}, {"name": "C"}]', owner, "json")
    assert items_of(catalogue)[1:] == [(2, "B", []), (3, "C", [])]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("B,1,2\nC,1,x\n", "line 2: count 2"),
        ("B,1,2\nAlgebra,1,2\n", "line 2: the name “Algebra” is already in the catalogue"),
        ("B\nB\n", "line 2: the name “B” is already used in line 1"),
        ("B,0.5,1\n", "line 1: write how many ratings each level of the scale has: a whole number"),
        ("", "The file contains no items."),
    ],
)
def test_one_wrong_line_and_nothing_is_imported(catalogue, owner, text, told):
    with pytest.raises(HistogramsUnreadable) as problem:
        imported(catalogue, text, owner)
    assert problem.value.lines[0].startswith(told)
    assert len(items_of(catalogue)) == 1


def test_an_update_keeps_beside_a_file_that_waits_what_its_page_shows(catalogue, owner):
    content = b"".join(b"Item %d,1,2\n" % number for number in range(30))
    services.put_up_import(catalogue=catalogue, content=content, form="csv", by=owner)
    kept = PendingImport.objects.values("items", "preview").get()
    assert (kept["items"], len(kept["preview"]), kept["preview"][1]) == (30, 20, ["Item 1", [1, 2]])
    PendingImport.objects.update(items=0, preview=[])
    import_module("ranking.migrations.0004_what_a_page_of_imports_shows").fill(apps, None)
    assert PendingImport.objects.values("items", "preview").get() == kept


@pytest.mark.parametrize("few", [0, 500])
def test_a_name_that_is_there_is_found_among_few_names_and_among_many(
    catalogue, owner, monkeypatch, few
):
    monkeypatch.setattr(services, "FEW_NAMES", few)
    with pytest.raises(HistogramsUnreadable) as problem:
        imported(catalogue, "B,1,2\nAlgebra,1,2\n", owner)
    assert problem.value.lines == ["line 2: the name “Algebra” is already in the catalogue"]
    assert imported(catalogue, "B,1,2\nC,1,2\n", owner) == 2


@pytest.mark.both_databases
def test_what_was_added_between_preview_and_import_is_not_doubled(catalogue, owner):
    services.put_up_import(catalogue=catalogue, content=b"B\nC\n", form="csv", by=owner)
    CatalogueItem.objects.create(catalogue=catalogue, number=2, name="C")
    with pytest.raises(HistogramsUnreadable):
        services.import_items(catalogue=catalogue, by=owner)
    assert len(items_of(catalogue)) == 2


def test_a_second_file_takes_the_place_of_the_first_and_a_dropped_one_is_gone(catalogue, owner):
    services.put_up_import(catalogue=catalogue, content=b"B\n", form="csv", by=owner)
    services.put_up_import(catalogue=catalogue, content=b"C\n", form="csv", by=owner)
    services.import_items(catalogue=catalogue, by=owner)
    assert [name for _, name, _ in items_of(catalogue)] == ["Algebra", "C"]
    services.put_up_import(catalogue=catalogue, content=b"D\n", form="csv", by=owner)
    services.drop_import(catalogue=catalogue, by=owner)
    with pytest.raises(
        NotPossible,
        match="Nothing was imported, because the file that you chose was already imported or "
        "discarded",
    ):
        services.import_items(catalogue=catalogue, by=owner)


def test_only_its_owner_fills_a_catalogue(catalogue):
    eve, root = factories.make_user("eve"), factories.make_user("root", superuser=True)
    with pytest.raises(NotAllowed):
        imported(catalogue, "B\n", eve)
    with pytest.raises(NotAllowed):
        services.remove_catalogue(catalogue=catalogue, by=eve)
    assert imported(catalogue, "B\n", root) == 1


def test_after_launch_a_catalogue_stays_as_it_is(question, catalogue, owner):
    item = catalogue.items.get()
    changes = (
        lambda: imported(catalogue, "B\n", owner),
        lambda: services.remove_item(item=item, by=owner),
        lambda: services.keep_item(item=item, by=owner),
        lambda: services.remove_catalogue(catalogue=catalogue, by=owner),
    )
    for change in changes:
        with pytest.raises(NotPossible, match="stay as respondents saw them"):
            change()
    assert items_of(catalogue) == [(1, "Algebra", [])]


def test_a_file_that_is_too_large_is_refused(catalogue, owner):
    with pytest.raises(NotPossible, match="larger than 20 MB"):
        services.put_up_import(
            catalogue=catalogue, content=b"x" * (services.LARGEST_FILE + 1), form="csv", by=owner
        )


@pytest.mark.both_databases
def test_items_after_a_deleted_one_move_up(owner):
    catalogue = rated.make_catalogue(owner, *"ABCDE")
    services.remove_item(item=catalogue.items.get(name="B"), by=owner)
    assert [row[:2] for row in items_of(catalogue)] == [(1, "A"), (2, "C"), (3, "D"), (4, "E")]


@pytest.mark.both_databases
def test_a_catalogue_that_a_draft_asks_for_is_not_deleted(catalogue, owner):
    draft = factories.make_survey(owner)
    factories.add_question(draft, text="Rate", kind="rating", catalogue=catalogue)
    with pytest.raises(NotPossible, match="draft asks"):
        services.remove_catalogue(catalogue=catalogue, by=owner)
    draft.questions.all().delete()
    services.remove_catalogue(catalogue=catalogue, by=owner)
    assert not Catalogue.objects.exists()


@pytest.mark.both_databases
def test_a_failure_half_way_leaves_nothing_behind(catalogue, owner, monkeypatch):
    services.put_up_import(catalogue=catalogue, content=b"B\nC\n", form="csv", by=owner)
    with suppress(Error), transaction.atomic():
        services.import_items(catalogue=catalogue, by=owner)
        raise Error("the disk is full")
    assert len(items_of(catalogue)) == 1
    assert PendingImport.objects.exists()


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_large_import_lets_others_write_and_goes_on_where_it_was_cut_short(
    catalogue, owner, monkeypatch
):
    """Each part is a transaction of its own: no writer waits for the whole file."""
    monkeypatch.setattr(services, "ROWS_AT_ONCE", 2)
    services.put_up_import(catalogue=catalogue, content=b"B\nC\nD\nE\nF\n", form="csv", by=owner)
    there = catalogue.items.count()
    parts = []

    def break_third(execute, sql, params, many, context):
        if sql.startswith('INSERT INTO "surveys_catalogueitem"'):
            parts.append(sql)
            if len(parts) == 3:
                raise DatabaseError("the disk is full")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(break_third), pytest.raises(DatabaseError):
        services.import_items(catalogue=catalogue, by=owner)
    assert catalogue.items.count() == there + 4
    assert services.import_items(catalogue=catalogue, by=owner) == 1
    names = catalogue.items.order_by("number").values_list("name", flat=True)
    assert list(names)[there:] == ["B", "C", "D", "E", "F"]
    entry = AuditEntry.objects.filter(action="items imported").latest("pk")
    assert entry.after["items"] - entry.before["items"] == 5
    assert not PendingImport.objects.exists()


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_file_is_read_while_others_may_write(catalogue, owner, monkeypatch):
    """Reading 400,000 lines takes seconds; no lock is held meanwhile."""
    held = []
    read = services.read_histograms

    def watched(*args, **choices):
        held.append(connection.in_atomic_block)
        return read(*args, **choices)

    monkeypatch.setattr(services, "read_histograms", watched)
    services.put_up_import(catalogue=catalogue, content=b"B\n", form="csv", by=owner)
    services.import_items(catalogue=catalogue, by=owner)
    assert held == [False, False]
