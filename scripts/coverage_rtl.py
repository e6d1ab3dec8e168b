"""The RTL part of scripts/coverage: points of Verilator's coverage, joined over all instances and models of a module.

A point is (file, metric, line, column, text): a line of code ("line"), a way of an if, case or ?: ("branch"), a bit of a signal that rose or fell
("toggle"; entries of a table count together), a combination of the terms of an expression that decides it ("expr"). Its count is the sum over the models of a
build.
"""
import array
import re
from collections import defaultdict
from pathlib import Path

INDEX = re.compile(r"\[\d+\]")
METRICS = ("line", "branch", "toggle", "expr")
POINT = re.compile(r'__vlCoverInsert\(&\(vlSymsp->__Vcoverage\[(\d+)\]\), first, "([^"]*)", (\d+), (\d+), "[^"]*", "v_(\w+)/[^"]*", "((?:[^"\\]|\\.)*)", "([^"]*)"')
TOGGLE = re.compile(r'__vlCoverToggleInsert\((-?\d+), (-?\d+), (\d), &\(vlSymsp->__Vcoverage\[(\d+)\]\), first, "([^"]*)", (\d+), (\d+), "[^"]*", "v_toggle/[^"]*", "([^"]*)"')


def lines_of(text):
    """The line numbers of "3,7-9"."""
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def read_model(folder, counts, points):
    """Adds the points of one model; `counts`: its counters, None where no program made one of it."""
    def count(index):
        return counts[index] if counts is not None else 0

    for call in (folder / "points.txt").read_text(encoding="utf-8").split("\n"):
        if found := TOGGLE.search(call):
            begin, end, ranged, first, file, line, column, name = found.groups()
            begin, end, first = int(begin), int(end), int(first)
            name = INDEX.sub("[]", name)  # entries of a table are joined, as instances are
            step = 1 if end >= begin else -1
            for at, bit in enumerate(range(begin, end + step, step)):
                for edge, word in enumerate(("falls", "rises")):
                    text = f"{name}[{bit}] {word}" if ranged == "1" else f"{name} {word}"
                    points[file, "toggle", int(line), int(column), text] += count(first + 2 * at + edge)
        elif found := POINT.search(call):
            index, file, line, column, page, text, covered = found.groups()
            number = count(int(index))
            if page in ("branch", "expr"):
                # all turns of an unrolled loop are joined
                points[file, page, int(line), int(column), INDEX.sub("[]", re.sub(r"\d+'s?h[0-9a-f]+", "#", text))] += number
            if page in ("line", "branch"):
                for one in lines_of(covered):
                    points[file, "line", one, 0, ""] += number
        elif call:
            raise ValueError(f"{folder / 'points.txt'}: not understood: {call[:120]}")


def read(build):
    """Point -> count, of the files below rtl/."""
    points = defaultdict(int)
    for path in sorted((build / "verilated").glob("*/points.txt")):
        file = build / "counts" / f"{path.parent.name}.counts"
        counts = None
        if file.exists():
            counts = array.array("I")
            counts.frombytes(file.read_bytes())
        read_model(path.parent, counts, points)
    return {point: number for point, number in points.items() if point[0].startswith("rtl/")}


class Sources:
    """Texts of lines, each file read once."""

    def __init__(self, root):
        self.root, self.held, self.known = Path(root), {}, {}

    def line(self, file, number):
        if file not in self.held:
            path = self.root / file
            self.held[file] = path.read_text(encoding="utf-8", errors="replace").split("\n") if path.exists() else []
        lines = self.held[file]
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""

    def words(self, file):
        """Every word of a file."""
        if file not in self.known:
            self.line(file, 1)
            self.known[file] = set(re.findall(r"\w+", "\n".join(self.held[file])))
        return self.known[file]


def only_passes(point, sources):
    """Whether the module never names a bit of a field: it passes the record on, or leaves the field at its default. The bit counts where it is named."""
    fields = re.findall(r"\.(\w+)", point[4])
    return point[1] == "toggle" and bool(fields) and fields[-1] not in sources.words(point[0])
