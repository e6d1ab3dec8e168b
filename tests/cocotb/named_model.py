"""The named barriers of one SM according to the rules, for whole warps. testbench_named_barrier compares the RTL with this model. Written from the requirements
(BAR-004..042, D-05..D-17), not from the RTL; it has no time."""
import dataclasses

from gsu_rtl import ports
from gsu_rtl.ports import Op

RED = {Op.BarRedPopc: 1, Op.BarRedAnd: 2, Op.BarRedOr: 4}


@dataclasses.dataclass
class Generation:
    """One use of one barrier, from its first arrival."""
    expected: int  # warps that an explicit count names; 0: all live warps of the CTA
    named: int  # effective count in warps: what every other arrival must name as well
    arrivals: int = 0
    arrived: set = dataclasses.field(default_factory=set)
    waiting: set = dataclasses.field(default_factory=set)
    preds: list = dataclasses.field(default_factory=list)  # (true lanes, lanes) of each reduction
    operators: set = dataclasses.field(default_factory=set)
    plain: bool = False

    def complete(self, live):
        return self.arrivals >= (self.expected or len(live | self.arrived))

    def results(self):
        """popc, and, or over the lanes that brought a predicate (BAR-017..019, BAR-023)."""
        true, lanes = sum(t for t, _ in self.preds), sum(n for _, n in self.preds)
        return true, int(true == lanes), int(true > 0)


@dataclasses.dataclass
class Cta:
    warps: int
    live: set
    bars: dict = dataclasses.field(default_factory=dict)  # id to Generation


@dataclasses.dataclass
class Outcome:
    """The effect of one arrival, or of an exit at one barrier."""
    errs: int = 0
    refused: bool = False
    flip: bool = False
    released: set = dataclasses.field(default_factory=set)
    results: tuple = (0, 1, 0)


class Model:
    def __init__(self):
        self.ctas = {}

    def launch(self, cta, warps):
        self.ctas[cta] = Cta(warps, set(range(warps)))

    def arrive(self, cta, warp, op, ident, threads, true, lanes):
        """One warp executes `op` with all its lanes; `true` of `lanes` have a true predicate."""
        home = self.ctas[cta]
        errors = {ports.NbErrId: ident >= ports.BarsPerCta, ports.NbErrCount: threads % 32 != 0,
                  ports.NbErrArriveZero: op == Op.BarArrive and threads == 0}
        if any(errors.values()):
            return Outcome(bits(errors), refused=True)
        count = threads // 32 or home.warps
        use = home.bars.get(ident) or Generation(threads // 32, count)
        errors[ports.NbErrCountsDiffer] = use.named != count
        errors[ports.NbErrRearrive] = warp in use.arrived
        red = op in RED
        errors[ports.NbErrMixed] = red and use.plain or not red and bool(use.operators)
        errors[ports.NbErrRedOps] = red and bool(use.operators - {op})
        use.arrivals += 1
        use.arrived.add(warp)
        if op != Op.BarArrive:
            use.waiting.add(warp)
        if red:
            use.operators.add(op)
            use.preds.append((true, lanes))
        else:
            use.plain = True
        done = self._end(home, ident, use)
        return Outcome(bits(errors), flip=done, released=use.waiting if done else set(), results=use.results())

    def _end(self, home, ident, use):
        done = use.complete(home.live)
        if done:
            home.bars.pop(ident, None)
        else:
            home.bars[ident] = use
        return done

    def exit(self, cta, warp):
        """The warp has exited: {barrier: Outcome} of the barriers that this completes, or, after the last warp, discards with NbErrLeft (D-17)."""
        home = self.ctas[cta]
        home.live.discard(warp)
        found = {}
        for ident, use in sorted(home.bars.items()):
            if not use.expected and use.complete(home.live):
                found[ident] = Outcome(flip=True, released=use.waiting, results=use.results())
            elif not home.live:
                found[ident] = Outcome(errs=1 << ports.NbErrLeft)
        for ident in found:
            del home.bars[ident]
        return found


def bits(errors):
    return sum(1 << number for number, is_one in errors.items() if is_one)
