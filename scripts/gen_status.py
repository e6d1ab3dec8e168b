#!/usr/bin/env python3
"""Writes rtl/doc/status.md: for each unit its rules, RTL, golden model, proofs, coverage, mutants and soak, from the files that hold them.

    scripts/gen_status.py            writes the page
    scripts/gen_status.py --check    says whether it is as it would be written (scripts/check status)

From: rtl/doc/units.md (units), test_plan.tsv (rules), proofs.md (tasks), tests/coverage/README.md, tests/mutants/*.tsv, tests/soak/ledger.jsonl. What has no
data says so.
"""
import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import coverage_table  # noqa: E402
DOC = ROOT / "rtl/doc"
PAGE = DOC / "status.md"
# What the soak's ledger counts for a unit, by the unit's first module: counter, and what it counts.
SOAK = {
    "gsu_cta_table": ("launches", "launches"), "gsu_lane_join": ("requests", "requests"), "gsu_named_barrier": ("named", "requests"),
    "gsu_cluster_barrier": ("cluster", "requests"), "gsu_net": ("crossed", "commits"), "gsu_order": ("fences", "fences"), "gsu_mbar_unit": ("mbarrier", "requests"),
    "gsu_warp_unit": ("warp", "requests"), "gsu_mbar_away": ("atomic", "requests"), "gsu_grid": ("grids", "grids"), "gsu_mbar_async": ("asynchronous", "completions"),
    "gsu_mbar_clc": ("cancels", "queries"),
}
SHARED = "all of them: top level, buffers, packages"
HEAD = """# Status, unit by unit

Written by `scripts/gen_status.py` from the files that hold the figures; `scripts/check status` says when it is old. What each unit does is in [units.md](units.md).

- **Rules**: those that [test_plan.tsv](test_plan.tsv) names for the unit; *shown*: a test, example or property was seen to fail for it.
- **Proofs**: tasks of [proofs.md](proofs.md) and the properties that they showed.
- **Coverage**: lines, branches and toggles of the RTL that the first tier of `scripts/coverage` reaches, in per cent ([tests/coverage](../../tests/coverage/README.md)).
- **Mutants**: of the RTL, drawn or named, in [tests/mutants](../../tests/mutants/README.md): killed by tests, by proofs only, survived. Those that do not build or lint are not counted.
- **Soak**: what ran without a difference on the sources of the ledger's last line ([tests/soak](../../tests/soak/README.md)).

| unit | rules, shown | modules of RTL | golden model | proofs: tasks, properties | coverage: lines, branches, toggles | mutants: tests, proofs, survived | soak |
|---|---|---|---|---|---|---|---|
"""


def rows_of(path):
    return [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n") if line and not line.startswith("#")]


def units():
    """Name, modules, files of the golden model, from the first table of units.md."""
    out = []
    for line in (DOC / "units.md").read_text(encoding="utf-8").split("\n"):
        cells = [cell.strip() for cell in line.split("|")]
        modules = re.findall(r"`(gsu_\w+)`", cells[2]) if len(cells) > 5 else []
        if modules:
            out.append((cells[1], modules, re.findall(r"`(\w+)`", cells[3])))
    return out


def owners(table):
    """Source file -> unit: the one that names its module, else the one that names the module of its folder, else the first that names one there."""
    named = {module: name for name, modules, _ in reversed(table) for module in modules}
    home, out = {}, {}
    files = sorted(path for path in (ROOT / "rtl").glob("*/*.sv") if path.parent.name not in ("formal", "bench", "top", "prim"))
    for path in sorted(files, key=lambda path: path.stem != "gsu_" + path.parent.name):
        if path.stem in named:
            home.setdefault(path.parent, named[path.stem])
    for path in files:
        out[path.stem] = named.get(path.stem) or home.get(path.parent, SHARED)
    return out


def harnesses(owner):
    """Harness -> unit: that of its name, else of the first module in it that has one."""
    out = {}
    for path in sorted((ROOT / "rtl/formal").glob("*_fv.sv")):
        name = path.stem.removesuffix("_fv")
        inside = re.findall(r"^\s*(gsu_\w+)\s+(?:#|\w+\s*\()", path.read_text(encoding="utf-8"), re.M)
        out[name] = next((owner[module] for module in (name, *inside) if owner.get(module, SHARED) != SHARED), SHARED)
    return out


def proofs(harness):
    tasks, shown = Counter(), Counter()
    text = (DOC / "proofs.md").read_text(encoding="utf-8").split("## By task")[1]
    for name, rest in re.findall(r"^\| `?(gsu_\w+)\.\w+`? \|(.*)$", text, re.M):
        unit = harness.get(name, SHARED)
        numbers = [int(cell.strip()) for cell in rest.split("|") if cell.strip().isdigit()]
        tasks[unit] += 1
        shown[unit] += numbers[0] if numbers else 0
    return tasks, shown


def mutants(owner):
    verdicts = {}
    for name in ("rtl-1.tsv", "known-results.tsv"):
        for row in rows_of(ROOT / "tests/mutants" / name):
            unit = owner.get(Path(row[1]).stem, SHARED)
            verdicts.setdefault(unit, Counter())[row[5]] += 1
    return verdicts


def rules(table):
    total, shown = Counter(), Counter()
    for row in rows_of(DOC / "test_plan.tsv"):
        for name, modules, _ in table:
            if any(re.search(rf"\b{module}\b", row[1]) for module in modules):
                total[name] += 1
                shown[name] += row[2] != "-" and row[3] not in ("", "not seen")
                break
    return total, shown


def soaked():
    path = ROOT / "tests/soak/ledger.jsonl"
    held = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line] if path.exists() else []
    total = Counter()
    for line in held:
        if line["sources"] == held[-1]["sources"] and not line["differences"]:
            total.update({key: value for key, value in line.items() if isinstance(value, int)})
    return total


def covered(published, unit):
    found = [published.get((unit, metric)) for metric in ("line", "branch", "toggle")]
    return ", ".join("-" if number is None else f"{number:.1f}" for number in found) if any(number is not None for number in found) else "no data"


def page():
    table, published = units(), coverage_table.published(ROOT / "tests/coverage/README.md")
    owner = owners(table)
    tasks, shown = proofs(harnesses(owner))
    verdicts, (all_rules, good_rules), soak = mutants(owner), rules(table), soaked()
    files = Counter(owner.values())
    files[SHARED] += sum(1 for folder in ("top", "prim") for _ in (ROOT / "rtl" / folder).glob("*.sv"))
    text = HEAD
    for name, modules, golden in [*table, (SHARED, [], [])]:
        mine = verdicts.get(name, Counter())
        kinds = f"{mine['tests']}, {mine['proofs']}, {mine['survived']}" if mine else "no data"
        counter, what = SOAK.get(modules[0] if modules else "", ("", ""))
        ran = f"{soak[counter]:,} {what}" if counter and soak[counter] else "no data" if counter else "-"
        cells = (name, f"{all_rules[name]}, {good_rules[name]}" if all_rules[name] else "-", files[name], ", ".join(f"`{file}`" for file in golden) or "-",
                 f"{tasks[name]}, {shown[name]}" if tasks[name] else "-", covered(published, name), kinds, ran)
        text += "| " + " | ".join(str(cell) for cell in cells) + " |\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare")
    if not parser.parse_args().check:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == page():
        return 0
    print("rtl/doc/status.md is not what its sources say: scripts/gen_status.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
