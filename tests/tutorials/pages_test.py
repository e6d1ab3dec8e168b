#!/usr/bin/env python3
"""Runs the commands that pages show, and compares what they print with what the page says.

    pages_test.py BUILD SOURCE [PAGE ...]     every page that has such commands, or those named
    pages_test.py --write BUILD SOURCE [...]  puts what is printed into the pages, where it differs; `...` stays. Read the difference before you commit it
    pages_test.py --self-test                 the comparison itself: it must notice what is wrong

A block that begins with ```console is run. A line that begins with `$ ` is a command (a backslash at its end continues it), what follows is its output:
standard output and standard error, in their order. In the output `...` alone on a line stands for any number of lines, and inside a line for any text.
A comment before the block says what is special about it:

    <!-- run: exit=1 -->            the last command gives this exit code (default: all give 0)
    <!-- run: needs=python -->      only where the build has the Python package; also: library, or a program that must be there

The commands of a block run in one shell, in a scratch folder that looks like the checkout: links to everything in it, and `build` is the build. Blocks of
a page follow each other in one folder. A file that a page tells to write (a block ```c, ```cpp, ```python ... after the comment `<!-- file: NAME -->`) is
written there.
What is left out for want of something is said with SKIP. A named page without a command is an error. Exit codes: 0 all as shown, 1 differences, 4 no
difference but something was left out.
"""
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SECONDS = 300


def matches(shown, printed):
    """Whether the lines of a page are those that were printed; `...` stands for anything."""
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(matches(shown[1:], printed[i:]) for i in range(len(printed) + 1))
    if not printed:
        return False
    pattern = ".*".join(re.escape(part) for part in shown[0].rstrip().split("..."))
    return re.fullmatch(pattern, printed[0].rstrip()) is not None and matches(shown[1:], printed[1:])


def renewed(shown, printed):
    """The lines that a page should show: those printed that are most like those shown, in their order; `...` stays where it is. `@@` stands for all."""
    if shown == ["@@"]:
        return printed
    result, at = [], 0
    for line in shown:
        if line.strip() == "..." or at == len(printed):
            result += [line] if line.strip() == "..." else []
            continue
        best = max(range(at, len(printed)), key=lambda i: difflib.SequenceMatcher(None, line, printed[i]).ratio() - (i - at) * 1e-6)
        result.append(line if matches([line], [printed[best]]) else printed[best])
        at = best + 1
    return result if matches(result, printed) else printed


def blocks(text):
    """The fenced blocks of a page: (line, kind, options, body). A comment on the line before a block has its options."""
    found, options, lines, at = [], "", text.split("\n"), 0
    while at < len(lines):
        comment = re.fullmatch(r"<!-- (run|file): (.*) -->", lines[at].strip())
        fence = re.match(r"```(\w*)$", lines[at])
        if comment:
            options += f"{comment[1]}:{comment[2]}\n"
        elif fence:
            end = next(i for i in range(at + 1, len(lines)) if lines[i].startswith("```"))
            found.append((at + 1, fence[1], options, lines[at + 1:end]))
            options, at = "", end
        elif lines[at].strip():
            options = ""
        at += 1
    return found


def steps(body):
    """A console block as (command, lines of output)."""
    result = []
    for line in body:
        if result and result[-1][0].endswith("\\"):
            result[-1][0] = result[-1][0][:-1] + line.strip()
        elif line.startswith("$ "):
            result.append([line[2:], []])
        elif result:
            result[-1][1].append(line)
        else:
            raise ValueError(f"a block begins with `{line}`, not with a command")
    return result


def has(what, build):
    """Whether the build, or the machine, has what a block needs."""
    if what == "python":
        return any(build.glob("python/gsu/_native*"))
    if what == "library":
        installs = (build / "package/gsuConfig.cmake").exists()  # a sanitized build does not
        return installs and any(build.glob("**/libgsu.so")) and shutil.which("cc") is not None
    return shutil.which(what) is not None


def scratch(build, source, folder):
    """Makes the folder look like the checkout."""
    for entry in source.iterdir():
        if entry.name not in ("build", "out") and not entry.name.startswith(("build-", ".git")):
            (folder / entry.name).symlink_to(entry)
    (folder / "build").symlink_to(build)


def surroundings(build, folder):
    """What the commands see: the build's gsu and its package, the library where it was built, no cache of the user."""
    env = dict(os.environ, PATH=f"{build}:{os.environ['PATH']}", GSU_PROGRAM=str(build / "gsu"), PYTHONPATH=str(build / "python"),
               XDG_CACHE_HOME=str(folder / ".cache"), GSU_PYTHON=sys.executable, COLUMNS="120", TERM="dumb")
    library = next(iter(sorted(build.glob("**/libgsu.so"))), None)
    if library:
        env["LD_LIBRARY_PATH"] = f"{library.parent}:{env.get('LD_LIBRARY_PATH', '')}"
    return env


