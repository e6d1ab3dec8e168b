#!/usr/bin/env python3
"""Cycles over area: runs kernels on structures of the SM, and draws which structures are worth building.

    pareto.py OUT.svg                 the structures of the study in README.md; needs the Python package
    pareto.py OUT.svg Waits=64 ...    these structures beside the built-in one

Each structure is a call of `gsu sweep --with ...`: models are built once (two to three minutes each), areas are taken from rtl/doc/area.tsv or
measured (a minute each; qflow-tech-osu018, opensta). A structure with fewer wait slots than are built in needs no model of its own: that many are enabled
(trywait_slots), which takes the same cycles.
"""
import csv
import html
import math
import pathlib
import subprocess
import sys
import tempfile

from gsu import areas

ROOT = pathlib.Path(__file__).resolve().parents[3]
KERNELS = ("scripts/python/studies/waiters.launch.json", "tests/kernels/cluster_pipeline/cluster_pipeline.launch.json", "tests/bench/gemm_512.launch.json",
           "tests/bench/atom_alltoall.launch.json")
QUEUES = "Releases={0},Answers={0},MbarAnswers={0},WaitAnswers={1},Receives={0}"
STRUCTURES = ("", "Waits=8", "Waits=16", "Waits=64", "Operands=8", "Operands=16", "Bars=8", QUEUES.format(8, 16), QUEUES.format(2, 2),
              "Waits=8,Operands=8", "Waits=16,Operands=16", "Waits=64,Operands=16", "Waits=64,Operands=8")
BUILT_IN_WAITS = 32
GE_OF_A_FLOP = 8  # a bit of a memory that is no macro: flop and its part of the multiplexers (gsu_mbar_wait_slots with its memories as flops, rtl/doc/area.md)
GE_OF_A_RAM_BIT = 1  # assumed: a bit of a small macro with its periphery, about a NAND2


def model_of(structure):
    """The structure whose model is run, and the settings that make it this one."""
    parts = dict(item.split("=") for item in structure.split(",") if item)
    if int(parts.get("Waits", BUILT_IN_WAITS)) >= BUILT_IN_WAITS:
        return structure, []
    enabled = parts.pop("Waits")
    return ",".join(f"{name}={value}" for name, value in parts.items()), ["--set", f"trywait_slots={enabled}"]


def sweep(folder, structure, *options):
    command = [sys.executable, "-m", "gsu", "sweep", *(str(ROOT / kernel) for kernel in KERNELS), "--timing", "simple", "-o", folder, *options]
    subprocess.run([*command, *(["--with", structure] if structure else [])], check=True, stdout=subprocess.DEVNULL)
    with open(pathlib.Path(folder) / "results.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def measured(structure):
    """Cycles of each kernel, and area in gate equivalents."""
    model, settings = model_of(structure)
    with tempfile.TemporaryDirectory() as folder:
        rows = sweep(folder, model, *settings)
    size = areas.of_structure(structure)
    area = size["area_ge"] + GE_OF_A_FLOP * size["other_memory_bits"] + GE_OF_A_RAM_BIT * size["ram_bits"]
    return {row["kernel"]: int(row["cycles"]) for row in rows}, area


def name_of(structure):
    return f"queues of {structure.split(',')[0].split('=')[1]}" if structure.startswith("Releases=") else structure or "built in"


def mean_ratio(cycles, base):
    return math.exp(sum(math.log(cycles[kernel] / base[kernel]) for kernel in base) / len(base))


def front_of(points):
    """The points that no other beats in both area and cycles, by area."""
    def beats(q, p):
        return q["area"] <= p["area"] and q["ratio"] <= p["ratio"] and (q["area"], q["ratio"]) != (p["area"], p["ratio"])
    return sorted((p for p in points if not any(beats(q, p) for q in points)), key=lambda p: p["area"])


def picture(points, path):
    """An SVG: one dot for a structure, and the front as steps. What takes more than a tenth longer is left out: it would press the others together."""
    points = [p for p in points if p["ratio"] <= 1.1]
    left, top, wide, high = 70, 20, 780, 380
    x0, x1 = min(p["area"] for p in points) - 30, max(p["area"] for p in points) + 150
    y0, y1 = min(p["ratio"] for p in points) - 0.004, max(p["ratio"] for p in points) + 0.006
    x = lambda p: left + (p["area"] - x0) / (x1 - x0) * wide  # noqa: E731
    y = lambda p: top + (y1 - p["ratio"]) / (y1 - y0) * high  # noqa: E731
    front = front_of(points)
    steps = f"M{x(front[0]):.0f} {y(front[0]):.0f}" + "".join(f" H{x(p):.0f} V{y(p):.0f}" for p in front[1:])
    text = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 460" width="900" height="460" role="img" aria-label="Cycles over area of {len(points)} '
            'structures of an SM"><style>text{font-family:system-ui,"Segoe UI",Helvetica,Arial,sans-serif;font-size:12px;fill:#1f2328}</style>',
            '<rect width="900" height="460" rx="10" fill="#ffffff"/>',
            f'<path d="M{left} {top} V{top + high} H{left + wide}" fill="none" stroke="#57606a"/>',
            f'<path d="{steps}" fill="none" stroke="#1a7f37" stroke-dasharray="4 3"/>']
    for value in range(math.ceil(x0 / 100) * 100, int(x1), 100):
        at = x({"area": value})
        text.append(f'<text x="{at:.0f}" y="{top + high + 16}" text-anchor="middle">{value}</text>')
    for step in range(math.ceil(y0 * 100), int(y1 * 100) + 1):
        text.append(f'<text x="{left - 8}" y="{y({"ratio": step / 100}) + 4:.0f}" text-anchor="end">{step / 100:.2f}</text>')
    for p in points:
        colour = "#1a7f37" if p in front else "#8c959f"
        text.append(f'<circle cx="{x(p):.0f}" cy="{y(p):.0f}" r="4" fill="{colour}"/><text x="{x(p) + 7:.0f}" y="{y(p) + (-6 if p in front else 16):.0f}">{html.escape(p["name"])}</text>')
    text.append(f'<text x="{left + wide / 2:.0f}" y="452" text-anchor="middle">area of the unit of an SM, kGE, memories included</text>')
    text.append(f'<text x="{left + 8}" y="{top + 4}">cycles, 1 = built in (geometric mean of the kernels)</text></svg>')
    pathlib.Path(path).write_text("\n".join(text) + "\n", encoding="utf-8")


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__.strip())
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    base, points = None, []
    for structure in ("", *sys.argv[2:]) if sys.argv[2:] else STRUCTURES:
        cycles, area = measured(structure)
        base = base or cycles
        points.append({"name": name_of(structure), "area": area / 1000, "ratio": mean_ratio(cycles, base)})
        print(f"| {structure or 'built in'} | {area / 1000:.1f} | " + " | ".join(str(cycles[kernel]) for kernel in base) + f" | {points[-1]['ratio']:.3f} |", flush=True)
    picture(points, sys.argv[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
