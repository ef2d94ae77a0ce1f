"""Write the golden copies anew: ``python -m tests.golden.make``."""

import os

import pytest

# Named in words: the tests can be imported when their settings are there.
TEST = "tests/golden/test_golden.py::test_everything_says_what_it_said"

if __name__ == "__main__":
    os.environ["WRITE_GOLDEN_COPIES"] = "yes"
    raise SystemExit(pytest.main(["-m", "", TEST]))
