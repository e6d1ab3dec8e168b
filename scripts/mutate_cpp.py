"""Mutants of C++ for scripts/mutate: the parts, and how their test programs judge a mutant."""
import html
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-mutate"  # for the parts of C++
# Parts of C++: their sources, and the test programs without RTL that cover them, the quickest first (scripts/check mutated_parts).
PARTS = {
    "golden": (["sc_model/golden/*.cpp"], ["golden/test_golden", "lockstep/test_lockstep", "units/test_units"]),
    "follower": (["sc_model/lockstep/*.cpp"], ["lockstep/test_lockstep", "exec/test_exec"]),
    "ptx": (["tb/ptx/check*.cpp", "tb/ptx/sync_match.cpp", "tb/ptx/sync_form.cpp"], ["ptx/test_ptx"]),
    "decoder": (["tb/exec/decode/*.cpp"], ["exec/test_exec", "timing/test_timing", "tensor/test_tensor_arithmetic", "tensor/test_tensor_kernels",
                                           "tcgen05/test_tcgen05", "timing/test_timed_kernels"]),
    "memory": (["tb/exec/visibility/*.cpp", "tb/exec/memory/*.cpp"], ["memory/test_memory", "exec/test_exec", "memory/test_late_memory"]),
    "litmus": (["tb/litmus/*.cpp"], ["litmus/test_litmus"]),
    "timing": (["tb/exec/timing/*.cpp"], ["timing/test_timing", "timing/test_timed_kernels"]),
    "races": (["tb/races/*.cpp"], ["races/test_races"]),
    "causes": (["tb/exec/causes/*.cpp", "tb/exec/history/*.cpp"], ["causes/test_causes"]),
    "reports": (["tb/observers/*.cpp"], ["observers/test_observers"]),
}
LIMIT = 120  # CPU seconds of a test program with a mutant, at most: a mutant that takes longer counts as survived
SLOWER, LEAST = 10, 10  # of that: so many times what the program takes without a mutant, and at least so many seconds
MEMORY = 8 << 30  # bytes of such a program: a loop without end that fills the memory fails instead of harming others


def run(command, cwd=ROOT, limit=1800, nice=0, cpu=0, **env):
    """Exit code and output. 124: it was cut, with its children, after `limit` seconds of the wall or `cpu` of the CPU, which on a busy machine are many more
    of the wall. With `cpu` or `nice` it may have MEMORY bytes."""
    def bounded():
        os.nice(nice)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if cpu:
            resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
        if cpu or nice:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    process = subprocess.Popen(command, shell=isinstance(command, str), cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                               preexec_fn=bounded, start_new_session=True, env={**os.environ, **env})
    try:
        said = process.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return 124, process.communicate()[0]
    cut = cpu and -process.returncode in (signal.SIGXCPU, signal.SIGKILL)
    return 124 if cut else process.returncode, said


def failing(output):
    """Names of the Catch2 cases that failed, from its XML."""
    names = []
    for case in re.findall(r"<TestCase (.*?)</TestCase>", output, re.S):
        if re.search(r'<OverallResult success="false"', case):
            names.append(html.unescape(re.search(r'name="([^"]*)"', case).group(1)))
    return names


def build(programs):
    """Builds test programs, from objects of single files."""
    BUILD.mkdir(exist_ok=True)
    if not (BUILD / "build.ninja").exists():
        command = ["cmake", "-S", ".", "-B", str(BUILD), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache", "-DGSU_TESTS=ON",
                   "-DGSU_RTL=OFF", "-DGSU_SYSTEMC=OFF", "-DGSU_TOGETHER=OFF"]
        code, said = run(command if shutil.which("ccache") else [c for c in command if "ccache" not in c])
        if code:
            sys.exit("mutate: " + said[-2000:])
    code, said = run(["ninja", "-C", str(BUILD), *programs], limit=7200)
    if code:
        sys.exit("mutate: " + said[-2000:])


