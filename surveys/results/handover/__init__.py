"""The report to hand over: what was asked, of whom, how and when, and what came of it, in a file."""
