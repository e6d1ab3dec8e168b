#!/usr/bin/env python3
"""Runs litmus tests on the GPU of this machine, many times each, and compares what is seen with what PTX and GSU allow.

    gsu litmus --kernels DIR tests/litmus/shapes/*.litmus      writes the kernels
    tests/hardware/litmus.py DIR > seen.tsv                    runs them

A line is: test, what PTX says of its condition (forbidden or allowed), runs, runs in which the condition held, outcomes seen, how many of these GSU's exploration
has not (GSU is stricter there), outcomes that GSU has and that were not seen. Exit code 1 where a forbidden outcome was seen.
"""
import argparse
import ctypes
import json
import re
import struct
import sys
import time
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from cuda_driver import CLUSTER, NON_PORTABLE, Attribute, Config, CudaError, Gpu  # noqa: E402

MASKS = (0, 0x3F, 0x1FF, 0x7FF)  # of the clocks by which threads of a run begin apart


def condition(text, values):
    """Whether the condition of exists, ~exists or forall holds."""
    inner = text[text.index("("):]
    inner = re.sub(r"[A-Za-z_][\w:]*", lambda m: f"values[{m.group(0)!r}]", inner)
    return eval(inner.replace("/\\", " and ").replace("\\/", " or ").replace("~", " not "), {"values": values})  # noqa: S307


def runs_of(gpu, folder, test, seconds, runs):
    kernel = test["kernel"]
    module, function = gpu.module([(folder / (test["name"] + ".ptx")).read_bytes()]), ctypes.c_void_p()
    gpu("cuModuleGetFunction", ctypes.byref(function), module, b"litmus")
    if kernel["cluster"] > 8:
        gpu("cuFuncSetAttribute", function, NON_PORTABLE, 1)
    words, shown = kernel["words"], len(kernel["shown"])
    one = struct.pack(f"<{len(words)}I", *(w & 0xFFFFFFFF for w in words))
    fresh, memory, out = gpu.allocate(len(one) * runs), gpu.allocate(len(one) * runs), gpu.allocate(4 * max(shown, 1) * runs)
    gpu.write(fresh, one * runs)
    attributes = (Attribute * 1)()
    attributes[0].id = CLUSTER
    for i, n in enumerate((kernel["cluster"], 1, 1)):
        attributes[0].value[i] = n
    config = Config(kernel["ctas"] * runs, 1, 1, kernel["threads"], 1, 1, 0, None, attributes, 1 if kernel["cluster"] > 1 else 0)
    seed, mask = ctypes.c_uint32(), ctypes.c_uint32()
    parameters = (ctypes.c_uint64(memory), ctypes.c_uint64(out), seed, mask)
    pointers = (ctypes.c_void_p * 4)(*map(ctypes.addressof, parameters))
    seen, end, n = Counter(), time.time() + seconds, 0
    while time.time() < end or n < len(MASKS):
        gpu("cuMemcpyDtoD_v2", ctypes.c_uint64(memory), ctypes.c_uint64(fresh), ctypes.c_size_t(len(one) * runs))
        seed.value, mask.value = n * 7919, MASKS[n % len(MASKS)]
        gpu("cuLaunchKernelEx", ctypes.byref(config), function, pointers, None)
        gpu("cuCtxSynchronize")
        data = gpu.read(out, 4 * shown * runs)
        size = 4 * shown
        seen.update(data[i:i + size] for i in range(0, len(data), size))
        n += 1
    gpu.free()
    gpu("cuModuleUnload", module)
    return {struct.unpack(f"<{shown}i", k): v for k, v in seen.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], epilog="\n".join(__doc__.split("\n")[1:]), formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=0.3, help="for each test")
    parser.add_argument("--runs", type=int, default=8192, help="of a test in a launch")
    arguments = parser.parse_args()
    gpu = Gpu()
    print(f"# {gpu.name}\ntest\tptx\truns\theld\toutcomes\tnot_in_gsu\tnot_seen\twhy")
    wrong = 0
    for path in sorted(arguments.folder.glob("*.json")):
        test = json.loads(path.read_text())
        kernel, text = test["kernel"], test["condition"]
        says = "forbidden" if text.startswith("~") else "allowed"  # forall is not among the shapes
        if kernel["why"]:
            print(f"{test['name']}\t{says}\t0\t0\t0\t0\t0\t{kernel['why']}")
            continue
        seen = runs_of(gpu, arguments.folder, test, arguments.seconds, arguments.runs)
        known = {tuple(o["values"][name] for name in kernel["shown"]) for o in test["outcomes"]}
        held = sum(n for values, n in seen.items() if condition(text, dict(zip(kernel["shown"], values))))
        total = sum(seen.values())
        bad = held if says == "forbidden" else 0
        wrong += bad > 0
        print(f"{test['name']}\t{says}\t{total}\t{held}\t{len(seen)}\t{len(set(seen) - known)}\t{len(known - set(seen))}\t{'FORBIDDEN SEEN' if bad else ''}", flush=True)
    print(f"# {wrong} tests with a forbidden outcome")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CudaError as e:
        sys.exit(f"litmus.py: {e}")
