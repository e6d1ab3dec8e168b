"""Area and longest path of a netlist in standard cells: of OSU's library of 0.18 um (Debian's qflow-tech-osu018), timed by OpenSTA (Debian's opensta).

Area is given in gate equivalents, the area of a NAND2X1, and time in FO4, the delay of an INVX1 that drives four of its kind, so that both carry over to other
processes. Nothing is known of wires. Clock and reset arrive everywhere at once. A memory is a black box: set-up and clock to output take MEMORY_FO4 each,
whatever it drives; one that is read in the same clock takes both from address to data. Its bits are no part of the area.
"""
import re
import subprocess
import tempfile
from pathlib import Path

LIBRARY = Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")
PACKAGES = {"qflow-tech-osu018": LIBRARY, "opensta": Path("/usr/bin/sta")}
MEMORY_FO4 = 4
FANOUT = 16  # pins that a flop, a memory or a port drives; a tree of BUFX4 reaches further pins
OUTPUTS = ("Y", "Q", "YC", "YS")  # pins of the library's cells
PERIOD = 1000.0  # ns: far above every path
# Maps Yosys' cells to those of the library, in sizes for speed. abc splits the fanout of gates, but not of the inputs of logic.
MAP = [f"dfflibmap -liberty {LIBRARY}", f"abc -liberty {LIBRARY} -script +strash;dch;map,-B,0.9;topo;buffer,-c;upsize;dnsize", "opt_clean -purge"]


def missing():
    """The package to install first, None if all are there."""
    return next((name for name, path in PACKAGES.items() if not path.exists()), None)


def areas():
    """{cell: area} of the library."""
    cells = re.split(r"\bcell \((\w+)\)", LIBRARY.read_text())[1:]
    return {name: float(re.search(r"\barea : ([\d.]+)", text)[1]) for name, text in zip(cells[::2], cells[1::2])}


