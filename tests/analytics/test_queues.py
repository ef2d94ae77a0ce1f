"""Reports on texts, which take minutes, have a queue and a worker of their own."""

from importlib import import_module
from uuid import uuid4

import pytest
from django.apps import apps
from django.conf import settings
from django_tasks_db.models import DBTaskResult

from analytics.models import Report
from surveys.counts.tasks import count_later
from surveys.fieldwork.tasks import send_later
from surveys.operations.checks.duties import WORKERS
from surveys.results.taking.tasks import write_later
from tests.analytics import reporting
from tests.analytics.workers import work_here
from tests.conftest import ROOT

pytestmark = pytest.mark.django_db(transaction=True)


def waiting() -> list[str]:
    """The tasks that could be begun now, by their names."""
    paths = DBTaskResult.objects.ready().values_list("task_path", flat=True)
    return sorted(path.rpartition(".")[2] for path in paths)


@pytest.mark.noise(fails=0, law="nothing is asked of what is drawn")
def test_mail_counts_and_files_do_not_wait_behind_a_report(owner):
    reporting.ask(reporting.make_text_survey(owner))
    send_later(uuid4(), 1, "https://survey.example.org/", None)
    write_later(str(uuid4()))
    count_later(1)
    work_here("default")
    assert waiting() == ["make_report"]
    work_here("reports")
    assert waiting() == []
    assert Report.objects.get().state == Report.State.DONE


def test_a_count_that_was_queued_when_its_room_had_another_name_is_done():
    renamed = import_module("surveys.migrations.0061_task_of_counts")
    count_later(1)
    DBTaskResult.objects.update(task_path=renamed.BEFORE)
    renamed.rename(apps, None)
    work_here("default")
    assert waiting() == []


def test_every_queue_has_a_worker_in_the_units_and_in_the_containers():
    assert set(settings.TASKS["default"]["QUEUES"]) == set(WORKERS)
    script = (ROOT / "deploy" / "container.sh").read_text()
    for queue, service in WORKERS.items():
        unit = (ROOT / "deploy" / "systemd" / f"{service}.service").read_text()
        assert f"manage.py db_worker --queue-name {queue}\n" in unit
        assert f"manage.py db_worker --queue-name {queue}\n" in script
