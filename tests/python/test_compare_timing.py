"""scripts/compare_timing: published figures against predicted ones, and the warning of what PTX does not tell."""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import stat
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "compare_timing"
SAYS = """ptxas info    : 0 bytes gmem
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to ill formed pipeline stage in the function 'gemm'
ptxas info    : Compiling entry function 'gemm' for 'sm_90a'
ptxas info    : Function properties for gemm
    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads
ptxas info    : Compiling entry function 'check' for 'sm_90a'
ptxas info    : Function properties for check
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
"""


def module():
    loader = importlib.machinery.SourceFileLoader("compare_timing", str(SCRIPT))
    spec = importlib.util.spec_from_loader("compare_timing", loader)
    made = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    loader.exec_module(made)
    return made


def program(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def table(tmp_path):
    """Two steps of a ladder, with a stand-in of gsu that takes 1755 clocks, of ptxas that says SAYS, and a table."""
    (tmp_path / "k.ptx").write_text(".version 8.6\n.target sm_90a\n")
    (tmp_path / "k.launch.json").write_text(json.dumps({"ptx": "k.ptx"}))
    run = {"verdict": "partial", "cycles": 1755, "entry": "gemm", "time": {"bound": "bound by the L2"}}
    program(tmp_path / "gsu", f"""case "$1" in params) echo '{{"parameters": [{{"key": "timing.x", "value": 3}}]}}';; *) echo '{json.dumps(run)}';; esac\n""")
    (tmp_path / "says").write_text(SAYS)
    row = lambda name, entry, published: "\t".join(["l", name, "k.launch.json", entry, "-", "132", "1755", published, "us", "-", "here"]) + "\n"
    path = tmp_path / "t.tsv"
    path.write_text(row("one", "gemm", "1.1") + row("two", "gemm", "1.0"))
    return path


def compare(table, *arguments, ptxas=True):
    tools = table.parent / "tools"
    tools.mkdir(exist_ok=True)
    if ptxas:
        program(tools / "ptxas", f"cat '{table.parent / 'says'}' >&2\n")
    path = f"{tools}:/bin:/usr/bin"
    return subprocess.run([sys.executable, SCRIPT, table, "--gsu", table.parent / "gsu", *arguments], capture_output=True, text=True, env={**os.environ, "PATH": path})


def test_spills_and_serialised_wgmma_are_warned_of():
    assert module().spills_of(SAYS) == {"gemm": ["wgmma that the assembler serialises", "spills 12 bytes and loads 8, which PTX does not show"]}


def test_a_time_with_warning_and_the_hash_of_the_parameters(table):
    done = compare(table)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("WARNING: gemm: wgmma that the assembler serialises") == 2
    assert "+10.0 %" in done.stdout
    assert "2 kernels: mean error 5.0 %, worst 10.0 %; 0 of 1 steps of more than 3 % right in sign, the worst 10 points off; timing hopper, parameters " in done.stdout
    frozen = json.loads(compare(table, "--json").stdout)["parameters"]
    assert frozen in done.stdout
    assert json.loads(compare(table, "--json", "--set", "timing.x=4").stdout)["parameters"] != frozen


def test_a_kernel_that_breaks_a_rule_is_compared_with_a_warning(table):
    gsu = table.parent / "gsu"
    gsu.write_text(gsu.read_text().replace('"verdict": "partial"', '"verdict": "misuse", "findings": [{"rule": "FENCE-024", "severity": "error"}]'))
    done = compare(table, ptxas=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("WARNING: the kernel breaks FENCE-024") == 2
    gsu.write_text(gsu.read_text().replace("misuse", "hang"))
    assert compare(table).returncode == 2


def test_what_the_report_warns_of_is_told(table):
    gsu = table.parent / "gsu"
    gsu.write_text(gsu.read_text().replace('"bound":', '"warning": "9 fences", "bound":'))
    assert compare(table, ptxas=False).stdout.count("WARNING: 9 fences") == 2


def test_without_ptxas_it_says_so(table, monkeypatch):
    made = module()
    monkeypatch.setattr(made.shutil, "which", lambda name: None)
    assert made.warnings_of({"what": "k.launch.json", "launch": "-"}, table.parent) == []
    assert "no ptxas: spills were not looked for" in made.summary([{"error": 0.1}])
