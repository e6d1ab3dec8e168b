#!/usr/bin/env python3
"""The RTL for other people's tools: rtl/gsu.f, the list that our tools read from the top of the checkout, in three other forms.

    rtl/gsu_here.f   names relative to the list itself: any folder, `-F /where/rtl/gsu_here.f` (Verilator, slang, Questa, VCS)
    rtl/gsu.core     FuseSoC: fusesoc --cores-root rtl run --target lint gsu
    rtl/Bender.yml   Bender: the package gsu

    scripts/gen_rtl_lists.py           writes them
    scripts/gen_rtl_lists.py --check   exit code 1 if one of them is not what it would write
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERSION = re.search(r"project\(gsu VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
ORIGIN = "Written by scripts/gen_rtl_lists.py from gsu.f"


def sources():
    lines = (ROOT / "rtl/gsu.f").read_text().split("\n")
    return [line.removeprefix("rtl/") for line in lines if line.endswith(".sv")]


def headers():
    return sorted(p.relative_to(ROOT / "rtl").as_posix() for p in (ROOT / "rtl").glob("*.svh"))


def here():
    return f"// {ORIGIN}: for -F, names are relative to this file\n+incdir+.\n" + "".join(f"{name}\n" for name in sources())


def core():
    files = "".join(f"      - {name}: {{is_include_file: true}}\n" for name in headers()) + "".join(f"      - {name}\n" for name in sources())
    return f"""CAPI=2:
# {ORIGIN}
name: ::gsu:{VERSION}
description: Synchronization unit of an NVIDIA-class GPU
filesets:
  rtl:
    files:
{files}    file_type: systemVerilogSource
targets:
  default: &default
    filesets: [rtl]
    toplevel: gsu_cluster
  sm:
    filesets: [rtl]
    toplevel: gsu_sm
  lint:
    <<: *default
    default_tool: verilator
    tools:
      verilator:
        mode: lint-only
        verilator_options: [-Wno-fatal]
"""


def bender():
    files = "".join(f"  - {name}\n" for name in sources())
    return f"""# {ORIGIN}
package:
  name: gsu
  authors: []
export_include_dirs: [.]
sources:
{files}"""


def main():
    stale = []
    for name, text in (("gsu_here.f", here()), ("gsu.core", core()), ("Bender.yml", bender())):
        path = ROOT / "rtl" / name
        if "--check" in sys.argv[1:]:
            stale += [] if path.exists() and path.read_text() == text else [f"rtl/{name} is not what scripts/gen_rtl_lists.py writes"]
        else:
            path.write_text(text)
    print("\n".join(stale), end="\n" if stale else "")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
