#!/usr/bin/env python3
"""Variants of tests/kernels/gemm_sm90 for a study: stages of the ring, CTAs of a cluster, and empty barriers that all threads arrive at (counted, as
cuda::barrier has them) or one of a warpgroup (raw). Each as PTX by nvcc, and a launch file of a GEMM of N x N x N on one cluster of 132 SMs.

    scripts/python/studies/gemm_variants.py FOLDER [--n 4096]"""
import argparse
import json
import pathlib
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[3] / "tests" / "kernels" / "gemm_sm90"
STAGE = (128 + 64) * 64 * 2  # bytes; all variants request four stages, so that an SM holds equally many CTAs
VARIANTS = [(stages, 2, False) for stages in (1, 2, 3, 4)] + [(4, 1, False), (4, 4, False), (4, 2, True)]


def source_of(stages, cluster, counted):
    text = (SOURCE / "gemm_sm90.cu").read_text(encoding="utf-8")
    changes = {"kStages = 4, kCluster = 2": f"kStages = {stages}, kCluster = {cluster}", '#include "../': f'#include "{SOURCE.parent}/'}
    if counted:
        changes |= {"init(address(&empty[s]), 2 * kCluster);": "init(address(&empty[s]), 256 * kCluster);",
                    "if (threadIdx.x % 128 < kCluster) arrive(address(&empty[s]), threadIdx.x % 128);":
                    "for (int c = 0; c < kCluster; ++c) arrive(address(&empty[s]), c);"}
    for old, new in changes.items():
        if old not in text:
            raise SystemExit(f"gemm_sm90.cu has changed: no '{old}'")
        text = text.replace(old, new)
    return text


def launch_of(name, stages, cluster, n):
    box = lambda rows: {"sizes": [n, n], "strides": [2 * n], "box": [64, rows], "swizzle": "128B", "type": "f16"}
    size = {"type": "i32", "value": n}
    return {"ptx": f"{name}.ptx", "entry": "gemm", "sms": cluster, "grid": [n // 64, n // 128], "block": [288], "dynamic_smem": 1024 + 4 * STAGE,
            "memory": {"a": {"type": "f16", "count": n * n}, "b": {"type": "f16", "count": n * n}, "d": {"type": "f32", "count": n * n}},
            "params": [{"tensormap": {"base": "a", **box(128)}}, {"tensormap": {"base": "b", **box(64 // cluster)}}, {"memory": "d"}, {"scalar": size}, {"scalar": size}]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--n", type=int, default=4096)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    for stages, cluster, counted in VARIANTS:
        name = f"gemm_s{stages}_c{cluster}{'_counted' if counted else ''}"
        source = args.folder / f"{name}.cu"
        source.write_text(source_of(stages, cluster, counted), encoding="utf-8")
        subprocess.run(["nvcc", "-arch=sm_90a", "-ptx", str(source), "-o", str(args.folder / f"{name}.ptx")], check=True)
        (args.folder / f"{name}.launch.json").write_text(json.dumps(launch_of(name, stages, cluster, args.n)), encoding="utf-8")


if __name__ == "__main__":
    main()
