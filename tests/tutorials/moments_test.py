#!/usr/bin/env python3
"""The moments that waveforms/README.md names: what the page says of a cycle is in the dump, and every signal of the view is there.

    moments_test.py BUILD SOURCE [VIEW ...]   all views of the page's table of moments, and the demo's, or those named

Kernels, commands and cycles are read from the page. Here stands, for each row, what the waves must show at each cycle that the row names, in their order:
first those of the column, then those in the text, `in 840` or `(923)`. Reads dumps with fst2vcd of the package gtkwave. Exit codes: 0 as the page says,
1 differences, 4 fst2vcd is missing.
"""
import collections
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

PAGE = "waveforms/README.md"
# Signals of an SM or of the network: `s0`, `s1` and `net` stand for sm0.gsu_sm, sm1.gsu_sm and net.gsu_net. Values are decimal or 0x. A `^` before the name:
# the signal becomes it in this cycle. Conditions are joined by blanks.
CB0, CB1, SENT = "^s0.tap_cb_valid_o=1 s0.tap_cb_o.warp=0 s0.tap_cb_o.flip=0", "^s1.tap_cb_valid_o=1 s1.tap_cb_o.flip=0", "^s0.gd_up_valid_o=1 s0.gd_up_o"
FLIP0, FREED = "^s0.tap_cb_valid_o=1 s0.tap_cb_o.flip=1", "^s0.rel_valid_o=1 s0.rel_o.cluster=1 s0.rel_o.warps=0x1f"
TABLE, CLC = "net.tap_gd_valid_o=1 net.tap_gd_o", "s0.u_mbar.u_away.u_clc"
MOMENTS = {
    "cluster": [[CB0, CB1],
                ["^s1.cb_up_valid_o=1", "^s0.cb_up_valid_o=1"],
                ["net.tap_valid_o=1 net.tap_o.flip=1 ^net.tap_o.obj=0"],
                ["^s0.cb_dn_valid_i=1", FREED, "^s0.cb_dn_valid_i=1 ^s1.cb_dn_valid_i=1", FLIP0 + " ^s1.tap_cb_valid_o=1 s1.tap_cb_o.flip=1",
                 FREED + " ^s1.rel_valid_o=1"]],
    "dsmem": [["^s0.req_valid_i=1 s0.req_i.warp=1 s0.req_i.remote=1"],
              ["^s0.tx_valid_o=1 s0.tx_o.lane=0 s0.tx_o.more=6", "s0.tx_valid_o=1 s0.tx_o.lane=26"],
              ["^s0.dlv_valid_o=1 s0.dlv_o.more=31 s0.tap_mb_valid_o=1 s0.tap_mb_o.lanes=0xffffffff"],
              ["^s0.ack_valid_i=1 s0.ack_i.tag=56 s0.ack_i.lane=6",
               "s0.ack_valid_i=1 s0.ack_i.tag=56 ^s0.ack_i.lane=31 ^s0.u_mbar.u_away.u_reply.rsp_valid_o=1"],
              ["^s0.rsp_valid_o=1 s0.rsp_o.warp=1"]],
    "warp": [["^s0.opnd_valid_i=1 s0.opnd_i.warp=1 s0.opnd_i.quad=0", "s0.opnd_i.quad=7 ^s0.u_core.u_join.u_warp.opnd_full_o=1"],
             ["^s0.req_valid_i=1 s0.req_i.warp=1", "^s0.tap_ws_valid_o=1 s0.tap_ws_o.lanes=0xffffffff"],
             ["^s0.u_core.u_join.u_warp.u_engine.busy_q=1", "^s0.rsp_valid_o=1 s0.rsp_o.value=122"]],
    "grid": [["^s0.tap_gd_valid_o=1 s0.tap_gd_o.cta=0 s0.tap_gd_o.obj=1 s0.tap_gd_o.flip=1", SENT + ".signals=1"],
             ["^" + TABLE + ".flip=0", TABLE + ".obj=1 ^net.tap_gd_o.flip=1 ^net.grid_signalled_o=2"],
             ["^s0.req_valid_i=1 s0.req_i.cta=1"],
             [SENT + ".ends=1 s0.gd_up_o.cta=0", "^net.grid_complete_o=2", "^" + TABLE + ".flip=0", TABLE + ".obj=1 ^net.tap_gd_o.flip=1 net.tap_gd_o.new_w=0"],
             ["^s0.gd_dn_i.go=1 s0.gd_dn_i.grid=2", "s0.rsp_valid_o=1 s0.rsp_o.cta=1 ^s0.rsp_o.warp=1"]],
    "cancel": [["^s0.req_valid_i=1 s0.req_i.cta=0", "^s0.clc_req_valid_o=1 s0.clc_req_o.cta=0 s0.clc_req_o.tag=42"],
               ["^s0.clc_rsp_valid_i=1", f"^{CLC}.loop_valid_o=1"],
               ["^s0.dlv_valid_o=1 s0.dlv_o.tag=42"],
               ["^s0.tap_mb_valid_o=1 s0.tap_mb_o.cta=0 ^s0.tap_mb_o.flip=1"]],
}
# The paragraph on the demo's dump, whose cycles are `At cycle N` in their order.
WORD = "s0.u_mbar.u_cache.g_shown"
DEMO = [f"^s0.tap_mb_o.flip=1 s0.async_i.amount=512 ^{WORD}[0].object.phase=1 ^{WORD}[0].object.tx=0 s0.u_mbar.u_wait_slots.valid_q=0x1f s0.u_mbar.u_wait_slots.valid_o=1",
        f"^s0.tap_mb_o.flip=1 s0.rx_i.src_sm=1 ^{WORD}[4].object.phase=1 ^{WORD}[4].object.pending=16 s0.u_mbar.u_wait_slots.valid_o=1 ^s0.u_mbar.u_wait_slots.wait_o.warp=4"]


