#!/usr/bin/env python3
"""The RTL for other people's tools: rtl/gsu.f, the list that our tools read from the top of the checkout, in three other forms.

    rtl/gsu_here.f   names relative to the list itself: any folder, `-F /where/rtl/gsu_here.f` (Verilator, slang, Questa, VCS)
    rtl/gsu.core     FuseSoC: fusesoc --cores-root rtl run --target lint gsu, and --target sim for rtl/testbench/sm_testbench.v
    rtl/Bender.yml   Bender: the package gsu

    scripts/gen_rtl_lists.py           writes them
    scripts/gen_rtl_lists.py --check   exit code 1 if one of them is not what it would write, or not what its tool takes
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
from command_line import Parser  # noqa: E402
import venv_python  # noqa: E402

venv_python.need("yaml")
import yaml  # noqa: E402

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
  testbench:
    files: [testbench/sm_testbench.v]
    file_type: verilogSource
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
  sim:
    filesets: [rtl, testbench]
    toplevel: sm_testbench
    default_tool: verilator
    tools:
      verilator:
        mode: binary
        verilator_options: [--timing, -Wno-fatal, -O3, -CFLAGS, -O1, -j, "0", +define+GSU_PARAMETERS]
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


# Keys of a Bender manifest, and of a group of sources in it: Bender warns of others, and leaves them out.
BENDER = {"package", "dependencies", "sources", "export_include_dirs", "plugins", "frozen", "workspace", "external_import", "vendor_package", "remotes", "overrides"}
BENDER_PACKAGE = {"name", "description", "authors", "package_links"}
BENDER_GROUP = {"files", "include_dirs", "defines", "target"}


def bender_problems(text):
    """Parts of a manifest that Bender would not take: keys, kinds of values, files that do not exist, a package after its users."""
    manifest = yaml.safe_load(text)
    bad = [f"key {key} is none of a manifest's" for key in manifest if key not in BENDER]
    package = manifest.get("package") or {}
    bad += [f"package.{key} is none of a package's" for key in package if key not in BENDER_PACKAGE]
    if not re.fullmatch(r"[A-Za-z][\w-]*", str(package.get("name"))):
        bad.append("package.name is no name")
    if not all(isinstance(author, str) for author in package.get("authors", [])):
        bad.append("package.authors is no list of names")
    for folder in manifest.get("export_include_dirs", []):
        bad += [] if (ROOT / "rtl" / folder).is_dir() else [f"export_include_dirs: no folder {folder}"]
    seen = set()
    for entry in manifest.get("sources") or ["(none)"]:
        if isinstance(entry, dict):
            bad += [f"sources: {key} is none of a group's" for key in entry if key not in BENDER_GROUP]
        for name in entry.get("files", []) if isinstance(entry, dict) else [entry]:
            path = ROOT / "rtl" / name
            if not path.is_file():
                bad.append(f"sources: no file {name}")
                continue
            used = set(re.findall(r"import (\w+)::", path.read_text())) - seen
            bad += [f"sources: {name} stands before {package_name}" for package_name in sorted(used)]
            seen.add(path.stem)
    return [f"rtl/Bender.yml: {line}" for line in bad]


def core_problems(text):
    """Files and filesets in the FuseSoC core that do not exist."""
    read = yaml.safe_load(text.split("\n", 1)[1])
    bad = [] if text.startswith("CAPI=2:\n") else ["does not begin with CAPI=2:"]
    for name, fileset in read["filesets"].items():
        names = [next(iter(f)) if isinstance(f, dict) else f for f in fileset["files"]]
        bad += [f"{name}: no file {f}" for f in names if not (ROOT / "rtl" / f).is_file()]
    for name, target in read["targets"].items():
        bad += [f"target {name}: no fileset {f}" for f in target["filesets"] if f not in read["filesets"]]
    return [f"rtl/gsu.core: {line}" for line in bad]


def main():
    parser = Parser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare instead of write")
    check = parser.parse_args().check
    stale = []
    for name, text in (("gsu_here.f", here()), ("gsu.core", core()), ("Bender.yml", bender())):
        path = ROOT / "rtl" / name
        if check:
            stale += [] if path.exists() and path.read_text() == text else [f"rtl/{name} is not what scripts/gen_rtl_lists.py writes"]
        else:
            path.write_text(text)
    stale += core_problems(core()) + bender_problems(bender())
    print("\n".join(stale), end="\n" if stale else "")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
