"""``python -m deniable``: the same as the command ``deniable``."""

from . import main

main()