def run_shell(commands, folder, env):
    """The commands of a block, in one shell as a reader would give them: (exit code, output) of each."""
    mark = f"end-of-command-{os.getpid()}"
    script = "exec 2>&1\n" + "".join(f"{command}\nprintf '\\n%s %d\\n' {mark} $?\n" for command in commands)
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=SECONDS,
                          check=False)
    results = re.findall(rf"(.*?)\n?\n{mark} (\d+)\n", "\n" + done.stdout, re.S)
    results = [(int(code), text.strip("\n")) for text, code in results]
    return results + [(done.returncode, "the shell ended")] * (len(commands) - len(results))


def run_block(where, options, body, folder, env):
    """Runs one console block: the complaints, and the block as it should be."""
    expected = int((re.search(r"exit=(\d+)", options) or [0, 0])[1])
    todo, bad, good = steps(body), [], []
    for number, ((command, shown), (code, printed)) in enumerate(zip(todo, run_shell([command for command, _ in todo], folder, env))):
        while shown and not shown[-1].strip():
            shown = shown[:-1]
        want = expected if number == len(todo) - 1 else 0
        lines = printed.split("\n") if printed else []
        good += ["$ " + command] + (shown if matches(shown, lines) else renewed(shown, lines))
        if code != want:
            bad.append(f"{where}: `{command}` gives exit code {code}, not {want}, and prints\n{printed}")
        elif not matches(shown, lines):
            bad.append(f"{where}: `{command}` prints\n{printed}\nand the page shows\n" + "\n".join(shown))
    return bad, good


def run_page(page, build, source, write=False):
    """(commands run, blocks left out, complaints) of a page."""
    ran, left_out, bad, text = 0, 0, [], (source / page).read_text()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        scratch(build, source, folder)
        env = surroundings(build, folder)
        for line, kind, options, body in blocks(text):
            file = re.search(r"^file:(\S+)$", options, re.M)
            if file:
                (folder / file[1]).parent.mkdir(parents=True, exist_ok=True)
                (folder / file[1]).write_text("\n".join(body) + "\n")
            if kind != "console":
                continue
            missing = [what for needs in re.findall(r"needs=(\S+)", options) for what in needs.split(",") if not has(what, build)]
            if missing:
                print(f"SKIP: {page}:{line}: needs {', '.join(missing)}", flush=True)
                left_out += 1
                continue
            complaints, good = run_block(f"{page}:{line}", options, body, folder, env)
            if complaints and write and not any(line.endswith("\\") for line in body):
                text = text.replace("```console\n" + "\n".join(body) + "\n```", "```console\n" + "\n".join(good) + "\n```", 1)
            bad += complaints
            ran += len(steps(body))
    if write and text != (source / page).read_text():
        (source / page).write_text(text)
    if not ran and not left_out:
        bad.append(f"{page}: no ```console block: nothing was compared")
    return ran, left_out, bad


def self_test():
    """The comparison must hold what is right and notice what is wrong."""
    right = [(["a"], ["a"]), (["..."], []), (["...", "c"], ["a", "b", "c"]), (["a ... c"], ["a b c"]), (["a", "...", "d"], ["a", "b", "c", "d"]), ([], [])]
    wrong = [(["a"], ["b"]), (["a"], []), ([], ["a"]), (["a", "..."], ["b"]), (["a", "...", "d"], ["a", "b"]), (["1 cycle"], ["12 cycle"]), (["a."], ["ab"])]
    assert all(matches(*pair) for pair in right) and not any(matches(*pair) for pair in wrong)
    page = "x\n```console\n$ echo one \\\n  two\none two\n```\n\n<!-- run: exit=3 -->\n```console\n$ (exit 3)\n```\n"
    with tempfile.TemporaryDirectory() as name:
        source = pathlib.Path(name)
        for text, count in ((page, 0), (page.replace("one two\n`", "one three\n`"), 1), (page.replace("exit=3", "exit=4"), 1), ("no block", 1)):
            (source / "p.md").write_text(text)
            ran, _, bad = run_page("p.md", source, source)
            assert len(bad) == count and ran == (0 if text == "no block" else 2), (text, bad)
    print("the comparison notices a wrong line, a wrong exit code and a page without commands")


def pages_of(source):
    """The pages that show commands: those of the project's folders, without what was built or installed there."""
    pages = [source / "README.md", *(f for name in ("rtl", "sc_model", "scripts", "tb", "tests", "waveforms") for f in sorted((source / name).rglob("*.md")))]
    return [str(f.relative_to(source)) for f in pages if "\n```console\n" in f.read_text()]


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    write = sys.argv[1:2] == ["--write"]
    arguments = sys.argv[2:] if write else sys.argv[1:]
    build, source = pathlib.Path(arguments[0]).resolve(), pathlib.Path(arguments[1]).resolve()
    bad, skipped = [], 0
    for page in arguments[2:] or pages_of(source):
        ran, left_out, complaints = run_page(page, build, source, write)
        bad += complaints
        skipped += left_out
        print(f"{page}: {ran} commands, {len(complaints)} differences, {left_out} blocks left out", flush=True)
    for complaint in bad:
        print(f"\n{complaint}")
    return 1 if bad else 4 if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
