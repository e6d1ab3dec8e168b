"""Pages, outputs of scripts, and generated files."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from checks.common import ROOT, VENV, check, parallel, rel, run, tracked


@check(fast=True)
def layout():
    """The bit layout in C++ and Python agrees with the RTL's packages; port records, findings and lists of files agree with their tables."""
    code, text = run([VENV / "python", "scripts/generate", "--check"])
    return [text.strip()] if code else []


@check(fast=True)
def script_help():
    """Every script answers --help and -h at once with its description, and refuses an unknown argument with one line before it builds anything."""
    builds = ("apt-get", "sudo", "cmake", "ninja", "make", "verilator", "doxygen", "g++", "clang++", "pip", "yosys", "ptxas")

    def one(script, work):
        bad, folder = [], work / script.name
        folder.mkdir()
        for name in builds:
            (folder / name).write_text(f'#!/bin/sh\necho {name} "$@" >> "{folder}/called"\nexit 99\n')
            (folder / name).chmod(0o755)
        for argument, want in (("--help", 0), ("-h", 0), ("--no-such-argument", 2)):
            try:
                done = subprocess.run([script, argument], cwd=work, env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}, stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True, timeout=60)
            except subprocess.TimeoutExpired:
                bad.append(f"{rel(script)} {argument}: not finished after 60 s")
                continue
            right = len(done.stdout) >= 20 if want == 0 else len(done.stderr) >= 20 and done.stderr.count("\n") == 1
            if done.returncode != want or not right:
                bad.append(f"{rel(script)} {argument}: exit code {done.returncode}, wanted {want} and {'what it does' if want == 0 else 'one line'}")
            if (folder / "called").exists():
                bad.append(f"{rel(script)} {argument}: calls {(folder / 'called').read_text().split()[0]}")
        return bad

    with tempfile.TemporaryDirectory() as work:
        scripts = [f for f in tracked("") if f.parent == ROOT / "scripts" and os.access(f, os.X_OK)]
        assert len(scripts) > 20
        return parallel(lambda script: one(script, pathlib.Path(work)), scripts)


@check(fast=True)
def status():
    """rtl/doc/status.md and the tables of soak, fuzzing and slower tier agree with the files that hold their figures."""
    bad = []
    for command in (["scripts/gen_status.py", "--check"], ["scripts/soak", "--table", "--check"], ["scripts/fuzz", "--table", "--check"],
                    ["scripts/slow_table.py", "check"]):
        code, out = run([sys.executable, *command])
        if code != 0:
            bad.append(out.strip())
    return bad


@check(fast=True)
def tables():
    """scripts/tables.tsv has a line for every table of every page: which command makes it (scripts/reproduce)."""
    code, out = run([sys.executable, "scripts/reproduce", "--check"])
    return out.strip().split("\n") if code else []


# Pages whose prose may be wider: the change log, because its lines are entries.
WIDE_PAGES = {"sc_model/CHANGES.md"}


@check(fast=True)
def page_width():
    """No line of prose of a page is longer than 160 columns; tables, pictures and blocks of code may be."""
    bad = []
    for f in tracked(".md"):
        fenced = False
        for number, line in enumerate(f.read_text().split("\n"), 1):
            fenced ^= line.startswith("```")
            if len(line) > 160 and not fenced and not line.startswith(("|", "!")) and rel(f) not in WIDE_PAGES:
                bad.append(f"{rel(f)}:{number}: {len(line)} columns")
    return bad


@check(fast=True)
def refused():
    """tb/ptx/README.md has the output of `gsu help refused`."""
    gsu = ROOT / "build/gsu"
    if not gsu.exists():
        print("SKIP refused: build/gsu is not built")
        return []
    code, text = run([gsu, "help", "refused"])
    listed = re.search(r"<!-- gsu help refused -->\n```\n(.*?)```", (ROOT / "tb/ptx/README.md").read_text(), re.S)
    if code == 0 and listed and listed.group(1) == text:
        return []
    tables = max(f.stat().st_mtime for f in tracked(".def"))
    old = ", which is older than the tables: build it first" if gsu.stat().st_mtime < tables else ""
    return [f"tb/ptx/README.md: the block after <!-- gsu help refused --> is not what build/gsu prints{old}"]


