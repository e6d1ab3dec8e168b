"""gsu sweep, diff and report, as commands."""
import csv
import importlib.util
import json
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time

import pyarrow.parquet
import pytest

import gsu
from gsu import analysis, cache, plan, sweep


def call(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "gsu", *map(str, arguments)], capture_output=True, text=True, **options)


def test_sweep_is_cached_by_content(pipeline, tmp_path):
    out = tmp_path / "out"
    command = ("sweep", pipeline, "-p", "net_bytes=4,16", "-p", "dsm_hop=40:100:60", "-o", out)
    first = call(*command)
    assert first.returncode == 0, first.stderr
    assert "4 of 4 runs: 4 executed, 0 from the cache" in first.stdout
    table = pyarrow.parquet.read_table(out / "results.parquet")
    assert table.num_rows == 4 and set(table["verdict"].to_pylist()) == {"pass"}
    rows = list(csv.DictReader(open(out / "results.csv", encoding="utf-8")))
    assert [int(r["cycles"]) for r in rows] == table["cycles"].to_pylist()
    summary = json.loads((out / "sweep.json").read_text())
    assert summary["complete"] and summary["sensitivity"]["cycles"][0]["parameter"] == "net_bytes"  # fewer bytes a clock: slower
    assert summary["sensitivity"]["cycles"][0]["rank"] < 0
    assert summary["best"][0]["values"]["net_bytes"] == 16
    again = call(*command)
    assert "4 of 4 runs: 0 executed, 4 from the cache" in again.stdout
    more = call(*command, "--set", "mbar_lat=13")
    assert "4 of 4 runs: 4 executed" in more.stdout
    # One row is what the program says.
    row = rows[0]
    run = gsu.run(pipeline, unit="rtl", timing="hopper", seed=int(row["seed"]), settings={k: row[k] for k in ("net_bytes", "dsm_hop")})
    assert run.cycles == int(row["cycles"]) and run.blocked_clocks == int(row["blocked_clocks"])


def test_area_of_each_structure(pipeline, tmp_path, monkeypatch):
    """A stand-in for scripts/synth says what it was asked for; its refusal is the sweep's."""
    source = tmp_path / "checkout"
    for name in ("CMakeLists.txt", "rtl/gsu.f", "sc_model/verilated/model.cpp", "scripts/synth"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).touch()
    (source / "scripts/synth").write_text("import json, sys\nfrom pathlib import Path\nwith_ = sys.argv[sys.argv.index('--structure') + 1]\n"
                                          f"with open({str(tmp_path / 'asked')!r}, 'a') as file: file.write(with_ + ';')\n"
                                          "if 'Lines' in with_: sys.exit('scripts/synth: apt-get install opensta')\n"
                                          "print(json.dumps({'ge': 1000 + 10 * len(with_), 'fo4': 61.5, 'levels': 48, 'ram': 5000, 'other': 300}))\n")
    monkeypatch.setenv("GSU_SOURCE", str(source))
    out = tmp_path / "out"
    command = ("sweep", pipeline, "--unit", "golden", "-p", "with.Waits=32,64", "--seed", "1,2", "--area", "-o", out)
    done = call(*command)
    assert done.returncode == 0, done.stderr
    rows = pyarrow.parquet.read_table(out / "results.parquet").to_pylist()
    assert sorted((r["with.Waits"], r["area_ge"], r["longest_path_fo4"]) for r in rows) == [(32, 1000, 61.5)] * 2 + [(64, 1080, 61.5)] * 2
    assert {(r["ram_bits"], r["other_memory_bits"]) for r in rows} == {(5000, 300)}
    assert (tmp_path / "asked").read_text() == ";Waits=64;"  # the built-in one, and one that is not; once each
    assert call(*(c for c in command if c != "--area")).returncode == 0
    assert "area_ge" not in pyarrow.parquet.read_table(out / "results.parquet").column_names
    refused = call("sweep", pipeline, "--unit", "golden", "--with", "Lines=8", "--area", "-o", out)
    assert refused.returncode == 2 and refused.stderr.splitlines()[-1] == "gsu: scripts/synth: apt-get install opensta"


