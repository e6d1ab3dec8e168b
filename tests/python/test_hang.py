"""Hangs in Python: what the unit says of one, and the page of a report."""
import re
import xml.etree.ElementTree as xml

import pytest

import gsu
from gsu import hang_page


def poll(unit, times, **where):
    for _ in range(times):
        unit.present_now("MbarTestWaitParity", lanes=1, addr=64, data=0, **where)
        unit.run_quiet()


@pytest.mark.parametrize("name", ["golden", "rtl", "lockstep"])
def test_the_unit_says_why_it_hangs(name):
    unit = gsu.Unit(name)
    unit.launch_now(threads=64, smem_size=4096)
    for warp in (0, 1):
        unit.exit(warp=warp, lanes=~1 & 0xFFFFFFFF)
    unit.present_now("MbarInit", lanes=1, addr=64, data=1, line=10)
    unit.run_quiet()
    unit.present_now("MbarArriveExpectTx", lanes=1, addr=64, data=512, line=20)
    unit.run_quiet()
    unit.complete_tx(64, 256, line=21)
    unit.run_quiet()
    unit.exit(warp=0, lanes=1, line=22)
    unit.run_quiet()
    poll(unit, 3, warp=1, line=30)
    assert not unit.hang(idle=False)["hangs"]  # a copy could be under way
    hang = unit.hang()
    assert (hang["hangs"], hang["kind"], hang["line"], hang["running"]) == (True, "missing-bytes", 20, 0)
    assert hang["sentence"] == ("the mbarrier at +0x40 of SM 0 CTA 0 has 256 bytes outstanding in phase 0: warp 0 announced 512 bytes at line 20, 256 came (256 by line 21), "
                                "and no copy is in flight, so warp 1 waits at line 30 for ever.")
    assert hang["cause"]["culprits"] == [{"sm": 0, "slot": 0, "warp": 0}] and hang["waits"][0]["on"]["asked"] == 0
    assert hang["text"].startswith(hang["sentence"]) and "parity 0 is awaited" in unit.explain()
    unit.complete_tx(64, 256)
    unit.run_quiet()
    assert not unit.hang()["hangs"]


CIRCLE = {
    "waiting": [{"cta": 0, "warp": w, "lanes": "0x1", "line": 10 + w // 2, "on": {"kind": "mbarrier", "address": 8 * (w // 2), "word": "0x0", "phase": 0, "pending": 1, "expected": 1,
                                                                                 "tx": 0, "asked": 0}} for w in range(4)],
    "missing": [{"cta": 1, "warp": 5, "why": "exited at line 3 <early>"}],
    "explanation": "", "debts": [{"from": 0, "to": 2, "line": 21}, {"from": 1, "to": 2, "line": 21}, {"from": 2, "to": 0, "line": 22}, {"from": 3, "to": 0, "line": 22}],
    "objects": [{"cta": 0, "address": 0, "name": "full[0] (CTA 0 +0)", "phases": [
        {"phase": 0, "begin": 5, "parts": [{"what": "arrivals", "cta": 0, "warp": 3, "line": 22, "amount": 2, "times": 1, "first": 7, "last": 7}]}]}],
    "last_change": 90,
    "cause": {"kind": "cyclic-wait", "line": 10, "culprits": [{"cta": 0, "warp": 0}, {"cta": 0, "warp": 1}], "object": {}, "sentence": "warps 0 & 2 wait.", "cycle": 80, "others": []},
}


