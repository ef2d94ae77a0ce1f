"""P6 at length: ten thousand requests of every kind."""

import pytest

from tests.promises.test_p6_no_identity import look_for_the_visitor

pytestmark = [pytest.mark.audit, pytest.mark.usefixtures("transactional_db")]


def test_after_ten_thousand_requests_nothing_names_the_visitor(tmp_path):
    look_for_the_visitor(tmp_path, visits=10_000)
