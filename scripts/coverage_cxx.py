"""The C++ part of scripts/coverage: counts of lines and branches from gcov, joined over all objects that have compiled a file."""
import concurrent.futures
import json
import re
import subprocess
from collections import defaultdict

NOTHING = re.compile(r"^[\s{}();]*(//.*)?$")  # lines without a statement: their counts belong to the end of a scope


def place(name):
    """The project's path of a file that gcov names from the build folder, some through the links of roots/; None for other projects' files."""
    inside = re.search(r"(?:^|/)roots/(sc_model|tb)_[^/]*/(.*)$", name)
    if inside:
        return f"{inside[1]}/{inside[2]}"
    found = re.search(r"(?:^|/)((?:sc_model|tb)/.*)$", name)
    return found[1] if found and "CMakeFiles" not in name else None


def gcov(notes):
    done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", str(notes)], cwd=notes.parent, capture_output=True, text=True, check=False)
    return [json.loads(line) for line in done.stdout.split("\n") if line.startswith("{")]


def read(build, root):
    """File -> line -> (count, counts of its branches): branches that only an exception takes are left out.
    `root`: folder of the sources."""
    lines, branches = defaultdict(lambda: defaultdict(int)), defaultdict(lambda: defaultdict(dict))
    notes = sorted(path for folder in ("sc_model", "tb") for path in (build / folder).rglob("*.gcno"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for held in (one for some in pool.map(gcov, notes) for one in some):
            for file in held["files"]:
                name = place(file["file"])
                if name is None or not (root / name).is_file():  # generated in the build
                    continue
                for line in file["lines"]:
                    number = line["line_number"]
                    lines[name][number] += max(line["count"], 0)
                    for at, branch in enumerate(branch for branch in line["branches"] if not branch["throw"]):
                        mine = branches[name][number]
                        mine[at] = mine.get(at, 0) + max(branch["count"], 0)
    return {name: {number: (count, list(branches[name][number].values())) for number, count in sorted(held.items())} for name, held in sorted(lines.items())}
