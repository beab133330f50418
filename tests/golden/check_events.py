"""Reads TensorBoard event files without TensorFlow and prints their scalars, one per line.

    python3 tests/golden/check_events.py RUN/tensorboard

Verifies the checksums (CRC-32C); a damaged record is an error. If the package `tensorboard` is installed,
`--tensorboard` compares every scalar with TensorBoard's own loader.
"""
import os
import struct
import sys


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(path):
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        assert struct.unpack_from("<I", data, at + 8)[0] == masked(data[at : at + 8]), "checksum of a length"
        event = data[at + 12 : at + 12 + length]
        assert struct.unpack_from("<I", data, at + 12 + length)[0] == masked(event), "checksum of an event"
        yield event
        at += 16 + length


def fields(message):
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
            continue
        size = {1: 8, 5: 4}.get(kind) or varint()
        yield key >> 3, message[at : at + size]
        at += size


def scalars(folder):
    for name in sorted(os.listdir(folder)):
        for event in records(os.path.join(folder, name)):
            parts = dict(fields(event))
            for _, value in fields(parts.get(5, b"")):
                entry = dict(fields(value))
                if 2 in entry:
                    yield entry[1].decode(), parts.get(2, 0), struct.unpack("<f", entry[2])[0]


def main():
    folder = sys.argv[1]
    found = list(scalars(folder))
    for tag, step, value in found:
        print(f"{tag}\t{step}\t{value:.6g}")
    if "--tensorboard" in sys.argv:
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        events = EventAccumulator(folder, size_guidance={"tensors": 0, "scalars": 0})
        events.Reload()
        tags = events.Tags()
        theirs = {(t, e.step): e.value for t in tags["scalars"] for e in events.Scalars(t)}
        ours = {(tag, step): value for tag, step, value in found}
        assert theirs == ours, "TensorBoard reads other scalars"
        print(f"TensorBoard reads the same {len(theirs)} scalars and {len(tags['tensors'])} texts", file=sys.stderr)


if __name__ == "__main__":
    main()
