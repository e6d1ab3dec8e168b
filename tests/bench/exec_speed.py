#!/usr/bin/env python3
"""Speed of `gsu exec` (scripts/bench exec): calls that do nothing, a thousand small launches, and a program against `gsu run` of the launches that it
saved. Figures to read, not a test. Arguments: the build folder, rounds (default 5); the least of the rounds counts."""
import pathlib
import re
import subprocess
import sys
import tempfile
import time

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
DATA = pathlib.Path(__file__).resolve().parent.parent / "cuda/data/kernels_size.fatbin"


def gsu(*arguments):
    """Seconds of processor time (user and system, with children), and what was printed."""
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([BUILD / "gsu", *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"exec_speed: gsu {' '.join(map(str, arguments))}: {done.stderr[-500:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def program(scenario, *options):
    return gsu("exec", "--quiet", *options, "--", BUILD / "tests/cuda/cuda_program", DATA, scenario)


def least(measure):
    return min(measure()[0] for _ in range(ROUNDS))


for line in program("empty_calls", "--unit", "golden")[1].splitlines():
    if match := re.fullmatch(r"(\w+) ([\d.]+) us", line):
        print(f"call {match[1]}: {match[2]} us")
with tempfile.TemporaryDirectory() as folder:
    for scenario, unit in (("many", "golden"), ("long_launches", "golden"), ("long_launches", "lockstep")):
        saved = pathlib.Path(folder) / f"{scenario}_{unit}"
        program(scenario, "--unit", unit, "--save", saved)
        lists = list(saved.glob("list_*.launch.json"))
        assert len(lists) == 1, lists
        exec_time = least(lambda: program(scenario, "--unit", unit))
        run_time = least(lambda: gsu("run", "--json", "--unit", unit, lists[0]))
        print(f"{scenario} on {unit}: exec {exec_time:.2f} s, run {run_time:.2f} s of processor time, exec/run {exec_time / run_time:.3f}")
