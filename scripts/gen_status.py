#!/usr/bin/env python3
"""Writes rtl/doc/status.md: for each unit its rules, RTL, golden model, proofs, coverage, mutants and soak, from the files that hold them. Also writes into
README.md and rtl/doc/proofs.md how many proof tasks and broken copies of the RTL there are.

    scripts/gen_status.py            writes the page and the counts
    scripts/gen_status.py --proofs T does so with the results of `scripts/prove --markdown T`
    scripts/gen_status.py --check    says whether they are as they would be written (scripts/check status)

From: rtl/doc/units.md (units), test_plan.tsv (rules), rtl/formal (tasks), proofs.md (what they showed), tests/coverage/README.md, tests/mutants/*.tsv, tests/soak/ledger.jsonl. What has no
data says so.
"""
import json
import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from command_line import Parser  # noqa: E402
import coverage_table  # noqa: E402
from proof_tasks import tasks_of  # noqa: E402
DOC = ROOT / "rtl/doc"
PAGE = DOC / "status.md"
# The soak's counter for a unit, chosen by the last module of the unit that is listed here: counter, and what it counts.
SOAK = {
    "gsu_cta_table": ("launches", "launches"), "gsu_lane_join": ("requests", "requests"), "gsu_named_barrier": ("named", "requests"),
    "gsu_cluster_barrier": ("cluster", "requests"), "gsu_net": ("crossed", "commits"), "gsu_order": ("fences", "fences"), "gsu_mbar_unit": ("mbarrier", "requests"),
    "gsu_warp_unit": ("warp", "requests"), "gsu_mbar_remote": ("atomic", "requests"), "gsu_grid": ("grids", "grids"), "gsu_mbar_async": ("asynchronous", "completions"),
    "gsu_mbar_clc": ("cancels", "queries"),
}
NOBODYS = ("formal", "testbench", "top", "prim")  # folders whose modules belong to no unit
SHARED = "all of them: top level, buffers, packages"
OUTSIDE = "no unit: front end, executor, generators"
HEAD = """# Status, unit by unit

Written by `scripts/gen_status.py` from the files that hold the figures; `scripts/check status` says when it is old.
[units.md](units.md) says what each unit does.

- **Rules**: those that [test_plan.tsv](test_plan.tsv) names for the unit; *shown*: a test, example or property was seen to fail for it.
- **Proofs**: tasks of [proofs.md](proofs.md) and the properties that they showed.
- **Coverage**: lines, branches and toggles of the RTL that the first tier of `scripts/coverage` reaches, in per cent
  ([tests/coverage](../../tests/coverage/README.md)).
- **Mutants**: of the RTL, drawn or named, in [tests/mutants](../../tests/mutants/README.md): killed by tests, by proofs only, survived. Those that do not build
  or lint are not counted.
- **Soak**: what ran without a difference on the sources of the last run (the last line of ledger.jsonl). It is a small part of what a release wants
  ([tests/soak](../../tests/soak/README.md)).

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
    """Source file -> unit: the one that names its module, else the one that names the module of its folder, gsu_FOLDER or gsu_FOLDER_unit, else the first
    that names one there."""
    named = {module: name for name, modules, _ in reversed(table) for module in modules}
    home, out = {}, {}
    files = sorted(path for path in (ROOT / "rtl").glob("*/*.sv") if path.parent.name not in NOBODYS)
    for path in sorted(files, key=lambda path: path.stem not in (f"gsu_{path.parent.name}", f"gsu_{path.parent.name}_unit")):
        if path.stem in named:
            home.setdefault(path.parent, named[path.stem])
    for path in files:
        out[path.stem] = named.get(path.stem) or home.get(path.parent, SHARED)
    return out


def harnesses():
    """Harness -> its tasks (name, engine, and the modules that the task covers, the outermost last)."""
    return {path.stem.removesuffix("_fv"): [(task["name"], task["engine"], task.get("files", "").split(",")) for task in tasks_of(path)]
            for path in sorted((ROOT / "rtl/formal").glob("*_fv.sv"))}


def task_owners(owner):
    """Task -> unit: the unit of the module after which its harness is named, otherwise of the outermost module that it reads."""
    shared = {path.stem for folder in NOBODYS for path in (ROOT / "rtl" / folder).glob("*.sv")} | {"gsu_forms"}  # functions of several packages
    return {f"{name}.{task}": SHARED if name in shared else owner.get(name) or next((owner[file] for file in reversed(files) if file in owner), SHARED)
            for name, tasks in harnesses().items() for task, _, files in tasks}


def task_rows():
    """Task -> cells of its row in the table "By task" of proofs.md: size, shown, by, s, broken copies, assumes."""
    text = (DOC / "proofs.md").read_text(encoding="utf-8").split("## By task")[1]
    return {name: [cell.strip() for cell in rest.split("|")][:-1] for name, rest in re.findall(r"^\| `(gsu_\w+\.\w+)` \|(.*)$", text, re.M)}


def proofs(owner):
    tasks, shown = Counter(), Counter()
    of = task_owners(owner)
    for name, cells in task_rows().items():
        unit = of.get(name, SHARED)
        tasks[unit] += 1
        shown[unit] += int(cells[1]) if cells[1].isdigit() else 0
    return tasks, shown


def task_engines():
    return {f"{name}.{task}": engine for name, tasks in harnesses().items() for task, engine, _ in tasks}


def broken_copies():
    """Task -> how many broken copies of the RTL must fail it."""
    return Counter(row[0] for path in sorted((ROOT / "rtl/formal/mutants").glob("*.tsv")) for row in rows_of(path))


def with_broken_copies(text):
    """proofs.md with the column "broken copies" as the files have it."""
    broken = broken_copies()
    return re.sub(r"^(\| `(gsu_\w+\.\w+)` \|(?:[^|]*\|){4}) [^|]* \|", lambda m: f"{m[1]} {broken[m[2]] or '-'} |", text, flags=re.M)


def with_results(text, results):
    """proofs.md with the columns "shown" and "s" of the tasks in a table that scripts/prove --markdown wrote."""
    shown, seconds = Counter(), {}
    for row in (line.split(" | ") for line in results.split("\n") if line.startswith("| gsu_")):
        task = f"{row[0].strip('| ')}.{row[1]}"
        held = re.match(r"(\d+) registers", row[2])
        shown[task] += int(held[1]) if held else row[3].startswith("PROVED")
        if row[3].startswith("PROVED"):
            seconds[task] = round(float(row[4].strip(" |")))
    return re.sub(r"^(\| `(gsu_\w+\.\w+)` \|[^|]*\|) [^|]* (\|[^|]*\|) [^|]* \|",
                  lambda m: f"{m[1]} {shown[m[2]]} {m[3]} {seconds[m[2]]} |" if m[2] in seconds else m[0], text, flags=re.M)


def counts():
    """(file, pattern of its text about the number of tasks, correct text). A task holds if its row says how many properties it showed."""
    rows, engines, broken = task_rows(), task_engines(), sum(broken_copies().values())
    proving = [name for name, engine in engines.items() if engine != "cover"]
    hold = sum(1 for name in proving if name in rows and rows[name][1].isdigit())
    of = f"{hold} of {len(proving)}"
    return [(ROOT / "README.md", r"\d+ of \d+ proof tasks hold", f"{of} proof tasks hold"),
            (DOC / "proofs.md", r"There are \d+ tasks: \d+ of \d+ that prove hold, \d+ only reach covers\.",
             f"There are {len(engines)} tasks: {of} that prove hold, {len(engines) - len(proving)} only reach covers."),
            (DOC / "proofs.md", r"breaks the RTL in \d+ ways", f"breaks the RTL in {broken} ways")]


def wrong_rows():
    """Tasks of the harnesses without a row in proofs.md, and rows without a task."""
    rows, engines = set(task_rows()), set(task_engines())
    return [f"rtl/doc/proofs.md: no row for the task {name}" for name in sorted(engines - rows)] + \
        [f"rtl/doc/proofs.md: no harness has the task {name}" for name in sorted(rows - engines)]


def mutants(owner):
    verdicts = {}
    folder = ROOT / "tests/mutants"
    for path in (*sorted(folder.glob("rtl-*.tsv")), folder / "known-results.tsv"):
        for row in rows_of(path):
            unit = owner.get(Path(row[1]).stem, SHARED)
            verdicts.setdefault(unit, Counter())[row[5]] += 1
    return verdicts


def rules(owner):
    """Unit -> its rules, and how many are shown: those of the first module that the test plan names; what names none is no unit's."""
    total, shown = Counter(), Counter()
    for row in rows_of(DOC / "test_plan.tsv"):
        name = next((owner[module] for module in re.findall(r"gsu_\w+", row[1]) if module in owner), OUTSIDE)
        total[name] += 1
        shown[name] += row[2] != "-" and row[3] not in ("", "not seen")
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
    tasks, shown = proofs(owner)
    verdicts, (all_rules, good_rules), soak = mutants(owner), rules(owner), soaked()
    files = Counter(owner.values())
    files[SHARED] += sum(1 for folder in ("top", "prim") for _ in (ROOT / "rtl" / folder).glob("*.sv"))
    text = HEAD
    for name, modules, golden in [*table, (SHARED, [], []), (OUTSIDE, [], [])]:
        mine = verdicts.get(name, Counter())
        kinds = f"{mine['tests']}, {mine['proofs']}, {mine['survived']}" if mine else "-" if name == OUTSIDE else "no data"
        counter, what = next((SOAK[module] for module in reversed(modules) if module in SOAK), ("", ""))
        ran = f"{soak[counter]:,} {what}" if counter and soak[counter] else "no data" if counter else "-"
        cells = (name, f"{all_rules[name]}, {good_rules[name]}" if all_rules[name] else "-", files[name] or "-", ", ".join(f"`{file}`" for file in golden) or "-",
                 f"{tasks[name]}, {shown[name]}" if tasks[name] else "-", "-" if name == OUTSIDE else covered(published, name), kinds, ran)
        text += "| " + " | ".join(str(cell) for cell in cells) + " |\n"
    return text