def sta(commands, folder):
    """What OpenSTA prints."""
    script = Path(folder) / "run.tcl"
    script.write_text("\n".join([f"read_liberty {LIBRARY}", *commands, "exit", ""]))
    done = subprocess.run([PACKAGES["opensta"], "-exit", script], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode or re.search(r"^Error", done.stdout + done.stderr, re.M):
        raise RuntimeError("OpenSTA: " + "\n".join((done.stdout + done.stderr).splitlines()[-8:]))
    return done.stdout


def fo4():
    """ns: the time that two more stages add to a chain of inverters, each of which drives four; a rising and a falling edge, halved."""
    def chain(stages):
        lines = ["module top(input n0, output z);", f"assign z = n{stages};"]
        for i in range(stages):
            lines += [f"wire n{i + 1}; INVX1 i{i}(.A(n{i}), .Y(n{i + 1}));"] + [f"wire l{i}_{k}; INVX1 x{i}_{k}(.A(n{i + 1}), .Y(l{i}_{k}));" for k in range(3)]
        return "\n".join([*lines, "endmodule", ""])

    def delay(stages, folder):
        path = Path(folder) / "chain.v"
        path.write_text(chain(stages + 1))  # the last stage drives no further stage
        report = sta([f"read_verilog {path}", "link_design top", f"create_clock -name c -period {PERIOD}", "set_input_delay 0 -clock c [get_ports n0]",
                    f"report_checks -unconstrained -through [get_pins i{stages - 1}/Y] -digits 5"], folder)
        edges = re.findall(rf"^ +[\d.]+ +([\d.]+) . i{stages - 1}/Y", report, re.M)
        return float(edges[0])
    with tempfile.TemporaryDirectory(prefix="fo4.") as folder:
        return (delay(8, folder) - delay(6, folder)) / 2


def black_box(name, pins, ways, unit):
    """A memory as a cell of a library. pins: {pin: direction}; ways: {output pin: pins from which it is read in the same clock, none if from a flop}."""
    time = f"{MEMORY_FO4 * unit:.5f}"
    both = f"{2 * MEMORY_FO4 * unit:.5f}"
    edge = 'rise_transition(scalar) { values("0.05"); } fall_transition(scalar) { values("0.05"); }'
    text = [f"  cell ({name}) {{ area : 0; pin(CK) {{ direction : input; clock : true; capacitance : 0.01; }}"]
    for pin, direction in pins.items():
        if direction == "input":
            text.append(f'    pin({pin}) {{ direction : input; capacitance : 0.01; timing() {{ related_pin : "CK"; timing_type : setup_rising; '
                        f'rise_constraint(scalar) {{ values("{time}"); }} fall_constraint(scalar) {{ values("{time}"); }} }} }}')
            continue
        before = ways[pin]
        related, kind, delay = (" ".join(before), "combinational", both) if before else ("CK", "rising_edge", time)
        text.append(f'    pin({pin}) {{ direction : output; timing() {{ related_pin : "{related}"; timing_type : {kind}; timing_sense : non_unate; '
                    f'cell_rise(scalar) {{ values("{delay}"); }} cell_fall(scalar) {{ values("{delay}"); }} {edge} }} }}')
    return "\n".join([*text, "  }"])


HEADER = """library(memories) {
  delay_model : table_lookup; time_unit : "1ns"; voltage_unit : "1V"; current_unit : "1uA"; pulling_resistance_unit : "1kohm"; capacitive_load_unit (1,pf);
  slew_upper_threshold_pct_rise : 80; slew_lower_threshold_pct_rise : 20; slew_upper_threshold_pct_fall : 80; slew_lower_threshold_pct_fall : 20;
  input_threshold_pct_rise : 50; input_threshold_pct_fall : 50; output_threshold_pct_rise : 50; output_threshold_pct_fall : 50;
"""


def split(pins, name):
    """Inserts trees of buffers after outputs that drive too much. pins: [[cell, kind, pin, bit, its direction]]; the bits of inputs are changed. Returns the
    buffers."""
    sinks, buffers = {}, []
    for pin in pins:
        if pin[4] == "input" and isinstance(pin[3], int):
            sinks.setdefault(pin[3], []).append(pin)
    for bit, of in sinks.items():
        while len(of) > FANOUT:
            level = []
            for group in (of[i:i + FANOUT] for i in range(0, len(of), FANOUT)):
                buffer, out = f"b{len(buffers)}", f"{name}{len(buffers)}"
                for pin in group:
                    pin[3] = out
                level.append([buffer, "BUFX4", "A", bit, "input"])
                buffers.append([level[-1], [buffer, "BUFX4", "Y", out, "output"]])
            of = level
    return [pin for buffer in buffers for pin in buffer]


# long: one walk over the netlist, with one set of tables
def measure(net, memory):
    """{ge, fo4} of a netlist that MAP has made, as Yosys writes it in JSON. memory(cell): the result of area.memory for a memory."""
    unit, of_cell = fo4(), areas()
    boxes, pins, clocks, ports = [], [], {}, {"input": [], "output": []}
    for name, port in net["ports"].items():
        ports[port["direction"]] += [b for b in port["bits"] if isinstance(b, int)]
    resets = set(net["ports"].get("rst_ni", {"bits": []})["bits"])
    for number, cell in enumerate(net["cells"].values()):
        kind, wires, name = cell["type"], cell["connections"], f"u{number}"
        if kind.startswith("$mem"):
            _, _, _, ways = memory(cell)
            used = [(f"{port}{i}", bit, port, cell["port_directions"][port]) for port, bits in wires.items() if not port.endswith("CLK")
                    for i, bit in enumerate(bits) if isinstance(bit, int)]
            address = {bit: pin for pin, bit, port, _ in used if port == "RD_ADDR"}
            before = {pin: [address[b] for b in ways.get(bit, []) if b in address] for pin, bit, _, way in used if way == "output"}
            kind = f"memory{len(boxes)}"
            boxes.append(black_box(kind, {pin: way for pin, _, _, way in used}, before, unit))
            pins += [[name, kind, pin, bit, way] for pin, bit, _, way in used]
            clock = next((b for port, bits in wires.items() if port.endswith("CLK") for b in bits if isinstance(b, int)), None)
            if clock is not None:  # otherwise the memory is only read
                clocks[name] = clock
                pins.append([name, kind, "CK", clock, "clock"])
        elif kind in of_cell:
            if "CLK" in wires:
                clocks[name] = wires["CLK"][0]
            for pin, bits in wires.items():
                way = "clock" if pin == "CLK" else "reset" if bits[0] in resets else "output" if pin in OUTPUTS else "input"
                pins.append([name, kind, pin, bits[0], way])
        elif kind.startswith("$scopeinfo"):
            continue
        elif kind.startswith("$"):
            raise RuntimeError(f"the library has no cell for {kind}")
        else:
            for port, bits in wires.items():  # a module that is left out: its outputs are inputs here, and its inputs are outputs
                ports[{"input": "output", "output": "input"}[cell["port_directions"][port]]] += [b for b in bits if isinstance(b, int)]
    wire = lambda bit: f"n{bit}" if isinstance(bit, int) else "1'b1" if bit == "1" else "1'b0" if bit in ("0", "x", "z") else bit  # noqa: E731
    pins += split(pins, "t")
    cells = {}
    for cell, kind, pin, bit, _ in pins:
        cells.setdefault((cell, kind), []).append(f".{pin}({wire(bit)})")
    ins = list(dict.fromkeys(ports["input"]))
    outs = [b for b in dict.fromkeys(ports["output"]) if b not in set(ins)]
    names = {"clock": [wire(b) for b in ins if b in clocks.values()], "data": [wire(b) for b in ins if b not in resets | set(clocks.values())],
             "outs": [wire(b) for b in outs]}
    with tempfile.TemporaryDirectory(prefix="sta.") as folder:
        lines = [f"{kind} {cell}({', '.join(of)});" for (cell, kind), of in cells.items()]
        header = ", ".join([f"input {wire(b)}" for b in ins] + [f"output {wire(b)}" for b in outs])
        (Path(folder) / "net.v").write_text("\n".join([f"module top({header});", *lines, "endmodule", ""]))
        (Path(folder) / "memories.lib").write_text(HEADER + "\n".join(boxes) + "\n}\n")
        of = {name: f" [get_ports {{{' '.join(some)}}}]" for name, some in names.items()}
        commands = [f"read_liberty {folder}/memories.lib"] * bool(boxes) + [f"read_verilog {folder}/net.v", "link_design top"]
        commands += [f"create_clock -name c -period {PERIOD}" + of["clock"] * bool(names["clock"])]
        commands += [f"set_input_delay 0 -clock c{of['data']}"] * bool(names["data"]) + [f"set_output_delay 0 -clock c{of['outs']}"] * bool(outs)
        report = sta([*commands, "report_checks -path_delay max -digits 5"], folder)
    area = sum(of_cell[kind] for _, kind in cells if kind in of_cell)
    slack = float(re.search(r"^ +(-?[\d.]+) +slack", report, re.M)[1])
    return {"ge": round(area / of_cell["NAND2X1"]), "fo4": round((PERIOD - slack) / unit, 1)}
