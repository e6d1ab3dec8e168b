#!/usr/bin/env python3
"""Writes the GTKWave views of waveforms/ (*.gtkw): grouped signals with names instead of numbers.

A view names signals of the dump that `gsu run --fst` writes (scopes sm0, sm1, ..., net). Enumerations read as the
names that the FST file carries; masks are binary or hexadecimal, counts and identifiers decimal.
"""
import pathlib
import sys

from command_line import Parser

ROOT = pathlib.Path(__file__).resolve().parent.parent
# GTKWave trace flags: right-justified | base; names: enumeration of a binary value; number of ones
DEC, HEX, BIN, NAMES, SIGNED, ONES = 0x24, 0x22, 0x28, 0x1_0000_0028, 0x424, 0x2000_0024
COMMENT, OPEN, CLOSED, CLOSE = 0x200, 0x80_0200, 0xc0_0200, 0x100_0200
WIDTH = {"op": 7, "cta": 5, "warp": 5, "lanes": 32, "warps": 32, "obj": 32, "errs": 16, "cause": 3, "src": 4, "id": 4, "popc": 11,
         "arg0": 32, "arg1": 32, "pred": 32, "kind": 2, "clus": 6, "rank": 5, "new_w": 64, "old_w": 64, "threads": 16,
         "src_sm": 5, "src_cta": 5, "dst_sm": 5, "dst_cta": 5, "offset": 24, "amount": 32, "addr": 32}
BASE = {"op": NAMES, "cause": NAMES, "src": NAMES, "kind": NAMES, "lanes": HEX, "warps": BIN, "pred": HEX, "errs": HEX, "new_w": HEX, "old_w": HEX,
        "offset": HEX, "addr": HEX}
# Fields of records in words. A flip is that of the last commit: it stays until the next one.
NAME = {"op": "operation", "cta": "CTA", "warp": "warp", "lanes": "lanes", "warps": "warps", "kind": "kind", "obj": "object",
        "flip": "completes (last commit)", "errs": "error bits", "src": "sent by", "cause": "because",
        "arg0": "id, mask or address", "arg1": "count", "pred": "predicates", "id": "barrier", "popc": "count of red", "all": "and of red", "any": "or of red",
        "cluster": "of the cluster", "clus": "cluster slot", "src_sm": "from SM", "src_cta": "from CTA", "offset": "mbarrier at", "amount": "bytes or arrivals",
        "addr": "mbarrier (rank, offset)"}
OBJECT = {"nb": (DEC, "barrier"), "ws": (HEX, "member mask"), "cb": (DEC, "cluster slot"), "mb": (HEX, "mbarrier (rank, offset)")}


def signal(path, width=1, base=None, name=None):
    """(name in the dump, flags, name in the view or None)"""
    return (f"{path}[{width - 1}:0]" if width > 1 else path, base if base is not None else (BIN if width == 1 else DEC), name)


def struct(prefix, *fields):
    return [signal(f"{prefix}.{f}", WIDTH.get(f, 1), BASE.get(f), NAME.get(f)) for f in fields]


def request(sm):
    return [signal(f"{sm}.req_valid_i", name="one is presented"), signal(f"{sm}.req_ready_o", name="and taken"),
            *struct(f"{sm}.req_i", "op", "cta", "warp", "lanes", "arg0", "arg1", "pred")]


def tap(sm, unit, *fields):
    shown = struct(f"{sm}.tap_{unit}_o", "op", "cta", "warp", *fields)
    if "obj" in fields and unit in OBJECT:
        shown[3 + fields.index("obj")] = signal(f"{sm}.tap_{unit}_o.obj", 32, *OBJECT[unit])
    return [signal(f"{sm}.tap_{unit}_valid_o", name="one commits"), *shown]


def release(sm):
    return [signal(f"{sm}.rel_valid_o", name="one is released"), *struct(f"{sm}.rel_o", "cluster", "cta", "id", "warps", "popc", "all", "any")]


def response(sm):
    return [signal(f"{sm}.rsp_valid_o", name="one is given"), *struct(f"{sm}.rsp_o", "cta", "warp", "lanes", "cause")]


def clock(sm):
    return [signal(f"{sm}.now_i", 48, DEC, "cycle")]


def barriers():
    sm = "sm0.gsu_sm"
    return [("cycle", clock(sm)), ("request", request(sm)),
            ("named barrier: commit", tap(sm, "nb", "lanes", "obj", "flip", "refused", "errs", "src")),
            ("release", release(sm)), ("answer", response(sm)),
            ("lanes join", [signal("sm0.gsu_sm.u_core.u_join.u_lane_join.state_q", 2, NAMES, "state"), *struct("sm0.gsu_sm.u_core.nb_arr", "op", "warp", "lanes")]),
            ("warp sync: commit", tap(sm, "ws", "lanes", "obj", "errs")),
            ("exit and launch: commit", tap(sm, "ct", "lanes", "flip"))]