def main():
    parser = Parser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare")
    parser.add_argument("--proofs", help="a table of scripts/prove --markdown: its results go into rtl/doc/proofs.md")
    call = parser.parse_args()
    check, bad = call.check, wrong_rows()
    for path, pattern, want in counts():
        text = path.read_text(encoding="utf-8")
        if len(re.findall(pattern, text)) != 1:
            bad.append(f"{path.relative_to(ROOT)}: says not once: {want}")
        elif check and want not in text:
            bad.append(f"{path.relative_to(ROOT)}: has to say: {want} (scripts/gen_status.py)")
        elif not check:
            path.write_text(re.sub(pattern, want, text), encoding="utf-8")
    text = (DOC / "proofs.md").read_text(encoding="utf-8")
    if not check:
        if call.proofs:
            text = with_results(text, Path(call.proofs).read_text(encoding="utf-8"))
        (DOC / "proofs.md").write_text(with_broken_copies(text), encoding="utf-8")
    elif with_broken_copies(text) != text:
        bad.append("rtl/doc/proofs.md: the numbers of broken copies are not those of rtl/formal/mutants: scripts/gen_status.py")
    if not check:
        PAGE.write_text(page(), encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page():
        bad.append("rtl/doc/status.md is not what its sources say: scripts/gen_status.py")
    print("\n".join(bad), end="\n" if bad else "")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
