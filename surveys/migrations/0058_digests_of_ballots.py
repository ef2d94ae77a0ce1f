"""The SHA-256 of each ballot beside it, by which ballots are compared and published.

PostgreSQL keeps no sample of it: one would outlive the ballots' erasure.
"""

from hashlib import sha256

from django.db import migrations, models

AT_ONCE = 500  # ballots, of up to 12 KB


def work_out(apps, schema_editor):
    ballots = apps.get_model("surveys", "Ballot").objects.using(schema_editor.connection.alias)
    while some := list(ballots.filter(digest="")[:AT_ONCE]):
        for ballot in some:
            ballot.digest = sha256(bytes(ballot.content)).hexdigest()
        ballots.bulk_update(some, ["digest"])


def never_sample(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE surveys_ballot ALTER COLUMN digest SET STATISTICS 0")


class Migration(migrations.Migration):
    dependencies = [("surveys", "0057_ballots")]

    operations = [
        migrations.AddField(
            "ballot",
            "digest",
            models.CharField(default="", editable=False, max_length=64),
            preserve_default=False,
        ),
        migrations.RunPython(never_sample, migrations.RunPython.noop),
        migrations.RunPython(work_out, migrations.RunPython.noop),
        migrations.RemoveIndex("ballot", "surveys_bal_revisio_037a5b_idx"),
        migrations.AddIndex(
            "ballot",
            models.Index(fields=["revision", "table", "digest"], name="ballots_by_digest"),
        ),
    ]
