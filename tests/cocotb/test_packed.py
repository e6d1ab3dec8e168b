"""Packed structs without a simulator: what goes in comes out, and what does not fit is refused by name. `testbench_structs` compares them with the RTL."""
import random

import pytest
from gsu_rtl import ports
from gsu_rtl.packed import Packed


def drawn(struct, rng):
    members = {}
    for field in struct.FIELDS:
        if field.kind and issubclass(field.kind, Packed):
            values = [drawn(field.kind, rng) for _ in range(max(field.count, 1))]
        else:
            values = [rng.getrandbits(field.width) for _ in range(max(field.count, 1))]
        members[field.name] = values if field.count else values[0]
    return struct(**members)


@pytest.mark.parametrize("struct", ports.STRUCTS, ids=lambda struct: struct.__name__)
def test_every_struct_comes_back(struct):
    rng = random.Random(struct.__name__)
    for _ in range(50):
        value = drawn(struct, rng)
        assert struct.unpack(value.pack()) == value
        vector = rng.getrandbits(struct.WIDTH)
        assert struct.unpack(vector).pack() == vector & struct.used()
    covered = sum(field.width * max(field.count, 1) for field in struct.FIELDS)
    assert covered <= struct.WIDTH and struct().pack() == 0


def test_numbers_become_names():
    assert ports.SyncReq.unpack(ports.SyncReq(op=ports.Op.BarRedOr, cta=31).pack()).op is ports.Op.BarRedOr
    assert ports.SyncReq.unpack(127).op == 127  # no operation has this number
    assert ports.Scope.None_ == 0 and ports.Pkt(async_=1).pack() != 0


@pytest.mark.parametrize(("make", "error", "words"), [
    (lambda: ports.SyncReq(cta=32), ValueError, "SyncReq.cta has 5 bits, 32 does not fit"),
    (lambda: ports.Exit(lanes=-1), ValueError, "Exit.lanes has 32 bits, -1 does not fit"),
    (lambda: ports.OpndBeat(lane=[ports.LaneOpnd()] * 3), ValueError, "OpndBeat.lane has 4 elements, not 3"),
    (lambda: ports.OpndBeat(lane=[0] * 4), TypeError, "OpndBeat.lane takes LaneOpnd, not int"),
    (lambda: ports.OpndBeat(lane=[ports.Exit()] * 4), TypeError, "OpndBeat.lane takes no Exit"),
])
def test_what_does_not_fit_is_refused(make, error, words):
    with pytest.raises(error, match=words):
        make().pack()
    with pytest.raises(ValueError, match="CbDn has 8 bits"):
        ports.CbDn.unpack(256)
