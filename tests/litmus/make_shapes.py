#!/usr/bin/env python3
"""Writes the litmus tests of tests/litmus/shapes: shapes x places x orders x what synchronizes. What PTX says of each is stated here, by the
rules of the shape and not by running anything. Usage: make_shapes.py [--check]"""
import pathlib
import sys

HERE = pathlib.Path(__file__).parent / "shapes"
PLACES = {  # of two threads: where they are, and which scopes hold both
    "cta": (["cta 0,cluster 0", "cta 0,cluster 0"], {"cta", "cluster", "gpu", "sys"}),
    "cluster": (["cta 0,cluster 0", "cta 1,cluster 0"], {"cluster", "gpu", "sys"}),
    "gpu": (["cta 0,cluster 0", "cta 1,cluster 1"], {"gpu", "sys"}),
}
tests = {}


def emit(name, says, rules, init, threads, condition):
    """threads: [(place, [instructions])]; says: allowed or forbidden; condition: the outcome."""
    assert name not in tests, name
    rows = max(len(code) for _, code in threads)
    head = [f"P{i}@{place},gpu 0" for i, (place, _) in enumerate(threads)]
    table = [head] + [[code[r] if r < len(code) else "" for _, code in threads] for r in range(rows)]
    width = [max(len(line[c]) for line in table) for c in range(len(threads))]
    body = "\n".join(" " + " | ".join(cell.ljust(w) for cell, w in zip(line, width)) + " ;" for line in table)
    ask = "~exists" if says == "forbidden" else "exists"
    tests[name] = f'PTX {name}\n"PTX: {says} ({", ".join(rules)})"\n{{ {init} }}\n{body}\n{ask} ({condition})\n'


def two(place, first, second):
    where = PLACES[place][0]
    return [(where[0], first), (where[1], second)]


def data(space):
    """Declaration of a location for a space."""
    return {"global": "x = 0", "own": "x @ shared P0 = 0", "other": "x @ shared P1 = 0"}[space]


def spaces(place):
    return ["global", "own"] if place == "cta" else ["global", "own", "other"] if place == "cluster" else ["global"]


# MP: data, then a flag. Release and acquire (or fences) at a scope that holds both threads, else nothing is ordered.
for place, (_, scopes) in PLACES.items():
    for space in spaces(place):
        if space == "own" and place == "gpu":
            continue
        init = f"{data(space)}; f = 0"
        for scope in ("cta", "cluster", "gpu", "sys"):
            if scope == "sys" and space != "global":
                continue
            says = "forbidden" if scope in scopes else "allowed"
            emit(f"mp_{place}_{space}_relacq_{scope}", says, ["FENCE-005", "BAR-016"], init,
                 two(place, ["st.weak x, 1", f"st.release.{scope} f, 1"], [f"ld.acquire.{scope} r0, f", "ld.weak r1, x"]),
                 "P1:r0 == 1 /\\ P1:r1 == 0")
            if scope == "sys":
                continue
            emit(f"mp_{place}_{space}_fence_{scope}", says, ["FENCE-004", "FENCE-038"], init,
                 two(place, ["st.weak x, 1", f"fence.acq_rel.{scope}", "st.relaxed.sys f, 1"],
                     ["ld.relaxed.sys r0, f", f"fence.acq_rel.{scope}", "ld.weak r1, x"]),
                 "P1:r0 == 1 /\\ P1:r1 == 0")
        emit(f"mp_{place}_{space}_none", "allowed", ["FENCE-004"], init,
             two(place, ["st.relaxed.sys x, 1", "st.relaxed.sys f, 1"], ["ld.acquire.sys r0, f", "ld.relaxed.sys r1, x"]),
             "P1:r0 == 1 /\\ P1:r1 == 0")

