"""The report to hand over, as one file: what was asked, of whom, how, and what came of it."""
