"""Today, asked anew in each test: a run that passes midnight keeps no day from before."""

from datetime import UTC, date, datetime, timedelta

DAY = timedelta(days=1)


def today() -> date:
    """The day in UTC, as the program reckons it."""
    return datetime.now(UTC).date()
