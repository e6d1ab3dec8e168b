"""Packed structs of SystemVerilog as Python values: what the generated classes of ports.py have in common.

A class has a member per field, in the order of the package; `rsvd` fields are left out and pack as 0. pack() gives the vector
as an int, as cocotb takes it for a port; unpack() takes what int() gives of a port. Licence: Apache-2.0.
"""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Field:
    """One field: offset of its lowest bit and width in bits, elements (0: no array), enum or struct class of an element (None: int)."""
    name: str
    offset: int
    width: int
    count: int = 0
    kind: type = None

    def words(self, owner, value):
        """The elements of `value`, each as a checked int."""
        values = [value] if not self.count else list(value)
        if len(values) != max(self.count, 1):
            raise ValueError(f"{owner}.{self.name} has {self.count} elements, not {len(values)}")
        return [self.word(owner, one) for one in values]

    def word(self, owner, value):
        if isinstance(value, Packed):
            if not isinstance(value, self.kind or ()):
                raise TypeError(f"{owner}.{self.name} takes no {type(value).__name__}")
            return value.pack()
        if self.kind and issubclass(self.kind, Packed):
            raise TypeError(f"{owner}.{self.name} takes {self.kind.__name__}, not {type(value).__name__}")
        number = int(value)
        if not 0 <= number < 1 << self.width:
            raise ValueError(f"{owner}.{self.name} has {self.width} bits, {number} does not fit")
        return number

    def element(self, word):
        if self.kind is None:
            return word
        if issubclass(self.kind, Packed):
            return self.kind.unpack(word)
        return self.kind(word) if word in self.kind._value2member_map_ else word  # a number without a name stays one


class Packed:
    """Base of the structs. WIDTH: bits; FIELDS: tuple of Field."""
    WIDTH = 0
    FIELDS = ()

    def pack(self):
        """The vector. ValueError or TypeError names a field whose value does not fit."""
        vector = 0
        for field in self.FIELDS:
            for index, word in enumerate(field.words(type(self).__name__, getattr(self, field.name))):
                vector |= word << field.offset + index * field.width
        return vector

    @classmethod
    def unpack(cls, vector):
        """The value of a vector of WIDTH bits; reserved bits are dropped."""
        vector = int(vector)
        if not 0 <= vector < 1 << cls.WIDTH:
            raise ValueError(f"{cls.__name__} has {cls.WIDTH} bits, {vector:#x} does not fit")
        members = {}
        for field in cls.FIELDS:
            words = [vector >> field.offset + i * field.width & (1 << field.width) - 1 for i in range(max(field.count, 1))]
            values = [field.element(word) for word in words]
            members[field.name] = values if field.count else values[0]
        return cls(**members)

    @classmethod
    def used(cls):
        """Bits that belong to a field; the others are reserved."""
        bits = 0
        for field in cls.FIELDS:
            for index in range(max(field.count, 1)):
                inner = field.kind.used() if field.kind and issubclass(field.kind, Packed) else (1 << field.width) - 1
                bits |= inner << field.offset + index * field.width
        return bits
