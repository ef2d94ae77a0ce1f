"""Stored sentences become messages: a pattern and its values, which each language says for itself.

Until now a report kept its English sentences, and a page took them apart again by these patterns.
What fits none of them stays as it is and is shown as it is; this prints how much that is.
"""

import json
import re

from django.db import migrations, models

KNOWN = (
    "Started",
    "Adding noise",
    "Asking people it has not seen",
    "Clustering respondents",
    "Clustering words",
    "Comparing clouds",
    "Comparing groups",
    "Counting answers",
    "Counting pairs",
    "Counting respondents",
    "Counting respondents by topic",
    "Counting words",
    "Drawing noise",
    "Factorising, start {number} of {starts}",
    "Finding singular values",
    "Finding topics",
    "Growing the tree",
    "Iteration {number} of {count}",
    "Reading answers",
    "Reading texts",
    "Refining topics",
    "Weighing words",
    "Internal: this report is not private and must not be published.",
    "{asked} topics were asked for; these answers give {topics}.",
    "{silent} respondents wrote none of the topics' words and are in no topic.",
    (
        "{asked} topics were asked for; this report has {topics}: at this epsilon the data "
        "supports no more. More respondents, or a larger share of the budget, may show more."
    ),
    (
        "{asked} topics were asked for; this report has {topics}: only {words} words are "
        "frequent enough to be told at this epsilon, and a topic needs {needed}."
    ),
    (
        "One more topic was found whose words coincide with another's, and put together with "
        "it."
    ),
    (
        "{count} more topics were found whose words coincide with another's, and put together "
        "with it."
    ),
    (
        "The published method, {iterations} iterations, with everything charged that it looks at. "
        "It gives neither noise of loadings nor sizes of topics: nothing in it shows which words "
        "are noise."
    ),
    (
        "{asked} singular values were asked for; {count} stand out from the noise at this "
        "epsilon."
    ),
    (
        "No word was written by enough respondents to be told at this epsilon. What the report "
        "cost is spent: to refuse here would have told something unpaid."
    ),
    (
        "{faint} of {shown} words shown have a loading within two standard deviations of the "
        "noise: they may stand there by chance. Topics with {least} words that stand out show "
        "no other."
    ),
    (
        "private: computed from the released, noisy co-occurrences of words, which costs "
        "nothing more. It orders the topics of one report; its level cannot be compared with "
        "other reports."
    ),
    "none: this kind releases no co-occurrences of words to compute it from.",
    (
        "exact: shares of respondents who wrote both words. It is not private, like the whole "
        "report."
    ),
    "How many wrote each word",
    "Which words occur together",
    "How well topics fit the texts",
    "Iteration {number} of {count}: how well topics fit the texts",
    "How many wrote mainly about each topic",
    (
        "Something unexpected went wrong. Repeat the report; if it fails again, show your "
        "operator this: {failure}"
    ),
    "The answers were erased before the report was stored.",
    "No text to this question is stored any more.",
    (
        "The worker ended while it made this report, {runs} times in all. Ask your operator "
        "whether the machine ran out of memory, then repeat it."
    ),
    "all random splits of the reports",
    "{draws} random splits of the reports",
    "{draws} random splits of the people",
    "{draws} random splits of the people, each with all their ratings",
    "{draws} random splits of the people, each with all their reports",
    "{draws} simulated surveys without a difference (own channel for each group)",
    "{draws} random pairings of the reports on groups with those on answers",
    "the noise of {draws} simulated surveys, which is approximate",
    "exact, on a line",
    "exact, by linear program",
    "exact, by assignment",
    "exact, on a grid of {count} combinations",
    "sliced",
    (
        "Promising items were shown more often as time went by: groups that answered at other "
        "times may have rated other items."
    ),
    "These surveys rate other items: the distance may be that of the items.",
    "Pooled, so that no figure is about a few people: {names}.",
    "Left out, as fewer than {least} people: {names}.",
    "Left out, as they declined one of these questions: {count}.",
    "Left out, as too few people to tell from chance: {names}.",
    "Distances are of {count} people each, drawn by chance: {names}.",
    (
        "There are {count} different numbers. Neighbours are taken together, which moves no "
        "answer by more than {moved}."
    ),
    (
        "Leaves were chosen by looking at these answers, so that their intervals are "
        "optimistic."
    ),
    "“{title}” does not ask this question with the same answers.",
    "One of these surveys has no answers any more.",
    "You may not read one of these surveys.",
    "No answer is stored yet that a tree could count. Wait for answers.",
    "make the report anew",
    "these are no clouds'",
    "these are no comparison's",
    "these are no tree's",
    "these are no private tree's",
    "questions are numbered 1 to {most}",
    "choose a question with a scale",
    "choose a question whose answers tell groups",
    "choose a question that was asked directly",
    "choose another question to tell groups apart",
    "choose other questions that may explain this one",
    "choose questions whose answers are levels",
    "choose questions with numbers or scales",
    "choose {fewest} to {most} questions with numbers or scales",
    "choose direct questions with answers to choose from",
    "compare by a question, or with other surveys",
    "compare at most {most} surveys",
    "compare at most {most}: choose a question with fewer answers",
    "a comparison needs {fewest} to {most} groups",
    "a comparison needs two groups",
    "a comparison needs at least two groups",
    "a survey needs at least {least} answers to this question",
    "the question has another scale in one of these surveys",
    "no answer to it is stored yet",
    "no answers to both questions are stored yet",
    "no group has {least} answers yet",
    (
        "no groups can be told apart that each have 10 people and no answer that fewer than 5 "
        "of them gave: wait for more answers, or choose other questions"
    ),
    (
        "so few people were not asked all of this, or declined, that a figure without them "
        "would say what they answered: wait for more answers, or choose other questions"
    ),
    "no person so far was asked all of these questions",
    "these answers have no order: give the distances between them",
    "all people gave the same number",
    "all people gave the same answers: there is nothing to compare",
    "almost all of the group declined: compare the shares that declined",
    "almost all of the group declined one of these questions",
    (
        "its answers come to light as released tables alone: look at those, or choose a "
        "question that is protected by a design"
    ),
    (
        "randomized answers are compared on at most {most}: choose fewer questions, or "
        "questions with fewer answers"
    ),
    "clouds of this size have a sliced distance only, under the Euclidean metric",
    (
        "a group must be clear of 0 by {errors} standard errors and hold {fewest} people: "
        "about {people} people would do, instead of {count}"
    ),
    "a group must be clear of 0 by {errors} standard errors and hold {fewest} people",
    "its tables may have at most {most} cells: grow less deep",
    "ask 1 to {most} questions on a path",
    "give {fewest} to {most} people",
    "give {fewest} to {most} draws",
    "give {fewest} to {most} folds, one person at least in each",
    "give a whole number of at least 0",
    "give 0.9, 0.95 or 0.99",
    "give 0.01, 0.05 or 0.1",
    "give one of {kinds}",
    "give a share above 0 and at most 1",
    "this little is nothing: noise without end shows nothing",
    "give one row and one column for each point",
    "give {count} rows and columns, one for each answer",
    "give numbers, rows of one length",
    "give one row of numbers for each point",
    "give finite numbers",
    "give numbers up to 1e100",
    "a distance is at least 0",
    "the way back must be as long as the way there",
    "the distance of a level to itself is 0",
    "two levels are never 0 apart",
    "the way over level {level} is shorter: no metric",
    "“{name}” needs 1 to {most} levels: group them",
    "two of its levels read the same",
    "ask for at least one table of a question",
    "ask for at most {most} tables at once",
    "ask for at most {most} questions together",
    "ask for at most {most} questions in one table",
    "ask for fewer tables or smaller ones",
    "ask for fewer questions together, or give the release more of the budget",
    "a release holds at most {most} numbers: ask for fewer tables, or for smaller ones",
    "a release holds at most {most} numbers; {names} together would fit, with {count}",
    "at most {most} fit: ask for fewer questions together",
    "at most {most} fit: ask for fewer levels",
    "give more than 0: noise without end shows nothing",
    "replacing a respondent does not change it: publish it as it is, at no cost",
    "name each of its questions once, by the number of a chosen question",
    "choose 1 to {most} questions, each once",
    "choose at most {most} randomized questions, each once",
    "choose direct questions with levels or numbers",
    "choose randomized questions with levels, without a second question or a rule",
    "ask for tables, each once",
    "put each of them into a table",
    "there is no such question",
    "the answers to this question have no order: ask for counts",
    "only numbers are cut",
    "write them from low to high",
    "write numbers, such as 30",
    "write where to cut it: it has {count} different numbers",
    "give fewer than {most}",
    "cut between {least} and {most}. Whole numbers only",
    "cut between {least} and {most}. At most {count} digit after the decimal point",
    "cut between {least} and {most}. At most {count} digits after the decimal point",
    "they are not those of tables",
    "another version made it; this is {version}",
    "it is not what a release stores",
    "it is not what a schedule stores",
    "{argument} = {value} cannot be used: {remedy}",
)
VALUES = (
    "“{name}” {share} ± {error} % answered",
    "{count} answers",
    "{shape} combinations",
    "no answers",
    "no differences",
    "levels {one} and {other} are {apart} apart",
    "{count} numbers",
    "{count} numbers in one table",
    "{count} questions in one table",
    "{count} questions together",
    "{count} levels in {bits} bits",
    "{ask} of question {number}",
    "the number of respondents",
)
NUMBER = re.compile(r"[0-9]{1,3}(,[0-9]{3})*(\.[0-9]+)?")
QUOTED = re.compile(r"(['\"])(.*)\1", re.DOTALL)
WRITTEN = {"name", "names", "title"}  # by authors: a number in there is no number of ours
SENTENCES = {"coherence_source", "method", "test", "what"}  # of a document, beside its notes
PLACE_IN = re.compile(r"\{\w+\}")
PLACE = re.compile(r"\\{(\w+)\\}")
DOCUMENT_STAYS = (
    "OLD.document IS NOT NULL AND (NEW.document IS NULL"
    " OR CAST(NEW.document AS text) <> CAST(OLD.document AS text))"
)