# SB: only fence.sc (or a barrier) of a wide enough scope forbids it.
for place, (_, scopes) in PLACES.items():
    for fence in ("none", "acq_rel.gpu", "sc.cta", "sc.cluster", "sc.gpu", "sc.sys"):
        line = [] if fence == "none" else [f"fence.{fence}"]
        says = "forbidden" if fence.startswith("sc") and fence[3:] in scopes else "allowed"
        emit(f"sb_{place}_{fence.replace('.', '_')}", says, ["FENCE-005", "FENCE-021"], "x = 0; y = 0",
             two(place, ["st.relaxed.sys x, 1", *line, "ld.relaxed.sys r0, y"], ["st.relaxed.sys y, 1", *line, "ld.relaxed.sys r1, x"]),
             "P0:r0 == 0 /\\ P1:r1 == 0")
emit("sb_dsmem_none", "allowed", ["CLU-016"], "x @ shared P1 = 0; y @ shared P0 = 0",
     two("cluster", ["st.weak x, 1", "ld.weak r0, y"], ["st.weak y, 1", "ld.weak r1, x"]), "P0:r0 == 0 /\\ P1:r1 == 0")
emit("sb_dsmem_sc", "forbidden", ["FENCE-021"], "x @ shared P1 = 0; y @ shared P0 = 0",
     two("cluster", ["st.relaxed.cluster x, 1", "fence.sc.cluster", "ld.relaxed.cluster r0, y"],
         ["st.relaxed.cluster y, 1", "fence.sc.cluster", "ld.relaxed.cluster r1, x"]), "P0:r0 == 0 /\\ P1:r1 == 0")
emit("sb_bar", "forbidden", ["BAR-014"], "x = 0; y = 0",
     two("cta", ["st.weak x, 1", "bar.sync 0", "ld.weak r0, y"], ["st.weak y, 1", "bar.sync 0", "ld.weak r1, x"]), "P0:r0 == 0 /\\ P1:r1 == 0")
emit("sb_cluster_barrier", "forbidden", ["CLU-016"], "x @ shared P1 = 0; y @ shared P0 = 0",
     two("cluster", ["st.weak x, 1", "barrier.cluster.arrive", "barrier.cluster.wait", "ld.weak r0, y"],
         ["st.weak y, 1", "barrier.cluster.arrive", "barrier.cluster.wait", "ld.weak r1, x"]), "P0:r0 == 0 \\/ P1:r1 == 0")

# LB: no out-of-thin-air, and release/acquire forbids it.
for place in PLACES:
    emit(f"lb_{place}_relaxed", "allowed", ["FENCE-004"], "x = 0; y = 0",
         two(place, ["ld.relaxed.gpu r0, x", "st.relaxed.gpu y, 1"], ["ld.relaxed.gpu r1, y", "st.relaxed.gpu x, 1"]), "P0:r0 == 1 /\\ P1:r1 == 1")
    emit(f"lb_{place}_relacq", "forbidden", ["FENCE-005"], "x = 0; y = 0",
         two(place, ["ld.acquire.gpu r0, x", "st.release.gpu y, 1"], ["ld.acquire.gpu r1, y", "st.release.gpu x, 1"]), "P0:r0 == 1 /\\ P1:r1 == 1")
    emit(f"lb_{place}_data", "forbidden", ["FENCE-003"], "x = 0; y = 0",
         two(place, ["ld.relaxed.gpu r0, x", "st.relaxed.gpu y, r0"], ["ld.relaxed.gpu r1, y", "st.relaxed.gpu x, r1"]), "P0:r0 == 1 \\/ P1:r1 == 1")

