"""Coverage and width of every interval that a page or the package shows by default.

    python -m benchmarks.intervals [--part once|live] [--family NAME] [--runs N] [--jobs N]

``families`` is the table: one entry for each way to show a number. ``once`` measures intervals for
one look, ``live`` those that may be looked at again and again. The bounds stand in ``bounds``. What
is printed says of each cell whether it keeps them; the command fails where one does not.

All intervals are measured at 95 %: a page that shows several widens each of them by the same
functions. Where one count decides, all counts are enumerated and nothing is drawn.
"""
