#!/usr/bin/env python3
"""Writes the GTKWave views of waveforms/ (*.gtkw): grouped signals with names instead of numbers.

A view names signals of the dump that `gsu run --fst` writes (scopes sm0, sm1, ..., net). Enumerations read as the
names that the FST file carries; masks are binary or hexadecimal, counts and identifiers decimal.
"""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEC, HEX, BIN, NAMES = 0x24, 0x22, 0x28, 0x1_0000_0028  # GTKWave trace flags: right-justified | base; names: enumeration of a binary value
COMMENT, OPEN, CLOSE = 0x200, 0x800200, 0x1000200
WIDTH = {"op": 7, "cta": 5, "warp": 5, "lanes": 32, "warps": 32, "obj": 32, "errs": 16, "cause": 3, "src": 4, "id": 4, "popc": 11,
         "arg0": 32, "arg1": 32, "pred": 32, "kind": 2, "clus": 6, "rank": 4, "new_w": 64, "old_w": 64, "threads": 16}
BASE = {"op": NAMES, "cause": NAMES, "src": NAMES, "kind": NAMES, "lanes": HEX, "warps": BIN, "pred": HEX, "errs": HEX, "new_w": HEX, "old_w": HEX}


def signal(path, width=1, base=None):
    """(name in the dump, flags)"""
    return (f"{path}[{width - 1}:0]" if width > 1 else path, base if base is not None else (BIN if width == 1 else DEC))


def struct(prefix, *fields):
    return [signal(f"{prefix}.{f}", WIDTH.get(f, 1), BASE.get(f)) for f in fields]


def request(sm):
    return [signal(f"{sm}.req_valid_i"), signal(f"{sm}.req_ready_o"), *struct(f"{sm}.req_i", "op", "cta", "warp", "lanes", "arg0", "arg1", "pred")]


def tap(sm, unit, *fields):
    return [signal(f"{sm}.tap_{unit}_valid_o"), *struct(f"{sm}.tap_{unit}_o", "op", "cta", "warp", *fields)]


def release(sm):
    return [signal(f"{sm}.rel_valid_o"), *struct(f"{sm}.rel_o", "cluster", "cta", "id", "warps", "popc", "all", "any")]


def response(sm):
    return [signal(f"{sm}.rsp_valid_o"), *struct(f"{sm}.rsp_o", "cta", "warp", "lanes", "cause")]


def clock(sm):
    return [signal(f"{sm}.now_i", 48, DEC)]


def barriers():
    sm = "sm0.gsu_sm"
    return [("cycle", clock(sm)), ("request", request(sm)),
            ("named barrier: commit", tap(sm, "nb", "lanes", "obj", "flip", "refused", "errs", "src")),
            ("release", release(sm)), ("answer", response(sm)),
            ("lanes join", [signal("sm0.gsu_sm.u_lane_join.state_q", 2, NAMES), *struct("sm0.gsu_sm.nb_arr", "op", "warp", "lanes")]),
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


VIEWS = {"barriers": barriers, "cluster": cluster}


def text(groups):
    lines = ["[*] made by scripts/make_views.py", "[timestart] 0", "[sst_width] 0", "[signals_width] 330", "[sst_expanded] 0"]
    for title, signals in groups:
        lines += [f"@{OPEN:x}", f"-{title}"]
        for name, flags in signals:
            lines += [f"@{flags:x}", name]
        lines += [f"@{CLOSE:x}", f"-{title}"]
    return "\n".join([*lines, ""])


for view, make in VIEWS.items():
    (ROOT / "waveforms" / f"{view}.gtkw").write_text(text(make()))
