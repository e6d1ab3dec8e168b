#!/usr/bin/env python3
"""The results of scripts/test --slow, kept in tests/slow.tsv, and the table of tests/README.md.

    scripts/slow_table.py take FOLDER PROCESSOR   the results that a run left in FOLDER (NAME.result); parts that it has not run keep their older line
    scripts/slow_table.py [check]                 writes the table from tests/slow.tsv; check: says whether it is as it would be written
"""
import sys
from pathlib import Path

import page_tables
from command_line import Parser

ROOT = Path(__file__).resolve().parent.parent
PARTS, KEPT, PAGE = ROOT / "scripts/slow_parts.tsv", ROOT / "tests/slow.tsv", ROOT / "tests/README.md"


def rows(path):
    """Its lines as lists, by their first field; and its head, the comment."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return lines[0], {line.split("\t")[0]: line.split("\t") for line in lines[1:]}


def take(folder, processor):
    head, kept = rows(KEPT)
    for name in rows(PARTS)[1]:
        result = Path(folder) / f"{name}.result"
        if result.exists():
            _, verdict, seconds, commit, day, last, _ = result.read_text(encoding="utf-8").rstrip("\n").split("\t")
            kept[name] = [name, verdict, seconds, commit, day, processor, last]
    KEPT.write_text("\n".join([head] + ["\t".join(kept[name]) for name in rows(PARTS)[1] if name in kept]) + "\n", encoding="utf-8")


def table():
    kept = rows(KEPT)[1]
    lines = ["| part | what it does | result | seconds | commit, day | last line |", "|---|---|---|---|---|---|"]
    for name, _, what in rows(PARTS)[1].values():
        _, verdict, seconds, commit, day, _, last = kept.get(name, [name, "not run yet", "", "", "", "", ""])
        when = f"`{commit}`, {day}" if len(commit) > 1 else day
        lines.append(f"| {name} | {what} | {verdict} | {seconds} | {when} | {last.replace('|', chr(92) + '|')} |")
    return "\n".join(lines)


def main():
    parser = Parser(prog="slow_table.py", description=__doc__)
    parser.add_argument("command", nargs="?", choices=["take", "check"])
    parser.add_argument("from_run", nargs="*", metavar="FOLDER PROCESSOR", help="with take")
    args = parser.parse_args()
    if len(args.from_run) != (2 if args.command == "take" else 0):
        parser.error("a folder and a processor go with take, and with nothing else")
    if args.command == "take":
        take(*args.from_run)
    return page_tables.put(PAGE, "scripts/slow_table.py", table(), args.command == "check")


if __name__ == "__main__":
    sys.exit(main())
