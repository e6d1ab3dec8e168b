"""Mutants of the RTL in one build (mutate_schemata.py): the tree in which they are built, the programs that judge them, the proofs of the survivors."""
import concurrent.futures
import os
import queue
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import mutate_schemata as schemata
from mutate_cpp import run

CATCH = ["-a", "-r", "xml"]
RANDOM, WARP, LONG = ("random traffic through the RTL in lockstep with the golden model", "random warp-wide operations through the RTL in lockstep with the golden model",
                      "mbarrier traffic through the RTL in lockstep with the golden model")
QUIET = "who has answered everything*"
# (program, arguments), ordered by kills per second. [.] marks hidden cases, which a filter would select.
STEPS = [("sc_pins", ["--stores"]), ("test_verilated", [*CATCH, QUIET]), ("test_rtl", CATCH), ("test_warp", CATCH), ("test_rtl_barriers", CATCH), ("test_rtl_mbar", CATCH), ("sc_pins", ["--seed", "1", "--rounds", "8"]),
         ("test_lockstep", [*CATCH, RANDOM]), ("test_lockstep", [*CATCH, WARP]), ("test_scenarios", CATCH),
         ("test_lockstep", [*CATCH, f'~[.]~"{RANDOM}"~"{WARP}"~"{LONG}"']), ("test_verilated", [*CATCH, "~[.]~" + QUIET]), ("test_lockstep", [*CATCH, LONG])]
TOPS = ("gsu_sm", "gsu_net", "gsu_mbar_unit", "gsu_cluster")
LIMITED = ("gsu_sm_limits", "gsu_net", "gsu_cluster")  # modules that refuse parameters at elaboration


def last(text):
    lines = [line for line in text.strip().split("\n") if "rror" in line] or text.strip().split("\n")
    return lines[-1].replace("\t", " ")[:160]


class Tree:
    """A copy of the work tree under build/mutate with a separate build; `texts` replace files."""

    def __init__(self, root, name):
        self.root, self.copy = root, root / "build" / "mutate" / name

    def write(self, texts):
        names = subprocess.run(["git", "ls-files", "-z", "-c", "-o", "--exclude-standard"], cwd=self.root, capture_output=True, text=True, check=True).stdout.split("\0")
        kept = set()
        for name in filter(None, names):
            if not (self.root / name).is_file():
                continue
            data = texts[name].encode() if name in texts else (self.root / name).read_bytes()
            self.put(name, data, (self.root / name).stat().st_mode)
            kept.add(name)
        for name in set(texts) - kept:
            self.put(name, texts[name].encode(), 0o644)

    def put(self, name, data, mode):
        target = self.copy / name
        if not target.exists() or target.read_bytes() != data:  # an unchanged file is not built again
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            target.chmod(mode)

    def configure(self):
        command = ["cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache", "-DGSU_TESTS=ON", "-DGSU_PROFILE=OFF"]
        return run([c for c in command if "LAUNCHER" not in c or shutil.which("ccache")], self.copy)

    def build(self, programs):
        code, text = self.configure()
        if code:
            return code, text
        for program in programs:
            code, text = run(["ninja", "-C", "build", f"-j{os.cpu_count()}", program], self.copy, limit=3600)
            if code:
                break
        return code, text

    def program(self, name):
        return next(p for p in (self.copy / "build").rglob(name) if p.is_file() and os.access(p, os.X_OK))


def chosen(root, mutants):
    """Texts with the choices for the mutants (number -> (path, begin, end, new)) and the numbers that need a build of their own."""
    by_file = {}
    for number, (path, begin, end, new) in mutants.items():
        by_file.setdefault(path, []).append((number, begin, end, new))
    alone = set()
    while True:
        texts = {}
        for path, those in by_file.items():
            name = str(path.relative_to(root))
            texts[name], without = schemata.rewrite(path.read_text(), those, alone)
            alone |= set(without)
        bad = refused(root, texts)
        if not bad - alone:
            return texts, alone
        alone |= bad


def chooser(root):
    """The package, its place in the list of files, and the code by which the models ask for the number."""
    source = "sc_model/verilated/print.cpp"
    listed = (root / "rtl/gsu.f").read_text().replace("rtl/gsu_pkg.sv", "rtl/gsu_mutant_pkg.sv\nrtl/gsu_pkg.sv", 1)
    optimised = (root / "scripts/cmake/GsuVerilate.cmake").read_text().replace("-fno-strict-aliasing -O2", "-fno-strict-aliasing -O1")
    return {"rtl/gsu_mutant_pkg.sv": schemata.PACKAGE, "rtl/gsu.f": listed, "scripts/cmake/GsuVerilate.cmake": optimised,
            source: (root / source).read_text() + schemata.CHOOSER}


def refused(root, texts):
    """Numbers of choices that slang refuses: it reports lines, and these lines contain the numbers."""
    scratch = root / "build" / "mutate" / "slang"
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.copytree(root / "rtl", scratch / "rtl")
    for name, text in {**texts, "rtl/gsu_mutant_pkg.sv": schemata.PACKAGE}.items():
        (scratch / name).write_text(text)
    sources = ["rtl/gsu_mutant_pkg.sv"] + [line for line in (root / "rtl/gsu.f").read_text().split("\n") if line.endswith(".sv")]
    code = "import sys; sys.path.insert(0, sys.argv[1]); import slang_lint; from pyslang import driver\n" \
           "d = driver.Driver(); d.addStandardArgs(); c = ' '.join(['slang', '-I', 'rtl', '--error-limit=0', *sys.argv[2:]])\n" \
           "sys.exit(not (d.parseCommandLine(c) and d.processOptions() and d.parseAllSources() and d.runFullCompilation(False)))"
    result, said = run([sys.executable, "-c", code, str(root / "scripts"), *(w for top in TOPS for w in ("--top", top)), *sources], scratch)
    bad = set()
    for name, line, kind in re.findall(r"^(\S+?):(\d+):\d+: (error|note)", said, re.M):
        text = (scratch / name).read_text().split("\n")[int(line) - 1]
        bad |= {int(n) for n in re.findall(r"gsu_mutant_pkg::id == (\d+)", text)}
    if result and not bad:
        sys.exit("mutate: slang refuses the tree with all mutants, and says no line of one:\n" + said[-3000:])
    return bad