def test_the_graph_of_waits_is_drawn():
    nodes, edges = hang_page.nodes_and_edges(CIRCLE)
    assert [(n["warps"], n["guilty"]) for n in nodes] == [([0, 1], True), ([2, 3], False), ([5], False)]
    assert edges == {(0, 1): 21, (1, 0): 22}
    text = hang_page.graph(CIRCLE, ["mbarrier.try_wait a, <b>;"] * 30)
    root = xml.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    boxes = [b.get("class") for b in root.iter(space + "rect")]
    assert boxes == ["n g", "n", "n m"] and len(list(root.iter(space + "line"))) == 2
    words = [t.text for t in root.iter(space + "text")]
    assert "CTA 0 warps 0-1" in words and "line 21" in words and "line 10: mbarrier.try_wait a, <b>;" in words and "exited at line 3 <early>" in words
    assert "mbarrier +0x0, asks for parity 0" in words and "1 of 1 arrivals pending, tx 0" in words
    debt = {**CIRCLE, "debts": [{"from": 0, "to": 2, "line": 21}, {"from": 2, "to": 2, "line": 0}][:1]}
    assert hang_page._depths(2, {(0, 1): 21}) == [1, 0] and "<line" in hang_page.graph(debt)


def test_the_phases_say_who_arrived_and_what_is_awaited():
    text = hang_page.phases(CIRCLE)
    assert "2 arrivals by CTA 0 warp 3, line 22, cycle 7" in text and "(awaited)" in text and "Parity 0 is awaited." in text
    assert "warps 0 &amp; 2 wait." in hang_page.cause(CIRCLE)


# Warp 0 and warp 1 arrive once; then warp 0 waits for a second phase that warp 1 does not bring.
KERNEL = """.version 8.6
.target sm_90a
.address_size 64
.visible .entry rounds()
{
.reg .pred %p<8>;
.reg .b32 %r<8>;
.reg .b64 %rd<4>;
.shared .align 8 .b64 full;
mov.u32 %r1, %tid.x;
setp.eq.u32 %p1, %r1, 0;
setp.eq.u32 %p2, %r1, 32;
@%p1 mbarrier.init.shared::cta.b64 [full], 2;
bar.sync 0;
mov.u32 %r3, 0;
@%p2 mbarrier.arrive.shared::cta.b64 %rd1, [full];
R:
@%p1 mbarrier.arrive.shared::cta.b64 %rd1, [full];
setp.ge.u32 %p6, %r1, 32;
@%p6 bra N;
W:
mbarrier.try_wait.parity.shared::cta.b64 %p3, [full], %r3;
@!%p3 bra W;
xor.b32 %r3, %r3, 1;
bra R;
N:
ret;
}
"""


@pytest.fixture
def rounds(tmp_path):
    (tmp_path / "rounds.ptx").write_text(KERNEL)
    return tmp_path / "rounds.ptx"


def test_figures_end_with_the_last_change(rounds):
    run = gsu.run(rounds, block=64, unit="golden", timeline=True)
    last = run.json["hang"]["last_change"]
    cut = hang_page.cut(run)
    ends = lambda table: max(a + b for a, b in zip(table["start"].to_pylist(), table["clocks"].to_pylist()))
    assert ends(run.phases) > last >= ends(cut.phases) and last >= ends(cut.slices)
    assert cut.slices.num_rows and max(cut.changes["cycle"].to_pylist()) <= last and hang_page.cut(cut).slices == cut.slices


def test_the_page_of_a_hang(rounds, data, tmp_path):
    pytest.importorskip("plotly")
    from gsu import report
    for path, options, asked in ((rounds, {"block": 64}, True), (data / "stuck.launch.json", {}, False)):
        report.make(path, tmp_path / "h.html", unit="golden", **options)
        text = (tmp_path / "h.html").read_text()
        for heading in ("Why it hangs", "Who waits for whom", "What was waited for"):
            assert f"<h2>{heading}</h2>" in text
        run = gsu.run(path, unit="golden", **options)
        assert f"Nothing changed after cycle {run.json['hang']['last_change']}" in text
        svg = re.search(r"<svg id=\"waits\".*?</svg>", text, re.S)
        assert svg and "line " in svg.group() and xml.fromstring(svg.group()) is not None
        assert ("asks for parity 1" in svg.group() and "Parity 1 is awaited" in text and "who gave what" in text) == asked
        assert ("waits there" in text and "warp 1: exited at line 38" in text) != asked
