#!/usr/bin/env python3
"""Draws waveforms/timing.svg, measured clocks of kernels against predicted ones, from tb/exec/timing/kernels.tsv.

    scripts/timing_picture.py            writes the picture
    scripts/timing_picture.py --check    exit code 1 if it is not the table's, or if the table of tb/exec/timing.md is not"""
import html
import pathlib
import sys

from command_line import Parser

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE, PICTURE, PAGE = ROOT / "tb/exec/timing/kernels.tsv", ROOT / "waveforms/timing.svg", ROOT / "tb/exec/timing.md"
LEFT, TOP, BAR, GAP, WIDTH, MOST = 310, 46, 15, 20, 430, 850


def rows():
    """Name, what, and thousands of clocks: on an H100, on an H200, predicted with windows of 16 and 1; what bounds it."""
    lines = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return [(name, what, int(h100), int(h200), int(wide), int(narrow), bound) for name, what, h100, h200, wide, narrow, bound in lines]


def page_rows(table):
    """The rows in the form of timing.md."""
    return [f"| {name}: {what} | {h100} | {h200} | {wide} | {narrow} | {100 * (wide / h100 - 1):+.1f} % | {bound} |" for name, what, h100, h200, wide, narrow, bound in table]


def bar(x, y, length, colour):
    return f'<rect x="{x}" y="{y}" width="{length:.1f}" height="{BAR}" fill="{colour}"/>'


def text(x, y, words, size=13, more=""):
    return f'<text x="{x:.1f}" y="{y}" font-size="{size}"{more}>{html.escape(words)}</text>'


def picture(table):
    height = TOP + len(table) * (2 * BAR + GAP) + 34
    scale = WIDTH / MOST
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="{height}" font-family="sans-serif" fill="#222">', '<rect width="100%" height="100%" fill="white"/>',
           text(12, 24, "Thousands of clocks of bf16 GEMM kernels (fast.cu, 4096 x 4096 x 4096): measured on an H100, and predicted without a GPU", 14)]
    for i, (name, what, h100, _, wide, narrow, _) in enumerate(table):
        y = TOP + i * (2 * BAR + GAP)
        out.append(text(LEFT - 8, y + BAR + 4, f"{name}: {what}", more=' text-anchor="end"'))
        out.append(bar(LEFT, y, h100 * scale, "#8a8f98"))
        out.append(text(LEFT + h100 * scale + 6, y + 12, str(h100), 12))
        out.append(bar(LEFT, y + BAR, wide * scale, "#2f6fb3"))
        both = str(wide) if wide == narrow else f"{wide} (in order {narrow})"
        out.append(text(LEFT + wide * scale + 6, y + BAR + 12, f"{both}, {100 * (wide / h100 - 1):+.1f} %", 12))
    y = height - 16
    out += [bar(LEFT, y - 12, 15, "#8a8f98"), text(LEFT + 21, y, "measured"), bar(LEFT + 110, y - 12, 15, "#2f6fb3"), text(LEFT + 131, y, "predicted, --timing hopper")]
    return "\n".join([*out, "</svg>"]) + "\n"


def main():
    parser = Parser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    table, check = rows(), parser.parse_args().check
    if not check:
        PICTURE.write_text(picture(table), encoding="utf-8")
        return 0
    wrong = [] if PICTURE.read_text(encoding="utf-8") == picture(table) else [f"{PICTURE.name} is not what the table gives: scripts/timing_picture.py"]
    page = PAGE.read_text(encoding="utf-8").splitlines()
    wrong += [f"{PAGE.name} lacks the row {row}" for row in page_rows(table) if row not in page]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
