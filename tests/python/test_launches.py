"""Lists of launches: which of them counts, what they come to together."""
import dataclasses

import pytest

pytest.importorskip("pyarrow")

from gsu import diff, launches
from gsu.errors import InputError


def launch(entry, cycles, waited):
    return {"entry": entry, "verdict": "pass", "as_expected": True, "cycles": cycles, "instructions": 10, "thread_instructions": 320, "sync_requests": 3, "sms": 4,
            "barriers": [{"kind": "named", "id": 1, "generations": 1, "requests": 2, "blocked_clocks": waited, "longest_wait": waited, "never_answered": 0}],
            "mbarriers": [], "pipelines": [], "findings": [], "mismatches": []}


def whole(waited=70):
    return {"verdict": "pass", "as_expected": True, "cycles": 1500, "instructions": 30, "sync_requests": 9, "unit": "rtl", "seed": 1, "findings": [], "mismatches": [],
            "launches": [launch("fill", 900, 5), launch("gemm", 500, waited), launch("check", 100, 0)]}


def test_one_of_a_list():
    one = launches.select(whole(), "gemm")
    assert one["cycles"] == 500
    assert one["barriers"][0]["blocked_clocks"] == 70
    assert one["summed"] == ["gemm"]
    assert launches.note(one) == "launch gemm, 1 of 3 of the list"
    assert launches.select(whole(), "1")["cycles"] == 500


def test_all_of_a_list_say_so():
    both = launches.select(whole())
    assert both["cycles"] == 1500
    assert [b["entry"] for b in both["barriers"]] == ["fill", "gemm", "check"]
    assert "fill, gemm, check together, 3 of 3" in launches.note(both)


def test_unknown_launches_are_refused():
    with pytest.raises(InputError, match="no such launch; there are 0 fill, 1 gemm, 2 check"):
        launches.select(whole(), "attention")
    with pytest.raises(InputError, match="is one launch, not a list"):
        launches.select(whole()["launches"][0], "gemm", "k.launch.json")
    assert launches.select(whole()["launches"][0])["cycles"] == 900


@dataclasses.dataclass
class Ran:
    json: dict
    slices: object = None
    verdict: str = "pass"

    @property
    def cycles(self):
        return self.json["cycles"]

    @property
    def stages(self):
        from gsu import tables

        return tables.stages(self.json)


def test_diff_of_lists_sees_the_waits():
    a, b = (Ran(launches.select(whole(w), "gemm")) for w in (70, 170))
    found = diff.difference(a, b)
    assert found["views"]["barrier"] == [("named 1", 70, 170)]
    text = diff.text(found)
    assert "launch gemm" in text
    assert "waits by barrier (clocks, all warps): 1 changed, +100" in text
    assert "waits by mbarrier: none in either run" in text
    together = [Ran(launches.select(whole(w))) for w in (70, 170)]
    assert diff.difference(*together)["views"]["barrier"] == [("gemm: named 1", 70, 170)]


def rows_of(effect, seeds):
    return [{"kernel": "k", "preset": "hopper", "seed": s, "a": a, "as_expected": True, "cycles": 1000 + effect * a + 10 * s, "blocked_clocks": 1} for a in (0, 1) for s in seeds]


def test_what_lies_within_the_spread_of_seeds_is_no_result():
    import pyarrow as pa

    from gsu import analysis

    within, beyond, alone = (pa.Table.from_pylist(rows_of(e, s)) for e, s in ((5, (1, 2, 3)), (100, (1, 2, 3)), (5, (1,))))
    assert analysis.sensitivity(within, ["a"], "cycles")[0]["noise"]
    assert analysis.best(within, ["a"])[0]["noise"]
    assert not analysis.sensitivity(beyond, ["a"], "cycles")[0]["noise"]
    assert not analysis.best(beyond, ["a"])[0]["noise"]
    found = analysis.sensitivity(alone, ["a"], "cycles")[0]
    assert found["spread"] is None and not found["noise"]
    assert analysis.sensitivity(beyond, ["a"], "cycles")[0]["by_kernel"] == {"k, hopper": pytest.approx(100 / 1070)}


def timed(window, cycles, busy):
    return {"window": window, "cycles": cycles, "microseconds": cycles / 1755, "bound": f"bound of window {window}", "tflops": 1e3 / cycles,
            "busy": {"L2": busy}, "roles": [{"sm": 0, "first_warp": 0, "warps": 4, "total": 4 * cycles, "clocks": {"issue": 4 * cycles, "sleep": 0}}]}


def test_report_gives_both_ends_of_the_range():
    pytest.importorskip("plotly")
    from gsu import report

    time = {"timing": "hopper", "clock_mhz": 1755, "sms": 1, "of": 1, **timed(16, 1755, 0.5)}
    page = "".join(report._time(time))
    assert "1.00 us at 1755 MHz (timing hopper, window 16), 0.6 TFLOPS" in page
    page = "".join(report._time({**time, "in_order": timed(1, 3510, 0.25)}))
    assert "1.00 | 2.00 us at 1755 MHz (timing hopper, window 16 | 1), 0.6 | 0.3 TFLOPS" in page
    assert "in order: bound of window 1" in page
    assert "<td>L2</td><td>0.500</td><td>0.250</td>" in page
    assert "<td>1</td><td>0</td><td>0</td><td>4</td><td>14040</td>" in page
