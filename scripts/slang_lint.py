#!/usr/bin/env python3
"""Elaborates each RTL module alone with slang and prints every diagnostic; exit 1 if there is one."""
import pathlib
import sys

import pyslang
from pyslang import ast, driver, syntax  # noqa: F401

ROOT = pathlib.Path(__file__).resolve().parent.parent


def diagnostics(sources, top):
    d = driver.Driver()
    d.addStandardArgs()
    command = " ".join(["slang", "-I", str(ROOT / "rtl"), "--top", top, "-Wextra", *sources])
    if not d.parseCommandLine(command) or not d.processOptions() or not d.parseAllSources():
        return False
    return d.runFullCompilation(True)


def main():
    names = [line for line in (ROOT / "rtl/gsu.f").read_text().split("\n") if line.endswith(".sv")]
    sources = [str(ROOT / name) for name in names]
    bad = [pathlib.Path(n).stem for n in names if not n.endswith("_pkg.sv") and not diagnostics(sources, pathlib.Path(n).stem)]
    for name in bad:
        print(f"{name}: slang does not take it")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