# S, R, 2+2W.
for place in PLACES:
    emit(f"s_{place}_relaxed", "allowed", ["FENCE-004"], "x = 0; y = 0",
         two(place, ["st.relaxed.gpu x, 2", "st.relaxed.gpu y, 1"], ["ld.acquire.gpu r0, y", "st.relaxed.gpu x, 1"]), "P1:r0 == 1 /\\ x == 2")
    emit(f"s_{place}_relacq", "forbidden", ["FENCE-005"], "x = 0; y = 0",
         two(place, ["st.weak x, 2", "st.release.gpu y, 1"], ["ld.acquire.gpu r0, y", "st.weak x, 1"]), "P1:r0 == 1 /\\ x == 2")
    emit(f"r_{place}_relaxed", "allowed", ["FENCE-004"], "x = 0; y = 0",
         two(place, ["st.relaxed.gpu x, 1", "st.relaxed.gpu y, 1"], ["st.relaxed.gpu y, 2", "ld.relaxed.gpu r0, x"]), "y == 2 /\\ P1:r0 == 0")
    emit(f"r_{place}_sc", "forbidden", ["FENCE-021"], "x = 0; y = 0",
         two(place, ["st.relaxed.gpu x, 1", "fence.sc.gpu", "st.relaxed.gpu y, 1"], ["st.relaxed.gpu y, 2", "fence.sc.gpu", "ld.relaxed.gpu r0, x"]),
         "y == 2 /\\ P1:r0 == 0")
    emit(f"22w_{place}_relaxed", "allowed", ["FENCE-004"], "x = 0; y = 0",
         two(place, ["st.relaxed.gpu x, 1", "st.relaxed.gpu y, 2"], ["st.relaxed.gpu y, 1", "st.relaxed.gpu x, 2"]), "x == 1 /\\ y == 1")
    emit(f"22w_{place}_sc", "forbidden", ["FENCE-021"], "x = 0; y = 0",
         two(place, ["st.relaxed.gpu x, 1", "fence.sc.gpu", "st.relaxed.gpu y, 2"], ["st.relaxed.gpu y, 1", "fence.sc.gpu", "st.relaxed.gpu x, 2"]),
         "x == 1 /\\ y == 1")

# Coherence, for each space.
for space, decl in (("global", "x = 0"), ("shared", "x @ shared P0 = 0"), ("dsmem", "x @ shared P1 = 0")):
    place = "cluster" if space == "dsmem" else "cta"
    idle = ["ld.weak r9, x"]
    emit(f"coww_{space}", "forbidden", ["FENCE-038"], decl, two(place, ["st.weak x, 1", "st.weak x, 2"], idle), "x == 1")
    emit(f"cowr_{space}", "forbidden", ["FENCE-038"], decl, two(place, ["st.weak x, 1", "ld.weak r0, x"], idle), "P0:r0 == 0")
    emit(f"corw_{space}", "forbidden", ["FENCE-038"], decl, two(place, ["ld.weak r0, x", "st.weak x, 1"], idle), "P0:r0 == 1")
    emit(f"corr_{space}_relaxed", "forbidden", ["FENCE-038"], decl,
         two(place, ["st.relaxed.cluster x, 1"], ["ld.relaxed.cluster r0, x", "ld.relaxed.cluster r1, x"]), "P1:r0 == 1 /\\ P1:r1 == 0")
    emit(f"corw2_{space}", "forbidden", ["FENCE-038"], decl,
         two(place, ["ld.relaxed.cluster r0, x", "st.relaxed.cluster x, 1"], ["st.relaxed.cluster x, 2"]), "P0:r0 == 2 /\\ x == 2")
    emit(f"cowrr_{space}_own_first", "forbidden", ["FENCE-038"], decl,
         two(place, ["st.relaxed.cluster x, 1", "ld.relaxed.cluster r0, x", "ld.relaxed.cluster r1, x"], ["st.relaxed.cluster x, 2"]),
         "P0:r0 == 2 /\\ P0:r1 == 1")
    emit(f"atomicity_{space}", "forbidden", ["ATOM-029"], decl,
         two(place, ["atom.relaxed.cluster.add r0, x, 1"], ["atom.relaxed.cluster.add r1, x, 1"]), "P0:r0 == P1:r1 \\/ x != 2")
    emit(f"atom_sees_own_store_{space}", "forbidden", ["ATOM-029"], decl,
         two(place, ["st.weak x, 5", "atom.relaxed.cluster.add r0, x, 1"], idle), "P0:r0 == 0 \\/ x != 6")
    emit(f"red_behind_own_store_{space}", "forbidden", ["RED-018"], decl,
         two(place, ["st.weak x, 5", "red.relaxed.cluster.add x, 1", "ld.weak r0, x"], idle), "P0:r0 != 6 \\/ x != 6")
    emit(f"atom_no_release_{space}", "allowed", ["ATOM-029"], decl + "; f = 0",
         two(place, ["st.weak x, 1", "atom.relaxed.gpu.add r0, f, 1"], ["ld.acquire.gpu r0, f", "ld.weak r1, x"]), "P1:r0 == 1 /\\ P1:r1 == 0")
    emit(f"atom_release_{space}", "forbidden", ["ATOM-029"], decl + "; f = 0",
         two(place, ["st.weak x, 1", "atom.release.gpu.add r0, f, 1"], ["atom.acquire.gpu.add r0, f, 0", "ld.weak r1, x"]), "P1:r0 == 1 /\\ P1:r1 == 0")
    emit(f"red_release_{space}", "forbidden", ["RED-018"], decl + "; f = 0",
         two(place, ["st.weak x, 1", "red.release.gpu.add f, 1"], ["ld.acquire.gpu r0, f", "ld.weak r1, x"]), "P1:r0 == 1 /\\ P1:r1 == 0")
    emit(f"red_no_release_{space}", "allowed", ["RED-018"], decl + "; f = 0",
         two(place, ["st.weak x, 1", "red.relaxed.gpu.add f, 1"], ["ld.acquire.gpu r0, f", "ld.weak r1, x"]), "P1:r0 == 1 /\\ P1:r1 == 0")

