"""Many mutants in one text of SystemVerilog: which one is alive is chosen when the model runs, so that one build serves a campaign.

A mutant is (number, begin, end, new text) in bytes of the original. rewrite() finds the smallest expression around the place which the mutated text
parses to as a unit as well, and writes it as `(gsu_mutant_pkg::id == N ? mutated : original)`; where an expression has no such form (what must be
constant, an assigned name, a slice whose width another expression sees) the statement around it becomes `if (gsu_mutant_pkg::id == N) .. else ..`.
What has neither (declarations, generate, ports that are driven) is returned as alone: it needs a build of its own.
"""
import re

from pyslang import syntax

K = syntax.SyntaxKind
PACKAGE = """// Which mutant is alive: 0 is the RTL as it is (scripts/mutate).
package gsu_mutant_pkg;
  import "DPI-C" function int gsu_mutant_id();
  int id = gsu_mutant_id();
endpackage
"""
CHOOSER = """
// The mutant that is alive, for all models of the program (scripts/mutate).
#include <cstdlib>
extern "C" int gsu_mutant_id() {
  const char* text = std::getenv("GSU_MUTANT");
  return text ? std::atoi(text) : 0;
}
"""
ASSIGNS = tuple(getattr(K, n) for n in dir(K) if n.endswith("AssignmentExpression"))
# Nodes of which every expression must be constant: no choice at run time.
ALONE = tuple(getattr(K, n) for n in (
    "RangeDimensionSpecifier", "ParameterDeclaration", "ParameterDeclarationStatement", "TypedefDeclaration", "StructUnionMember", "EnumType",
    "ParameterValueAssignment", "LoopGenerate", "CaseGenerate", "FunctionPrototype", "EventControlWithExpression", "GenvarDeclaration",
    "ModuleHeader", "AnsiPortList", "PropertyDeclaration"))


def plain(text):
    """The text with directives and uses of macros at the beginning of a line blanked, at the same places."""
    out, depth = [], 0
    for line in text.split("\n"):
        if depth or line.lstrip().startswith("`"):
            depth += line.count("(") - line.count(")")
            line = " " * len(line)
        out.append(line)
    return "\n".join(out)


def nodes(text):
    """(begin, end, node, parents) of every node, smallest last, and whether it parses."""
    tree = syntax.SyntaxTree.fromText(plain(text))
    found = []

    def walk(node, above):
        if hasattr(node, "valueText"):  # a token
            return
        at = node.sourceRange
        found.append((at.start.offset, at.end.offset, node, above))
        below = (node, *above)
        for child in node:
            if child is not None:
                walk(child, below)

    walk(tree.root, ())
    return tree, found


def is_statement(node):
    return isinstance(node, syntax.StatementSyntax) and node.kind != K.TimingControlStatement


def is_expression(node):
    return (isinstance(node, syntax.ExpressionSyntax) and not isinstance(node, syntax.DataTypeSyntax) and node.kind not in ASSIGNS
            and node.kind not in (K.AssignmentPatternExpression, K.PostincrementExpression, K.PostdecrementExpression))


def span(node):
    at = node.sourceRange
    return at.start.offset, at.end.offset


def blocks(child, parent, text):
    """The effect of a step up from an expression on a choice in it: "" none, "up" not here, "wide" not in any part whose width is visible, "statement"."""
    kind, at = parent.kind, span(child)
    first = next((c for c in parent if c is not None), None)
    left = first is not None and not hasattr(first, "valueText") and span(first) == at
    if kind == K.SimpleRangeSelect or (kind in (K.AscendingRangeSelect, K.DescendingRangeSelect) and not left):
        return "wide"
    if kind == K.MultipleConcatenationExpression and child.kind != K.ConcatenationExpression:
        return "wide"
    if kind == K.CastExpression and left:
        return "wide"
    if kind in (K.ScopedName, K.MemberAccessExpression, K.InvocationExpression, K.ElementSelectExpression) and left:
        return "up"
    if kind == K.ScopedName:
        return "up"
    if kind == K.AssignmentPatternItem and left:
        return "up"
    if kind in ASSIGNS and left:
        return "statement"
    if kind in (K.ForLoopStatement, K.ForVariableDeclaration, K.StandardCaseItem) and not isinstance(child, syntax.StatementSyntax):
        return "statement"
    return ""


