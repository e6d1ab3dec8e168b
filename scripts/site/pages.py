#!/usr/bin/env python3
"""Collects the pages of the project for Sphinx, and looks whether their links lead somewhere.

    pages.py FOLDER [HEADER ...]   copies every page, with the files that it links to, to the same place under FOLDER, and writes the start page with the
                                   order of all pages, and the pages of the API (the C++ headers are given)
    pages.py --check               only the links: of pages to files, folders and headings. Exit code 1 if one leads nowhere
"""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# The order of the site. A page that is not named here is at the end of its part's folder, under "More".
ORDER = {
    "Start": ["README.md", "tests/tutorials/README.md", "tests/tutorials/hang.md", "tests/tutorials/parameter.md", "tests/tutorials/simulator.md",
              "tests/tutorials/instruction.md"],
    "Run kernels": ["tb/cli/README.md", "tb/exec/README.md", "tb/exec/parallel.md", "tb/cuda/README.md", "waveforms/README.md", "scripts/python/README.md",
                    "scripts/python/studies/README.md", "tb/trace/README.md", "tb/fuzz/README.md", "tests/litmus/README.md", "tb/ptx/README.md"],
    "Link the unit": ["sc_model/README.md", "sc_model/adapter.md", "sc_model/systemc/README.md", "rtl/doc/tools.md"],
    "Reference": ["reference/c.md", "reference/cpp.md", "reference/python.md"],
    "What is modelled": ["rtl/doc/units.md", "rtl/doc/words.md", "rtl/doc/decisions.md", "rtl/doc/interfaces.md", "rtl/doc/ordering.md", "rtl/doc/calibration.md",
                         "tb/exec/timing.md", "tb/exec/timing_notes.md", "tb/exec/memory.md", "tb/exec/tensor.md", "tb/exec/tmem.md", "rtl/doc/proofs.md"],
    "The project": ["rtl/README.md", "tb/README.md", "tests/README.md", "tests/bench/README.md", "tests/published_programs/README.md", "tests/mutants/README.md",
                    "tests/precedence/README.md", "tests/kernels/README.md", "tests/kernels/found/README.md", "scripts/README.md", "sc_model/CHANGES.md"],
}
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


def tracked():
    """The files of the project; in an unpacked archive, which has no git, all files."""
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    names = done.stdout.split("\n") if done.returncode == 0 else [str(f.relative_to(ROOT)) for f in ROOT.rglob("*") if f.is_file()]
    return {name for name in names if name and (ROOT / name).exists()}


def prose(text):
    """(line, whether it is text and not part of a block of code)."""
    code = False
    for line in text.split("\n"):
        fence = line.startswith("```")
        code ^= fence
        yield line, not code and not fence


def anchors(text):
    """The headings of a page as GitHub names them in links."""
    names = set()
    for line, text_line in prose(text):
        if text_line and line.startswith("#"):
            words = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", line.lstrip("#").strip()).lower()
            names.add(re.sub(r"[^\w\- ]", "", words).replace(" ", "-"))
    return names


def target(page, link):
    """The file or folder that a link of a page names, and the heading in it; None if the link leads outside the project."""
    if re.match(r"\w+:", link):
        return None
    path, _, heading = link.partition("#")
    return ((ROOT / page).parent / path).resolve() if path else (ROOT / page), heading


def broken(page, files):
    """The broken links of a page."""
    folders = {str(parent) for name in files for parent in pathlib.PurePosixPath(name).parents}
    for number, (line, text_line) in enumerate(prose((ROOT / page).read_text()), 1):
        for _, _, link in LINK.findall(re.sub(r"`[^`]*`", "", line)) if text_line else ():
            found = target(page, link)
            if not found:
                continue
            path, heading = found
            name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
            if name not in files and name not in folders:
                yield f"{page}:{number}: {link} leads nowhere"
            elif heading and path.suffix == ".md" and heading not in anchors(path.read_text()):
                yield f"{page}:{number}: {link}: no such heading in {name}"


def on_site(page, files, to):
    """A page in the form of the site: links to folders become links to their page, or text; linked files are copied."""
    def link(match):
        mark, text, where = match.groups()
        found = target(page, where)
        if not found:
            return match[0]
        path, heading = found
        if path.is_dir():
            readme = path / "README.md"
            return f"[{text}]({where.rstrip('/')}/README.md)" if str(readme.relative_to(ROOT)) in files else text
        if path.suffix != ".md":
            place = to / path.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
        return f"{mark}[{text}]({where.partition('#')[0] if path.suffix != '.md' else where})" if heading else match[0]
    return "\n".join(LINK.sub(link, line) if text_line else line for line, text_line in prose((ROOT / page).read_text()))


def write_reference(to, headers):
    """The pages of the API: Breathe and autodoc fill them in."""
    (to / "reference").mkdir()
    headers = sorted(headers, key=lambda name: not name.endswith("/port.hpp"))  # the header on which the others depend comes first
    pages = {
        "c": ("The C interface", "`gsu.h` includes the other three. [sc_model/README.md](../sc_model/README.md) says how it is used.",
              [f"## {name}\n\n```{{doxygenfile}} {name}\n:project: gsu\n```\n" for name in ("gsu.h", "gsu_ops.h", "gsu_state.h", "gsu_types.h")]),
        "cpp": ("The C++ interface", "Headers of the golden model, the RTL, lockstep and SystemC, as they are installed.",
                [f"## {pathlib.PurePosixPath(name).parent.name}/{pathlib.PurePosixPath(name).name}\n\n```{{doxygenfile}} "
                 f"{pathlib.PurePosixPath(name).name}\n:project: gsu\n```\n" for name in headers]),
        "python": ("The Python package", "[scripts/python/README.md](../scripts/python/README.md) shows how it is used.",
                   ["```{eval-rst}\n.. automodule:: gsu\n   :members:\n   :imported-members:\n   :undoc-members:\n```\n"]),
    }
    for name, (title, about, parts) in pages.items():
        (to / f"reference/{name}.md").write_text(f"# {title}\n\n{about}\n\n" + "\n".join(parts))


def write_start(to, pages):
    named = {page for part in ORDER.values() for page in part}
    order = dict(ORDER, More=sorted(pages - named))
    parts = []
    for part, names in order.items():
        there = [name for name in names if name in pages or name.startswith("reference/")]
        if there:
            parts.append("```{toctree}\n:maxdepth: 1\n:caption: " + part + "\n\n" + "\n".join(name.removesuffix(".md") for name in there) + "\n```\n")
    about = "All pages of the project. A newcomer begins with [the overview](README.md) and [the tutorials](tests/tutorials/README.md)."
    (to / "index.md").write_text(f"# GSU\n\n{about}\n\n" + "\n".join(parts))


def main():
    if not sys.argv[1:] or (sys.argv[1].startswith("-") and sys.argv[1:] != ["--check"]):
        print(__doc__)
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    files = tracked()
    pages = {name for name in files if name.endswith(".md")}
    bad = [complaint for page in sorted(pages) for complaint in broken(page, files)]
    if bad:
        print("\n".join(bad))
        return 1
    if sys.argv[1:] != ["--check"]:
        to = pathlib.Path(sys.argv[1]).resolve()
        for page in sorted(pages):
            (to / page).parent.mkdir(parents=True, exist_ok=True)
            (to / page).write_text(on_site(page, files, to))
        write_reference(to, sys.argv[2:])
        write_start(to, pages)
    return 0


if __name__ == "__main__":
    sys.exit(main())
