"""Makes the coverage counters of a Verilated model common to all its instances and all processes (GsuVerilate.cmake calls this after Verilator).

    python3 count_coverage.py FOLDER PREFIX

As generated, each instance of a model has counters of its own, and tells Verilator's coverage library the name of each when it is made. Tests make thousands
of models, and programs end in many ways. So the counters move into a file that processes share (coverage_counts.hpp), and the calls that tell the
names move from the code into FOLDER/points.txt, where scripts/coverage reads them.
"""
import re
import sys
from pathlib import Path

CALL = re.compile(r"^\s*\w+->__vlCover(?:Toggle)?Insert\(.*?\);\n", re.M | re.S)


def main():
    folder, prefix = Path(sys.argv[1]), sys.argv[2]
    calls, counters = [], 0
    for path in sorted(folder.glob("*.cpp")):
        text = path.read_text(encoding="utf-8")
        found = CALL.findall(text)
        if found:
            calls += [" ".join(call.split()) for call in found]
            path.write_text(CALL.sub("", text), encoding="utf-8")
    header = folder / f"{prefix}__Syms.h"
    text, counters = re.subn(r"uint32_t __Vcoverage\[(\d+)\];", rf'static inline std::uint32_t* const __Vcoverage = gsuCoverageCounts("{prefix}", \1);',
                             header.read_text(encoding="utf-8"))
    if counters != 1 or not calls:
        sys.exit(f"count_coverage.py: {header} has {counters} arrays of counters, the code {len(calls)} points: this Verilator is not understood")
    header.write_text(text, encoding="utf-8")
    (folder / "points.txt").write_text("\n".join(calls) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
