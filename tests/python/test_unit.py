"""The unit, cycle by cycle."""
import numpy as np
import pytest

import gsu

UNITS = ["golden", "rtl", "lockstep"]


@pytest.mark.parametrize("name", UNITS)
def test_barrier_completes_and_tells(name):
    unit = gsu.Unit(name)
    unit.launch_now(threads=96)
    for warp in (0, 1):
        unit.present_now("BarSync", warp=warp, arg0=3, arg1=96)
        unit.step()
    unit.step(100)
    state = unit.barrier(3)
    assert (state["arrived"], state["waiting"], state["missing"], state["expected"]) == (3, 3, 4, 96)
    assert unit.explain() == ("SM 0 CTA 0: 2 warps (first: warp 0) wait for named barrier 3 (64 of 96 threads have arrived); "
                              "missing: warp 2 is running.")
    assert unit.quiet_until == gsu.NEVER
    unit.present_now("BarSync", warp=2, arg0=3, arg1=96)
    unit.run_quiet()
    events = unit.events()
    releases = [e for e in events if e.kind == "release"]
    assert [(r.id, r.warps) for r in releases] == [(3, 7)]
    assert unit.explain() == ""
    assert unit.events() == []


@pytest.mark.parametrize("name", UNITS)
def test_numpy_operands(name):
    unit = gsu.Unit(name)
    unit.launch_now(threads=32, smem_size=4096)
    offsets = np.arange(4, dtype=np.int32) * 8 + 64
    unit.present_now("MbarInit", lanes=0b1111, addr=offsets, data=np.array([1, 2, 3, 4], dtype=np.uint16))
    unit.step(200)
    assert [unit.mbarrier(int(a))["expected"] for a in offsets] == [1, 2, 3, 4]
    unit.present_now("MbarArrive", lanes=0b1010, addr=offsets[[1, 3]], data=1)
    unit.step(200)
    assert [unit.mbarrier(int(a))["pending"] for a in offsets] == [1, 1, 3, 3]
    table = unit.tables()["commit"]
    assert table.num_rows >= 6 and set(table["op"].to_pylist()) >= {"MbarInit", "MbarArrive"}
    assert table["new_word"].type == "uint64"


@pytest.mark.parametrize("name", UNITS)
def test_a_grid_signals_and_ends(name):
    unit = gsu.Unit(name)
    unit.grid(2, ctas=1)
    unit.launch_now(threads=32, grid=2)
    unit.present_now("GdcLaunchDependents")
    unit.step(200)
    assert [dict(e)["complete"] for e in unit.events() if e.kind == "grid"] == [False]
    unit.exit()
    unit.step(300)
    table = unit.tables()["grid"]
    assert (table["grid"].to_pylist(), table["complete"].to_pylist(), table["network"].to_pylist()) == ([2], [True], [0])


def test_clusters_over_networks():
    unit = gsu.Unit("rtl", sms=20)
    for rank in (0, 1):
        unit.route(1, rank, sm=16 + rank, ctas=2)
    for rank in (0, 1):
        unit.launch_now(16 + rank, threads=32, cluster=1, rank=rank, ctas=2)
    for op in ("ClusterArrive", "ClusterWait"):
        for sm in (16, 17):
            unit.present_now(op, sm)
            unit.step(5)
    unit.run_quiet()
    assert unit.cluster(17)["generations"] == 1
    assert unit.cluster(17)["ranks_missing"] == 3
    assert {e.sm for e in unit.events() if e.kind == "commit"} == {16, 17}


def test_checkpoint():
    unit = gsu.Unit("lockstep", journal=True)
    unit.launch_now(threads=64)
    unit.present_now("BarSync")
    unit.step(50)
    data, cycle = unit.save(), unit.now
    other = gsu.Unit("lockstep", journal=True)
    other.restore(data)
    assert other.now == cycle and other.barrier(0) == unit.barrier(0)
    for u in (unit, other):
        u.events()
        u.present_now("BarSync", warp=1, tag=7)
        u.run_quiet()
    assert unit.events() == other.events() != []
    with pytest.raises(gsu.InputError, match="the checkpoint is one of GSU"):
        gsu.Unit("rtl", journal=True).restore(data)
    with pytest.raises(gsu.InputError, match="not a checkpoint"):
        other.restore(b"nonsense")
    with pytest.raises(gsu.StateError, match="without gsu_options::journal"):
        gsu.Unit("golden").save()


def test_errors_have_the_text_of_the_library():
    with pytest.raises(gsu.InputError, match="no unit 'verilog': rtl, golden, lockstep"):
        gsu.Unit("verilog")
    with pytest.raises(gsu.InputError, match="bar_interval"):
        gsu.Unit(settings={"bar_intervall": 3})
    with pytest.raises(gsu.InputError, match="257 SMs: 1 to 256"):
        gsu.Unit(sms=257)
    unit = gsu.Unit("golden")
    with pytest.raises(gsu.StateError, match="SM 0 CTA 0 warp 0 was not launched"):
        unit.present("BarSync")
    with pytest.raises(gsu.InputError, match="operation 'BarSink'"):
        unit.present("BarSink")
    unit.launch_now(threads=32)
    unit.present("BarSync", lanes=1)
    with pytest.raises(gsu.StateError, match="wait for an answer"):
        unit.present("BarSync", lanes=1)
    for bad in (-1, 2.5, None, 1 << 70, "0"):
        with pytest.raises(gsu.InputError):
            unit.present("BarSync", 0, 0, bad)
    for bad in ([1, 2, 3], [[1]], [-1], ["x"], 1.5):
        with pytest.raises(gsu.InputError):
            unit.present("MbarInit", lanes=2, addr=bad)
    with pytest.raises(gsu.InputError, match="too large"):
        unit.present("MbarInit", lanes=2, addr=1 << 40)


def test_nothing_crashes_the_interpreter():
    """Arguments of every kind to every method: an exception or a result, and the unit lives on."""
    seed = 20261122
    rng = np.random.default_rng(seed)
    unit = gsu.Unit("lockstep", sms=2, journal=True)
    values = [0, 1, 31, 32, 255, 256, 4095, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 64) - 1, 1 << 64, -1, None, "x", 1.5, b"", np.arange(32), []]
    calls = {"launch": 2, "route": 2, "present": 5, "complete_tx": 5, "exit": 4, "stored": 3, "epoch": 3, "announce": 4, "barrier": 3, "mbarrier": 3,
             "cluster": 2, "word": 2, "skip_to": 1, "restore": 1, "can_present": 1, "can_notify": 1}
    done = refused = 0
    for _ in range(3000):
        name = rng.choice(list(calls))
        pick = lambda: values[rng.integers(len(values))] if rng.random() < 0.4 else int(rng.integers(3))
        try:
            keywords = {"threads": pick()} if name == "launch" else {"sm": pick(), "ctas": pick()} if name == "route" else {}
            getattr(unit, name)(*[pick() for _ in range(calls[name])], **keywords)
            done += 1
        except (gsu.GsuError, TypeError, ValueError, AttributeError):
            refused += 1
        if rng.random() < 0.2:
            unit.step()
    assert done > 100 and refused > 500, (seed, done, refused)
    unit.step(10)
