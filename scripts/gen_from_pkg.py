#!/usr/bin/env python3
"""Generate sc_model/golden/layout.gen.hpp from rtl/gsu_pkg.sv: enums, structs and their bit layout.

    scripts/gen_from_pkg.py            write the file
    scripts/gen_from_pkg.py --check    exit 1 if the file in the tree is stale
"""
import pathlib
import re
import sys

from command_line import Parser
import venv_python

venv_python.need("pyslang")
import pyslang  # noqa: E402
from pyslang import ast as _ast  # noqa: E402,F401  (fails early on a pyslang without the ast module)
from pyslang import syntax as _syntax  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
PKG = ROOT / "rtl" / "gsu_pkg.sv"
OUT = ROOT / "sc_model" / "golden" / "layout.gen.hpp"


def camel(name):
    """sync_req_t -> SyncReq, op_e -> Op"""
    return "".join(part.capitalize() for part in re.sub(r"_[te]$", "", name).split("_"))


def cpp_int(width):
    for size in (8, 16, 32, 64):
        if width <= size:
            return f"std::uint{size}_t"
    raise ValueError(f"field of {width} bits")


def elaborate(*packages):
    """The compilation of these packages of rtl/."""
    comp = _ast.Compilation()
    for name in packages:
        comp.addSyntaxTree(_syntax.SyntaxTree.fromFile(str(next((ROOT / "rtl").rglob(f"{name}.sv")))))
    comp.getRoot()
    if any(d.isError() for d in comp.getAllDiagnostics()):
        sys.exit(", ".join(f"rtl/{name}.sv" for name in packages) + ": does not elaborate")
    return comp


def fields_of(struct):
    """(name, type, offset, width) from the least significant bit upwards."""
    rows = [(f.name, f.type, f.bitOffset, f.type.bitWidth) for f in struct if f.kind == _ast.SymbolKind.Field]
    return sorted(rows, key=lambda r: r[2])


def remarks():
    """Comments on the package's lines: {name: text} for parameters and enumerators, {(struct, field): text} for fields."""
    found, fields = {}, []
    for line in PKG.read_text().split("\n"):
        code, _, text = line.partition("//")
        text = text.strip().rstrip(".")
        if match := re.match(r"\s*localparam int unsigned (\w+) =|\s*(\w+)\s*=\s*\d+'d\d+", code):
            found[match[1] or match[2]] = text
        elif re.match(r"\s*typedef struct packed", code):
            fields = []
        elif match := re.match(r"\s*}\s*(\w+)\s*;", code):
            found |= {(match[1], name): words for name, words in fields}
        elif match := re.match(r"\s+[\w$]+(?:\s*\[[^]]*\])*\s+(\w+)\s*;", code):
            fields.append((match[1], text))
    return found


def doc(text):
    return "  ///< " + text


def enum_block(name, cpp, enum):
    bits = enum.bitWidth
    prefix = camel(name)
    rows = []
    for value in enum:
        if value.kind == _ast.SymbolKind.EnumValue:
            label = value.name[len(prefix):] if value.name.startswith(prefix) else value.name
            rows.append((label, int(value.value.value)))
    known = remarks()
    out = [f"/// {name} of gsu_pkg.", f"enum class {cpp} : {cpp_int(bits)} {{"]
    out += [f"    {label} = {number}," + doc(known.get(prefix + label) or f"{prefix}{label}") for label, number in rows]
    out += ["};", "/// Its name; \"?\" for a number that has none.", f"[[nodiscard]] constexpr const char* nameOf({cpp} value) noexcept", "{", "    switch (value) {"]
    out += [f'        case {cpp}::{label}: return "{label}";' for label, _ in rows]
    out += ["    }", '    return "?";', "}", ""]
    return out


def access(width, offset, words):
    """C++ expression that reads `width` bits at `offset` from the array `words`."""
    word, bit = divmod(offset, 32)
    if width == 64:
        assert bit == 0
        return f"(std::uint64_t{{{words}[{word + 1}]}} << 32) | {words}[{word}]"
    assert bit + width <= 32, "a field crosses a word"
    expr = f"{words}[{word}]"
    if bit:
        expr = f"({expr} >> {bit})"
    if width < 32 and bit + width < 32 or (bit == 0 and width < 32):
        expr = f"{expr} & {(1 << width) - 1:#x}u"
    return expr


