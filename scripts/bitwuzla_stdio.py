#!/usr/bin/env python3
"""Bitwuzla, which comes as a Python package only, as the program that yosys-smtbmc wants: SMT-LIB commands on stdin, one a line, answers on stdout.

The parser of the package loses count of scopes over calls, so a pop builds the solver anew from what is left.
"""
import sys

sys.dont_write_bytecode = True
from command_line import Parser  # noqa: E402
import venv_python  # noqa: E402

venv_python.need("bitwuzla")
import bitwuzla  # noqa: E402


def solver(commands):
    options = bitwuzla.Options()
    options.set("produce-models", True)
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    if commands:
        parser.parse("\n".join(commands), False, False)
    return parser


def main():
    Parser(description=__doc__).parse_args()
    scopes, parser, waiting = [[]], None, []
    for line in sys.stdin:
        command = line.strip()
        if not command or command.startswith(";"):
            continue
        if command.startswith("(exit"):
            break
        if command.startswith("(push"):
            scopes.append([])
        elif command.startswith("(pop"):
            scopes.pop()
            parser = None
        elif command.startswith(("(check-sat", "(get-value")):
            try:
                if parser is None:
                    parser = solver([c for scope in scopes for c in scope])
                elif waiting:
                    parser.parse("\n".join(waiting), False, False)
                waiting = []
                parser.parse(command, False, False)
            except bitwuzla.BitwuzlaException as error:
                print(f'(error "{error}")')
            sys.stdout.flush()
        else:
            scopes[-1].append(command)
            waiting.append(command)


if __name__ == "__main__":
    main()
