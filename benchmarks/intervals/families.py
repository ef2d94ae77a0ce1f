"""The table of all families, by their names. Another one is one more entry in its module."""

from benchmarks.intervals.means import means
from benchmarks.intervals.relations import relations
from benchmarks.intervals.samples import samples
from benchmarks.intervals.shares import shares

FAMILIES = {
    family.name: family for part in (shares, means, relations, samples) for family in part()
}