def leaves(name, rows, enums):
    """Flatten arrays of structs; yields (C++ member, width, offset, enum or None)."""
    for field, ftype, offset, width in rows:
        canon = ftype.canonicalType
        if canon.isPackedArray and not canon.isSimpleBitVector and canon.elementType.canonicalType.isStruct:
            element = canon.elementType.canonicalType
            step = element.bitWidth
            for index in range(width // step):
                for sub, _, sub_offset, sub_width in fields_of(element):
                    yield f"{field}[{index}].{sub}", sub_width, offset + index * step + sub_offset, None
        else:
            yield field, width, offset, enums.get(ftype.name)


def struct_block(name, alias, struct, enums):
    rows = fields_of(struct)
    total = struct.bitWidth
    words = (total + 31) // 32
    known = remarks()
    out = [f"/// {name} of gsu_pkg.", f"struct {camel(name)} {{", f"    static constexpr unsigned kBits = {total};" + doc("bits"),
           f"    static constexpr unsigned kWords = {words};" + doc("words of 32 bits")]
    for field, ftype, _, width in rows:
        canon = ftype.canonicalType
        if canon.isPackedArray and not canon.isSimpleBitVector and canon.elementType.canonicalType.isStruct:
            element = canon.elementType
            out.append(f"    std::array<{camel(element.name)}, {width // element.bitWidth}> {field}{{}};" + doc(known.get((name, field)) or field))
        elif not field.startswith("rsvd"):
            kind = enums.get(ftype.name) or ("bool" if width == 1 else cpp_int(width))
            out.append(f"    {kind} {field}{{}};" + doc(known.get((name, field)) or f"{width} bits"))
    out += [f"    bool operator==(const {camel(name)}&) const = default;" + doc("member by member"), "};"]
    by_word, reads = {}, []
    for member, width, offset, enum in leaves(name, rows, enums):
        if member.split(".")[-1].startswith("rsvd"):
            continue
        word, bit = divmod(offset, 32)
        if width == 64:
            by_word.setdefault(word, []).append(f"std::uint32_t(v.{member})")
            by_word.setdefault(word + 1, []).append(f"std::uint32_t(v.{member} >> 32)")
        else:
            value = f"std::uint32_t(v.{member})"
            if width < 32 and enum is None and width > 1:
                value = f"({value} & {(1 << width) - 1:#x}u)"
            by_word.setdefault(word, []).append(f"{value} << {bit}" if bit else value)
        expr = access(width, offset, "w")
        cast = enum or ("bool" if width == 1 else cpp_int(width))
        reads.append(f"    v.{member} = {cast}({expr});")
    out += ["/// Value to words.", f"inline void pack(const {camel(name)}& v, std::uint32_t* w) noexcept", "{"]
    for word in range(words):
        terms = by_word.get(word, ["0"])
        out.append(f"    w[{word}] = {' | '.join(terms)};")
    out += ["}", "/// Words to value.", f"inline void unpack({camel(name)}& v, const std::uint32_t* w) noexcept", "{", *reads, "}", ""]
    return out


def params_block(pkg):
    out, known = [], remarks()
    for member in pkg:
        if member.kind == _ast.SymbolKind.Parameter and member.name not in ("Events", "Eager"):  # not part of the contract
            out.append(f"inline constexpr unsigned k{member.name} = {int(member.value.value)};" + doc(known.get(member.name) or member.name))
    return out


def generate():
    pkg = elaborate("gsu_pkg").getPackage("gsu_pkg")
    enums, structs = {}, []
    body = ["// Structural maxima and error bits.", *params_block(pkg), ""]
    aliases = [member for member in pkg if member.kind == _ast.SymbolKind.TypeAlias]
    struct_names = {camel(m.name) for m in aliases if m.targetType.type.canonicalType.isStruct}
    for member in aliases:
        canon = member.targetType.type.canonicalType
        if canon.isEnum:
            base = camel(member.name)
            enums[member.name] = f"{base}Kind" if base in struct_names else base
            body += enum_block(member.name, enums[member.name], canon)
        elif canon.isStruct:
            structs.append((member.name, canon))
    body += ["/// The packed structs of gsu_pkg, field for field; reserved fields pack as 0.", "namespace raw {", ""]
    for name, canon in structs:
        body += struct_block(name, name, canon, enums)
    body += ["}  // namespace raw"]
    head = [
        "/// \\file",
        "/// Types and bit layout of rtl/gsu_pkg.sv. Generated by scripts/gen_from_pkg.py: do not edit.",
        "// clang-format off",
        "#pragma once",
        "#include <array>",
        "#include <cstdint>",
        "",
        "namespace gsu {",
        "",
    ]
    return "\n".join(head + body + ["", "}  // namespace gsu", ""])


def write_or_check(files, script, about):
    """The command line of a generator. Writes the result of each function in `files`, {path: function}, or with --check compares it. Returns the exit
    code."""
    parser = Parser(description=about)
    parser.add_argument("--check", action="store_true", help="compare instead of write")
    check = parser.parse_args().check
    stale = 0
    for out, generate in files.items():
        text = generate()
        if not check:
            out.write_text(text)
        elif not out.exists() or out.read_text() != text:
            print(f"{out.relative_to(ROOT)} is stale: run {script}", file=sys.stderr)
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(write_or_check({OUT: generate}, "scripts/gen_from_pkg.py", __doc__))