def shape_of(text):
    """Each value but the last goes to the first place where the words after it stand."""
    first, *rest = PLACE.split(re.escape(text))
    values = [f"(?P<{name}>.+?){words}" for name, words in zip(rest[::2], rest[1::2], strict=True)]
    *others, last = values or [""]
    return re.compile(first + "".join(f"(?>{value})" for value in others) + last, re.DOTALL)


def message_of(text, patterns):
    """The message of a sentence, or None where no pattern fits it."""
    # Those with the most words of their own first: "{count} answers" fits "no answers" too.
    for pattern in sorted(patterns, key=lambda one: -len(PLACE_IN.sub("", one))):
        if found := shape_of(pattern).fullmatch(text):
            values = {name: value_of(name, value) for name, value in found.groupdict().items()}
            return {"message": pattern, "values": values}
    return None


def value_of(name, value):
    if name == "remedy":
        return message_of(value, KNOWN) or value
    if name == "value" and (quoted := QUOTED.fullmatch(value)):
        parts = [message_of(part, VALUES) for part in quoted.group(2).split("; ")]
        # A person's own words among them are nothing to translate.
        if not all(parts):
            return value
        return parts[0] if len(parts) == 1 else {"messages": parts, "between": "; "}
    if name in WRITTEN or not NUMBER.fullmatch(value):
        return value
    return int(value) if value.isdecimal() else {"figure": value.replace(",", "")}


