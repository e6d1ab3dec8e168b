"""The RTL in its tools: lint, elaboration, synthesis; waivers of all of them."""
import fnmatch
import os
import re
import sys

from checks.common import ROOT, VENV, check, modules, parallel, rel, rtl_sources, run, tool, tracked


@check(fast=True)
def waivers():
    """Every waiver has its reason in a comment on the line before it; a waiver for bits that nothing reads names its file and signal."""
    bad = []
    for f in [*tracked(".vlt"), *(p for p in tracked("") if "/lint/" in rel(p) and p.suffix not in (".md", ".vlt"))]:
        previous = ""
        for number, line in enumerate(f.read_text().split("\n"), 1):
            text = line.strip()
            if text and not text.startswith(("#", "//", "`verilator_config")) and not previous.startswith(("#", "//")):
                bad.append(f"{rel(f)}:{number}: waiver without a reason above it")
            if "UNUSEDSIGNAL" in text and not text.startswith("//") and not re.search(r"-file \"\*gsu_\w+\.sv\" -match \"[^\"]*'\w+'?\*\"", text):
                bad.append(f"{rel(f)}:{number}: a blanket waiver: it would hide signals that nothing reads")
            previous = text if text else previous
    for f in tracked(".sv", ".cpp", ".hpp"):
        for number, line in enumerate(f.read_text().split("\n"), 1):
            if re.search(r"verilator lint_off|NOLINT|slang lint_off", line) and not re.search(r"(lint_off \w+ .*\S|NOLINT\w*\(.*\).*:.+)", line):
                bad.append(f"{rel(f)}:{number}: waiver without a reason on the line")
    return bad


@check(fast=True)
def verilator_lint():
    """Verilator -Wall over each module alone: no warning but those that rtl/lint/gsu.vlt waives, and no waiver that waives nothing."""
    waivers = re.findall(r'^lint_off -rule (\w+) -file "([^"]*)"(?: -match "([^"]*)")?', (ROOT / "rtl/lint/gsu.vlt").read_text(), flags=re.M)
    used = set()

    def one(path):
        code, text = run(["verilator", "--lint-only", "-Wall", "-Wno-fatal", "-f", "rtl/gsu.f", "--top-module", path.stem])
        bad = [line for line in text.split("\n") if line.startswith("%Error")]
        for line in re.findall(r"^%Warning-.*", text, flags=re.M):
            rule, file, message = re.match(r"%Warning-(\w+): ([^:]*):\d+:\d+: (.*)", line).groups()
            waived = [w for w in waivers if w[0] == rule and fnmatch.fnmatchcase(file, w[1]) and fnmatch.fnmatchcase(message.replace("[", "("), w[2] or "*")]
            used.update(waived)
            bad += [] if waived else [line]
        return bad or ([text] if code else [])
    return parallel(one, modules()) + [f"rtl/lint/gsu.vlt: waives nothing: -rule {rule} -file \"{file}\" -match \"{match}\"" for rule, file, match in waivers
                                       if (rule, file, match) not in used]


@check(fast=True)
def structures():
    """Verilator elaborates gsu_sm on the structures of tests/lockstep/structures.hpp (gsu build), with warnings only about bits that these leave unused."""
    listed = re.findall(r'^    "([A-Z][^"]*)"', (ROOT / "tests/lockstep/structures.hpp").read_text(), flags=re.M)

    def one(structure):
        code, text = run(["verilator", "--lint-only", "-Wall", "-Wno-fatal", "-Wno-UNUSEDSIGNAL", "+incdir+rtl", "rtl/lint/gsu.vlt", "--top-module", "gsu_sm",
                          *(f"-G{pair}" for pair in structure.split(",")), *rtl_sources()])
        return [f"{structure}: {line}" for line in text.split("\n") if line.startswith("%")] or ([f"{structure}: {text}"] if code else [])
    return parallel(one, listed) if len(listed) >= 4 else ["tests/lockstep/structures.hpp lists fewer than four structures"]


@check(fast=True)
def verible():
    """verible's lint with the rules and waivers of rtl/lint."""
    program = tool("verible-verilog-lint")
    if not program:
        return ["verible-verilog-lint is missing: run scripts/test once, it makes .venv"]
    command = [program, "--rules_config", "rtl/lint/verible.rules"]
    if (ROOT / "rtl/lint/verible.waiver").exists():
        command += ["--waiver_files", "rtl/lint/verible.waiver"]
    code, text = run([*command, *rtl_sources()])
    return [line for line in text.split("\n") if line.strip()] if code else []


@check(fast=True)
def slang():
    """slang elaborates each module alone, without warnings, and each proof harness."""
    script = ROOT / "scripts/slang_lint.py"
    code, text = run([VENV / "python", script])
    return [line for line in text.split("\n") if line.strip()] if code else []


@check(fast=False)
def verilator_new():
    """The newer Verilator of .venv lints the whole RTL as well."""
    root = next(VENV.parent.glob("lib/python3*/site-packages/verilator"), None)
    if not root:
        return ["no second Verilator in .venv"]
    environment = {**os.environ, "VERILATOR_ROOT": str(root)}
    bad = []
    for top in ("gsu_sm", "gsu_net"):
        code, text = run([root / "bin/verilator", "--lint-only", "-Wno-fatal", "-f", "rtl/gsu.f", "--top-module", top], env=environment)
        bad += [line for line in text.split("\n") if line.startswith("%Error")]
    return bad


@check(fast=False)
def synthesis():
    """Yosys synthesises gsu_sm at a small size; no combinational path runs through a port."""
    code, text = run([VENV / "python", "scripts/synth"])
    (ROOT / "build").mkdir(exist_ok=True)
    (ROOT / "build/synth.txt").write_text(text)
    return [line for line in text.split("\n") if line.strip()][-20:] if code else []


@check(fast=False)
def depth():
    """No unit whose sources have changed since scripts/synth --full wrote rtl/doc/area.tsv has more levels than it says there, or is larger without a reason."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(ROOT / "scripts"))
    import area
    return area.grown(VENV / "python")
