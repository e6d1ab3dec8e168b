"""Depth and size of the units as hardware, for scripts/synth --full and scripts/check: rtl/doc/area.tsv, and rtl/doc/area.md made of it.

Each unit is synthesised alone at its built-in size with GSU_HARDWARE defined (nothing searches for the next deadline). Levels: two-input gates and
multiplexers on the longest way from a flop or an input to a flop or an output, mapped for depth; inverters are free, a memory that is read in the
same clock counts the logarithm of its words. Flops: those of the logic. A memory behind gsu_ram is one that a compiler could make.
"""
import hashlib
import json
import math
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD, PAGE = ROOT / "rtl/doc/area.tsv", ROOT / "rtl/doc/area.md"
FIELDS = ("unit", "parameters", "levels", "cells", "flops", "ram", "other", "sources")
MAX_LEVELS = 48  # what is aimed at
UNITS = {  # name: parameters where they are used otherwise than built in
    "gsu_cta_table": "", "gsu_cta_end": "", "gsu_lane_join": "", "gsu_ws_answer": "", "gsu_warp_engine": "", "gsu_warp_unit": "",
    "gsu_named_barrier": "", "gsu_cluster_barrier": "", "gsu_cluster_report": "", "gsu_mbar_collect": "", "gsu_mbar_walk": "", "gsu_mbar_async": "",
    "gsu_mbar_agent": "", "gsu_mbar_recv": "", "gsu_mbar_send": "", "gsu_mbar_clc": "", "gsu_mbar_away": "", "gsu_mbar_cache": "", "gsu_mbar_cam": "",
    "gsu_mbar_exec": "", "gsu_mbar_rsp": "", "gsu_order_room": "Width=198,Classes=4", "gsu_order": "", "gsu_fence": "", "gsu_atom_reply": "",
    "gsu_grid": "", "gsu_sm_time": "", "gsu_null_unit": "", "gsu_rr_arb": "Width=192,Inputs=8", "gsu_net_in": "", "gsu_net_route": "",
    "gsu_net_links": "", "gsu_net_acks": "", "gsu_net_up": "", "gsu_net_cbar": "", "gsu_net_grid": "",
}
FLOPS = ("$_DFF", "$_SDFF", "$_DFFE", "$_SDFFE", "$_SDFFCE", "$_ALDFF", "$_FF", "$_DLATCH")
FREE = ("$_NOT_", "$_BUF_")


def files_of(unit):
    """The packages, and the files of the unit and of what it consists of."""
    listed = {Path(line).stem: ROOT / line for line in (ROOT / "rtl/gsu.f").read_text().split("\n") if line.endswith(".sv")}
    found, todo = set(), [unit]
    while todo:
        name = todo.pop()
        if name in listed and name not in found:
            found.add(name)
            todo += re.findall(r"\bgsu_\w+", re.sub(r"//.*", "", listed[name].read_text()))
    return [path for name, path in listed.items() if name in found]


def digest(unit):
    text = "".join(re.sub(r"\s*//.*", "", path.read_text()) for path in files_of(unit)) + UNITS[unit]
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def number(value):
    return int(value, 2) if isinstance(value, str) else int(value)


def netlist(unit, python):
    sizes = " ".join(f"-G {pair}" for pair in UNITS[unit].split(",") if pair)
    with tempfile.TemporaryDirectory(prefix="area.") as folder:
        out = Path(folder) / "netlist.json"
        passes = [f"read_slang -D GSU_HARDWARE --top {unit} {sizes} -I {ROOT / 'rtl'} " + " ".join(map(str, files_of(unit))), "chformal -remove",
                  f"hierarchy -top {unit}", "proc", "flatten", "opt -full", "memory -nomap", "opt -full", "wreduce", "peepopt", "alumacc", "opt", "techmap",
                  "opt -fast", "dffunmap", "simplemap", "opt -fast", "abc -g gates -script +strash;dch;map,-B,0.9;topo", "opt -fast", "clean -purge",
                  f"write_json {out}"]
        code = "import sys, json\nfrom pyosys import libyosys as ys\nd = ys.Design()\nfor c in json.loads(sys.argv[1]): ys.run_pass(c, d)\n"
        done = subprocess.run([python, "-c", code, json.dumps(passes)], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{unit}: " + "\n".join((done.stdout + done.stderr).splitlines()[-8:]))
        return json.loads(out.read_text())["modules"][unit]


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
    """Levels of the longest way to one of `ends`; drivers: {bit: (bits before it, levels)}."""
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


def measure(unit, python):
    """A row of the table."""
    net = netlist(unit, python)
    row = dict(unit=unit, parameters=UNITS[unit], cells=0, flops=0, ram=0, other=0, sources=digest(unit))
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
        elif not kind.startswith("$scopeinfo"):
            row["cells"] += 1
            drivers.update({b: (ins, 0 if kind in FREE else 1) for port, w in wires.items() if way[port] == "output" for b in bits(w)})
    ends.update(b for port in net["ports"].values() if port["direction"] == "output" for b in bits(port["bits"]))
    return row | {"levels": longest(drivers, ends)}


def recorded():
    """{unit: row} of the table as it is."""
    if not RECORD.exists():
        return {}
    lines = [line.split("\t") for line in RECORD.read_text().split("\n") if line and not line.startswith("#")]
    return {line[0]: {name: int(value) if name in FIELDS[2:7] else value for name, value in zip(FIELDS, line)} for line in lines}


def write(rows):
    ordered = [rows[unit] for unit in UNITS if unit in rows]
    RECORD.write_text("# Written by scripts/synth --full. Do not edit.\n# " + "\t".join(FIELDS) + "\n"
                      + "".join("\t".join(str(row[name]) for name in FIELDS) + "\n" for row in ordered))
    text = PAGE.read_text()
    table = "| unit | levels | cells | flops | bits in `gsu_ram` | other memory bits |\n|---|---|---|---|---|---|\n"
    for row in sorted(ordered, key=lambda row: -row["levels"]):
        name = f"`{row['unit']}`" + (f" {row['parameters']}" if row["parameters"] else "")
        table += f"| {name} | {row['levels']} | " + " | ".join(f"{row[field]:,}" for field in ("cells", "flops", "ram", "other")) + " |\n"
    PAGE.write_text(re.sub(r"(<!-- table -->\n).*?(<!-- end -->)", lambda m: m[1] + table + m[2], text, flags=re.S))


def stale():
    """Units whose sources are not those of the table."""
    rows = recorded()
    return [unit for unit in UNITS if rows.get(unit, {}).get("sources") != digest(unit)]


def grown(python):
    """Measures what has changed since the table was written; lines about units that are deeper than it says, or not in it."""
    rows, found = recorded(), []
    for unit in stale():
        levels = measure(unit, python)["levels"]
        if unit not in rows:
            found.append(f"{unit} is not in rtl/doc/area.tsv: run scripts/synth --full")
        elif levels > rows[unit]["levels"]:
            found.append(f"{unit}: {levels} levels, {rows[unit]['levels']} in rtl/doc/area.tsv")
    return found