# Three and four threads.
C = ["cta 0,cluster 0", "cta 0,cluster 0", "cta 1,cluster 0", "cta 1,cluster 0"]
for name, order, says in (("relaxed", ("relaxed", "relaxed", []), "allowed"), ("acquire", ("relaxed", "acquire", []), "allowed"),
                          ("sc", ("relaxed", "relaxed", ["fence.sc.gpu"]), "forbidden")):
    emit(f"iriw_{name}", says, ["FENCE-021"], "x = 0; y = 0",
         [(C[0], [f"st.{order[0]}.gpu x, 1"]), (C[1], [f"ld.{order[1]}.gpu r0, x", *order[2], f"ld.{order[1]}.gpu r1, y"]),
          (C[2], [f"st.{order[0]}.gpu y, 1"]), (C[3], [f"ld.{order[1]}.gpu r0, y", *order[2], f"ld.{order[1]}.gpu r1, x"])],
         "P1:r0 == 1 /\\ P1:r1 == 0 /\\ P3:r0 == 1 /\\ P3:r1 == 0")
for scope, says in (("cta", "allowed"), ("cluster", "forbidden"), ("gpu", "forbidden")):
    emit(f"wrc_{scope}", says, ["FENCE-039"], "x = 0; y = 0",
         [(C[0], ["st.relaxed.gpu x, 1"]), (C[1], ["ld.relaxed.gpu r0, x", f"st.release.{scope} y, 1"]),
          (C[2], [f"ld.acquire.{scope} r0, y", "ld.relaxed.gpu r1, x"])], "P1:r0 == 1 /\\ P2:r0 == 1 /\\ P2:r1 == 0")
    emit(f"isa2_{scope}", says, ["FENCE-039", "BAR-016"], "x = 0; y = 0; z = 0",
         [(C[0], ["st.weak x, 1", "st.release.cta y, 1"]), (C[1], ["ld.acquire.cta r0, y", f"st.release.{scope} z, 1"]),
          (C[2], [f"ld.acquire.{scope} r0, z", "ld.weak r1, x"])], "P1:r0 == 1 /\\ P2:r0 == 1 /\\ P2:r1 == 0")
emit("isa2_bar_then_release", "forbidden", ["BAR-016", "FENCE-039"], "x = 0; z = 0",
     [(C[0], ["st.weak x, 1", "bar.sync 1"]), (C[1], ["bar.sync 1", "st.release.cluster z, 1"]),
      (C[2], ["ld.acquire.cluster r0, z", "ld.weak r1, x"])], "P2:r0 == 1 /\\ P2:r1 == 0")
