"""SystemVerilog that takes every struct of ports.py apart, field by field, in the language's own way: what the Python classes are compared with."""
from gsu_rtl import ports

PACKAGES = ("gsu_pkg", "gsu_join_pkg", "gsu_named_barrier_pkg")
WIDTH = 512  # of the common input: the widest struct fits


def type_name(struct):
    """SyncReq -> sync_req_t, from the class's first words."""
    return struct.__doc__.split(",")[0]


def fields():
    """(port, struct, field, index) of every element of every field."""
    for struct in ports.STRUCTS:
        for field in struct.FIELDS:
            for index in range(max(field.count, 1)):
                yield f"{type_name(struct)}_{field.name}_{index}_o", struct, field, index


def text():
    imports = "".join(f"  import {name}::*;\n" for name in PACKAGES)
    outputs = ",\n".join(f"    output logic [{field.width - 1}:0] {port}" for port, _, field, _ in fields())
    values = "".join(f"  {type_name(s)} {type_name(s)[:-2]}_v;\n  assign {type_name(s)[:-2]}_v = {type_name(s)}'(vector_i[{s.WIDTH - 1}:0]);\n" for s in ports.STRUCTS)
    widths = "".join(f"  if ($bits({type_name(s)}) != {s.WIDTH}) begin : gen_{type_name(s)}\n    $error(\"{type_name(s)} has another width\");\n  end\n" for s in ports.STRUCTS)
    parts = "".join(f"  assign {port} = {type_name(s)[:-2]}_v.{field.name.rstrip('_')}{f'[{index}]' if field.count else ''};\n" for port, s, field, index in fields())
    return f"// Written by tests/cocotb/probe.py\nmodule gsu_struct_probe\n{imports.rstrip()}\n(\n    input logic [{WIDTH - 1}:0] vector_i,\n{outputs}\n);\n{values}{widths}{parts}endmodule\n"
