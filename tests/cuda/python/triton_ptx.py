"""A kernel of Triton, which hands machine code to the driver: compiled for a stated target, without a device, its PTX runs by `gsu run`.

usage: triton_ptx.py GSU
"""
import pathlib
import subprocess
import sys
import tempfile

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask) + tl.load(y + at, mask), mask)


def main():
    signature = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    kernel = triton.compile(ASTSource(add, signature, {"BLOCK": 256}), target=GPUTarget("cuda", 90, 32))
    with tempfile.TemporaryDirectory() as folder:
        ptx = pathlib.Path(folder) / "add.ptx"
        ptx.write_text(kernel.asm["ptx"])
        # Behind the kernel's own parameters are two of Triton's: scratch memory, which this kernel does not use.
        arguments = ["buf:f32:1000:iota", "buf:f32:1000:iota", "buf:f32:1000", "1000", "0", "0"]
        command = [sys.argv[1], "run", str(ptx), "--grid", "4", "--block", str(32 * kernel.metadata.num_warps), "--print", "4"]
        out = subprocess.run(command + [w for a in arguments for w in ("--arg", a)], capture_output=True, text=True).stdout
    print(out, end="")
    if "param2 (1000 f32): 0 2 4 6" not in out:
        sys.exit("the sums are not right")
    print(f"Triton {triton.__version__}: ok")


main()
