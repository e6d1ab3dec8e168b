#!/usr/bin/env python3
"""Launches of several SMs print the same on 1, 2, 3 and 7 threads: random programs, kernels of tests/kernels, patterns of gsu gen.

    threads.py GSU [--programs N] [--seed S] [--unit NAME ...]

A launch that runs on one thread in any case (gsu says why on standard error) is compared too, and counted apart. Fails on the first difference, or when
too few launches ran on several threads to show anything.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

THREADS = (2, 3, 7)
KERNELS = pathlib.Path(__file__).resolve().parents[1] / "kernels"


def outcome(gsu, launch, unit, threads):
    call = [gsu, "run", str(launch), "--chip", "h100", "--unit", unit, "--json", "--threads", str(threads)]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    return (done.returncode, done.stdout), done.stderr


def compare(gsu, launch, unit):
    """The number of threads that gave something else, or None; and how the launch ran."""
    alone, _ = outcome(gsu, launch, unit, 1)
    for threads in THREADS:
        several, why = outcome(gsu, launch, unit, threads)
        if several != alone:
            return threads, why
    return None, why.strip().splitlines()[0] if why.strip() else "on several threads"


def launches(gsu, folder, programs, seed):
    subprocess.run([gsu, "fuzz", "--print", "--programs", str(programs), "--seed", str(seed), "--out", folder], check=True,
                   stdout=subprocess.DEVNULL)
    yield from sorted(pathlib.Path(folder).glob("*.launch.json"))
    for name in ("cluster_pipeline", "cluster_softmax", "dsmem_histogram", "dsmem_lock", "dependent_chain"):
        yield KERNELS / name / f"{name}.launch.json"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gsu")
    parser.add_argument("--programs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=77)
    parser.add_argument("--unit", nargs="+", default=["golden"], choices=["golden", "rtl", "lockstep"])
    call = parser.parse_args()
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [(launch, unit) for launch in launches(call.gsu, folder, call.programs, call.seed) for unit in call.unit]
        for (launch, unit), (differs, how) in zip(jobs, pool.map(lambda job: compare(call.gsu, *job), jobs)):
            if differs is not None:
                pool.shutdown(cancel_futures=True)
                print(f"seed {call.seed}: {launch.name} on {unit}: {differs} threads do not print what one prints")
                return 1
            counts[how] += 1
    for why, count in counts.most_common():
        print(f"{count:6} {why}")
    total, several = sum(counts.values()), counts["on several threads"]
    print(f"seed {call.seed}: {total} launches print the same on 1, 2, 3 and 7 threads; {several} did run on several")
    return 0 if several * 4 >= total else 1


if __name__ == "__main__":
    sys.exit(main())
