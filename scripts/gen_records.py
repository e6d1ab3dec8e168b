#!/usr/bin/env python3
"""Generate what follows from the table of port records, sc_model/golden/records.tsv:

    sc_model/golden/records.gen.hpp    the structures of C++, their visits member by member, packing to and from the RTL's structs
    sc_model/capi/c_records.gen.hpp    copies to and from the structures of gsu.h, and their visits

    scripts/gen_records.py             write the files
    scripts/gen_records.py --check     exit 1 if one of them is stale
"""
import dataclasses
import re
import sys

from gen_from_pkg import ROOT, camel, elaborate, fields_of, write_or_check

TABLE = ROOT / "sc_model/golden/records.tsv"
CPP = ROOT / "sc_model/golden/records.gen.hpp"
C = ROOT / "sc_model/capi/c_records.gen.hpp"


@dataclasses.dataclass
class Member:
    name: str
    type: str
    default: str
    shape: str  # "", "lane", "array3"
    rtl: str  # "" none, "@" a warp
    c: str
    about: str


@dataclasses.dataclass
class Record:
    name: str
    rtl: str
    c: str
    into: str
    about: str
    members: list = dataclasses.field(default_factory=list)
    others: dict = dataclasses.field(default_factory=dict)  # fields of the RTL's struct that are no member, with the reason


def fail(number, text):
    sys.exit(f"{TABLE.relative_to(ROOT)}:{number}: {text}")


def read():
    records = []
    for number, line in enumerate(TABLE.read_text().split("\n"), 1):
        if not line or line.startswith("#"):
            continue
        cells = [c.replace("-", "", 1) if c == "-" else c for c in line.split("\t")]
        if line.startswith("= "):
            if len(cells) != 5:
                fail(number, "a record has five columns")
            records.append(Record(cells[0][2:], *cells[1:]))
        elif line.startswith("~ "):
            records[-1].others[cells[0][2:]] = cells[1]
        else:
            if len(cells) != 5:
                fail(number, "a member has five columns")
            shape, _, kind = cells[1].rpartition(" ")
            kind, _, default = kind.partition("=")
            records[-1].members.append(Member(cells[0], kind, default, shape, *cells[2:]))
    return records


def widths(records):
    """{struct of gsu_pkg: {field: bits}}; reports fields that the table leaves out, and fields of the table that do not exist."""
    pkg = elaborate("gsu_pkg").getPackage("gsu_pkg")
    found = {}
    for member in pkg:
        if member.name in {r.rtl for r in records}:
            found[member.name] = {name: width for name, _, _, width in fields_of(member.targetType.type.canonicalType)}
    for record in records:
        if not record.rtl:
            continue
        there = {f for f in found[record.rtl] if not f.startswith("rsvd")}
        named = set(record.others)
        for m in record.members:
            named |= {"cta", "warp"} if m.rtl == "@" else set(re.findall(r"\w+", m.rtl))
        if there != named:
            sys.exit(f"{TABLE.relative_to(ROOT)}: {record.name} and {record.rtl} differ: only in the table {sorted(named - there)}, only in gsu_pkg {sorted(there - named)}")
    return found


def cpp_type(m):
    return {"": m.type, "lane": f"std::array<{m.type}, 32>", "array3": f"std::array<{m.type}, 3>"}[m.shape]


def structure(r):
    lines = [f"/// {r.about}", f"struct {r.name} {{"]
    lines += [f"    {cpp_type(m)} {m.name}{{{m.default}}};  ///< {m.about}" for m in r.members]
    return lines + ["};", ""]


def visited(m):
    """The scalars of a member, as expressions on `v`."""
    if m.type == "WarpRef":
        return [f"v.{m.name}.{part}" for part in ("sm", "cta", "warp")]
    if m.shape == "array3":
        return [f"v.{m.name}[{i}]" for i in range(3)]
    return [f"v.{m.name}"]


def visit(r):
    """Visits everything that is on the port, except operands by lane."""
    lines = [f"/// Calls `f` with each member of a {r.name}, in order.", f"template <class V, class F>", f"    requires std::same_as<std::remove_const_t<V>, {r.name}>", "constexpr void eachMember(V& v, F&& f)", "{"]
    lines += [f"    f({e});" for m in r.members if m.shape != "lane" and (m.rtl or m.c or not (r.rtl and r.c)) for e in visited(m)]
    return lines + ["}"]


