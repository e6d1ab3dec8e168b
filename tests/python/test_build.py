"""gsu build with a stand-in for CMake: cache, names, lists, refusals, interrupts; structures that need no model (the golden unit); the description and the RTL."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pyarrow.parquet
import pytest

import gsu
from gsu import models

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def cmake(tmp_path, monkeypatch):
    """The stand-in: its calls so far, and what is to go wrong."""
    program = tmp_path / "cmake"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} {pathlib.Path(__file__).parent / 'stand_in_cmake.py'} \"$@\"\n")
    program.chmod(0o755)
    info = models.describe()
    log = tmp_path / "calls"
    monkeypatch.setenv("GSU_CMAKE", str(program))
    monkeypatch.setenv("STAND_IN_LOG", str(log))
    monkeypatch.setenv("STAND_IN_DIGEST", info["digest"])
    monkeypatch.setenv("STAND_IN_TOOLS", info["tools"])
    source = tmp_path / "source"
    for name in ("CMakeLists.txt", "rtl/gsu.f", "sc_model/verilated/model.cpp"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).touch()
    monkeypatch.setenv("GSU_SOURCE", str(source))
    return lambda: log.read_text().splitlines() if log.exists() else []


def call(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "gsu", *map(str, arguments)], capture_output=True, text=True, **options)


def cache():
    return pathlib.Path(models.describe()["cache"])


def left_over():
    """Files in the cache that no model explains."""
    work = cache() / "work"
    return [p.name for p in work.iterdir()] if work.is_dir() else []


def test_a_model_is_built_once(cmake):
    first = call("build", "--with", "Waits=64,Ctas=8", "--name", "wide")
    assert first.returncode == 0, first.stderr
    file = pathlib.Path(first.stdout.splitlines()[0])
    assert file.is_file() and file.parent.name == "Ctas=8,Waits=64" and cache() in file.parents
    assert "gsu run --model wide" in first.stdout
    assert any("-DGSU_WITH=Ctas=8,Waits=64" in c for c in cmake())
    calls = len(cmake())
    again = json.loads(call("build", "--with", "Ctas=8,Waits=64", "--json").stdout)
    assert again == {"with": "Ctas=8,Waits=64", "file": str(file), "cached": True}
    assert len(cmake()) == calls
    listed = call("build", "--list").stdout
    assert "Ctas=8,Waits=64" in listed and "name wide" in listed
    full = call("build", "--with", "Ctas=8,Waits=64", "--full")
    assert full.returncode == 0 and any("-DGSU_FULL=ON" in c for c in cmake()[calls:])
    assert "assertions and waves" in call("build", "--list").stdout
    assert call("build", "--remove", "wide").stdout == "1 model removed\n"
    assert not file.exists() and "no models" in call("build", "--list").stdout
    assert list((cache() / "names").iterdir()) == [] and left_over() == []


@pytest.mark.parametrize("arguments, text", [
    (("--with", "Wait=64"), "no 'Wait' in the structure, did you mean 'Waits'?"),
    (("--with", "Foo=3"), "no 'Foo' in the structure (gsu params --structure lists them)"),
    (("--with", "Ctas=33"), "Ctas: 33 is outside 2..32 (5 bits in every port struct)"),
    (("--with", "Sends=6"), "Sends: 6 is no power of two"),
    (("--with", "Ctas=8,Ctas=8"), "Ctas is given twice"),
    (("--with", "Waits=32"), "is the structure that is built in"),
    (("--with", "Waits=64", "--name", "a/b"), "letters, digits"),
    (("--with", "Waits=64", "--source", "/nowhere"), "not the sources of GSU"),
    (("--remove", "Waits=64"), "no model 'Waits=64'"),
    (("--list", "--name", "x"), "go with --with"),
])
def test_refusals(cmake, arguments, text):
    done = call("build", *arguments)
    assert done.returncode == 2 and text in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert cmake() == [] and models.models() == []


@pytest.mark.parametrize("wrong, text", [("configure", "verilator not found"), ("compile", "expected declaration"), ("full", "no space left")])
def test_nothing_half_written(cmake, monkeypatch, wrong, text):
    monkeypatch.setenv("STAND_IN", wrong)
    done = call("build", "--with", "Waits=64")
    assert done.returncode == 2 and text in done.stderr.splitlines()[-1], done.stderr
    assert models.models() == [] and left_over() == []
    assert not pathlib.Path(models.describe("Waits=64")["file"]).parent.exists()
    monkeypatch.setenv("STAND_IN", "")
    assert call("build", "--with", "Waits=64").returncode == 0


def test_other_sources_and_tools_are_refused(cmake, monkeypatch):
    monkeypatch.setenv("STAND_IN_DIGEST", "0123456789abcdef")
    done = call("build", "--with", "Waits=64")
    assert done.returncode == 2 and "are not those that this gsu was built from" in done.stderr
    monkeypatch.setenv("STAND_IN_TOOLS", "Verilator 1, GNU 2")
    done = call("build", "--with", "Waits=64")
    assert done.returncode == 2 and "here are Verilator 1, GNU 2" in done.stderr
    assert models.models() == [] and left_over() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_build_leaves_nothing(cmake, monkeypatch, number):
    monkeypatch.setenv("STAND_IN", "slow")
    process = subprocess.Popen([sys.executable, "-m", "gsu", "build", "--with", "Waits=64"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    compiling = pathlib.Path(os.environ["STAND_IN_LOG"] + ".compiling")
    while not compiling.exists() and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1 and b"interrupted" in err
    assert models.models() == [] and left_over() == []


def test_two_builds_of_one_model(cmake, monkeypatch):
    monkeypatch.setenv("STAND_IN", "wait")
    both = [subprocess.Popen([sys.executable, "-m", "gsu", "build", "--with", "Waits=64"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    assert [p.communicate(timeout=60) and p.returncode for p in both] == [0, 0]
    assert sum("gsu_model -j" in c for c in cmake()) == 1


def test_what_a_killed_build_left_is_taken_away(cmake):
    dead = subprocess.Popen(["true"])
    dead.wait()
    old = cache() / "work" / f"build-{dead.pid}-x"
    old.mkdir(parents=True)
    assert call("build", "--with", "Waits=64").returncode == 0
    assert not old.exists()


def test_run_says_what_is_missing(cmake, pipeline):
    done = call("run", pipeline, "--with", "Waits=64")
    assert done.returncode == 2 and "gsu build --with Waits=64" in done.stderr
    assert call("build", "--with", "Waits=64", "--name", "w").returncode == 0
    done = call("run", pipeline, "--model", "w")  # the stand-in's file is no model
    assert done.returncode == 2 and "model.so" in done.stderr
    assert "no model is called 'x'" in call("run", pipeline, "--model", "x").stderr
    assert "excludes" in call("run", pipeline, "--model", "w", "--with", "Waits=64").stderr
    with pytest.raises(gsu.InputError, match="Waits: 1 is outside"):
        gsu.run(pipeline, structure={"Waits": 1})


PTX = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k() { bar.sync 9; ret; }
"""