def allowed(node, above, wide):
    """Whether a choice may replace this expression."""
    chain = (node, *above)
    index = False  # an index is not assigned
    for child, parent in zip(chain, chain[1:]):
        if parent.kind in ALONE:
            return False
        if is_statement(parent) and parent.kind != K.ForLoopStatement:
            return True
        step = blocks(child, parent, None)
        if step == "wide" or (step == "up" and child is node):
            return False
        if step == "statement" and not index:
            return False
        if step == "statement" and parent.kind not in ASSIGNS:
            return False
        index = index or parent.kind in (K.BitSelect, K.AscendingRangeSelect, K.DescendingRangeSelect)
        if wide and is_expression(parent) and parent.kind not in ASSIGNS:
            return False
    return True


def changes_width(old, new, text, begin):
    """Whether the expression is a bound of a slice."""
    return bool(re.match(r"\[?\d+:", text[begin:begin + 6])) and old[:1].isdigit()


def choose(found, text, mutant):
    """(begin, end, form, mutated text) of the place of a mutant, or None."""
    _, begin, end, new = mutant
    whole = text[:begin] + new + text[end:]
    while begin < end and new and text[begin] == new[0]:
        begin, new = begin + 1, new[1:]
    while begin < end and new and text[end - 1] == new[-1]:
        end, new = end - 1, new[:-1]
    grown = len(new) - (end - begin)
    tree, others = nodes(whole)
    if any(d.isError() for d in tree.diagnostics):
        return None
    forms = {}
    for b, e, node, _ in others:
        forms.setdefault((b, e), set()).update({"expression"} if is_expression(node) else {"statement"} if is_statement(node) else ())
    around = sorted(((e - b, -len(above), b, e, n, above) for b, e, n, above in found if b <= begin and end <= e and b < e), key=lambda r: r[:2])
    wide = False
    for _, _, b, e, node, above in around:
        if node.kind in ALONE:
            return None
        if node.kind in (K.SimpleRangeSelect, K.MultipleConcatenationExpression) or (above and above[0].kind == K.SimpleRangeSelect):
            wide = True
        like = forms.get((b, e + grown), ())
        if is_expression(node) and "expression" in like and allowed(node, above, wide):
            return b, e, "expression", whole[b:e + grown]
        if is_statement(node) and "statement" in like:
            return b, e, "statement", whole[b:e + grown]
    return None


def render(text, begin, end, places):
    """The text of [begin, end) with the choices inside: places are those within, outermost first."""
    out, at = "", begin
    index = 0
    while index < len(places):
        b, e, _, _, _ = places[index]
        same = [p for p in places[index:] if p[:2] == (b, e)]
        inner = [p for p in places[index:] if p[0] >= b and p[1] <= e and p[:2] != (b, e)]
        original = render(text, b, e, inner)
        for _, _, form, mutated, number in same:
            tag = f"gsu_mutant_pkg::id == {number}"
            if form == "expression":
                original = f"({tag} ? ({mutated}) : ({original}))"
            else:
                original = f"begin if ({tag}) begin {mutated} end else begin {original} end end"
        out += text[at:b] + original
        at = e
        index += len(same) + len(inner)
    return out + text[at:end]


def rewrite(text, mutants, alone=()):
    """(text with a choice for each mutant except those that stand alone, the numbers of these)."""
    text = text.encode().decode("latin-1")  # slang counts bytes
    _, found = nodes(text)
    places, without = [], []
    for mutant in mutants:
        place = None if mutant[0] in alone else choose(found, text, mutant)
        if place is None:
            without.append(mutant[0])
        else:
            places.append((*place, mutant[0]))
    places.sort(key=lambda p: (p[0], -p[1], p[2] == "expression", p[4]))
    done = render(text, 0, len(text), places)
    return done.encode("latin-1").decode(), without
