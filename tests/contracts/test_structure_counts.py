"""Names, kinds of reports and sentences are counted as ``benchmarks.structure`` says."""

import ast

from benchmarks.structure.names import bound_by
from benchmarks.structure.reach import unreached
from benchmarks.structure.sentences import fits, is_kind, listed_sentences


def bound(source: str) -> list[str]:
    return sorted(name for node in ast.walk(ast.parse(source)) for name in bound_by(node))


def test_every_way_of_binding_a_name_counts():
    assert bound("a = 1\nb: int = 2\nself.c = 3\n") == ["a", "b", "c"]
    assert bound("for a in x: pass\n[b for b in y]\nwith z as c: pass\n") == ["a", "b", "c"]
    assert bound("def a(b, *c, d=1, **e): pass\nlambda f: f\n") == ["a", "b", "c", "d", "e", "f"]
    assert bound("import x as a\nif (b := 1): pass\n") == ["a", "b"]
    assert bound("print(a, b.c)") == []


def test_only_the_kind_of_a_report_counts():
    def answer(text: str) -> bool:
        return is_kind(ast.parse(text, mode="eval").body)

    assert all(map(answer, ("report.kind", "kind", "self.asked.kind")))
    assert not any(map(answer, ("array.dtype.kind", "item.kind", "self.question.kind", "kinds")))


def test_words_around_values_are_compared():
    assert fits("at most \0 fit", "at most 12 fit")
    assert fits("at most \0 fit: \0", "at most \0 fit: ask for fewer")
    assert not fits("at most \0 fit", "at most  fits")
    assert not fits("at most \0 fit", "at most fit")
    assert fits("\0, \0 and \0", "a, b and c")
    assert not fits("\0, \0 and \0", "a, b")


def test_a_list_of_sentences_holds_nothing_else():
    (pure, mixed) = ast.parse('A = (sentence("a b"),)\nB = (sentence("a b"), 3)').body
    assert [text.value for text in listed_sentences(pure)] == ["a b"]
    assert listed_sentences(mixed) == []


def test_what_urls_and_forms_name_is_reached():
    """Of a whole tree, so of real code: no page's view and no form's method is listed."""
    listed = {part.title.rpartition(".")[2] for part in unreached()}
    assert listed.isdisjoint({"dashboard", "clean_subject", "ready", "Command", "on_starting"})