def test_structures_without_a_model(tmp_path, pipeline):
    """The golden unit has every structure."""
    usual = gsu.run(pipeline, unit="golden")
    small = gsu.run(pipeline, unit="golden", structure={"Ctas": 2, "WarpSlots": 16})
    assert small.verdict == "pass" and small.json["with"] == "Ctas=2,WarpSlots=16" and "with" not in usual.json
    k = tmp_path / "k.ptx"
    k.write_text(PTX)
    assert gsu.run(k, unit="golden", block=64, structure="Bars=10").verdict == "pass"
    with pytest.raises(gsu.InputError, match=r"k.ptx:4: barrier 9: a CTA of this structure has 8 \(Bars\)"):
        gsu.run(k, unit="golden", block=64, structure="Bars=8")
    with pytest.raises(gsu.InputError, match="a CTA of 32 warps, and an SM has 16 warp slots"):
        gsu.run(k, unit="golden", block=1024, structure="WarpSlots=16")
    assert gsu.run(k, unit="golden", grid=8, block=64, structure="Ctas=2").cycles > gsu.run(k, unit="golden", grid=8, block=64).cycles


def test_traces_name_their_structure(tmp_path, pipeline):
    trace = tmp_path / "t.gsut"
    gsu.run(pipeline, unit="golden", structure="Ctas=3", record=trace)
    assert "\nwith Ctas=3\n" in trace.read_text()
    assert gsu.replay(trace, unit="golden").verdict == "agree"  # on its own structure
    assert gsu.replay(trace, unit="golden", structure="Ctas=3").verdict == "agree"
    with pytest.raises(gsu.InputError, match="recorded on Ctas=3: it replays on that alone"):
        gsu.replay(trace, unit="golden", structure="Ctas=4")
    plain = tmp_path / "p.gsut"
    gsu.run(pipeline, unit="golden", record=plain)
    assert "\nwith" not in plain.read_text()
    with pytest.raises(gsu.InputError, match="recorded on the default structure"):
        gsu.replay(plain, unit="golden", structure="Ctas=4")