class Converted:
    """Converts, and counts what no pattern fits."""

    def __init__(self):
        self.unknown = 0

    def sentence(self, text):
        if not isinstance(text, str) or not text:
            return text
        found = message_of(text, KNOWN)
        self.unknown += found is None and " " in text  # names of methods are no sentences
        return found or text

    def document(self, value):
        if isinstance(value, list):
            return [self.document(one) for one in value]
        if not isinstance(value, dict):
            return value
        return {key: self.entry(key, one) for key, one in value.items()}

    def entry(self, key, value):
        if key == "notes" and isinstance(value, list):
            return [self.sentence(one) for one in value]
        return self.sentence(value) if key in SENTENCES else self.document(value)


def convert(apps, schema_editor):
    Report, Extract = apps.get_model("analytics", "Report"), apps.get_model("surveys", "Extract")
    made = Converted()
    for report in Report.objects.order_by("pk").iterator(chunk_size=100):
        texts = {name: stored(made, getattr(report, name)) for name in ("stage", "problem")}
        document = made.document(report.document)
        Report.objects.filter(pk=report.pk).update(document=document, **texts)
    for extract in Extract.objects.order_by("pk").iterator(chunk_size=100):
        Extract.objects.filter(pk=extract.pk).update(document=made.document(extract.document))
    if made.unknown:
        print(f" {made.unknown} stored sentences fit no pattern and stay English ", end="")


def stored(made, text):
    found = made.sentence(text)
    return json.dumps(found, ensure_ascii=False) if isinstance(found, dict) else text


def let_change(apps, schema_editor):
    name = "report_document_stays"
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(f"DROP TRIGGER {name}")
    else:
        schema_editor.execute(f"ALTER TABLE analytics_report DISABLE TRIGGER {name}")


def keep_again(apps, schema_editor):
    name = "report_document_stays"
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(
            f"CREATE TRIGGER {name} BEFORE UPDATE ON analytics_report WHEN {DOCUMENT_STAYS}"
            " BEGIN SELECT RAISE(ABORT, 'what a report released never changes'); END"
        )
    else:
        schema_editor.execute(f"ALTER TABLE analytics_report ENABLE TRIGGER {name}")


def widen(apps, schema_editor):
    """SQLite holds no column to its length; to rebuild the table there would drop its triggers."""
    if schema_editor.connection.vendor != "sqlite":
        for name in ("stage", "problem"):
            schema_editor.execute(f"ALTER TABLE analytics_report ALTER COLUMN {name} TYPE text")


class Migration(migrations.Migration):
    dependencies = [("analytics", "0008_schedules"), ("surveys", "0051_opening_looks")]
    operations = [
        migrations.SeparateDatabaseAndState(
            [migrations.RunPython(widen, migrations.RunPython.noop)],
            [
                migrations.AlterField("report", "stage", models.TextField(blank=True)),
                migrations.AlterField("report", "problem", models.TextField(blank=True)),
            ],
        ),
        migrations.RunPython(let_change, keep_again),
        migrations.RunPython(convert, migrations.RunPython.noop),
        migrations.RunPython(keep_again, let_change),
    ]