def full_name(name):
    return re.sub(r"^s(\d+)\.", r"sm\1.gsu_sm.", name).replace("net.", "net.gsu_net.", 1) if not name.startswith("sm") else name


def conditions(text):
    """(signal, value, whether it becomes it) of each condition."""
    return [(full_name(name.lstrip("^")), int(value, 0), name.startswith("^")) for name, value in (part.split("=") for part in text.split())]


def signals_of_view(path):
    lines = [line for line in path.read_text().split("\n") if line and line[0] not in "[@-"]
    return [line.split("} ", 1)[1] if line[0] == "+" else line for line in lines]


def read_dump(fst, wanted):
    """(all names, with their range; the changes of those wanted, without it: [(cycle, value or None)])."""
    names, scopes, follow, changes, cycle = set(), [], collections.defaultdict(list), {}, 0
    with subprocess.Popen(["fst2vcd", "-f", str(fst)], stdout=subprocess.PIPE, text=True) as dump:
        for line in dump.stdout:
            fields = line.split()
            if line.startswith("$scope"):
                scopes.append(fields[2])
            elif line.startswith("$upscope"):
                scopes.pop()
            elif line.startswith("$var"):
                name = ".".join([*scopes, fields[4]])
                names.add(name + (fields[5] if fields[5] != "$end" else ""))
                if name in wanted:
                    follow[fields[3]].append(name)
                    changes[name] = []
            elif line.startswith("#"):
                cycle = int(line[1:]) // 1000  # a cycle is a nanosecond
            elif line[0] in "b01xz":
                value, code = fields if line[0] == "b" else (line[0], line[1:].strip())
                digits = value.lstrip("b")
                for name in follow.get(code, ()):
                    changes[name].append((cycle, int(digits, 2) if set(digits) <= {"0", "1"} else None))
    return names, changes


def complaints_of(cycle, text, changes):
    """What of the conditions is not so at this cycle."""
    bad = []
    for name, value, becomes in conditions(text):
        past = [entry for entry in changes.get(name, []) if entry[0] <= cycle]
        if not past:
            bad.append(f"{name} is not in the dump")
        elif past[-1][1] != value:
            bad.append(f"{name} is {past[-1][1]}, not {value}")
        elif becomes and past[-1][0] != cycle:
            bad.append(f"{name} is {value} since cycle {past[-1][0]} already")
    return bad


