"""Depth, size and time of the units as hardware, for scripts/synth --full and scripts/check: rtl/doc/area.tsv, and rtl/doc/area.md made of it.

Each unit is synthesised alone at its built-in size with GSU_HARDWARE defined (nothing searches for the next deadline). Levels: two-input gates and
multiplexers on the longest way from a flop or an input to a flop or an output, mapped for depth; inverters are free, a memory that is read in the
same clock counts the logarithm of its words. Flops: those of the logic. A memory behind gsu_ram is one that a compiler could make. Gate equivalents and
FO4: scripts/standard_cells.py. The SM and the network as wholes are the sum of their units and of what is left of them.
"""
import hashlib
import json
import math
import re
import subprocess
import tempfile
from pathlib import Path

import standard_cells

ROOT = Path(__file__).resolve().parent.parent
RECORD, PAGE, REASONS = ROOT / "rtl/doc/area.tsv", ROOT / "rtl/doc/area.md", ROOT / "rtl/doc/area_reasons.tsv"
PARTS = ROOT / "rtl/doc/area_parts.tsv"  # parts of wholes whose parameters are not those of their row in the table
FIELDS = ("unit", "parameters", "levels", "cells", "flops", "ram", "other", "ge", "fo4", "sources")
MAX_LEVELS = 48  # the aim
MAX_GROWTH = 0.03  # growth of gates or of bits that needs no reason
UNITS = {  # name: parameters, if the unit is used with others than its built-in ones
    "gsu_cta_table": "", "gsu_cta_end": "", "gsu_lane_join": "", "gsu_warp_sync_answer": "", "gsu_warp_engine": "", "gsu_warp_unit": "",
    "gsu_named_barrier": "", "gsu_cluster_barrier": "", "gsu_cluster_report": "", "gsu_mbar_operands": "", "gsu_mbar_walk": "", "gsu_mbar_async": "",
    "gsu_mbar_agent": "", "gsu_mbar_recv": "", "gsu_mbar_send": "", "gsu_mbar_clc": "", "gsu_mbar_remote": "", "gsu_mbar_cache": "", "gsu_mbar_wait_slots": "",
    "gsu_mbar_exec": "", "gsu_mbar_rsp": "", "gsu_order_wait_queue": "Width=198,Classes=4", "gsu_order": "", "gsu_fence": "", "gsu_atom_reply": "",
    "gsu_grid": "", "gsu_sm_time": "", "gsu_null_unit": "", "gsu_rr_arb": "Width=192,Inputs=8", "gsu_net_sources": "", "gsu_net_route": "",
    "gsu_net_links": "", "gsu_net_acks": "", "gsu_net_reports": "", "gsu_net_cbar": "", "gsu_net_grid": "",
}
WHOLES = ("gsu_sm", "gsu_net", "gsu_sm Ctas=8,WarpSlots=32", "gsu_sm Waits=128", "gsu_sm Operands=16",
          "gsu_sm Releases=8,Answers=8,MbarAnswers=8,WaitAnswers=16,Receives=8")
FLOPS = ("$_DFF", "$_SDFF", "$_DFFE", "$_SDFFE", "$_SDFFCE", "$_ALDFF", "$_FF", "$_DLATCH")
FREE = ("$_NOT_", "$_BUF_")


def files_of(unit, without=()):
    """The packages, the files of the unit, and those of its parts, except modules that are black boxes."""
    listed = {Path(line).stem: ROOT / line for line in (ROOT / "rtl/gsu.f").read_text().split("\n") if line.endswith(".sv")}
    found, todo = set(), [unit]
    while todo:
        name = todo.pop()
        if name in listed and name not in found and name not in without:
            found.add(name)
            todo += re.findall(r"\bgsu_\w+", re.sub(r"//.*", "", listed[name].read_text()))
    return [path for name, path in listed.items() if name in found]


def module_of(key):
    """(module, parameters) of a row: a unit, or a whole with its structure."""
    module, _, parameters = key.partition(" ")
    return module, UNITS.get(key, parameters)


def digest_of(module, parameters, without=()):
    text = "".join(re.sub(r"\s*//.*", "", path.read_text()) for path in files_of(module, without)) + parameters
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def digest(key):
    return digest_of(*module_of(key))


def number(value):
    return int(value, 2) if isinstance(value, str) else int(value)