# Names in capitals on pages that belong to other projects, or that a compiler defines.
OTHERS_NAMES = {"NUM_WARPS", "NUM_BARRIERS", "NUM_CORES", "NB_CORES", "XBAR_PERIPH_BUS",  # parameters of the designs that area.md compares
                "SC_ERROR", "CPU_DEBUG", "CUTE_SM90_EXTENDED_MMA_SHAPES_ENABLED", "CUTE_DSL_KEEP_PTX", "CUBLAS_REAL_VALIDATION"}


@check(fast=True)
def constants():
    """A name in capitals that a page shows between backticks occurs in a source."""
    sources = (f for f in tracked("") if f.suffix not in (".md", ".png", ".svg", ".jsonl", ".ptx", ".gsut"))
    known = set().union(*(re.findall(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+", f.read_text(errors="replace")) for f in sources))
    seen, bad = 0, []
    for f in tracked(".md"):
        text = re.sub(r"^```.*?^```", lambda block: "\n" * block[0].count("\n"), f.read_text(), flags=re.S | re.M)
        for number, line in enumerate(text.split("\n"), 1):
            for code in re.findall(r"`([^`]+)`", line):
                names = re.findall(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b", code)
                seen += len(names)
                bad += [f"{rel(f)}:{number}: no source has {name}" for name in names if name not in known | OTHERS_NAMES]
    return bad if seen > 50 else [*bad, f"only {seen} names found: this check no longer reads pages"]


@check(fast=True)
def script_table():
    """scripts/README.md has every program of scripts/, and names no program that does not exist."""
    page = (ROOT / "scripts/README.md").read_text()
    rows = [name for line in re.findall(r"^\| (.*?) \|", page.split("## Building by hand")[0], re.M) for name in re.findall(r"`([\w.*]+)`", line)]
    have = [f.name for f in tracked("") if f.parent == ROOT / "scripts" and os.access(f, os.X_OK) and not f.suffix]
    bad = [f"scripts/README.md: no row of {name}" for name in have if not any(re.fullmatch(row.replace("*", ".*"), name) for row in rows)]
    return bad + [f"scripts/README.md: there is no scripts/{row}" for row in rows if not list((ROOT / "scripts").glob(row))]


@check(fast=True)
def commands():
    """The table of commands of tb/cli/README.md agrees with `gsu --help`, and its section on patterns with `gsu gen --help`."""
    gsu = ROOT / "build/gsu"
    if not gsu.exists():
        print("SKIP commands: build/gsu is not built")
        return []

    def listed(*call):
        text = run([gsu, *call, "--help"])[1]
        names = re.findall(r"^  (\w+) ", text.partition("Subcommands:\n")[2].partition("\n\n")[0], re.M)
        return set(names + re.findall(r"\w+", (re.findall(r"^([\w, ]+): commands of the Python package", text, re.M) or [""])[0]))
    page = (ROOT / "tb/cli/README.md").read_text()
    rows = {name for line in re.findall(r"^\| (`gsu .*?) \|", page, re.M) for name in re.findall(r"`(?:gsu )?(\w+)`", line)}
    patterns = set(re.findall(r"`(\w+)`", re.search(r"## Patterns.*?\n(.*?)\n\n", page, re.S)[1]))
    bad = [f"tb/cli/README.md: no row of gsu {name}" for name in sorted(listed() - rows)]
    bad += [f"tb/cli/README.md: there is no gsu {name}" for name in sorted(rows - listed())]
    return bad + [f"tb/cli/README.md: gsu gen {name}: on the page or in gsu gen --help only" for name in sorted(patterns ^ listed("gen"))]


@check(fast=True)
def docs():
    """Doxygen finds a comment on every name of the public headers, and every link of a page has a target."""
    if not shutil.which("doxygen"):
        print("SKIP docs: doxygen is not installed, scripts/test installs it", flush=True)
        return []
    code, text = run(["scripts/docs", "--check"])
    return [line for line in text.split("\n") if line.strip()] if code else []
