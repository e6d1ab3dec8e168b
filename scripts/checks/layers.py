"""Which folder may use which: the layers of C++, from the lowest to the highest, and of the tests."""
import re

from checks.common import ROOT, check, rel, tracked
from checks.sources import CLASS, bodies, scoped_lines

# Layers from the lowest to the highest: (folder, how its headers are included, what it may include besides itself, as include paths).
MODEL_LAYERS = [
    ("sc_model/base", "base", ()),
    ("sc_model/golden", "golden", ("base",)),
    ("sc_model/causes", "causes", ("base", "golden")),
    ("sc_model/verilated", "verilated", ("base", "golden")),
    ("sc_model/lockstep", "lockstep", ("base", "golden")),
    ("sc_model/systemc", "systemc", ("base", "golden", "verilated")),
    ("sc_model/units", "units", ("base", "golden", "verilated", "lockstep")),
    ("sc_model/capi", "capi", ("base", "golden", "causes", "units")),
]
# Each folder of the executor may include the folders listed before it, the golden model and the front end.
EXEC_LAYERS = ("tensor tmem visibility timing storage program tensormap launch settings result device warps history state alu ctas memory client lanes async tcgen05 issue ops "
              "decode lookahead hangs causes machine shared_units").split()
# Some of these are only functions and values; they include neither the front end nor the other folders.
EXEC_ALONE = {"tensor": {"base"}, "tmem": {"base", "exec/tensor"}, "visibility": {"base", "golden"}, "timing": {"base", "golden"}}
# The same for the CUDA stand-in, above the executor of one launch and the layers below it.
CUDA_LAYERS = "device code report streams platform api blas".split()
TB_LAYERS = [
    ("tb/ptx", "ptx", ("base", "golden")),
    ("tb/litmus", "litmus", ("base", "golden")),  # apart from the executor's memory, which it judges
    ("tb/observers", "observers", ("base", "golden")),
    ("tb/trace", "trace", ("base", "golden", "causes", "ptx", "observers")),
    ("tb/gen", "gen", ("base",)),  # texts
    ("tb/fuzz", "fuzz", ("base",)),  # computes its expectations without GSU
    ("tb/fuzz/rounds", "fuzz/rounds", ("base", "fuzz")),
    ("tb/races", "races", ("base", "golden", "ptx", "trace", "exec")),  # order, apart from litmus, with which it is compared
    ("tb/causality", "causality", ("base", "golden", "exec")),  # the same, by paths: apart from races and litmus
    ("tb/rules", "rules", ("base",)),  # texts
    ("tb/traffic", "traffic", ("base", "golden")),
    ("tb/run", "run", ("base", "golden", "causes", "units", "ptx", "observers", "trace", "exec", "races", "rules")),
    ("tb/run/observers", "run", ("base", "golden", "causes", "units", "ptx", "observers", "trace", "exec", "races", "rules")),
    ("tb/cli", "cli", ("base", "golden", "causes", "units", "model_digest", "ptx", "observers", "trace", "exec", "races", "causality", "rules", "gen", "fuzz", "litmus", "traffic", "run")),
    ("tb/systemc", "systemc", ("base", "golden", "lockstep", "systemc", "units", "verilated", "ptx", "observers", "trace", "exec")),
]


# Folders of a layer that the rest of it may not include: "fuzz" of a layer below allows all of the others.
UPPER = {"fuzz/rounds"}


def layers():
    """{folder: include paths that its files may name}, and all include paths there are."""
    allowed = {folder: {name, *below} for folder, name, below in MODEL_LAYERS + TB_LAYERS}
    for number, layer in enumerate(EXEC_LAYERS):
        below = {f"exec/{r}" for r in EXEC_LAYERS[:number + 1]} | {"base", "golden", "causes", "ptx"}
        allowed[f"tb/exec/{layer}"] = {f"exec/{layer}"} | EXEC_ALONE[layer] if layer in EXEC_ALONE else below
    allowed["tb/exec"] = {"base", "golden", "ptx", "exec"}  # the program that is run for a profile
    for number, layer in enumerate(CUDA_LAYERS):
        allowed[f"tb/cuda/{layer}"] = {f"cuda/{r}" for r in CUDA_LAYERS[:number + 1]} | {"base", "golden", "units", "ptx", "observers", "exec", "run"}
    names = {name for _, name, _ in MODEL_LAYERS + TB_LAYERS} | {f"exec/{r}" for r in EXEC_LAYERS} | {f"cuda/{r}" for r in CUDA_LAYERS} | {"exec", "cuda"}
    return allowed, names