emit("isa2_bar_then_cluster_barrier", "forbidden", ["BAR-016", "CLU-016"], "x @ shared P2 = 0",
     [(C[0], ["st.weak x, 1", "bar.sync 1", "barrier.cluster.arrive.relaxed", "barrier.cluster.wait"]),
      (C[1], ["bar.sync 1", "barrier.cluster.arrive", "barrier.cluster.wait"]),
      (C[2], ["barrier.cluster.arrive", "barrier.cluster.wait", "ld.weak r1, x"])], "P2:r1 == 0")
emit("isa2_bar_relaxed_cluster_barrier", "allowed", ["CLU-022"], "x = 0",
     [(C[0], ["st.weak x, 1", "bar.sync 1", "barrier.cluster.arrive.relaxed", "barrier.cluster.wait"]),
      (C[1], ["bar.sync 1", "barrier.cluster.arrive.relaxed", "barrier.cluster.wait"]),
      (C[2], ["barrier.cluster.arrive", "barrier.cluster.wait", "ld.weak r1, x"])], "P2:r1 == 0")
emit("ticket_lock_release", "forbidden", ["ATOM-029"], "l = 0; x = 0",
     two("cluster", ["atom.acquire.gpu.cas r0, l, 0, 1", "bne r0, 0, OUT", "st.weak x, 1", "atom.release.gpu.exch r1, l, 2", "OUT:"],
         ["atom.acquire.gpu.cas r0, l, 2, 3", "ld.weak r1, x"]), "P0:r0 == 0 /\\ P1:r0 == 2 /\\ P1:r1 == 0")
emit("ticket_lock_relaxed", "allowed", ["ATOM-029"], "l = 0; x = 0",
     two("cluster", ["atom.acquire.gpu.cas r0, l, 0, 1", "bne r0, 0, OUT", "st.weak x, 1", "atom.relaxed.gpu.exch r1, l, 2", "OUT:"],
         ["atom.acquire.gpu.cas r0, l, 2, 3", "ld.weak r1, x"]), "P0:r0 == 0 /\\ P1:r0 == 2 /\\ P1:r1 == 0")

# Named barriers.
for space, decl in (("global", "x = 0"), ("shared", "x @ shared P0 = 0")):
    emit(f"bar_sync_{space}", "forbidden", ["BAR-014"], decl, two("cta", ["st.weak x, 1", "bar.sync 1"], ["bar.sync 1", "ld.weak r0, x"]), "P1:r0 == 0")
    emit(f"bar_arrive_{space}", "forbidden", ["BAR-015"], decl, two("cta", ["st.weak x, 1", "bar.arrive 2, 2"], ["bar.sync 2, 2", "ld.weak r0, x"]), "P1:r0 == 0")
    emit(f"bar_war_{space}", "forbidden", ["BAR-014"], decl, two("cta", ["ld.weak r0, x", "bar.sync 1"], ["bar.sync 1", "st.weak x, 1"]), "P0:r0 == 1")
    emit(f"bar_other_id_{space}", "allowed", ["BAR-014"], decl,
         two("cta", ["st.weak x, 1", "bar.sync 1, 1"], ["bar.sync 2, 1", "ld.weak r0, x"]), "P1:r0 == 0")
emit("bar_does_not_reach_other_ctas", "allowed", ["BAR-014"], "x = 0; f = 0",
     [(C[0], ["st.weak x, 1", "bar.sync 0", "st.relaxed.gpu f, 1"]), (C[1], ["bar.sync 0"]), (C[2], ["ld.acquire.gpu r0, f", "ld.weak r1, x"])],
     "P2:r0 == 1 /\\ P2:r1 == 0")

# mbarriers: local (both threads in the owner's CTA) and remote (P0 arrives on P1's).
for space in ("global", "own"):
    for sem, says in (("", "forbidden"), (".release.cta", "forbidden"), (".release.cluster", "forbidden"), (".relaxed.cta", "allowed")):
        emit(f"mbar_local_{space}{sem.replace('.', '_') or '_default'}", says, ["MBARR-013", "MBW-018"], f"{data(space)}; b @ mbarrier P0 = 1",
             two("cta", ["st.weak x, 1", f"mbarrier.arrive{sem} b"], ["mbarrier.wait b, 0", "ld.weak r0, x"]), "P1:r0 == 0")
