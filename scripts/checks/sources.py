"""Checks of C++ and of files as such: format, sizes, duplicates, names, paths."""
import pathlib
import re

from checks.common import JOBS, ROOT, check, parallel, rel, run, tracked


@check(fast=True)
def format():
    """clang-format over every C++ file."""
    files = [f for f in tracked(".cpp", ".hpp", ".h", ".c") if not f.name.endswith(".gen.hpp")]
    chunks = [files[i::JOBS] for i in range(JOBS)]

    def one(chunk):
        code, text = run(["clang-format", "--dry-run", "-Werror", *chunk]) if chunk else (0, "")
        return sorted({line.split(": error")[0] for line in text.split("\n") if ": error" in line}) if code else []
    return parallel(one, chunks)


MAX_LINES = 400


@check(fast=True)
def sizes():
    """No source file above 400 lines (tables and generated files excepted)."""
    exempt = (".gen.hpp", ".def", "gsu_pkg.sv")
    return [f"{rel(f)}: {n} lines, at most {MAX_LINES}" for f in tracked(".cpp", ".hpp", ".h", ".c", ".sv", ".svh")
            if not f.name.endswith(exempt) and (n := f.read_text().count("\n")) > MAX_LINES]


MAX_BODY = 40
LONG_FUNCTIONS = ROOT / "scripts/long_functions.txt"


def bodies(path):
    """(name, first line, lines of the body, lines above its signature) of each C++ function; raw strings and comments are no code."""
    text = re.sub(r'R"(\w*)\(.*?\)\1"', lambda m: '""' + "\n" * m[0].count("\n"), path.read_text(), flags=re.S)
    lines = text.split("\n")
    end = -1
    for number, line in enumerate(lines):
        brace = re.fullmatch(r"( *)\{", line)
        if not brace or number < end:
            continue
        end = next(n for n in range(number, len(lines)) if lines[n].startswith(brace[1] + "}"))
        first = number
        while first > 0 and not re.search(r"[;{}]$|^\s*//|^\s*#|^\s*(public|private|protected):|^\s*$", lines[first - 1]):
            first -= 1
        signature = " ".join(lines[first:number])
        name = re.search(r"([\w:~]+|[\w:]*operator\W+)\s*\(", re.sub(r"<[^<>()]*>|\[\[\w+\]\]|noexcept\(.*?\)", "", signature))
        yield name[1] if name else signature.strip(), number + 1, end - number - 1, lines[:first]


@check(fast=True)
def functions():
    """No C++ function above 40 lines, but those that say why (`// long: reason` right above) and those of long_functions.txt."""
    long, seen, bad = [], 0, []
    for path in tracked(".cpp", ".hpp", ".h", ".c"):
        if not rel(path).startswith(("tb/", "sc_model/")) or path.name.endswith(".gen.hpp"):
            continue
        for name, number, count, above in bodies(path):
            seen += 1
            marked = above and re.match(r"\s*// long: \S", above[-1])
            if marked and count <= MAX_BODY:
                bad.append(f"{rel(path)}:{number}: {name} has {count} lines, it needs no `// long:`")
            elif count > MAX_BODY and not marked:
                long.append((f"{rel(path)} {name}", number, count))
    if seen < 2000:
        return [f"only {seen} functions found: this check no longer reads them"]
    allowed = [line for line in LONG_FUNCTIONS.read_text().split("\n") if line and not line.startswith("#")]
    bad += [f"{entry.replace(' ', ':' + str(number) + ': ')} has {count} lines, at most {MAX_BODY}: split it, or say why right above: // long: reason"
            for entry, number, count in long if entry not in allowed]
    have = [entry for entry, _, _ in long]
    return bad + [f"long_functions.txt: {entry}: no longer so long, remove the row" for entry in allowed if entry not in have] + \
        [f"long_functions.txt: {entry}: twice" for entry in sorted(set(allowed)) if allowed.count(entry) > 1]


SAME_LINES = 12
DUPLICATES = ROOT / "scripts/duplicates.txt"


def normalized(path):
    """(number, text) of the lines that say something: no comments, blank lines, includes or lone brackets; spaces do not matter."""
    rows = []
    for number, line in enumerate(path.read_text().split("\n"), 1):
        text = re.sub(r"\s+", "", re.sub(r"//.*", "", line))
        if text.strip("{}();,") and not text.startswith(("#include", "#pragma", "using", "namespace")):
            rows.append((number, text))
    return rows


