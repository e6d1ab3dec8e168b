"""Timelines of `gsu run --timeline`: read from Perfetto's binary format, and written as Chrome's JSON (`gsu timeline T.pftrace T.json`).

Only the fields that the program writes are read: packets of track descriptors and track events, deflated in blocks, with interned texts."""
import json
import zlib

from .errors import InputError

# Fields of TracePacket, TrackDescriptor, TrackEvent, DebugAnnotation and InternedData in perfetto/trace/*.proto.
_PACKET, _TIMESTAMP, _EVENT, _INTERNED, _CONFIG, _COMPRESSED, _DESCRIPTOR = 1, 8, 11, 12, 33, 50, 60
_UUID, _NAME, _PROCESS, _PARENT, _RANK = 1, 2, 3, 5, 12
_CATEGORY_ID, _ANNOTATION, _TYPE, _NAME_ID, _TRACK, _EVENT_NAME, _FLOW, _FLOW_END = 3, 4, 9, 10, 11, 23, 47, 48
_BEGIN, _END, _INSTANT, _COUNTER = 1, 2, 3, 4
_COUNTER_VALUE = 30
_CATEGORIES, _NAMES, _KEYS, _STRINGS = 1, 2, 3, 29


def _varint(data, at):
    value, shift = data[at] & 127, 7
    while data[at] > 127:
        at += 1
        value |= (data[at] & 127) << shift
        shift += 7
    return value, at + 1


def _fields(data):
    """(field, value) for each field of a protobuf message: a number, or bytes."""
    at, end = 0, len(data)
    while at < end:
        key, at = _varint(data, at)
        if key & 7 == 0:
            value, at = _varint(data, at)
        elif key & 7 == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        elif key & 7 == 2:
            size, at = _varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"a field of wire type {key & 7}")
        if at > end:
            raise ValueError("cut off")
        yield key >> 3, value


def _packets(data):
    for field, packet in _fields(data):
        if field != _PACKET:
            raise ValueError(f"field {field} where a packet was expected")
        for inner, value in _fields(packet):
            if inner == _COMPRESSED:
                yield from (p for _, p in _fields(zlib.decompress(value)))
                break
        else:
            yield packet


class _Reader:
    def __init__(self):
        self.title = ""
        self.texts = {_CATEGORIES: {}, _NAMES: {}, _KEYS: {}, _STRINGS: {}}
        self.tracks = {}  # uuid: (process, row or None)
        self.names = {}   # uuid: the name of the track
        self.open = {}    # uuid: the slice that is open
        self.named = set()

    def packet(self, data):
        """The packet as events in Chrome's form, with times in clocks."""
        packet = dict(_fields(data))
        for kind, entry in _fields(packet.get(_INTERNED, b"")):
            entry = dict(_fields(entry))
            self.texts[kind][entry[1]] = entry[2].decode(errors="replace")
        if _CONFIG in packet:
            self.title = dict(_fields(packet[_CONFIG]))[22].decode(errors="replace")
        if _DESCRIPTOR in packet:
            yield from self.descriptor(dict(_fields(packet[_DESCRIPTOR])))
        if _EVENT in packet:
            yield from self.event(packet[_EVENT], packet[_TIMESTAMP])

    def descriptor(self, d):
        if _PROCESS in d:
            process = dict(_fields(d[_PROCESS]))
            pid, row, kind, name = process[1], None, "process", process[6]
        else:
            pid, row, kind, name = d[_PARENT], d[_RANK], "thread", d[_NAME]
        self.tracks[d[_UUID]], self.names[d[_UUID]] = (pid, row), name.decode(errors="replace")
        if (pid, row) in self.named:  # one more track for slices that overlap
            return
        self.named.add((pid, row))
        where = {"ph": "M", "pid": pid, "tid": row or 0}
        yield {**where, "name": f"{kind}_name", "args": {"name": name.decode(errors="replace")}}
        yield {**where, "name": f"{kind}_sort_index", "args": {"sort_index": pid if row is None else row}}

    def event(self, data, at):
        args, one = {}, {}
        for field, value in _fields(data):
            if field == _ANNOTATION:
                key, text = self.annotation(value)
                args[key] = text
            else:
                one[field] = value
        uuid = one[_TRACK]
        pid, row = self.tracks[uuid]
        if one[_TYPE] == _END:
            slice_ = self.open.pop(uuid)
            slice_["dur"] = at - slice_["ts"]
            yield slice_
            return
        if one[_TYPE] == _COUNTER:
            yield {"ph": "C", "name": self.names[uuid], "pid": pid, "ts": at, "args": {"%": one[_COUNTER_VALUE]}}
            return
        name = one[_EVENT_NAME].decode(errors="replace") if _EVENT_NAME in one else self.texts[_NAMES][one[_NAME_ID]]
        event = {"ph": "X", "name": name, "cat": self.texts[_CATEGORIES][one[_CATEGORY_ID]], "pid": pid, "tid": row or 0, "ts": at}
        if one[_TYPE] == _BEGIN:
            self.open[uuid] = {**event, "args": args}
        elif _FLOW in one:
            yield {**event, "ph": "s", "id": one[_FLOW]}
        elif _FLOW_END in one:
            yield {**event, "ph": "f", "bp": "e", "id": one[_FLOW_END]}
        elif one[_TYPE] == _INSTANT:
            yield {**event, "ph": "i", "s": "p" if row is None else "t", "args": args}

    def annotation(self, data):
        a = dict(_fields(data))
        key = self.texts[_KEYS][a[1]]
        if 4 in a:
            return key, a[4] - (1 << 64) if a[4] >> 63 else a[4]
        return key, self.texts[_STRINGS][a[17]] if 17 in a else a[6].decode(errors="replace")


def events(path):
    """(title, events in the form of Chrome's JSON) of a timeline; `ts` and `dur` in clocks."""
    reader = _Reader()
    try:
        with open(path, "rb") as file:
            found = [e for packet in _packets(file.read()) for e in reader.packet(packet)]
        if not found:
            raise ValueError("no track")
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, zlib.error) as error:
        raise InputError(f"{path}: not a timeline ({error})", str(path)) from error
    return reader.title, found


def convert(path, output):
    """Writes a timeline as Chrome's JSON, whose unit of time is the microsecond: 1 clock is 1 ns."""
    title, found = events(path)
    for event in found:
        for time in ("ts", "dur"):
            if time in event:
                event[time] /= 1000
    with open(output, "w", encoding="ascii") as file:
        json.dump({"displayTimeUnit": "ns", "otherData": {"title": title, "clock": "1 RTL clock = 1 ns"}, "traceEvents": found}, file, separators=(",", ":"))
    return len(found)
