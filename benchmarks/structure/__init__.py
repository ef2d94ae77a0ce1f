"""How large the tree is, and how easy it is to walk: one count for each figure that we watch.

Run: ``python -m benchmarks.structure`` (``--verbose`` lists the places, ``--no-traces`` leaves the
two requests out, which need the demonstration's answers). Counted is *product code*: ``config``,
``surveys``, ``ranking`` and ``analytics`` without migrations, and ``templates`` and ``static``
where a count says so.

**Size**

- *Lines of product Python*: all lines of its files, blank ones, comments and docstrings too.
  *Of these code*: lines that are neither blank, nor a comment alone, nor of a docstring.
  Templates, scripts and JSON are counted beside; that of tests is not.
- *Modules*: its ``*.py`` files, ``__init__.py`` among them; *folders*: those that hold one.
- *Lines of tests*: all lines of ``tests/**/*.py``.

**Reports and sentences**

- *Lines that compare a report's kind*: a line of ``analytics``, ``ranking`` or ``surveys/reports``
  on which ``==``, ``!=``, ``in`` or ``not in`` has a ``kind`` on one side (the name, or the
  attribute of anything but ``dtype``, ``item`` and ``question``), or a ``match`` looks at one. What
  is called ``registry.py`` does not count; a line counts once. *Queries that choose by a report's
  kind* (``kind=`` and ``kind__in=`` of ``filter``, ``exclude`` and ``get``) are counted beside.
- *Patterns to find a sentence again*: sentences marked with ``gettext_noop``, ``sentence`` or
  ``message`` in a tuple, list or dictionary at the top of a module which holds nothing else.
  *Sentences written twice*: those which also stand elsewhere in product Python, as a string or an
  f-string outside docstrings and such lists. What stands in braces fits anything; the words of both
  must fit each other from beginning to end. What is put together from pieces is not found.

**Names**

- *Private functions*: ``def _name``, methods too, those with two underscores aside. *One caller*:
  its file has the name, or an attribute of the name, in one place outside the definition's own
  head; a decorated one has its decorator for a caller and does not count. *Three lines*: from the
  first statement after the docstring to the end.
- *Banned names bound*: a name of ``BANNED`` that is assigned (walrus, ``for``, comprehensions,
  ``with … as``, ``except … as``, ``import … as``, ``match`` and fields of a class among it), an
  attribute that is assigned, an argument, a function. Each binding counts, twice in a function too.
- *Class names in several files*: classes at the top of a module or in a class; ``Meta``, and
  ``Command``, which Django wants of each command, aside.
- *Comment lines that say why*: lines that are a comment alone, are no directive (``noqa``,
  ``type:``, ``pragma``, ``fmt:``, ``ruff:``, ``mypy:``, ``!``) and no divider (no letter in it),
  by lines of product Python. Whether it says *why* is for a reader to say.

**Reach**

- *Lines reached by no page, command or worker*: lines of functions, methods and classes that
  nothing else in the product names, as ``benchmarks.structure.reach`` defines it.

**Walking**

- *Modules in a folder*: ``*.py`` in that folder itself, ``__init__.py`` aside.
- *Modules outside the contracts*: modules of ``surveys``, ``ranking`` and ``analytics`` that
  neither stand in a layer of a ``layers`` contract nor lie below one. A contract over whole
  packages (``analytics``, ``ranking``, ``surveys``) says nothing about the modules in them and does
  not count; a layer of a contract with ``containers`` is a child of each. Modules that Django finds
  by their name (``DJANGO``) need no contract.
- *One answer*, *the dashboard*: files and moves as defined in ``benchmarks.traces``.
- *Questions about the kind in Python*: lines, imports aside, that match ``ASKS``, or ask
  ``isinstance`` or ``match`` for a class that is defined in ``questionnaire/kinds/`` or a kind's
  ``promise.py``. Looked at is everything outside ``questionnaire/`` and ``surveys/kinds/``. A
  table from kinds to functions asks nothing, so it needs no exception. Only attributes count:
  ``sorted``, ``rated_items`` and the like do not match, nor does ``kind`` alone, which numpy's
  dtypes have, too.
- *Questions about the kind in templates*: outside the folders that have one template for each
  kind, tags (``{% … %}`` or ``{{ … }}``) that match ``ASKS``,
  ``ASKS_ITEM`` or ``.kind ==``. A tag is counted once, so the wrapping of lines changes nothing.
  ``item.number``, ``item.pairs`` and ``item.second`` are there only for one kind each, and so are
  asked for as its name.
- *Kinds compared by name*: ``.kind`` beside ``==``, ``!=``, ``in`` or ``case``. Beside the goal.
- *The largest class*: functions in the body of a class, properties among them.
- *Identical blocks*: as defined in ``benchmarks.repeats``, over Python, templates and scripts.
- *Function length*: lines from ``def`` to the end, nested functions on their own.

A count before this script had looser rules: its 125 questions in Python have eight imports of a
module ``marking`` among them, and its 59 in templates are lines with any ``.number``, that of a
page or an invitation, too. Its rules for the two requests (14 files and 47 returns; 21 files and
911 moves) were not written down.

What a new kind of report or question costs in files is not counted here: make a throw-away one and
look at ``git show --stat``. Nor is what people guess: ``benchmarks.newcomer`` draws the lines.
"""

from benchmarks.structure.files import PRODUCT, ROOT, modules, parsed

__all__ = ["PRODUCT", "ROOT", "modules", "parsed"]