for space in ("global", "own", "other"):
    for sem, says in (("", "allowed"), (".release.cluster", "forbidden"), (".relaxed.cluster", "allowed")):
        wait = "mbarrier.wait.acquire.cluster b, 0"
        emit(f"mbar_remote_{space}{sem.replace('.', '_') or '_default'}", says, ["MBARR-014", "MBW-020", "D-40"], f"{data(space)}; b @ mbarrier P1 = 1",
             two("cluster", ["st.weak x, 1", f"mbarrier.arrive{sem} b"], [wait, "ld.weak r0, x"]), "P1:r0 == 0")
    emit(f"mbar_remote_{space}_fence", "forbidden", ["FENCE-004", "MBARR-014"], f"{data(space)}; b @ mbarrier P1 = 1",
         two("cluster", ["st.weak x, 1", "fence.acq_rel.cluster", "mbarrier.arrive.relaxed.cluster b"],
             ["mbarrier.wait.relaxed.cluster b, 0", "fence.acq_rel.cluster", "ld.weak r0, x"]), "P1:r0 == 0")
emit("mbar_relaxed_wait", "allowed", ["MBW-023"], "x = 0; b @ mbarrier P1 = 1",
     two("cluster", ["st.weak x, 1", "mbarrier.arrive.release.cluster b"], ["mbarrier.wait.relaxed.cluster b, 0", "ld.weak r0, x"]), "P1:r0 == 0")
emit("mbar_cumulative", "forbidden", ["MBARR-014", "FENCE-039"], "x @ shared P2 = 0; a @ mbarrier P0 = 1; b @ mbarrier P2 = 1",
     [(C[0], ["st.weak x, 1", "mbarrier.arrive a"]), (C[1], ["mbarrier.wait a, 0", "mbarrier.arrive.release.cluster b"]),
      (C[2], ["mbarrier.wait.acquire.cluster b, 0", "ld.weak r0, x"])], "P2:r0 == 0")
emit("mbar_remote_arrive_before_cluster_barrier", "forbidden", ["CLU-016", "D-54"], "x = 0; b @ mbarrier P1 = 1; c @ mbarrier P1 = 1",
     two("cluster", ["mbarrier.arrive.relaxed.cluster b", "barrier.cluster.arrive", "barrier.cluster.wait", "st.relaxed.cluster x, 1"],
         ["barrier.cluster.arrive", "barrier.cluster.wait", "mbarrier.wait b, 0", "mbarrier.arrive c", "mbarrier.wait c, 0", "ld.relaxed.cluster r0, x"]),
     "P1:r0 == 2")
emit("mbar_expect_before_arrive", "forbidden", ["D-38", "MBARR-019"], "x @ shared P1 = 0; b @ mbarrier P1 = 1",
     two("cluster", ["mbarrier.expect_tx.relaxed.cluster b, 4", "mbarrier.arrive.release.cluster b", "st.async x, 7, b"],
         ["mbarrier.wait b, 0", "ld.weak r0, x"]), "P1:r0 == 0")

# Cluster barrier.
for space in ("global", "own", "other"):
    emit(f"cluster_barrier_{space}", "forbidden", ["CLU-016", "CLU-021"], data(space),
         two("cluster", ["st.weak x, 1", "barrier.cluster.arrive", "barrier.cluster.wait"],
             ["barrier.cluster.arrive", "barrier.cluster.wait", "ld.weak r0, x"]), "P1:r0 == 0")
    emit(f"cluster_barrier_{space}_relaxed", "allowed", ["CLU-022"], data(space),
         two("cluster", ["st.weak x, 1", "barrier.cluster.arrive.relaxed", "barrier.cluster.wait"],
             ["barrier.cluster.arrive.relaxed", "barrier.cluster.wait", "ld.weak r0, x"]), "P1:r0 == 0")
    emit(f"cluster_barrier_{space}_relaxed_fenced", "forbidden", ["CLU-023", "FENCE-004"], data(space),
         two("cluster", ["st.weak x, 1", "fence.acq_rel.cluster", "barrier.cluster.arrive.relaxed", "barrier.cluster.wait"],
             ["barrier.cluster.arrive", "barrier.cluster.wait", "ld.weak r0, x"]), "P1:r0 == 0")
