"""Count and print: ``python -m benchmarks.structure``."""

import argparse

from benchmarks.structure.names import name_counts
from benchmarks.structure.reach import reach_counts
from benchmarks.structure.sentences import sentence_counts
from benchmarks.structure.sizes import size_counts
from benchmarks.structure.walking import trace_counts, walking_counts


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description="Count what makes the tree hard to walk.")
    parser.add_argument("--verbose", action="store_true", help="list the places")
    parser.add_argument("--no-traces", action="store_true", help="leave the two requests out")
    arguments = parser.parse_args()
    print(f"{'':<62}{'now':>20}  goal")
    for name, now, goal, places in [
        *size_counts(),
        *sentence_counts(),
        *name_counts(),
        *reach_counts(),
        *walking_counts(),
        *trace_counts(not arguments.no_traces),
    ]:
        print(f"{name:<62}{now:>20}  {goal}")
        for place in places if arguments.verbose else ():
            print(f"    {place}")


if __name__ == "__main__":
    main()