def layer_of(include, names):
    """The layer to which an include path leads; None: to no layer."""
    return max((n for n in names if include.startswith(n + "/")), key=len, default=None)


def including(folder, include, allowed, names):
    """Why a file in the folder may not include the path; None: it may."""
    layer = layer_of(include, names)
    if layer is None:
        return None
    if folder not in allowed:
        return f"{folder} is no layer of scripts/checks/layers.py (MODEL_LAYERS, TB_LAYERS, EXEC_LAYERS, CUDA_LAYERS): say where it stands"
    parents = {layer, layer.split("/")[0]} if layer not in UPPER else {layer}
    return None if parents & allowed[folder] else f"{folder} may not include {include}: it stands above, or beside"


# Tests of a folder include the layers of its name (exec: all of the executor) and the layers below these. Other tests, and what some tests need besides:
TEST_LAYERS = {
    "bench": ("exec", "races", "trace", "observers", "units"),  # measures all of them
    "causality": ("causality", "observers"),  # kernels, whose events it reads
    "causes": ("exec", "observers"),  # hangs of kernels and of their traces
    "exec": ("exec", "lockstep"),  # a kernel with a unit
    "fuzz": ("fuzz", "cuda", "exec", "trace", "litmus", "capi"),  # what is fuzzed: readers of launches, fatbins, PTX, traces, litmus tests, checkpoints
    "lockstep": ("units", "traffic", "observers"),  # drives the unit with random traffic
    "memory": ("exec", "litmus"),  # the executor's memory against litmus
    "observers": ("observers", "traffic"),  # what they say of random streams
    "precedence": ("lockstep", "verilated"),
    "races": ("races", "litmus", "observers", "rules"),  # the detector against litmus, and the examples of the rules that it reports
    "rtl": ("verilated",),
    "rules": ("rules", "exec"),  # every finding of the executor has its rule
    "scenarios": ("exec", "trace", "lockstep", "verilated"),  # kernels on each unit
    "tcgen05": ("exec",),
    "tensor": ("exec",),
    "timing": ("exec",),
    "tmem": ("exec",),
    "units": ("units", "traffic"),
    "verilated": ("verilated", "lockstep", "exec"),  # latencies of the RTL against the executor's table of parameters
}


def below(layers_of, allowed):
    """Layers below these, and these themselves; "exec" means all of its layers."""
    found, todo = set(), [*layers_of]
    by_name = {}
    for folder, under in allowed.items():
        name = folder.split("/", 1)[1]
        for key in {name, name.split("/")[0]}:
            by_name.setdefault(key, set()).update(under)
    while todo:
        layer = todo.pop()
        if layer not in found:
            found.add(layer)
            todo += by_name.get(layer, ())
    return found


def test_includes(path, include, allowed, names):
    """Why a test may not include the path; None: it may, or the path is of no layer."""
    layer = layer_of(include, names)
    if layer is None or (path.parent / include).exists() or (ROOT / "tests" / include).exists():  # helpers of tests
        return None
    folder = rel(path).split("/")[1]
    if {layer, layer.split("/")[0]} & below(TEST_LAYERS.get(folder, (folder,)), allowed):
        return None
    return f"tests/{folder} may not include {include}: neither what it tests nor below it (TEST_LAYERS of scripts/checks/layers.py)"


# Classes of higher layers that a folder only passes on by pointer or reference; functions that are defined in a higher layer than declared.
NAMES_ABOVE = {
    ("tb/exec/program/micro_op.hpp", "Ctx"),  # the function of a micro-operation takes the object on which it executes
    ("tb/exec/warps/context.hpp", "RunParts"),  # likewise, handed to the functions of the layers above
    *(("tb/exec/state/run_parts.hpp", part) for part in ("AsyncEngines", "MatrixEngine", "Memory", "RemoteAtomics", "SyncClient", "TensorCores")),  # likewise
    ("tb/fuzz/pattern.hpp", "patternOf"),  # the table of patterns is in the folder of the patterns
}


