"""The application as a server loads it."""

import gc
import importlib

import pytest


@pytest.mark.django_db  # it looks whether the tables are its own
def test_what_a_server_loaded_is_no_longer_searched_for_garbage():
    wsgi = importlib.reload(importlib.import_module("config.wsgi"))
    assert gc.isenabled()
    assert not any(one is wsgi.application for one in gc.get_objects())