for value in (0, 1):
    emit(f"cluster_barrier_store_between_{value}", "allowed", ["CLU-018"], "x = 0",
         two("cluster", ["barrier.cluster.arrive", "st.weak x, 1", "barrier.cluster.wait"],
             ["barrier.cluster.arrive", "barrier.cluster.wait", "ld.weak r0, x"]), f"P1:r0 == {value}")
emit("cluster_barrier_does_not_wait_for_st_async", "allowed", ["CLU-017"], "x @ shared P1 = 0; b @ mbarrier P1 = 1",
     two("cluster", ["st.async x, 1, b", "barrier.cluster.arrive", "barrier.cluster.wait"],
         ["barrier.cluster.arrive", "barrier.cluster.wait", "ld.weak r0, x"]), "P1:r0 == 0")

# Asynchronous copies and stores: data before their completion; what was stored before only behind a proxy fence, or not at all.
COPY = "x @ shared P0 = 0; y @ shared P1 = 0; b @ mbarrier P1 = 1"
AWAIT = ["mbarrier.arrive.expect_tx b, 4", "mbarrier.wait b, 0", "ld.weak r0, y"]
emit("bulk_copy_fenced", "forbidden", ["FENCE-024", "RASYNC-012"], COPY,
     two("cluster", ["st.weak x, 1", "fence.proxy.async", "cp.async.bulk y, x, b"], AWAIT), "P1:r0 == 0")
emit("bulk_copy_not_fenced", "allowed", ["FENCE-024", "FENCE-027"], COPY,
     two("cluster", ["st.weak x, 1", "cp.async.bulk y, x, b"], AWAIT), "P1:r0 == 0")
emit("bulk_copy_wrong_fence", "allowed", ["FENCE-024"], COPY,
     two("cluster", ["st.weak x, 1", "fence.acq_rel.cta", "cp.async.bulk y, x, b"], AWAIT), "P1:r0 == 0")
emit("bulk_copy_fence_behind", "allowed", ["FENCE-026"], COPY,
     two("cluster", ["st.weak x, 1", "cp.async.bulk y, x, b", "fence.proxy.async"], AWAIT), "P1:r0 == 0")
emit("bulk_copy_bar_fenced_by_reader", "forbidden", ["FENCE-024", "BAR-014"], COPY.replace("P1", "P2"),
     [(C[0], ["st.weak x, 1", "bar.sync 1"]), (C[1], ["bar.sync 1", "fence.proxy.async", "cp.async.bulk y, x, b"]), (C[2], AWAIT)], "P2:r0 == 0")
emit("bulk_copy_bar_not_fenced", "allowed", ["FENCE-024", "BAR-014"], COPY.replace("P1", "P2"),
     [(C[0], ["st.weak x, 1", "bar.sync 1"]), (C[1], ["bar.sync 1", "cp.async.bulk y, x, b"]), (C[2], AWAIT)], "P2:r0 == 0")
emit("bulk_copy_read_early", "allowed", ["MBW-019"], COPY,
     two("cluster", ["st.weak x, 1", "fence.proxy.async", "cp.async.bulk y, x, b"], ["ld.weak r0, y"]), "P1:r0 == 0")
emit("bulk_copy_read_before_overwrite", "forbidden", ["MBARR-013", "MBW-018"],
     "x @ shared P0 = 1; y @ shared P1 = 5; e @ mbarrier P0 = 1; b @ mbarrier P1 = 1",
     two("cluster", ["mbarrier.wait.acquire.cluster e, 0", "cp.async.bulk y, x, b"], ["ld.weak r0, y", "mbarrier.arrive.release.cluster e"]),
     "P1:r0 == 1")
emit("st_async_data", "forbidden", ["RASYNC-012", "RASYNC-014"], "y @ shared P1 = 0; b @ mbarrier P1 = 1",
     two("cluster", ["st.async y, 1, b"], AWAIT), "P1:r0 == 0")
