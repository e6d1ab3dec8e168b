#!/usr/bin/env python3
"""Joins outputs of microbenchmarks.cu into one table: for each row the median of each machine, with least and most where these differ by more than 2 %.

    tests/hardware/table.py H100=h100.tsv H200=h200.tsv GSU=gsu.tsv > tests/hardware/microbenchmarks.tsv
"""
import sys
from pathlib import Path


def rows(path):
    """Name -> (median, least, most) of an output; the first line of a name counts."""
    found = {}
    for line in Path(path).read_text().split("\n"):
        fields = line.split("\t")
        if len(fields) == 5:
            found.setdefault(fields[0], tuple(float(f) for f in fields[1:4]))
    return found


def cell(value):
    if value is None:
        return "-"
    median, least, most = value
    spread = most - least > 0.02 * max(abs(median), 1)
    return f"{median:g}" + (f" ({least:g}..{most:g})" if spread else "")


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    tables = {name: rows(path) for name, path in (argument.split("=", 1) for argument in sys.argv[1:])}
    names = list(dict.fromkeys(name for table in tables.values() for name in table))
    print("\t".join(["row", *tables]))
    for name in names:
        print("\t".join([name, *(cell(table.get(name)) for table in tables.values())]))


if __name__ == "__main__":
    main()
