"""scripts/mutate_schemata.py: with number N chosen, the one text with all mutants is the text with mutant N; with 0 it is the original.

    schemata_test.py           a module with every kind of place
    schemata_test.py --rtl N   N mutants of the RTL, as scripts/mutate draws them (a second each)

Trees of syntax are compared: of a choice only the branch that is taken, and parentheses and blocks that were put around it left out.
"""
import importlib.machinery
import importlib.util
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True
try:
    import mutate_schemata as schemata
except ModuleNotFoundError:
    print("SKIP: pyslang is missing (scripts/requirements.txt)")
    sys.exit(0)

SOURCE = """`include "gsu_assert.svh"
module unit #(parameter int N = 4) (input logic clk_i, input logic [7:0] a, b, output logic [7:0] y_o, z_o);
  localparam int Half = N / 2;
  typedef struct packed { logic [3:0] low; logic [3:0] high; } pair_t;
  logic [7:0] q, w; // a + b in a comment
  pair_t p;
  logic yes;
  if (N < 2) begin : gen_bad
    $error("N");
  end
  assign yes = a == b && |q || !w[0] && a < b;
  assign y_o = {a[6:3], 4'(b[5:2] + 4'd1)} ^ {2{q[3:0]}};
  assign p   = '{low: a[3:0] & b[3:0], high: '0};
  leaf #(.Width(8)) u_leaf (.x(a + b), .y(z_o[7:0]));
  function automatic logic [7:0] most(logic [7:0] x);
    most = '0;
    for (int i = 7; i >= 0; i--) if (x[i]) most = 8'(i + 1);
    if (x == '0) return 8'd1 << 3;
  endfunction
  always_ff @(posedge clk_i) begin
    if (yes || a[1] && !b[2]) q[a[2:0] + 3'd1] <= 1'b1;
    else if (a > b) q <= most(a) - 8'd1;
    else begin
      case (a[1:0])
        2'd1, 2'd2: w <= ~b;
        default: w[7:4] <= a >= b ? a[7:4] : '1;
      endcase
      w[3:0] <= w[3:0] << 1;
    end
  end
  `ASSERT(Never, !(yes && a + b == q))
endmodule
module leaf #(parameter int Width = 1) (input logic [Width-1:0] x, output logic [Width-1:0] y);
  assign y = x;
endmodule
"""
# Mutants that the campaign cannot choose when the model runs.
CONSTANT = ("localparam", "leaf #(", "typedef", "logic [7:0] q", "if (N <", "function automatic")
KIND = schemata.K


def load(name):
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def tag_of(condition, text):
    begin, end = schemata.span(condition)
    said = text[begin:end]
    return int(said.split("==")[1]) if said.startswith("gsu_mutant_pkg::id ==") else None


def inside(block):
    """The only statement of a block, else None."""
    items = list(block.items)
    return items[0] if len(items) == 1 else None


def tree(node, text, number):
    """Nested lists of a node's kinds and tokens, with the branch of choices that `number` takes."""
    if hasattr(node, "valueText"):
        return node.valueText
    if node.kind == KIND.ParenthesizedExpression:
        return tree(node.expression, text, number)
    if node.kind == KIND.ConditionalExpression and (tag := tag_of(node.predicate, text)) is not None:
        return tree(node.left if tag == number else node.right, text, number)
    if node.kind == KIND.SequentialBlockStatement:
        only = inside(node)
        if only is not None and only.kind == KIND.ConditionalStatement and (tag := tag_of(only.predicate, text)) is not None:
            return tree(inside(only.statement if tag == number else only.elseClause.clause), text, number)
    return [str(node.kind), *(tree(child, text, number) for child in node if child is not None)]


def whole(text, number):
    text = schemata.plain(text)
    parsed = schemata.syntax.SyntaxTree.fromText(text)
    wrong = [d for d in parsed.diagnostics if d.isError()]
    assert not wrong, f"mutant {number}: the text does not parse: {wrong[0].code}"
    return tree(parsed.root, text, number)


def compare(name, text, mutants):
    """How many mutants have a choice, and the numbers of those that have none."""
    done, without = schemata.rewrite(text, mutants)
    assert whole(done, 0) == whole(text, 0), f"{name}: 0 is not the original"
    for number, begin, end, new in mutants:
        if number in without:
            continue
        mutated = text.encode()[:begin].decode() + new + text.encode()[end:].decode()
        assert whole(done, number) == whole(mutated, number), f"{name}: choice {number} is not its mutant"
        assert whole(done, number) != whole(text, 0), f"{name}: choice {number} is the original"
    return len(mutants) - len(without), without


def small(mutate):
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "unit.sv"
        path.write_text(SOURCE)
        drawn = [(path, *place) for place in mutate.places(path)]
        mutants = [(i + 1, *mutate.in_bytes(m)[1:]) for i, m in enumerate(drawn)]
        parses = [m for m in mutants if not any(d.isError() for d in schemata.nodes(SOURCE[:m[1]] + m[3] + SOURCE[m[2]:])[0].diagnostics)]
        chosen, without = compare("unit", SOURCE, parses)
        lines = {SOURCE[:m[1]].count("\n") for m in parses if m[0] in without}
        for line in lines:
            said = SOURCE.split("\n")[line]
            assert any(c in said for c in CONSTANT), f"no choice in: {said}"
        assert chosen >= 50 and lines, f"{chosen} chosen, {len(lines)} lines without a choice"
        print(f"{chosen} mutants in one text, {len(without)} alone")


def rtl(mutate, count):
    by_file = {}
    for i, mutant in enumerate(mutate.draw("rtl", 1, count, "")):
        by_file.setdefault(mutant[0], []).append((i + 1, *mutate.in_bytes(mutant)[1:]))
    chosen = sum(compare(path.name, path.read_text(), mutants)[0] for path, mutants in by_file.items())
    print(f"{chosen} of {count} mutants of the RTL in one text")


if __name__ == "__main__":
    module = load("mutate")
    small(module)
    if "--rtl" in sys.argv:
        rtl(module, int(sys.argv[sys.argv.index("--rtl") + 1]))