class Judge:
    """Steps (program, arguments) on the programs of the tree, and how long each takes without a mutant."""

    def __init__(self, tree, programs, failing):
        self.tree, self.failing, self.folders, self.took = tree, failing, queue.Queue(), {}
        self.steps = [step for step in STEPS if step[0] in programs] + [(name, CATCH) for name in programs if name not in {step[0] for step in STEPS}]
        self.paths = {name: tree.program(name) for name in programs}
        for i in range(os.cpu_count()):
            folder = tree.copy / "build" / f"run{i}"
            folder.mkdir(exist_ok=True)
            self.folders.put(folder)

    def sound(self, step):
        """Mutant 0 is the RTL as it is: every program must pass."""
        if str(step) in self.took:
            return
        started = time.monotonic()
        code, said = self.start(step, 0, 1800)
        self.took[str(step)] = time.monotonic() - started
        if code:
            sys.exit(f"mutate: {step[0]} fails without a mutant: {'; '.join(self.failing(said)) or last(said)}")
        print(f"     without a mutant: {step[0]} {self.took[str(step)]:.1f} s", flush=True)

    def start(self, step, number, cpu):
        folder = self.folders.get()
        try:
            return run([str(self.paths[step[0]]), *step[1]], folder, 10 * cpu, nice=10, cpu=cpu, GSU_MUTANT=str(number), TMPDIR=str(folder))
        finally:
            self.folders.put(folder)

    def kills(self, step, number):
        """The step that fails, "" if none does."""
        code, said = self.start(step, number, int(30 + 8 * self.took[str(step)]))
        return f"{step[0]}: " + ("; ".join(self.failing(said)) or ("time-out" if code == 124 else f"exit {code}")) if code else ""

    def tests(self, number):
        for step in self.steps:
            self.sound(step)
            if who := self.kills(step, number):
                return "tests", who
        return "survived", ""

    def together(self, passed, done):
        """Judges mutants (number -> steps that it has survived) step by step, in parallel on all cores; calls done(number, verdict, who)."""
        for at, step in enumerate(self.steps):
            numbers = [number for number, steps in passed.items() if steps <= at]
            if numbers:
                self.sound(step)
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                futures = {pool.submit(self.kills, step, number): number for number in numbers}
                for future in concurrent.futures.as_completed(futures):
                    number, who = futures[future], future.result()
                    if who:
                        del passed[number]
                        done(number, "tests", who)
                    else:
                        passed[number] = at + 1
                        done(number, *(("survived", "") if at + 1 == len(self.steps) else ("open", f"after {at + 1} steps")))


def lint(root, name, text):
    """The reports of slang's parser and Verilator -Wall on the mutated file, "" if there are none."""
    if any(d.isError() for d in schemata.nodes(text)[0].diagnostics):
        return "slang: no SystemVerilog"
    scratch = root / "build" / "mutate" / "lint"
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.copytree(root / "rtl", scratch / "rtl")
    (scratch / name).write_text(text)
    stem = Path(name).stem
    for top in TOPS if stem.endswith("_pkg") else [stem]:
        code, said = run(["verilator", "--lint-only", "-Wall", "rtl/lint/gsu.vlt", "-f", "rtl/gsu.f", "--top-module", top], scratch, nice=10)
        if code:
            return next((line for line in said.split("\n") if line.startswith("%")), last(said))[:160]
    if stem not in LIMITED:
        return ""
    code, said = run([str(root / "tests/rtl/refused_parameters"), "verilator", str(scratch)], scratch, nice=10)
    return f"refused_parameters: {last(said)}" if code else ""


def by_itself(tree, judge, name, text):
    """Builds and judges the mutated file in place of the file with choices."""
    said = lint(tree.root, name, text)
    if said:
        return ("tests" if said.startswith("refused_parameters") else "lint"), said
    place = tree.copy / name
    before = place.read_text()
    place.write_text(text)
    try:
        for program in judge.paths:  # most mutants die early, so the programs run one after another
            code, said = tree.build([program])
            if code:
                return "invalid", last(said)
        return judge.tests(0)
    finally:
        place.write_text(before)


def proofs(root, name, text, limit=900):
    """The proof that fails with the mutated file, of the harnesses that read its module."""
    tree = Tree(root, "proofs")
    tree.write({name: text})
    stem = Path(name).stem
    for harness in sorted((tree.copy / "rtl" / "formal").glob("*_fv.sv")):
        if not re.search(rf"\b{stem}\b", harness.read_text()):
            continue
        unit = harness.stem.removesuffix("_fv")
        code, _ = run(["scripts/prove", "-j", "1", unit], tree.copy, limit, GSU_VENV=str(Path(os.environ.get("GSU_VENV", root / ".venv"))))
        if code not in (0, 124):
            return unit
    return ""