def cluster():
    groups = [("cycle", clock("sm0.gsu_sm"))]
    for i in range(2):
        sm = f"sm{i}.gsu_sm"
        groups += [(f"SM {i}: cluster barrier commit", tap(sm, "cb", "obj", "flip", "errs", "src")),
                   (f"SM {i}: to the network", [signal(f"{sm}.cb_up_valid_o"), *struct(f"{sm}.cb_up_o", "kind", "clus", "rank")]),
                   (f"SM {i}: from the network", [signal(f"{sm}.cb_dn_valid_i"), *struct(f"{sm}.cb_dn_i", "kind", "clus")]),
                   (f"SM {i}: release", release(sm))]
    groups.append(("network: commit", [signal("net.gsu_net.tap_valid_o"), *struct("net.gsu_net.tap_o", "op", "obj", "flip")]))
    return groups


def packet(sm, valid, port):
    """One packet of the cluster network: its kind, sender and receiver, and its mbarrier."""
    path = f"{sm}.{port}"
    way = struct(path, "src_sm", "src_cta") if port == "rx_i" else [signal(f"{path}.rank", 5, name="to rank")]
    return [signal(f"{sm}.{valid}", name="one is there"), signal(f"{path}.kind", 5, NAMES, "kind"),
            *way, *struct(path, "offset", "amount")]


def words(sm, line):
    """The four mbarriers of a line of the barrier cache, in numbers."""
    shown = f"{sm}.u_mbar.u_cache.g_shown"
    group = [signal(f"{shown}[{4 * line}].address", 18, HEX, "address of word 0")]
    for word in range(4):
        at = f"{shown}[{4 * line + word}].object"
        group += [signal(f"{at}.phase", name=f"word {word}: phase"), signal(f"{at}.pending", 20, DEC, "   pending"),
                  signal(f"{at}.expected", 20, DEC, "   of expected"), signal(f"{at}.tx", 22, SIGNED, "   tx bytes")]
    return group


def mbarrier():
    sm = "sm0.gsu_sm"
    unit, slots = f"{sm}.u_mbar", f"{sm}.u_mbar.u_wait_slots"
    objects = [signal(f"{sm}.tap_mb_o.obj", 32, HEX, "mbarrier (rank, offset)")]
    return [("mbarrier: commit", [*clock(sm), *tap(sm, "mb", "src"), *objects, signal(f"{sm}.tap_mb_o.flip", name="phase completes (last commit)")]),
            ("parked try_waits", [signal(f"{slots}.valid_q", 32, ONES, "waiters"), signal(f"{slots}.valid_o", name="one is answered"),
                                  signal(f"{slots}.cause_o", 3, NAMES, "because (if answered)"), signal(f"{slots}.wait_o.warp", 5, DEC, "warp")]),
            ("bytes of copies arrive", [signal(f"{sm}.async_valid_i", name="they arrive"), *struct(f"{sm}.async_i", "addr", "amount")]),
            ("packet from the network", packet(sm, "rx_valid_i", "rx_i")),
            ("barrier cache, line 0", words(sm, 0)), ("barrier cache, line 1", words(sm, 1)),
            ("-barrier cache, line 2", words(sm, 2)), ("-barrier cache, line 3", words(sm, 3)),
            ("packet to the network", packet(sm, "tx_valid_o", "tx_o")),
            ("answer", [signal(f"{unit}.rsp_valid_o", name="one is given"), *struct(f"{unit}.rsp_o", "cta", "warp", "cause", "pred")]),
            ("-memory port", [signal(f"{sm}.mem_req_valid_o"), signal(f"{sm}.mem_req_o.we", name="write"), signal(f"{sm}.mem_req_o.addr", 18, HEX),
                              signal(f"{sm}.mem_req_o.wdata", 64, HEX)])]