def numbers(column, text):
    """The cycles of a row: those of its column, then those that the text names."""
    named = re.findall(r"\bin (\d+)|\((\d+)(?: to (\d+))?\)", text)
    return [int(n) for n in re.findall(r"\d+", column) + [n for group in named for n in group if n]]


def rows_of(page):
    """By view: what to run, the dump, and (column, text) of each row."""
    views, at, view = {}, page.index("| view | `scripts/demo` with | cycle |"), None
    for line in page[at:].split("\n")[2:]:
        if not line.startswith("|"):
            break
        name, run, column, text = (cell.strip() for cell in line.strip("|").split("|", 3))
        if name:
            view = name.strip("`").removesuffix(".gtkw")
            views[view] = (run, [])
        views[view][1].append((column, text))
    return views


def run(what, build, source, folder):
    """Runs what the page says of a view, and gives the dump."""
    kernel = re.match(r"`(tests/\S+)`|nothing", what)
    if kernel:
        demo = re.search(r"^kernel=\$\{1:-(\S+)\}", (source / "scripts/demo").read_text(), re.M)[1]
        commands = [f"gsu run {source / (kernel[1] or demo)} --fst demo.fst"]
    else:
        commands = re.findall(r"`(gsu [^`]*)`", what)
    for command in commands:
        subprocess.run([build / "gsu", *shlex.split(command)[1:]], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder / re.search(r": `(\S+)`$", what)[1]


def check_view(view, what, todo, build, source):
    """todo: (place, cycle, conditions)."""
    wanted = {name for _, _, text in todo for name, _, _ in conditions(text)}
    with tempfile.TemporaryDirectory() as folder:
        names, changes = read_dump(run(what, build, source, pathlib.Path(folder)), wanted)
    bad = [f"{view}.gtkw: no signal {name} in the dump" for name in signals_of_view(source / f"waveforms/{view}.gtkw") if name not in names]
    return bad + [f"{PAGE}, {view}.gtkw, `{place}`: at cycle {cycle} {each}" for place, cycle, text in todo for each in complaints_of(cycle, text, changes)]


def work(page):
    """By view: what to run, and (place, cycle, conditions); complaints about rows that name other cycles than this file knows."""
    found, bad = {}, []
    for view, (what, rows) in rows_of(page).items():
        known = MOMENTS.get(view, [])
        cycles = [numbers(*row) for row in rows]
        if [len(row) for row in cycles] != [len(row) for row in known]:
            bad.append(f"{PAGE}: the rows of {view}.gtkw name {[len(row) for row in cycles]} cycles, this test knows {[len(row) for row in known]}")
            continue
        found[view] = (what, [(column, cycle, text) for (column, _), row, texts in zip(rows, cycles, known) for cycle, text in zip(row, texts)])
    demo = [int(n) for n in re.findall(r"At cycle (\d+)", page.replace("\n", " "))]
    if len(demo) != len(DEMO):
        bad.append(f"{PAGE}: {len(demo)} times `At cycle N`, this test knows {len(DEMO)}")
    found["mbarrier"] = ("nothing: `demo.fst`", [(f"At cycle {cycle}", cycle, text) for cycle, text in zip(demo, DEMO)])
    return found, bad + [f"{PAGE}: no moments of {view}.gtkw" for view in MOMENTS if view not in rows_of(page)]


def main():
    build, source = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    if not shutil.which("fst2vcd"):
        print("SKIP: fst2vcd (package gtkwave) is missing, the moments of the views are not looked up")
        return 4
    found, bad = work((source / PAGE).read_text())
    for view, (what, todo) in found.items():
        if view in sys.argv[3:] or not sys.argv[3:]:
            bad += check_view(view, what, todo, build, source)
            print(f"{view}.gtkw: {len(todo)} moments", flush=True)
    for complaint in bad:
        print(complaint)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
