#!/usr/bin/env python3
"""Elaborates each RTL module alone with slang, then each proof harness as scripts/prove reads it, and prints every diagnostic; exit 1 if there is one.
Of a harness only errors count: the RTL may change under one that no quick proof reads."""
import pathlib
import sys
import tempfile

import pyslang
from proof_tasks import defines_of, files_of, tasks_of
from pyslang import ast, driver, syntax  # noqa: F401

ROOT = pathlib.Path(__file__).resolve().parent.parent
# All warnings are errors. A cast to a parameter's width does nothing at one size and is needed at another.
WARNINGS = ("-Wextra", "-Wno-useless-cast", "-Werror")


def elaborates(top, sources, *options):
    d = driver.Driver()
    d.addStandardArgs()
    command = " ".join(["slang", "-I", str(ROOT / "rtl"), "--top", top, *options, *map(str, sources)])
    return d.parseCommandLine(command) and d.processOptions() and d.parseAllSources() and d.runFullCompilation(True)


def bad_modules():
    sources = [ROOT / line for line in (ROOT / "rtl/gsu.f").read_text().split("\n") if line.endswith(".sv")]
    modules = [path.stem for path in sources if not path.stem.endswith("_pkg")]
    return [name for name in modules if not elaborates(name, sources, *WARNINGS)]


def bad_harnesses(work):
    bad = []
    for harness in sorted((ROOT / "rtl/formal").glob("*_fv.sv")):
        for task in tasks_of(harness):
            options = ["-I", str(ROOT / "rtl/formal"), "-Wnone", *(f"-D{name}" for name in defines_of(task))]
            if not elaborates(f"{task['unit']}_fv", [*files_of(task, work, ROOT), harness], *options):
                bad.append(f"{task['unit']}.{task['name']}")
    return bad


def main():
    with tempfile.TemporaryDirectory() as work:
        bad = bad_modules() + bad_harnesses(pathlib.Path(work))
    for name in bad:
        print(f"{name}: slang does not take it")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
