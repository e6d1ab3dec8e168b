"""clang-tidy."""
import json
import os
import pathlib
import re
import tempfile

from checks.common import ROOT, check, parallel, rel, run, tracked


def commands(build):
    """Compile commands per source. Files that are compiled together (tb/cli) have no command of their own; they get that of the file that includes them."""
    listed = json.loads((build / "compile_commands.json").read_text())
    own = {entry["file"]: entry for entry in listed}
    for entry in listed:
        if "/Unity/" in entry["file"]:
            for part in re.findall(r'#include "(.*)"', pathlib.Path(entry["file"]).read_text()):
                own.setdefault(part, {**entry, "file": part, "command": entry["command"].replace(entry["file"], part)})
    for path, entry in own.items():  # clang does not know g++'s profiles
        own[path] = {**entry, "command": re.sub(r" -fprofile-\S+", "", entry["command"])}
    return own


@check(fast=False)
def tidy():
    """clang-tidy with .clang-tidy over every source of the build."""
    build = ROOT / os.environ.get("GSU_BUILD", "build")
    if not (build / "compile_commands.json").exists():
        return ["no compile_commands.json: configure the build first"]
    own = commands(build)
    sources = [f for f in tracked(".cpp") if rel(f).startswith(("sc_model/golden", "sc_model/lockstep", "sc_model/verilated", "sc_model/capi", "tb/")) and "systemc" not in rel(f)]
    strange = [f"{rel(f)}: the build does not compile it" for f in sources if str(f) not in own]
    with tempfile.TemporaryDirectory() as database:
        (pathlib.Path(database) / "compile_commands.json").write_text(json.dumps(list(own.values())))

        def one(path):
            code, text = run(["clang-tidy", "-p", database, "--quiet", path])
            return [line for line in text.split("\n") if re.search(r"(warning|error):", line) and str(ROOT) in line] if code else []
        return strange + sorted(set(parallel(one, [f for f in sources if str(f) in own])))
