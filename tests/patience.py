"""How long a test waits for a condition before it fails, in seconds.

A wait ends when its condition holds, so patience costs nothing but the time of a failure. A machine
that is busier still is given more: ``PATIENCE=600 make test``.
"""

import os

SECONDS = float(os.environ.get("PATIENCE", "180"))
MILLISECONDS = 1000 * SECONDS  # as browsers count
