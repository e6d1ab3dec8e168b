"""Every struct of ports.py against the RTL's own types: SystemVerilog and Python unpack random vectors, and Python packs them again."""
import random

import cocotb
import probe
from cocotb.triggers import Timer
from gsu_rtl import ports
from gsu_rtl.packed import Packed


@cocotb.test()
async def every_field_is_where_the_rtl_has_it(dut):
    rng = random.Random(cocotb.RANDOM_SEED)
    compared = 0
    for _ in range(20):
        vector = rng.getrandbits(probe.WIDTH)
        dut.vector_i.value = vector
        await Timer(1, "ns")
        values = {struct: struct.unpack(vector & (1 << struct.WIDTH) - 1) for struct in ports.STRUCTS}
        for port, struct, field, index in probe.fields():
            value = getattr(values[struct], field.name)
            value = value[index] if field.count else value
            mine = value.pack() if isinstance(value, Packed) else int(value)
            theirs = int(getattr(dut, port).value)
            if field.kind and issubclass(field.kind, Packed):
                theirs &= field.kind.used()  # reserved bits of an inner struct are dropped
            assert mine == theirs, f"{struct.__name__}.{field.name}[{index}] of {vector:#x}: {mine:#x}, the RTL has {theirs:#x}"
            compared += 1
        for struct, value in values.items():
            assert value.pack() == vector & struct.used(), f"{struct.__name__} does not come back from pack()"
    cocotb.log.info("%d fields of %d structs compared", compared, len(ports.STRUCTS))
    assert len(ports.STRUCTS) >= 25 and compared >= 20 * 200