def gemm():
    """The ring of a Hopper GEMM or attention: bytes and packets that complete stages, pending waits, and the named barriers of the warpgroups."""
    sm = "sm0.gsu_sm"
    unit, slots = f"{sm}.u_mbar", f"{sm}.u_mbar.u_wait_slots"
    return [("stages: commit", [*clock(sm), *tap(sm, "mb", "src"), signal(f"{sm}.tap_mb_o.obj", 32, HEX, "mbarrier (rank, offset)"),
                                signal(f"{sm}.tap_mb_o.flip", name="phase completes (last commit)")]),
            ("full: bytes of tensor copies", [signal(f"{sm}.async_valid_i", name="they arrive"), *struct(f"{sm}.async_i", "addr", "amount")]),
            ("empty: packet from the other CTA", packet(sm, "rx_valid_i", "rx_i")), ("empty: packet to the other CTA", packet(sm, "tx_valid_o", "tx_o")),
            ("consumers and producer that wait", [signal(f"{slots}.valid_q", 32, ONES, "waiters"), signal(f"{slots}.valid_o", name="one is answered"),
                                                  signal(f"{slots}.wait_o.warp", 5, DEC, "warp")]),
            ("full 0 to 3", words(sm, 0)), ("empty 0 to 3", words(sm, 1)),
            ("warpgroups: named barrier commit", tap(sm, "nb", "obj", "flip", "src")), ("warpgroups: release", release(sm)),
            ("-cluster barrier: commit", tap(sm, "cb", "obj", "flip", "src")),
            ("-answer", [signal(f"{unit}.rsp_valid_o", name="one is given"), *struct(f"{unit}.rsp_o", "cta", "warp", "cause", "pred")])]


def warp():
    """Vote, match, redux, elect: lanes that meet, the engine, the answer of each lane."""
    sm = "sm0.gsu_sm"
    unit = f"{sm}.u_core.u_join.u_warp"
    engine = f"{unit}.u_engine"
    return [("cycle", clock(sm)), ("request", [*request(sm), signal(f"{sm}.req_i.kind", 8, DEC, "mode")]),
            ("values", [signal(f"{sm}.opnd_valid_i"), signal(f"{sm}.opnd_i.warp", name="of match or redux"), signal(f"{sm}.opnd_i.quad", 3, DEC),
                        signal(f"{sm}.opnd_warp_ready_o"), signal(f"{unit}.opnd_full_o", name="all have come")]),
            ("lanes have met: commit", tap(sm, "ws", "lanes", "obj", "errs", "src")),
            ("engine", [signal(f"{engine}.busy_q"), *struct(f"{engine}.grp_q", "op", "warp", "lanes"), signal(f"{engine}.todo_q", 32, HEX, "lanes without an answer"),
                        signal(f"{engine}.same_q", 32, HEX, "equal so far"),
                        *(signal(f"{engine}.key_q[{part}]", 32, HEX, f"redux so far, part {part}") for part in range(4))]),
            ("answer", [*response(sm), signal(f"{sm}.rsp_o.value", 64, HEX), signal(f"{sm}.rsp_o.pred", 32, HEX), signal(f"{sm}.rsp_o.last")])]


def lanes(path):
    return [signal(f"{path}.lane", 5, name="from lane"), signal(f"{path}.more", 5, name="and so many more")]


def dsmem():
    """Atomics on the shared memory of other CTAs: packets, the driver's operations, acknowledgements, and pending atoms."""
    sm = "sm0.gsu_sm"
    reply = f"{sm}.u_mbar.u_away.u_reply"
    return [("request", [*clock(sm), *request(sm), signal(f"{sm}.req_i.remote")]),
            ("packet to the network", [*packet(sm, "tx_valid_o", "tx_o"), *lanes(f"{sm}.tx_o")]),
            ("packet from the network", [*packet(sm, "rx_valid_i", "rx_i"), *lanes(f"{sm}.rx_i")]),
            ("commit", tap(sm, "mb", "lanes", "obj", "src")),
            ("performed now", [signal(f"{sm}.dlv_valid_o"), *struct(f"{sm}.dlv_o", "cta"), signal(f"{sm}.dlv_o.tag", 16), *lanes(f"{sm}.dlv_o"),
                               signal(f"{sm}.dlv_o.refused")]),
            ("acknowledged", [signal(f"{sm}.ack_valid_i"), signal(f"{sm}.ack_i.tag", 12), signal(f"{sm}.ack_i.lane", 5, name="highest lane"),
                              signal(f"{sm}.ack_i.reply", name="of an atom"), signal(f"{sm}.ack_i.refused")]),
            ("atoms that wait", [signal(f"{reply}.used_q", 16, ONES, "requests"), signal(f"{reply}.closed_q", 16, ONES, "all packets have left"),
                                 signal(f"{reply}.rsp_valid_o", name="one is answered")]),
            ("answer", [*response(sm), signal(f"{sm}.rsp_o.last")])]