def test_a_structure_is_swept(tmp_path, pipeline):
    out = tmp_path / "out"
    done = call("sweep", pipeline, "--unit", "golden", "--with", "WarpSlots=32", "-p", "with.Ctas=2,32", "-p", "trywait_slots=0,4", "-o", out)
    assert done.returncode == 0, done.stderr
    table = pyarrow.parquet.read_table(out / "results.parquet")
    assert table.num_rows == 4 and sorted(set(table["with.Ctas"].to_pylist())) == [2, 32]
    assert json.loads((out / "sweep.json").read_text())["plan"]["structure"] == {"WarpSlots": 32}
    for wrong, text in ((("-p", "with.Ctas=64"), "outside 2..32"), (("-p", "with.Cta=4"), "did you mean 'Ctas'"),
                        (("-p", "with.Ctas=4", "--with", "Ctas=8"), "swept and given")):
        done = call("sweep", pipeline, "--unit", "golden", *wrong, "-o", out)
        assert done.returncode == 2 and text in done.stderr, done.stderr


def test_a_sweep_over_the_built_in_structure(tmp_path, pipeline):
    """The default value of a member among those swept needs no model; nothing is built for it (once it was refused)."""
    default = {m["key"]: m["default"] for m in models.describe()["structure"]}["Waits"]
    out = tmp_path / "out"
    done = call("sweep", pipeline, "--unit", "rtl", "--timing", "simple", "-p", f"with.Waits={default}", "-o", out)
    assert done.returncode == 0 and "building" not in done.stderr, done.stderr
    plain = gsu.run(pipeline, unit="rtl")
    assert pyarrow.parquet.read_table(out / "results.parquet")["cycles"].to_pylist() == [plain.cycles]


def test_the_unit_of_a_structure():
    unit = gsu.Unit("golden", structure={"Bars": 64, "Ctas": 2})
    unit.launch_now(threads=32)
    unit.present_now("BarSync", arg0=40, aligned=True)
    unit.run_quiet()
    assert [e.id for e in unit.events() if e.kind == "release"] == [40]
    assert unit.barrier(40)["generations"] == 1
    with pytest.raises(gsu.InputError, match="CTA slot 2 of 2"):
        unit.launch(cta=2, threads=32)
    with pytest.raises(gsu.InputError, match="gsu build --with Bars=64"):
        gsu.Unit("rtl", structure="Bars=64")


def test_the_description_is_that_of_the_rtl():
    sources = ROOT / "rtl"
    if not sources.is_dir():
        pytest.skip("the sources are not here")
    package = (sources / "gsu_pkg.sv").read_text()
    numbers = dict(re.findall(r"(?:int unsigned|,) (\w+) = (\d+)[;,]", package))
    for name in ("sm", "sm_limits"):
        text = (sources / f"top/gsu_{name}.sv").read_text().split(") (")[0]
        found = {k: int(numbers.get(v, v)) for k, v in re.findall(r"parameter int unsigned (\w+) = (\w+)", text)}
        assert found == {item["key"]: item["default"] for item in models.describe()["structure"]}, name
