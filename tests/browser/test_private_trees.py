"""The page that asks for a private tree, and a finished one: accessible and narrow enough."""

from decimal import Decimal
from fractions import Fraction
from uuid import uuid4

import pytest
from django.urls import reverse

from analytics import services, tasks
from analytics.kinds.private_trees import PrivateTreeSettings
from tests import accessible, factories
from tests.analytics.answering import MOOD, TOWN, finished, make_compared_survey
from tests.tour import log_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.audit
def test_both_pages_are_accessible(page, server):
    owner = factories.make_user("root", superuser=True)
    page.add_init_script(accessible.WATCH)
    log_in(page, server, "root")
    survey = make_compared_survey(owner, 600, budget={"epsilon": Decimal(8)})
    page.goto(server.url + reverse("analytics:private-tree", args=[survey.pk]))
    accessible.check(page, "the form")
    report = services.request_report(
        survey=survey,
        kind="private_tree",
        settings=PrivateTreeSettings(MOOD, (TOWN,), depth=1),
        share=Fraction(1, 2),
        by=owner,
        later=tasks.make_later,
        key=uuid4(),
    )
    finished(report)
    page.goto(server.url + reverse("analytics:report", args=[survey.pk, report.pk]))
    page.get_by_text("How this was computed").click()
    accessible.check(page, "the tree")