def grid():
    """griddepcontrol: reports of CTAs to the grid table, reports of the table to the SMs, and waiting lanes."""
    sm, table = "sm0.gsu_sm", "net.gsu_net.u_grid"
    return [("request", [*clock(sm), *request(sm)]),
            ("SM 0: commit", [*tap(sm, "gd", "lanes"), signal(f"{sm}.tap_gd_o.obj", 32, DEC, "grid"), signal(f"{sm}.tap_gd_o.flip", name="first of its CTA")]),
            ("SM 0: warps that wait", [signal(f"{sm}.u_core.u_grid.parked_q", 64, ONES, "warps"), signal(f"{sm}.u_core.u_grid.due_q", 64, ONES, "may go on")]),
            ("SM 0: to the grid table", [signal(f"{sm}.gd_up_valid_o"), signal(f"{sm}.gd_up_o.grid", 4, DEC), signal(f"{sm}.gd_up_o.cta", 5, DEC),
                                         signal(f"{sm}.gd_up_o.signals"), signal(f"{sm}.gd_up_o.ends")]),
            ("grid table: commit", [signal("net.gsu_net.tap_gd_valid_o"), *struct("net.gsu_net.tap_gd_o", "op"), signal("net.gsu_net.tap_gd_o.obj", 32, DEC, "grid"),
                                    signal("net.gsu_net.tap_gd_o.flip", name="all of them"), signal("net.gsu_net.tap_gd_o.new_w", 64, HEX, "not signalled, not ended")]),
            ("grids", [signal(f"{table}.used_q", 16, HEX, "in flight"), signal(f"{table}.waits_q", 16, HEX, "behind others"), signal(f"{table}.go_q", 16, HEX, "told to go on"),
                       signal(f"{table}.over_q", 16, HEX, "over")]),
            ("to the SMs", [signal(f"{sm}.gd_dn_valid_i"), signal(f"{sm}.gd_dn_i.grid", 4, DEC), signal(f"{sm}.gd_dn_i.go", name="prerequisites complete")]),
            ("to the driver", [signal("net.gsu_net.grid_signalled_o", 16, HEX), signal("net.gsu_net.grid_complete_o", 16, HEX)]),
            ("answer", response(sm))]


def cancel():
    """try_cancel: queries to the driver, its answers, responses to this CTA and others, the driver's writes, completions."""
    sm = "sm0.gsu_sm"
    clc = f"{sm}.u_mbar.u_away.u_clc"
    return [("request", [*clock(sm), *request(sm), signal(f"{sm}.req_i.remote", name="multicast")]),
            ("query to the driver", [signal(f"{sm}.clc_req_valid_o"), *struct(f"{sm}.clc_req_o", "cta"), signal(f"{sm}.clc_req_o.tag", 12),
                                     signal(f"{sm}.clc_req_o.lane", 5), signal(f"{sm}.clc_req_o.slot", 5), signal(f"{sm}.clc_req_o.multicast")]),
            ("answer of the driver", [signal(f"{sm}.clc_rsp_valid_i"), signal(f"{sm}.clc_rsp_i.slot", 5)]),
            ("entries", [signal(f"{clc}.used_q", 8, ONES, "lanes"), signal(f"{clc}.answered_q", 8, ONES, "answered, to be sent"), signal(f"{clc}.work_q", name="one is sent"),
                         signal(f"{clc}.rank_q", 5, name="to rank"), signal(f"{clc}.loop_valid_o", name="to the own CTA")]),
            ("packet to the network", packet(sm, "tx_valid_o", "tx_o")),
            ("packet from the network", packet(sm, "rx_valid_i", "rx_i")),
            ("written now", [signal(f"{sm}.dlv_valid_o"), *struct(f"{sm}.dlv_o", "cta"), signal(f"{sm}.dlv_o.tag", 16), signal(f"{sm}.dlv_o.lane", 5),
                             signal(f"{sm}.dlv_o.refused")]),
            ("commit", tap(sm, "mb", "lanes", "obj", "src", "flip"))]


VIEWS = {"barriers": barriers, "cancel": cancel, "cluster": cluster, "dsmem": dsmem, "gemm": gemm, "grid": grid, "mbarrier": mbarrier, "warp": warp}


def text(groups):
    """Groups as a save file; a title that begins with - is closed when the view opens."""
    lines = ["[*] made by scripts/make_views.py", "[timestart] 0", "[sst_width] 0", "[signals_width] 330", "[sst_expanded] 0"]
    for title, signals in groups:
        closed, title = title.startswith("-"), title.lstrip("-")
        lines += [f"@{CLOSED if closed else OPEN:x}", f"-{title}"]
        for name, flags, alias in signals:
            lines += [f"@{flags:x}", f"+{{{alias}}} {name}" if alias else name]
        lines += [f"@{0x140_0200 if closed else CLOSE:x}", f"-{title}"]
    return "\n".join([*lines, ""])


def main():
    """Writes the views; with --check names the views that are stale."""
    parser = Parser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="say which views are not what it would write")
    check = parser.parse_args().check
    stale = []
    for view, make in VIEWS.items():
        path, new = ROOT / "waveforms" / f"{view}.gtkw", text(make())
        if not check:
            path.write_text(new)
        elif not path.exists() or path.read_text() != new:
            stale.append(path.name)
    if stale:
        sys.exit(f"not up to date: {', '.join(stale)}; run scripts/make_views.py")


main()
