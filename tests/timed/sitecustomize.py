"""Loaded by each Python process of an installation with a clock of its own (``Timed``).

Python sleeps until a moment of the monotonic clock. libfaketime 0.9.10 takes such a moment for one
of the clock that it sets, and refuses; a select waits for a length of time instead.
"""

import select
import time

time.sleep = lambda seconds: select.select([], [], [], seconds) and None
