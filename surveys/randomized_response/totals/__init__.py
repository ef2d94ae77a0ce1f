"""What published totals of randomized answers tell of one person: smaller than the reports do."""

from .statements import CentralStatement, PublishedTotal, central_statement

__all__ = ["CentralStatement", "PublishedTotal", "central_statement"]
