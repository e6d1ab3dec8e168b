"""The proof tasks of rtl/formal: the `// prove:` lines of the harnesses, and the files and definitions that a task reads (scripts/prove has their meaning)."""
import re
import sys
from pathlib import Path


def tasks_of(harness: Path):
    """The `// prove:` lines of a harness as dictionaries."""
    tasks = []
    for line in harness.read_text(encoding="utf-8").splitlines():
        if not line.startswith("// prove:"):
            continue
        task = dict(item.split("=", 1) for item in line.split(":", 1)[1].split())
        task.setdefault("name", "main")
        task.setdefault("engine", "kind")
        task.setdefault("depth", "10")
        task["unit"] = harness.stem.removesuffix("_fv")
        task["harness"] = str(harness)
        tasks.append(task)
    if not tasks:
        sys.exit(f"{harness}: no '// prove:' line")
    return tasks


def sources_of(task, root):
    """The RTL that a task reads, but what is included."""
    return [root / "rtl" / "gsu_pkg.sv", root / "rtl" / "gsu_op_pkg.sv", *[next((root / "rtl").rglob(f"{f}.sv")) for f in task.get("files", "").split(",") if f]]


def cut(path, work):
    """A module of which only the ports are left: its outputs may be anything, in every clock."""
    header = re.match(r".*?^module .*?^\);$", path.read_text(), re.M | re.S)
    if not header:
        raise RuntimeError(f"{path.name}: no list of ports found, which ends in a line `);`")
    new = work / path.name
    new.write_text(header[0] + "\nendmodule\n")
    return new


def files_of(task, work, root):
    """The RTL as the task reads it; modules of which it reads only the ports are written to `work`."""
    return [cut(path, work) if path.stem in task.get("cut", "").split(",") else path for path in sources_of(task, root)]


def defines_of(task):
    return ["GSU_FORMAL_TOP"] + (["FV_FLAT"] if task.get("flat") else []) + [d for d in task.get("define", "").split(",") if d]