emit("st_async_is_no_release", "allowed", ["RASYNC-008", "CLU-017"], "x = 0; y @ shared P1 = 0; b @ mbarrier P1 = 1",
     two("cluster", ["st.weak x, 1", "st.async y, 1, b"], [*AWAIT, "ld.weak r1, x"]), "P1:r0 == 1 /\\ P1:r1 == 0")
emit("st_async_fenced", "forbidden", ["FENCE-005", "RASYNC-014"], "x = 0; y @ shared P1 = 0; b @ mbarrier P1 = 1",
     two("cluster", ["st.weak x, 1", "fence.acq_rel.cluster", "st.async y, 1, b"],
         ["mbarrier.arrive.expect_tx b, 4", "mbarrier.wait.acquire.cluster b, 0", "ld.weak r0, y", "ld.weak r1, x"]), "P1:r0 == 1 /\\ P1:r1 == 0")
emit("st_async_twice", "forbidden", ["RASYNC-012"], "x @ shared P1 = 0; y @ shared P1 = 0; b @ mbarrier P1 = 1",
     two("cluster", ["st.async x, 1, b", "st.async y, 1, b"],
         ["mbarrier.arrive.expect_tx b, 8", "mbarrier.wait b, 0", "ld.weak r0, x", "ld.weak r1, y"]), "P1:r0 == 0 \\/ P1:r1 == 0")

# Other proxies, as the mixed-proxy model has them.
for name, code, says in (("fenced", ["fence.proxy.constant"], "forbidden"), ("not_fenced", [], "allowed"), ("wrong_fence", ["fence.proxy.texture"], "allowed")):
    emit(f"constant_{name}", says, ["FENCE-024", "FENCE-025"], "x = 0",
         two("cta", ["st.weak x, 1", *code, "cold.weak r0, x"], ["ld.weak r9, x"]), "P0:r0 == 0")
emit("constant_fence_of_another_cta", "allowed", ["FENCE-026"], "x = 0; f = 0",
     two("gpu", ["st.weak x, 1", "fence.proxy.constant", "st.release.gpu f, 1"], ["ld.acquire.gpu r0, f", "cold.weak r1, x"]), "P1:r0 == 1 /\\ P1:r1 == 0")
emit("surface_written_fenced", "forbidden", ["FENCE-024"], "x = 0; f = 0",
     two("gpu", ["sust.weak x, 1", "fence.proxy.surface", "st.release.gpu f, 1"], ["ld.acquire.gpu r0, f", "ld.weak r1, x"]), "P1:r0 == 1 /\\ P1:r1 == 0")
emit("surface_written_not_fenced", "allowed", ["FENCE-024"], "x = 0; f = 0",
     two("gpu", ["sust.weak x, 1", "st.release.gpu f, 1"], ["ld.acquire.gpu r0, f", "ld.weak r1, x"]), "P1:r0 == 1 /\\ P1:r1 == 0")
emit("alias_fenced", "forbidden", ["FENCE-025"], "x = 0; y @ generic aliases x",
     two("cta", ["st.weak x, 1", "fence.proxy.alias", "ld.weak r0, y"], ["ld.weak r9, x"]), "P0:r0 == 0")
emit("alias_not_fenced", "allowed", ["FENCE-025"], "x = 0; y @ generic aliases x",
     two("cta", ["st.weak x, 1", "ld.weak r0, y"], ["ld.weak r9, x"]), "P0:r0 == 0")

stale = []
HERE.mkdir(exist_ok=True)
for name, text in tests.items():
    path = HERE / f"{name}.litmus"
    if not path.exists() or path.read_text() != text:
        stale.append(path.name)
        if "--check" not in sys.argv:
            path.write_text(text)
stale += [p.name for p in HERE.glob("*.litmus") if p.stem not in tests]
if "--check" in sys.argv and stale:
    sys.exit("tests/litmus/shapes is not what make_shapes.py writes: " + ", ".join(sorted(stale)[:5]))
print(f"{len(tests)} tests")