@check(fast=True)
def duplicates():
    """No block of 12 lines stands twice in tb and sc_model, but those of duplicates.txt, each with its reason."""
    files = {rel(f): normalized(f) for f in tracked(".cpp", ".hpp", ".h", ".c")
             if rel(f).startswith(("tb/", "sc_model/")) and not f.name.endswith(".gen.hpp")}
    seen, runs = {}, {}
    for name, rows in files.items():
        for i in range(len(rows) - SAME_LINES + 1):
            seen.setdefault(tuple(text for _, text in rows[i:i + SAME_LINES]), []).append((name, i))
    for places in seen.values():
        for a, (first, i) in enumerate(places):
            for second, j in places[a + 1:]:
                if first != second or j - i >= SAME_LINES:
                    runs.setdefault((first, second, j - i), []).append(i)
    found = {}
    for (first, second, shift), starts in runs.items():
        for i in sorted(starts):
            if i - 1 not in starts:  # the first line of a run
                length = SAME_LINES + next(n for n in range(len(starts) + 1) if i + n + 1 not in starts)
                found.setdefault(f"{first} {second}", []).append((files[first][i][0], files[second][i + shift][0], length))
    allowed, bad = [], []
    for line in DUPLICATES.read_text().split("\n"):
        if line and not line.startswith("#"):
            pair, _, reason = line.partition(": ")
            allowed.append(pair)
            bad += [] if reason else [f"duplicates.txt: {pair}: without a reason"]
    for pair, places in sorted(found.items()):
        if pair not in allowed:
            first, second = pair.split(" ")
            bad += [f"{first}:{a}: {n} lines stand in {second}:{b} as well" for a, b, n in places]
    return bad + [f"duplicates.txt: {pair}: no longer twice, remove the row" for pair in allowed if pair not in found]


@check(fast=True)
def one_definition():
    """No two headers define a class of the same name in the same namespace: linked into one program, one would be taken for the other."""
    where, bad = {}, []
    for path in tracked(".hpp"):
        if not rel(path).startswith(("sc_model/", "tb/")) or "/example" in rel(path):
            continue
        space = []
        for number, line in enumerate(path.read_text().split("\n"), 1):
            if opened := re.match(r"namespace ([\w:]*) ?{", line):
                space.append(opened[1])
            elif line.startswith("}  // namespace"):
                space.pop()
            elif defined := re.match(r"(?:class|struct|enum class) ([\w:]+?)(?: final)?(?: : [^;]*)?(?: {.*)?$", line):
                key = "::".join([*space, defined[1]])
                first = where.setdefault(key, f"{rel(path)}:{number}")
                bad += [f"{rel(path)}:{number}: {key} is defined in {first} as well"] if first.split(":")[0] != rel(path) else []
    return bad if len(where) > 400 else [f"only {len(where)} classes found: this check no longer reads the headers"]


# What comments call a file and is none: placeholders, and files of others.
NO_FILES = {"x.cpp", "x.hpp", "fast.cu", "h100.tsv", "gsu.tsv", "model_digest.hpp"}


@check(fast=True)
def file_names():
    """No comment of C++ or SystemVerilog names a source, table or page that is not there."""
    have, seen, bad = {f.name for f in tracked("")}, 0, []
    for f in tracked(".cpp", ".hpp", ".h", ".c", ".sv", ".svh", ".vlt", ".def", ".cu"):
        for number, line in enumerate(f.read_text().split("\n"), 1):
            comment = re.search(r"(?<!:)//(.*)", line)
            for name in re.findall(r"[\w-]+\.(?:cpp|hpp|cu|svh|sv|py|tsv|md|def|vlt)\b", comment[1]) if comment else ():
                seen += 1
                bad += [] if name in have | NO_FILES else [f"{rel(f)}:{number}: there is no {name}"]
    return bad if seen > 200 else [*bad, f"only {seen} names found: this check no longer reads comments"]


@check(fast=True)
def top_level():
    """Exactly the eight visible names at the top, and pyproject.toml."""
    want = {"CMakeLists.txt", "pyproject.toml", "rtl", "sc_model", "tb", "tests", "scripts", "waveforms", "README.md"}
    have = {rel(f).split("/")[0] for f in tracked("")}
    return [f"{name}: not one of the names at the top" for name in sorted(have - want) if not name.startswith(".")]


@check(fast=True)
def paths():
    """No file names a path of one machine or a package host, and none is a link."""
    pattern = re.compile(r"/work/|/tmp/[a-z]|/home/[a-z]|pypi\.org|deb\.debian\.org|files\.pythonhosted|github\.com/[A-Za-z]")
    bad = []
    for f in tracked(".cpp", ".hpp", ".h", ".c", ".sv", ".svh", ".py", ".md", ".txt", ".cmake", ".sh", ".json", ".tcl", ".gtkw", ".toml", ".f", ".cu", ".ptx", "check", "demo", "test", "run", "bench", "prove", "synth"):
        if f == pathlib.Path(__file__):
            continue
        for number, line in enumerate(f.read_text(errors="replace").split("\n"), 1):
            if pattern.search(line):
                bad.append(f"{rel(f)}:{number}: {line.strip()[:80]}")
    links = [line for line in run(["git", "ls-files", "-s"])[1].split("\n") if line.startswith("120000")]
    return bad + [f"{line.split(chr(9))[1]}: a link: it would lead out of the project" for line in links]