class Programs:
    """The test programs of a part: how each is built, what it takes without a mutant, and which of its cases killed mutants before."""

    def __init__(self, kind, rows, only=None):
        self.names = [f"tests/{name}" for name in only or PARTS[kind][1]]
        build(self.names)
        self.commands = {name: run(["ninja", "-C", str(BUILD), "-t", "commands", name])[1].split("\n") for name in self.names}
        self.limits = {name: self.limit_of(name) for name in self.names}
        self.kills = {name: {} for name in self.names}
        for row in rows:
            if row[5] == "tests":
                self.killed(row[6])

    def limit_of(self, name):
        """Without a mutant a program must pass."""
        began = resource.getrusage(resource.RUSAGE_CHILDREN)
        code, said = self.test(name, BUILD / name, [], LIMIT)
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        if code:
            sys.exit(f"mutate: {name} fails without a mutant: " + ("; ".join(failing(said)) or said[-500:]))
        took = ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime
        return min(LIMIT, max(LEAST, round(SLOWER * took)))

    def test(self, name, program, arguments, cpu):
        return run([str(program), "-r", "xml", "--abort", *arguments], limit=20 * LIMIT, cpu=cpu, cwd=BUILD / Path(name).parent)

    def killed(self, who):
        program, _, case = who.partition(": ")
        for name, kills in self.kills.items():
            if Path(name).name == program and case:
                kills[case] = kills.get(case, 0) + 1

    def compiled(self, name, path):
        """The command that compiles a file for a program; None: the program does not link it."""
        relative = path.relative_to(ROOT)
        found = next((c for c in self.commands[name] if " -c " in c and (f"{relative}.o " in c or str(path) in c)), None)
        return found and re.sub(r"^\[\d+/\d+\] ", "", found)

    def link(self, name, obj, out):
        """The program with an object before its libraries."""
        link = next(c for c in reversed(self.commands[name]) if f"-o {name} " in c)
        link = link[link.index("&& ") + 3:].removesuffix(" && :") if ": && " in link else link
        code, said = run(link.replace(f"-o {name} ", f"{obj} -o {out} "), cwd=BUILD)
        if code:
            sys.exit(f"mutate: {name} cannot be linked with {obj}: {said[-500:]}")

    def test_all(self, name, out):
        """The verdict of one program, or None: the cases that killed most come first, then all."""
        cases = out.with_name("cases")
        cases.write_text("".join(f"{case}\n" for case, _ in sorted(self.kills[name].items(), key=lambda kill: -kill[1])))
        for arguments in [["--input-file", str(cases)]] * bool(self.kills[name]) + [[]]:
            code, said = self.test(name, out, arguments, self.limits[name])
            if code == 124:
                return "survived", f"{Path(name).name} was cut off after {self.limits[name]} s"
            if code:
                who = f"{Path(name).name}: " + (next(iter(failing(said)), f"exit {code}"))
                self.killed(who)
                return "tests", who
        return None

    def judge(self, mutant, text, scratch):
        """Verdict, and who gave it: the mutated file is compiled alone and linked before its library, into one test program after the other."""
        path = mutant[0]
        names = [name for name in self.names if self.compiled(name, path)]
        if not names:
            sys.exit(f"mutate: {path.relative_to(ROOT)} is compiled for no program of its part")
        source, obj, out = scratch / path.name, scratch / "mutant.o", scratch / "program"
        source.write_text(text)
        compile_ = self.compiled(names[0], path).replace(str(path), str(source))
        compile_ = re.sub(r"-MF \S+", f"-MF {scratch}/d", re.sub(r"-o \S+", f"-o {obj}", compile_))
        code, said = run(compile_.replace(" -c ", f" -I {path.parent} -c ") + " -w", cwd=BUILD, CCACHE_DISABLE="1")
        if code:
            return "invalid", next((line for line in said.split("\n") if "error:" in line), said.strip())[-80:]
        for name in names:
            self.link(name, obj, out)
            if verdict := self.test_all(name, out):
                return verdict
        return "survived", ""