def names_above(allowed, names):
    """Forward declarations of classes of a higher layer, and declarations whose definition is in another folder: includes show neither."""
    classes, declared, defined, forward = {}, {}, [], []
    for path in tracked(".hpp", ".cpp", ".h"):
        if not rel(path).startswith(("sc_model/", "tb/")) or "/example" in rel(path) or path.name.endswith(".gen.hpp"):
            continue
        code = {}
        for number, names_of_it, line in scoped_lines(path):
            if not all(names_of_it):
                continue
            code[number] = space = "::".join(names_of_it)
            if match := re.match(r"(?:class|struct) (\w+);", line):
                forward.append((path, number, space, match[1]))
            elif path.suffix == ".hpp" and (match := CLASS.match(line)):
                classes.setdefault((space, match[1]), path)
            elif path.suffix == ".hpp" and (match := re.match(r"(?!return|using|typedef|template|class|struct|#|//)[\w\[\]:&*<>, ]*?[ &*](\w+)\(", line)):
                declared.setdefault((space, match[1]), set()).add(path)
        if path.suffix == ".cpp":
            starts = path.read_text().split("\n")
            defined += [(path, n, code[n], name) for name, n, _, _ in bodies(path) if n in code and starts[n - 1] == "{"]
    bad, seen = [], set()

    def above(path, number, name, message):
        seen.add((rel(path), name))
        if (rel(path), name) not in NAMES_ABOVE:
            bad.append(f"{rel(path)}:{number}: {message}")

    for path, number, space, name in forward:
        home = classes.get((space, name))
        if home and including(rel(path.parent), rel(home).split("/", 1)[1], allowed, names):
            above(path, number, name, f"{name} of {rel(home)} is declared here: it stands above, or beside")
    for path, number, space, name in defined:
        first, _, rest = name.partition("::")
        homes = {classes[space, first]} if rest and (space, first) in classes else declared.get((space, name), set())
        if homes and path.parent not in {home.parent for home in homes}:
            home = sorted(homes)[0]
            above(home, 1, name, f"{name} is declared here and defined in {rel(path)}:{number}, another folder")
    if len(forward) < 40 or len(defined) < 1500:
        bad.append(f"only {len(forward)} forward declarations and {len(defined)} definitions found: this check no longer reads them")
    return bad + [f"NAMES_ABOVE of scripts/checks/layers.py: {place} {name}: no longer so, remove it" for place, name in sorted(NAMES_ABOVE - seen)]


@check(fast=True)
def dependencies():
    """Folders include, declare and define only what lies below them, tests what they test; Verilator and SystemC stay in their folders; the RTL knows no C++."""
    allowed, names = layers()
    bad = names_above(allowed, names)
    for path in tracked(".cpp", ".hpp", ".h"):
        folder = "/".join(rel(path).split("/")[:2])
        inside = rel(path.parent)
        for number, line in enumerate(path.read_text().split("\n"), 1):
            match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)', line)
            if not match:
                continue
            include = match[1]
            where = f"{rel(path)}:{number}"
            if inside.startswith(("sc_model/", "tb/")) and "example" not in inside:
                why = including(inside, include, allowed, names)
                bad += [f"{where}: {why}"] if why else []
            if folder.startswith("tests/"):
                why = test_includes(path, include, allowed, names)
                bad += [f"{where}: {why}"] if why else []
            if re.match(r"(verilated|Vgsu)", include) and "/" not in include and folder not in (
                    "sc_model/verilated", "sc_model/systemc", "tb/systemc", "tests/rtl", "tests/verilated", "tests/systemc", "tests/bench"):
                bad.append(f"{where}: Verilator headers stay in sc_model/verilated and sc_model/systemc")
            if include.startswith(("systemc", "tlm", "sysc")) and "/" not in include.replace("tlm_utils/", "") and folder not in (
                    "sc_model/systemc", "sc_model/examples", "tb/systemc", "tests/systemc"):
                bad.append(f"{where}: SystemC headers stay in sc_model/systemc and tb/systemc")
    for path in tracked(".sv", ".svh"):
        if not rel(path).startswith("rtl/") or "/formal/" in rel(path):  # testbenches are no RTL; a harness has one task per define
            continue
        for number, line in enumerate(path.read_text().split("\n"), 1):
            own = {"gsu_pkg.sv": "`ifdef GSU_HARDWARE", "gsu_clock_gate.sv": "`ifdef GSU_EDGE_CLOCKS",  # one constant; the gate in a model
                   "gsu_ram.sv": "`ifdef GSU_EDGE_CLOCKS",  # the order of read and write in a model
                   "gsu_grid.sv": "`elsif GSU_SHADOW"}.get(path.name, "`ifdef FV_FLAT")  # a copy of a memory for assertions, in models
            exempt = path.name == "gsu_assert.svh" or any(allowed_one in line for allowed_one in ("`ifdef FV_FLAT", own))  # properties of a memory
            if re.search(r"\$display|import \"DPI|\$random|`(ifdef|ifndef|elsif)", line.split("//")[0]) and not exempt:
                bad.append(f"{rel(path)}:{number}: no $display, DPI, $random or ifdef in the RTL")
    return bad
