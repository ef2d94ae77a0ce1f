"""The application as a server loads it."""

import gc
import importlib

import config.wsgi


def test_what_a_server_loaded_is_no_longer_searched_for_garbage():
    importlib.reload(config.wsgi)
    assert gc.isenabled()
    assert not any(one is config.wsgi.application for one in gc.get_objects())