def test_a_changed_file_is_another_run(pipeline, tmp_path):
    import pathlib
    import shutil

    folder = shutil.copytree(pathlib.Path(pipeline).parent, tmp_path / "k")
    launch = folder / "cluster_pipeline.launch.json"
    assert set(cache.launch_files(launch)) == {"cluster_pipeline.launch.json", "cluster_pipeline.ptx"}
    hashes = lambda: {n: cache.file_hash(p) for n, p in cache.launch_files(launch).items()}
    before = cache.key_of("p", hashes(), ["--seed", 1])
    assert before == cache.key_of("p", hashes(), ["--seed", 1]) != cache.key_of("q", hashes(), ["--seed", 1])
    assert before != cache.key_of("p", hashes(), ["--seed", 2])
    ptx = folder / "cluster_pipeline.ptx"
    ptx.write_text(ptx.read_text() + "\n// changed\n")
    assert before != cache.key_of("p", hashes(), ["--seed", 1])


def test_a_killed_sweep_goes_on(pipeline, tmp_path):
    out, store = tmp_path / "out", tmp_path / "runs"
    command = [sys.executable, "-m", "gsu", "sweep", pipeline, "-p", "mbar_lat=10:25", "-j", "1", "-o", str(out), "--cache", str(store)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(600):
        if len(list(store.glob("*/*.json"))) >= 3:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    done = len(list(store.glob("*/*.json")))
    assert 3 <= done < 16, done  # it was really under way
    again = call(*command[3:])
    executed = int(re.search(r"(\d+) executed", again.stdout).group(1))
    assert again.returncode == 0 and executed <= 16 - done + 1
    # Interrupted in the usual way it says so and leaves what it has.
    process = subprocess.Popen([*command, "--set", "mbar_interval=2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(600):
        if len(list(store.glob("*/*.json"))) >= 18:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    summary = json.loads((out / "sweep.json").read_text())
    assert process.returncode == 1 and "interrupted; the same call goes on" in err
    assert not summary["complete"] and 0 < summary["done"] < 16


def test_yaml_sampling_and_runs_that_fail(data, pipeline, tmp_path):
    yaml = tmp_path / "plan.yaml"
    wrong = os.path.relpath(data / "wrong.launch.json", tmp_path)
    yaml.write_text(f"kernels: [{os.path.relpath(pipeline, tmp_path)}, {wrong}]\nparameters:\n  mbar_lat: {{from: 4, to: 40}}\n  net_bytes: [4, 8, 16]\n"
                    "sample: 3\nunit: rtl\n")
    out = tmp_path / "out"
    done = call("sweep", yaml, "-o", out)
    assert done.returncode == 1  # one kernel is not as expected
    table = pyarrow.parquet.read_table(out / "results.parquet")
    assert table.num_rows == 6
    rows = [r for r in table.to_pylist() if r["kernel"] == "cluster_pipeline"]
    assert len({r["mbar_lat"] for r in rows}) == 3  # each stratum once
    assert json.loads((out / "sweep.json").read_text())["not_as_expected"] == 3


@pytest.mark.parametrize("text, seeds", [
    ("1:2", [1, 2]), ("1:3", [1, 2, 3]), ("'1:3'", [1, 2, 3]), ("1:7:3", [1, 4, 7]), ("5", [5]), ("010", [10]), ("0x10", [16]), ("[3, 1, 3]", [3, 1]),
    ("[1, 4:6]", [1, 4, 5, 6]), ("1,4:5", [1, 4, 5]), ("{from: 2, to: 3}", [2, 3]),
])
def test_seeds_of_a_plan(text, seeds, tmp_path):
    (tmp_path / "p.yaml").write_text(f"kernels: [k.launch.json]\nseeds: {text}\nparameters:\n  net_bytes: {text}\n")
    read = plan.from_yaml(tmp_path / "p.yaml")
    assert read.seeds == seeds and read.values == {"net_bytes": seeds}


def test_failed_runs_have_no_sensitivity(data, pipeline, tmp_path):
    """All runs fail; then those of one value of two."""
    out = tmp_path / "out"
    done = call("sweep", data / "wrong.launch.json", "-p", "mbar_lat=4,40", "-o", out)
    assert done.returncode == 1
    assert "2 runs failed or did not end as their launch files expect: nothing below counts them" in done.stdout
    assert "mbar_lat: no sensitivity, fewer than two of its values ended as expected" in done.stdout
    assert "cycles vary by" not in done.stdout and "best for" not in done.stdout
    assert json.loads((out / "sweep.json").read_text())["sensitivity"]["cycles"] == []
    import pyarrow as pa

    rows = [{"kernel": "k", "preset": "p", "seed": s, "as_expected": a == 1, "cycles": 100 + 10 * a, "a": a, "b": s} for a in (1, 2) for s in (1, 2)]
    assert [e["parameter"] for e in analysis.sensitivity(pa.Table.from_pylist(rows), ["a", "b"], "cycles")] == ["b"]


def test_a_launch_that_no_worker_can_lay_out(data, tmp_path):
    """An absolute name works here, and is refused in one line before any run goes to a worker."""
    spec = json.loads((data / "count.launch.json").read_text())
    spec["ptx"] = str((data / spec["ptx"]).resolve())
    launch = tmp_path / "k.launch.json"
    launch.write_text(json.dumps(spec))
    assert call("sweep", launch, "--unit", "golden", "-o", tmp_path / "out").returncode == 0
    done = call("sweep", launch, "--unit", "golden", "--scheduler", "tcp://127.0.0.1:1", "-o", tmp_path / "far")
    assert done.returncode == 2 and "are named relative to it" in done.stderr and spec["ptx"] in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    with pytest.raises(gsu.InputError):
        sweep.check_shipped("k", ["../../k.ptx"])
    sweep.check_shipped("k", ["k.ptx", "../k.ptx", "a/../k.ptx"])


def test_latin_hypercube():
    values = {"a": list(range(100)), "b": [1, 2, 4, 8], "c": [7]}
    points = plan.latin_hypercube(values, 20, seed=5)
    assert sorted(p["a"] // 5 for p in points) == list(range(20))
    assert sorted(p["b"] for p in points) == sorted([1, 2, 4, 8] * 5)
    assert points == plan.latin_hypercube(values, 20, seed=5) != plan.latin_hypercube(values, 20, seed=6)


def test_sensitivity_of_a_known_function():
    import pyarrow as pa

    rows = [{"kernel": "k", "preset": "p", "seed": 1, "as_expected": True, "cycles": 100 + 10 * a - b, "a": a, "b": b, "c": c}
            for a in range(4) for b in range(4) for c in range(4)]
    found = analysis.sensitivity(pa.Table.from_pylist(rows), ["a", "b", "c"], "cycles")
    assert [f["parameter"] for f in found] == ["a", "b", "c"]
    assert found[0]["effect"] == pytest.approx(30 / 113.5) and found[1]["effect"] == pytest.approx(3 / 113.5) and found[2]["effect"] == 0
    assert found[0]["rank"] > 0.9 and found[1]["rank"] < 0
    assert analysis.best(pa.Table.from_pylist(rows), ["a", "b", "c"])[0]["values"] == {"a": 0, "b": 3, "c": 0}


@pytest.mark.parametrize("arguments, text", [
    (["nix.launch.json"], "nix.launch.json: no such file"),
    (["KERNEL", "-p", "net_bites=4"], "no parameter 'net_bites'; is it net_bytes?"),
    (["KERNEL", "-p", "net_bytes=4:70000:66000"], "net_bytes=66004: the range is"),
    (["KERNEL", "-p", "net_bytes=4:2"], "--param net_bytes: '4:2' is empty"),
    (["KERNEL", "-p", "net_bytes=4,x"], "'x' is not a whole number"),
    (["KERNEL", "-p", "net_bytes=4", "--set", "net_bytes=8"], "net_bytes is swept and set"),
    (["KERNEL", "--preset", "volta"], "preset 'volta'"),
    (["KERNEL", "--unit", "vhdl"], "unit 'vhdl'"),
    (["KERNEL", "-p", "mbar_lat=0:9999", "-p", "mbar_remote_lat=0:9999"], "at most 1000000; sample them"),
    (["KERNEL", "--scheduler", "tcp://127.0.0.1:1"], "no scheduler answers|pip install 'gsu\\[dask\\]'"),
    (["KERNEL", "--cache", "/dev/null/x"], "cannot be written: Not a directory"),
    (["PLAN"], "no key 'kernel'"),
])
def test_bad_sweeps_are_one_line(arguments, text, pipeline, tmp_path):
    (tmp_path / "p.yaml").write_text("kernel: k\n")
    arguments = [{"KERNEL": pipeline, "PLAN": str(tmp_path / "p.yaml")}.get(a, a) for a in arguments]
    done = call("sweep", *arguments, "-o", tmp_path / "out")
    assert done.returncode == 2, done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert re.search(text, last), done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_disk_without_room(pipeline, tmp_path):
    """Files that cannot grow stand for a full disk: one line with the name, nothing half-written, and the same call goes on when there is room."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
    out, cached, page = tmp_path / "out", tmp_path / "runs", tmp_path / "r.html"
    sweep = ("sweep", pipeline, "-p", "net_bytes=4,16", "--unit", "golden", "--cache", cached, "-o", out)
    done = call(*sweep, preexec_fn=limit)
    assert done.returncode == 2 and re.search(rf"^gsu: {re.escape(str(tmp_path))}/\S+: cannot be written: ", done.stderr, re.M) and "Traceback" not in done.stderr
    assert not [f for f in (*out.rglob("*"), *cached.rglob("*")) if f.is_file()]
    assert call(*sweep).returncode == 0 and len((out / "results.csv").read_text().splitlines()) == 3
    if importlib.util.find_spec("plotly"):
        done = call("report", out, "-o", page, preexec_fn=limit)
        assert done.returncode == 2 and str(page) in done.stderr and not page.exists()


def test_diff(pipeline, tmp_path):
    done = call("diff", pipeline, pipeline, "--unit", "rtl", "--set-b", "net_bytes=4", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    a, b = found["cycles"]
    assert b > a
    for view in ("line", "warp", "barrier"):
        assert sum(r[2] - r[1] for r in found["views"][view]) == sum(r[2] - r[1] for r in found["views"]["barrier"])
    same = call("diff", pipeline, pipeline, "--unit", "rtl")
    assert "+0.0 %" in same.stdout and "waits by line: no difference" in same.stdout
    result = tmp_path / "a.json"
    result.write_text(json.dumps(gsu.run(pipeline, unit="rtl", timing="target").json))
    saved = call("diff", result, pipeline, "--unit", "rtl")
    assert "waits by barrier: no difference" in saved.stdout and "line" not in saved.stdout
    failed = tmp_path / "failed.json"
    failed.write_text('{"error":{"message":"no such file","exit_code":2}}')
    done = call("diff", failed, pipeline)
    assert done.returncode == 2 and "the run failed: no such file" in done.stderr


def test_report(pipeline, data, tmp_path):
    pytest.importorskip("plotly")
    page = tmp_path / "r.html"
    assert call("report", pipeline, "--unit", "rtl", "-o", page).returncode == 0
    text = page.read_text()
    for heading in ("Waits by barrier", "mbarriers", "Waits by line", "Warps and barriers", "Pipelines", "Phases of an mbarrier"):
        assert f"<h2>{heading}</h2>" in text
    assert text.count('id="figure') >= 5 and not re.search(r'<(script|link)[^>]* (src|href)=', text)  # everything is inside
    hang = tmp_path / "h.html"
    assert call("report", data / "stuck.launch.json", "-o", hang).returncode == 0
    assert "Who waits for whom" in hang.read_text() and gsu.run(data / "stuck.launch.json").hang[:30] in hang.read_text()
    folder = tmp_path / "s"
    assert call("sweep", pipeline, "-p", "net_bytes=4,16", "-p", "mbar_lat=10,40", "-o", folder).returncode == 0
    assert call("report", folder, "-o", page).returncode == 0
    assert "Sensitivity" in page.read_text() and "Pairs" in page.read_text() and "<h2>Kernels</h2>" not in page.read_text()
    other = data.parent.parent / "kernels/cluster_softmax/cluster_softmax.launch.json"
    assert call("sweep", pipeline, other, "-p", "net_bytes=4,16", "-o", tmp_path / "s2").returncode == 0
    assert call("report", tmp_path / "s2", "-o", page).returncode == 0
    assert "<h2>Kernels</h2>" in page.read_text() and page.read_text().count("<th>relative</th>") == 1  # two tables of the best: kernels, all
    for bad, why in ((tmp_path / "nowhere.json", "no such file"), (tmp_path, "not the folder of a sweep"), (data / "none.launch.json", "no such file")):
        done = call("report", bad, "-o", tmp_path / "none.html")
        assert done.returncode == 2 and why in done.stderr and "Traceback" not in done.stderr
        assert not (tmp_path / "none.html").exists()


@pytest.mark.parametrize("cores, jobs, alone", [(2, None, True), (2, 1, False), (8, 4, False), (8, 5, True), (1, None, True)])
def test_runs_share_the_processors(cores, jobs, alone, data, tmp_path, monkeypatch):
    """Runs at the same time and their threads are together no more than the processors that this process may use."""
    calls, lock = [], threading.Lock()

    def program(*arguments, timeout=None):
        with lock:
            calls.append(list(arguments))
        return 0, {"verdict": "pass", "as_expected": True, "cycles": 1}

    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)), raising=False)
    monkeypatch.setattr(sweep, "call_json", program)
    runner = sweep.Sweep(plan.Plan(kernels=[str(data / "count.launch.json")], unit="golden", seeds=list(range(1, 17))), jobs=jobs)
    assert runner.jobs == (jobs or cores)
    assert runner.run().num_rows == 16 and len(calls) == 16
    assert all(("--threads" in c) == alone for c in calls)
    assert not alone or all(c[c.index("--threads") + 1] == 1 for c in calls)


def test_a_run_of_a_dask_worker_takes_one_thread(data, monkeypatch):
    """The worker runs as many at the same time as it was given threads."""
    calls = []
    monkeypatch.setattr(sweep, "call_json", lambda *arguments, timeout=None: calls.append(arguments) or (0, {"verdict": "pass"}))
    monkeypatch.setattr(sweep, "file_hash", lambda _: "same")
    files = {n: p.read_bytes() for n, p in sweep.launch_files(str(data / "count.launch.json")).items()}
    sweep.execute_shipped(files, "count.launch.json", [], "same")
    assert calls[0][-2:] == ("--threads", 1)


def test_timing_of_the_target_is_the_default(pipeline, data, tmp_path):
    def sweep(*more):
        out = tmp_path / "t"
        done = call("sweep", pipeline, "--unit", "golden", "-o", out, *more)
        return done, pyarrow.parquet.read_table(out / "results.parquet").to_pylist()

    done, rows = sweep()
    assert "timing hopper (what the PTX is for; --timing NAME says another)" in done.stdout
    assert [r["timing"] for r in rows] == ["hopper"]
    assert rows[0]["cycles"] == gsu.run(pipeline, unit="golden", timing="hopper").cycles
    done, rows = sweep("--timing", "simple")
    assert "  timing simple\n" in done.stdout and [r["timing"] for r in rows] == ["simple"]
    assert rows[0]["cycles"] == gsu.run(pipeline, unit="golden").cycles
    done, rows = sweep("--preset", "hopper,blackwell,ampere,ideal")
    assert [r["timing"] for r in rows] == ["hopper", "blackwell", "simple", "simple"]
    done, rows = sweep("-p", "exec.global_lat=20,300")
    assert done.returncode == 1 and "does not use exec.global_lat" in done.stdout and "--timing simple" in done.stdout
    done, rows = sweep("-p", "exec.global_lat=20,300", "--timing", "simple")
    assert done.returncode == 0 and rows[0]["cycles"] < rows[1]["cycles"]


def test_diff_and_report_say_which_timing(pipeline, tmp_path):
    found = json.loads(call("diff", pipeline, pipeline, "--unit", "golden", "--timing-b", "simple", "--json").stdout)
    assert found["timing"] == ["hopper", "simple"] and found["cycles"][0] > found["cycles"][1]
    assert "timing       hopper\n" in call("diff", pipeline, pipeline, "--unit", "golden").stdout
    page = tmp_path / "r.html"
    for options, timing in (((), "hopper"), (("--timing", "simple"), "simple"), (("--preset", "ideal"), "simple")):
        done = call("report", pipeline, "--unit", "golden", *options, "-o", page)
        assert done.returncode == 0, done.stderr
        assert f"timing {timing}" in page.read_text()
    assert call("sweep", pipeline, "--unit", "golden", "-o", tmp_path / "s").returncode == 0
    assert call("report", tmp_path / "s", "-o", page).returncode == 0
    assert "<p>timing hopper</p>" in page.read_text()


def test_timing_of_a_plan(pipeline, tmp_path):
    plan = tmp_path / "plan.yaml"
    plan.write_text(f"kernels: [{pipeline}]\nunit: golden\ntiming: simple\n")
    done = call("sweep", plan, "-o", tmp_path / "out")
    assert "  timing simple\n" in done.stdout
    plan.write_text(f"kernels: [{pipeline}]\nunit: golden\ntiming: simpel\n")
    assert "timing 'simpel' is not simple" in call("sweep", plan, "-o", tmp_path / "out").stderr