def to_raw(r, bits):
    lines = ["/// Fields that no member is stay 0." if r.others else "/// All fields.", f"[[nodiscard]] inline raw::{camel(r.rtl)} toRaw(const {r.name}& v) noexcept", "{",
             f"    raw::{camel(r.rtl)} w;"]
    for m in r.members:
        if m.rtl == "@":
            lines += [f"    w.cta = v.{m.name}.cta;", f"    w.warp = v.{m.name}.warp;"]
        elif m.rtl:
            lines.append(f"    w.{m.rtl} = static_cast<decltype(w.{m.rtl})>(v.{m.name});")
    return lines + ["    return w;", "}"]


def from_raw(r, bits):
    lines = ["/// What the RTL does not know of it (SM, cycle) stays as it is.", f"inline void fromRaw(const raw::{camel(r.rtl)}& w, {r.name}& v) noexcept", "{"]
    for m in r.members:
        if m.rtl == "@":
            lines += [f"    v.{m.name}.cta = w.cta;", f"    v.{m.name}.warp = w.warp;"]
        elif m.rtl.startswith("{"):
            high, low = re.findall(r"\w+", m.rtl)
            lines.append(f"    v.{m.name} = static_cast<{m.type}>(w.{high} << {bits[low]} | w.{low});")
        elif m.rtl:
            lines.append(f"    v.{m.name} = static_cast<{m.type}>(w.{m.rtl});")
    return lines + ["}"]


def head(about, includes):
    return ["/// \\file", f"/// {about} Generated by scripts/gen_records.py from golden/records.tsv: do not edit.", "// clang-format off", "#pragma once", *includes, ""]


def cpp(records, found):
    lines = head("The records that cross the port.", ["#include <array>", "#include <concepts>", "#include <cstdint>", "#include <type_traits>", "",
                                                      '#include "golden/port_types.hpp"'])
    lines += ["namespace gsu {", ""]
    for r in records:
        lines += structure(r)
    lines += ["// Each scalar of a record that is on the port, in the order of the table, without operands by lane: f(value)."]
    for r in records:
        lines += visit(r)
    lines += [""]
    for r in records:
        if r.rtl:
            lines += (to_raw if r.into == "in" else from_raw)(r, found[r.rtl])
    return "\n".join([*lines, "", "}  // namespace gsu", ""])


def c_pairs(m):
    """(C++ expression, C member) for each scalar."""
    if m.c == "@":
        return [(f"{m.name}.{part}", part) for part in ("sm", "cta", "warp")]
    return [(m.name, m.c)] if m.c else []


def c_copy(r):
    inward = r.into == "in"
    here = f"const {r.c}& c, {r.name}& v" if inward else f"const {r.name}& v, {r.c}& c"
    lines = [f"inline void copyMembers({here}) noexcept", "{"]
    for m in r.members:
        for value, member in c_pairs(m):
            if m.shape:
                lines.append(f"    std::copy(std::begin(c.{member}), std::end(c.{member}), v.{value}.begin());")
            elif inward:
                lines.append(f"    v.{value} = static_cast<decltype(v.{value})>(c.{member});")
            else:
                lines.append(f"    c.{member} = static_cast<decltype(c.{member})>(v.{value});")
    return lines + ["}"]


def c_visit(r):
    lines = [f"template <class V, class F>", f"    requires std::same_as<std::remove_const_t<V>, {r.c}>", "constexpr void eachMember(V& v, F&& f)", "{"]
    lines += [f'    f(v.{member}, "{member}");' for m in r.members if m.shape != "lane" for _, member in c_pairs(m)]
    return lines + ["}"]


def c(records):
    lines = head("The records of the port as structures of gsu.h.", ["#include <algorithm>", "#include <concepts>", "#include <iterator>", "#include <type_traits>", "",
                                                                     '#include "capi/gsu.h"', '#include "golden/records.gen.hpp"'])
    lines += ["namespace gsu::capi {", "", "// Sizes and reserved members are the caller's."]
    for r in records:
        lines += c_copy(r) if r.c else []
    lines += ["", "// f(member, its name) for each member of a structure, but for its size, what is reserved and operands by lane."]
    for r in records:
        lines += c_visit(r) if r.c else []
    return "\n".join([*lines, "", "}  // namespace gsu::capi", ""])


def main():
    records = read()
    return write_or_check({CPP: lambda: cpp(records, widths(records)), C: lambda: c(records)}, "scripts/gen_records.py", __doc__)


if __name__ == "__main__":
    sys.exit(main())