def netlists(module, parameters, python, in_cells, boxes):
    """A flat module in two-input gates and, with `in_cells`, also in standard cells (otherwise None). Modules of `boxes` are left out."""
    with tempfile.TemporaryDirectory(prefix="area.") as folder:
        out = [Path(folder) / f"{kind}.json" for kind in ("gates", "cells")[:1 + in_cells]]
        boxed = ["--keep-hierarchy --ignore-assertions", *(f"--blackboxed-module {box}" for box in boxes)] if boxes else []
        passes = [" ".join(["read_slang --unroll-limit 16384", *boxed, f"-D GSU_HARDWARE --top {module} -I {ROOT / 'rtl'}", *(f"-G {pair}" for pair in parameters.split(",") if pair),
                            *map(str, files_of(module))]), "chformal -remove", f"hierarchy -top {module}", "proc", "flatten", "opt -full", "memory -nomap",
                  "opt -full", "wreduce", "peepopt", "alumacc", "opt", "techmap", "opt -fast", "dffunmap", "simplemap", "opt -fast", "design -save generic",
                  "abc -g gates -script +strash;dch;map,-B,0.9;topo", "opt -fast", "clean -purge", f"write_json {out[0]}"]
        if in_cells:
            passes += ["design -load generic", *standard_cells.MAP, f"write_json {out[1]}"]
        code = "import sys, json\nfrom pyosys import libyosys as ys\nd = ys.Design()\nfor c in json.loads(sys.argv[1]): ys.run_pass(c, d)\n"
        done = subprocess.run([python, "-c", code, json.dumps(passes)], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{module} {parameters}: " + "\n".join((done.stdout + done.stderr).splitlines()[-8:]))
        nets = [json.loads(path.read_text())["modules"][module] for path in out]
        return nets[0], nets[1] if in_cells else None


def memory(cell):
    """(name, words, bits of a word, {bit that is read in the same clock: bits of its address})."""
    parameter, wires, ways = cell["parameters"], cell["connections"], {}
    width, address = number(parameter["WIDTH"]), number(parameter["ABITS"])
    clocked = parameter["RD_CLK_ENABLE"][::-1]  # a string of bits, the last port first
    for port in range(number(parameter["RD_PORTS"])):
        ins = [] if clocked[port] == "1" else wires["RD_ADDR"][port * address:(port + 1) * address]
        ways.update(dict.fromkeys(wires["RD_DATA"][port * width:(port + 1) * width], ins))
    return parameter["MEMID"].strip("\\"), number(parameter["SIZE"]), width, ways


def longest(drivers, ends):
    """Levels of the longest path to one of `ends`; drivers: {bit: (bits before it, levels)}."""
    levels = {}
    for end in ends:
        stack = [end]
        while stack:
            bit = stack[-1]
            before, own = drivers.get(bit, ((), 0))
            todo = [b for b in before if b not in levels]
            if bit in levels or not todo:
                levels.setdefault(bit, own + max((levels[b] for b in before), default=0))
                stack.pop()
            else:
                stack += todo
    return max((levels[end] for end in ends), default=0)


def measure(key, python, in_cells=True):
    """The row of a unit; without `in_cells` it has no gate equivalents and no time."""
    return measure_of(*module_of(key), python, in_cells)


def measure_of(module, parameters, python, in_cells=True, boxes=()):
    net, mapped = netlists(module, parameters, python, in_cells, boxes)
    row = dict(unit=module, parameters=parameters, cells=0, flops=0, ram=0, other=0, sources=digest_of(module, parameters, boxes))
    drivers, ends = {}, set()
    bits = lambda wires: [b for b in wires if isinstance(b, int)]  # noqa: E731
    for cell in net["cells"].values():
        kind, wires, way = cell["type"], cell["connections"], cell.get("port_directions", {})
        ins = [b for port, w in wires.items() if way.get(port) == "input" for b in bits(w)]
        if kind.startswith("$mem"):
            name, words, width, ways = memory(cell)
            row["ram" if name.endswith("mem_q") and not any(ways.values()) else "other"] += words * width
            drivers.update({bit: (bits(before), math.ceil(math.log2(max(words, 2))) if before else 0) for bit, before in ways.items() if isinstance(bit, int)})
            ends.update(ins)
        elif kind.startswith(FLOPS):
            row["flops"] += 1
            ends.update(ins)
        elif not kind.startswith("$"):  # a black box
            ends.update(ins)
        elif not kind.startswith("$scopeinfo"):
            row["cells"] += 1
            drivers.update({b: (ins, 0 if kind in FREE else 1) for port, w in wires.items() if way[port] == "output" for b in bits(w)})
    ends.update(b for port in net["ports"].values() if port["direction"] == "output" for b in bits(port["bits"]))
    return row | {"levels": longest(drivers, ends)} | (standard_cells.measure(mapped, memory) if mapped else {})


INSTANCES = """
import json, sys, pyslang
driver = pyslang.driver.Driver()
driver.addStandardArgs()
assert driver.parseCommandLine(sys.argv[1]) and driver.processOptions() and driver.parseAllSources()
stop, found = set(sys.argv[2].split(",")), []
def value(parameter):
    text = str(parameter.value)
    return int(text.split("'")[-1].lstrip("sdbh"))
def visit(symbol):
    if symbol.kind == pyslang.ast.SymbolKind.Instance:
        name = symbol.body.definition.name
        if name in stop:
            found.append([name, ",".join(f"{p.name}={value(p)}" for p in symbol.body.parameters if not p.isLocalParam)])
            return
        symbol = symbol.body
    elif "Generate" not in str(symbol.kind):
        return
    for member in symbol:
        visit(member)
for top in driver.createCompilation().getRoot().topInstances:
    visit(top)
print(json.dumps(found))
"""


def instances(tops, parameters, python):
    """[(unit, all its parameters)] of the parts of modules; a unit itself gives one."""
    pairs = [f"-G{pair}" for pair in parameters.split(",") if pair]
    files = dict.fromkeys(str(path) for top in tops for path in files_of(top))
    line = " ".join(["x -DGSU_HARDWARE", *(f"--top {top}" for top in tops), f"-I{ROOT / 'rtl'}", *pairs, *files])
    done = subprocess.run([python, "-c", INSTANCES, line, ",".join(UNITS)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{tops} {parameters}: " + "\n".join((done.stdout + done.stderr).splitlines()[-8:]))
    return [tuple(pair) for pair in json.loads(done.stdout)]


def of_units(python):
    """{(unit, all its parameters): key} of the rows of the table."""
    found = {}
    for unit, parameters in instances(list(UNITS), "", python):
        values = dict(pair.split("=") for pair in parameters.split(",") if pair) | dict(pair.split("=") for pair in UNITS[unit].split(",") if pair)
        found[unit, ",".join(f"{name}={value}" for name, value in values.items())] = unit
    return found


def recorded_parts(python):
    """{(module, all parameters): row} of the parts of wholes: units of the table, and rows that were measured for a whole."""
    rows, parts = recorded(), {(row["unit"], row["parameters"]): row for row in read(PARTS)}
    for part, unit in of_units(python).items():
        if rows.get(unit, {}).get("sources") == digest(unit):
            parts[part] = rows[unit] | {"parameters": part[1], "sources": digest_of(*part)}
    return parts


def store_parts(parts, python):
    known = of_units(python)
    store(PARTS, [parts[part] for part in sorted(parts) if part not in known], "scripts/synth --full")


def whole(key, python, parts):
    """The row of a whole: its units, and what is left of it with them as black boxes, added. Levels and time are those of the worst part. `parts`
    ({(module, parameters): row}) has what was measured before, and gets what is."""
    module, parameters = module_of(key)
    todo = instances([module], parameters, python)
    boxes = sorted({name for name, _ in todo})
    row = dict(unit=module, parameters=parameters, sources="", **dict.fromkeys(("levels", "cells", "flops", "ram", "other", "ge", "fo4"), 0))
    for part in [*todo, (module, parameters)]:
        without = boxes if part == (module, parameters) else []
        if parts.get(part, {}).get("sources") != digest_of(*part, without):
            parts[part] = measure_of(*part, python, True, without)
        for name in ("cells", "flops", "ram", "other", "ge"):
            row[name] += parts[part][name]
        for name in ("levels", "fo4"):
            row[name] = max(row[name], parts[part][name])
    return row | {"sources": digest(key)}


def key_of(row):
    return row["unit"] if row["unit"] in UNITS else f"{row['unit']} {row['parameters']}".strip()


def read(path):
    """Rows of a file of rows."""
    lines = [line.split("\t") for line in path.read_text().split("\n") if line and not line.startswith("#")] if path.exists() else []
    kinds = {"fo4": float} | {name: int for name in ("levels", "cells", "flops", "ram", "other", "ge")}
    return [{name: kinds.get(name, str)(value) for name, value in zip(FIELDS, line)} for line in lines]


def store(path, rows, by):
    path.write_text(f"# Written by {by}. Do not edit.\n# " + "\t".join(FIELDS) + "\n"
                    + "".join("\t".join(str(row[name]) for name in FIELDS) + "\n" for row in rows))


def recorded():
    """{key: row} of the table as it is."""
    return {key_of(row): row for row in read(RECORD)}


def structure(text, python, store_in):
    """The row of gsu_sm at a structure, NAME=VALUE,...: of the table, else measured, with parts that are kept in the file `store_in`."""
    key = f"gsu_sm {text}".strip()
    row = recorded().get(key, {})
    if row.get("sources") == digest(key):
        return row
    parts = {(part["unit"], part["parameters"]): part for part in read(store_in)} if store_in else {}
    before, parts = len(parts), parts | recorded_parts(python)
    row = whole(key, python, parts)
    if store_in and len(parts) != before:
        store(store_in, parts.values(), "scripts/synth --structure")
    return row


def markdown(rows, first):
    """Lines of a table, the deepest first or in their order."""
    text = f"| {first} | levels | FO4 | cells | GE | flops | bits in `gsu_ram` | other memory bits |\n|---|---|---|---|---|---|---|---|\n"
    for row in rows:
        name = f"`{row['unit']}`" + (f" {row['parameters'].replace(',', ', ')}" if row["parameters"] else "")
        text += f"| {name} | {row['levels']} | {row['fo4']} | " + " | ".join(f"{row[field]:,}" for field in ("cells", "ge", "flops", "ram", "other")) + " |\n"
    return text


def write(rows):
    units, wholes = [rows[unit] for unit in UNITS if unit in rows], [rows[key] for key in WHOLES if key in rows]
    store(RECORD, units + wholes, "scripts/synth --full")
    text = PAGE.read_text()
    for mark, table in (("table", markdown(sorted(units, key=lambda row: -row["levels"]), "unit")), ("wholes", markdown(wholes, "whole"))):
        text = re.sub(rf"(<!-- {mark} -->\n).*?(<!-- end -->)", lambda m: m[1] + table + m[2], text, flags=re.S)
    PAGE.write_text(text)


def stale(keys=(*UNITS, *WHOLES)):
    """Rows whose sources are not those of the table."""
    rows = recorded()
    return [key for key in keys if rows.get(key, {}).get("sources") != digest(key)]


def bits(row):
    return row["flops"] + row["ram"] + row["other"]


def growth(key, row, rows):
    """What is larger by more than MAX_GROWTH than in the table, without a line in rtl/doc/area_reasons.tsv that allows it, or deeper without one."""
    if key not in rows:
        return []
    found = []
    reasons = [line.split("\t") for line in REASONS.read_text().split("\n") if line and not line.startswith("#")]
    for what, now, before, bound in (("levels", row["levels"], rows[key]["levels"], rows[key]["levels"]),
                                     ("cells", row["cells"], rows[key]["cells"], rows[key]["cells"] * (1 + MAX_GROWTH)),
                                     ("bits", bits(row), bits(rows[key]), bits(rows[key]) * (1 + MAX_GROWTH))):
        allowed = [int(line[3]) for line in reasons if line[0] == key and line[1] == what and (what != "levels" or int(line[3]) <= MAX_LEVELS)]
        if now > bound and now > max(allowed, default=0):
            found.append(f"{key}: {now:,} {what}, {before:,} in rtl/doc/area.tsv. Make it {'shallower' if what == 'levels' else 'smaller'}, or say why in "
                         "rtl/doc/area_reasons.tsv")
    return found


def grown(python):
    """Measures units that have changed since the table was written; lines about those that are not in it, deeper, or larger without a reason."""
    rows, found = recorded(), []
    for unit in stale(UNITS):
        found += growth(unit, measure(unit, python, False), rows) if unit in rows else [f"{unit} is not in rtl/doc/area.tsv: run scripts/synth --full"]
    return found
