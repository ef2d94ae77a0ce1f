"""Invitations that are exchanged for vouchers: how a draft says it, and what an exchange leaves.

PostgreSQL keeps no sample of requests and keys: one would outlive their erasure.
"""

from django.db import migrations, models

from surveys.models.frozen_tables import AddColumn, Refuse

MESSAGE = "what a launched survey promised never changes"
DIFFERS = {"sqlite": "IS NOT", "postgresql": "IS DISTINCT FROM"}
CONDITION = {
    vendor: f"OLD.state <> 'draft' AND (NEW.voucher_wait {differs} OLD.voucher_wait"
    " OR NEW.script_only <> OLD.script_only)"
    for vendor, differs in DIFFERS.items()
}
COLUMNS = (("surveys_invitation", "request"), ("surveys_openings", "voucher_recovery"))


def never_sample(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for table, column in COLUMNS:
            schema_editor.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET STATISTICS 0")


class Migration(migrations.Migration):
    dependencies = [("surveys", "0054_sealed_texts")]

    operations = [
        AddColumn(
            "survey",
            "voucher_wait",
            models.PositiveSmallIntegerField(
                "codes of invitations",
                null=True,
                blank=True,
                choices=[
                    (None, "Sent with the answers"),
                    (60, "Exchanged unseen, and answers sent at random within minutes"),
                    (0, "Exchanged unseen, and answers sent at once"),
                ],
                help_text="For surveys with invitations. Exchanged unseen, a code gets a signature "
                "for something that this server cannot read, and answers come with that signature "
                "alone: nothing stored here links the two, whoever has every key. Sent at random "
                "within minutes, the time of an answer says less, too. Frozen at launch.",
            ),
        ),
        AddColumn(
            "survey",
            "script_only",
            models.BooleanField(
                "refuse answers without the script",
                default=False,
                help_text="For exchanged codes only. Without the script a code cannot be "
                "exchanged: it comes with the answers, and the page says so. Refusing that leaves "
                "out people whose browser runs no script. Frozen at launch.",
            ),
        ),
        Refuse("survey_vouchers_are_frozen", "surveys_survey", "UPDATE", CONDITION, MESSAGE),
        AddColumn(
            "invitation", "request", models.CharField(default="", editable=False, max_length=64)
        ),
        AddColumn("survey", "exchanged", models.PositiveIntegerField(editable=False, null=True)),
        AddColumn("openings", "voucher_recovery", models.BinaryField(editable=False, null=True)),
        migrations.RunPython(never_sample, migrations.RunPython.noop),
    ]
