"""run, replay, check, decode, tables: what the program says, as objects."""
import json

import pytest

import gsu


def test_run_and_tables(pipeline, tmp_path):
    trace = tmp_path / "t.gsut.zst"
    run = gsu.run(pipeline, unit="rtl", settings={"mbar_lat": 20}, seed=3, timeline=True, record=trace)
    assert run.verdict == "pass" and run.as_expected and run.json["seed"] == 3
    assert run.barriers.num_rows and run.mbarriers.num_rows and run.stages.num_rows
    waited = sum(run.slices["clocks"].to_pylist())
    assert waited == run.blocked_clocks  # two ways to the same clocks
    assert run.phases.num_rows > 100 and run.changes.num_rows > 100
    table = gsu.trace(trace)
    assert table.schema.metadata[b"mbar_lat"] == b"20" and table.schema.metadata[b"unit"] == b"rtl"
    kinds = table["kind"].to_pylist()
    assert kinds.count("launch") == 8 and kinds.count("do") == run.json["sync_requests"]
    assert all(w is not None for w, k in zip(table["warp"].to_pylist(), kinds) if k == "do")
    again = gsu.replay(trace)
    assert again.verdict == "agree" and again.exit_code == 0
    assert gsu.replay(trace, settings={"mbar_lat": 40}).verdict == "retimed"


def test_hang(data):
    run = gsu.run(data / "stuck.launch.json", unit="lockstep", timeline=True)
    assert run.verdict == "hang" and run.hang and run.waiting.num_rows
    assert run.hang == run.json["hang"]["explanation"]


def test_cause(data):
    cause = gsu.run(data / "stuck.launch.json", unit="golden").cause
    assert cause["kind"] and cause["line"] > 0 and cause["sentence"].endswith(".")
    assert gsu.run(data / "count.ptx", unit="golden", entry="count", grid=2, block=64, args=["buf:u32:64:0"]).cause is None


def test_races_of_a_run_and_of_its_trace(data, tmp_path):
    kernel, trace = data.parent.parent / "races/reused_stage/reused_stage.launch.json", tmp_path / "t.gsut.zst"
    run = gsu.run(kernel, unit="golden", check="race", record=trace, record_accesses=True)
    assert run.verdict == "misuse" and run.exit_code == 1
    races = run.races.to_pylist()
    assert [r["lines"] for r in races] == [[30, 25]] and races[0]["missing"] == ["wait-group", "barrier"]
    assert (races[0]["memory"], races[0]["offset"], races[0]["space"]) == ("stages", races[0]["address"], "shared")
    again = gsu.replay(trace, unit="golden", check="race")
    assert again.verdict == "agree" and again.exit_code == 1
    same = ("rule", "lines", "missing", "scope", "space", "cta", "address", "size", "cycle", "count")
    assert [[r[name] for name in same] for r in again.races.to_pylist()] == [[r[name] for name in same] for r in races]
    assert "memory" in gsu.trace(trace)["kind"].to_pylist()
    assert gsu.replay(trace, unit="golden").races.num_rows == 0
    left_out = gsu.run(kernel, unit="golden", check="race", ignore=["race-async@25", "race-lifetime"])
    assert left_out.exit_code == 0 and left_out.races.num_rows == 0 and left_out.json["unused_ignores"] == ["race-lifetime"]
    with pytest.raises(gsu.InputError, match="record it with"):
        plain = tmp_path / "plain.gsut"
        gsu.run(kernel, unit="golden", record=plain)
        gsu.replay(plain, unit="golden", check="race")


def test_a_ptx_file_without_a_launch_file(data):
    run = gsu.run(data / "count.ptx", unit="golden", entry="count", grid=2, block=(64,), args=["buf:u32:64:0"], extra=["--print", 4])
    assert run.verdict in ("pass", "done", "ok") or run.exit_code == 0
    assert run.json["memory"][0]["count"] == 64


def test_check_and_decode(data):
    verdict = gsu.check(data / "reject.ptx")
    assert verdict.verdict == "reject" and verdict.json["diagnostics"][0]["rule"] == "BAR-002"
    words = gsu.decode(0xFFFFE800003FFFF6)
    assert json.dumps(words).find("phase") > 0
    assert gsu.parameters("ideal")[0]["key"] == "bar_interval"


def test_errors_have_the_text_of_the_program(data, tmp_path):
    with pytest.raises(gsu.InputError, match="^nowhere.launch.json: no such file$") as error:
        gsu.run("nowhere.launch.json")
    assert error.value.file == "nowhere.launch.json"
    with pytest.raises(gsu.InputError, match="bar_intervall"):
        gsu.run(data / "stuck.launch.json", settings={"bar_intervall": 1})
    broken = tmp_path / "broken.gsut"
    broken.write_text("gsut 2\nunit rtl\n")
    with pytest.raises(gsu.InputError):
        gsu.replay(broken)
    with pytest.raises(gsu.InputError, match="not a complete trace"):
        gsu.trace(broken)
    with pytest.raises(gsu.InputError, match="not a timeline"):
        gsu.timeline(broken)
    with pytest.raises(gsu.InputError):
        gsu.decode("rubbish")


def test_a_program_that_breaks_down_is_an_exception(tmp_path, monkeypatch, pipeline):
    for text, message in (("#!/bin/sh\nkill -SEGV $$\n", "signal 11"), ("#!/bin/sh\necho oops >&2; exit 3\n", "oops"), ("#!/bin/sh\necho rubbish\n", "no result")):
        program = tmp_path / "gsu"
        program.write_text(text)
        program.chmod(0o755)
        monkeypatch.setenv("GSU_PROGRAM", str(program))
        with pytest.raises(gsu.InternalError, match=message):
            gsu.run(pipeline)
    monkeypatch.setenv("GSU_PROGRAM", str(tmp_path / "none"))
    with pytest.raises(gsu.GsuError, match="No such file"):
        gsu.run(pipeline)
