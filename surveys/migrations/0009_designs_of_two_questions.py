"""Fields of the designs that ask a second question, and of channel matrices.

SQLite rebuilds the table of questions for every new column: the triggers on it, and those on other
tables that look into it, are taken away first and made again, word for word, afterwards.
"""

from importlib import import_module

from django.db import migrations, models

TABLES = ("surveys_question", "surveys_option")


def statements():
    """The name of each trigger that looks into the table of questions, and how SQLite makes it."""
    promises = import_module("surveys.migrations.0004_freeze_promises")
    for name, table, event, condition, message in promises.triggers():
        yield name, table, event, condition, message
    replacements = import_module("surveys.migrations.0006_freeze_replacements")
    for name, table, condition, message in replacements.MOVES:
        yield name, table, "UPDATE", condition, message


def take_away(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name, table, *_ in statements():
            if table in TABLES:
                schema_editor.execute(f"DROP TRIGGER {name}")


def make_again(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name, table, event, condition, message in statements():
            if table in TABLES:
                schema_editor.execute(
                    f"CREATE TRIGGER {name} BEFORE {event} ON {table} WHEN {condition}"
                    f" BEGIN SELECT RAISE(ABORT, '{message}'); END"
                )


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0008_no_samples"),
    ]

    operations = [
        migrations.RunPython(take_away, make_again),
        migrations.AddField(
            model_name="question",
            name="channel",
            field=models.TextField(
                blank=True,
                help_text=(
                    "Channel matrix only: one line for each answer that can be sent, in each "
                    "line one probability for each true answer, both in the order shown, "
                    "commas between. Each column sums to 1. For a required yes or no: 3/4, 1/4 "
                    "and below it 1/4, 3/4."
                ),
                max_length=8000,
                verbose_name="channel matrix",
            ),
        ),
        migrations.AddField(
            model_name="question",
            name="harmless",
            field=models.CharField(
                blank=True,
                help_text=(
                    "For designs with two questions: a harmless question with Yes or No that "
                    "has nothing to do with the first, and whose answer nobody knows or can "
                    "look up. Such as: Think of somebody whose birthday you know, and keep to "
                    "yourself who it is. Is it in January or February?"
                ),
                max_length=500,
                verbose_name="second question",
            ),
        ),
        migrations.AddField(
            model_name="question",
            name="harmless_yes",
            field=models.CharField(
                blank=True,
                help_text=(
                    "Unrelated question and crosswise: the known share, such as 1/6; a wrong "
                    "one biases the estimate. Two groups: the least and the most that it can "
                    "be, such as 1/4, 3/4."
                ),
                max_length=40,
                verbose_name="share of Yes to the second question",
            ),
        ),
        migrations.AddField(
            model_name="question",
            name="p_sensitive",
            field=models.CharField(
                blank=True,
                help_text=(
                    "Warner: how often the true answer is sent and not its opposite, such as "
                    "3/4. Unrelated question: how often this question counts and not the "
                    "second one, such as 2/3. Two groups: one for each group, such as 3/4, 1/4."
                ),
                max_length=40,
                verbose_name="probability of the question",
            ),
        ),
        migrations.AlterField(
            model_name="question",
            name="design",
            field=models.CharField(
                choices=[
                    ("direct", "Direct: sent as given, not protected"),
                    ("two_coins", "Two coins"),
                    ("forced_response", "Forced response"),
                    ("k_ary", "k-ary, by epsilon"),
                    ("warner", "Warner: sometimes the opposite"),
                    ("unrelated", "Unrelated question, answered by the browser's chance"),
                    ("unrelated_shown", "Unrelated question, answered by the respondent"),
                    ("crosswise", "Crosswise: one answer to two questions"),
                    ("two_groups", "Two groups: unrelated question with an unknown share"),
                    ("channel_matrix", "Channel matrix of your own"),
                ],
                default="two_coins",
                max_length=15,
            ),
        ),
        migrations.RunPython(make_again, take_away),
    ]
