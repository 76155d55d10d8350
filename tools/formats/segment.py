"""Reads one segment (docs/formats/segment.md) and prints it as JSON; exits 1 with a sentence if it is damaged."""
import json
import struct
import sys
import uuid


class Damaged(Exception):
    pass


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        if self.at + size > len(self.data):
            raise Damaged("the footer ends too early")
        self.at += size
        return self.data[self.at - size:self.at]

    def uvarint(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    def varlong(self):
        value = self.uvarint()
        return (value >> 1) ^ -(value & 1)

    def string(self):
        return self.take(self.uvarint() - 1).decode()


def read_final(cursor, region):
    """Offsets, leader epochs and the sparse index of a merged region."""
    region["base_offset"] = offset = cursor.uvarint()
    region["end_offset"] = offset + region["records"]
    region["epochs"], region["index"] = [], []
    for _ in range(cursor.uvarint()):
        epoch = cursor.uvarint()
        offset += cursor.uvarint()
        region["epochs"].append({"epoch": epoch, "from": offset})
    offset, byte, time = region["base_offset"], 0, 0
    for _ in range(cursor.uvarint()):
        offset += cursor.uvarint()
        byte += cursor.uvarint()
        time += cursor.varlong()
        region["index"].append({"offset": offset, "byte": byte, "max_timestamp_ms": time})


def read_regions(cursor, first_byte):
    topics = [(str(uuid.UUID(bytes=bytes(cursor.take(16)))), cursor.string()) for _ in range(cursor.uvarint())]
    count, base = cursor.uvarint(), cursor.varlong()
    regions = []
    for _ in range(count):
        topic_id, topic = topics[cursor.uvarint()]
        region = {"topic": topic, "topic_id": topic_id, "partition": cursor.uvarint(), "first_byte": first_byte}
        flags = cursor.uvarint()
        final, flags = flags & 8, flags & 7
        region["transform"] = ["none", "zstd", "sealed"][flags >> 1]
        region["stored_bytes"] = cursor.uvarint()
        region["raw_bytes"] = cursor.uvarint() if flags >> 1 else region["stored_bytes"]
        region["crc32c"] = struct.unpack(">I", cursor.take(4))[0]
        region["records"], region["batches"] = cursor.uvarint(), cursor.uvarint()
        region["max_timestamp_ms"] = base + cursor.varlong()
        region["min_timestamp_ms"] = region["max_timestamp_ms"] - cursor.varlong()
        if flags & 1:
            region["run"] = {"producer_id": cursor.uvarint(), "epoch": cursor.uvarint(), "first_sequence": cursor.uvarint()}
        if final:
            read_final(cursor, region)
        first_byte += region["stored_bytes"]
        regions.append(region)
    return regions, first_byte


def read_segment(data):
    if len(data) < 88 or data[:8] != b"WEIRSEG1":
        raise Damaged("no header: not a segment")
    if crc32c(data[:60]) != struct.unpack(">I", data[60:64])[0]:
        raise Damaged("the header does not match its checksum")
    footer_bytes, footer_crc, version, _, _, magic = struct.unpack(">IIHHI8s", data[-24:])
    if magic != b"WEIRSEGE" or version != 1:
        raise Damaged("no trailer: the upload was cut off")
    footer = data[-24 - footer_bytes:-24]
    if len(footer) != footer_bytes or crc32c(footer) != footer_crc:
        raise Damaged("the footer does not match its checksum")
    regions, end = read_regions(Cursor(footer), 64)
    if end != len(data) - 24 - footer_bytes:
        raise Damaged("the regions do not fill the segment")
    for region in regions:
        stored = data[region["first_byte"]:region["first_byte"] + region["stored_bytes"]]
        if crc32c(stored) != region["crc32c"]:
            raise Damaged(f"the region at byte {region['first_byte']} does not match its checksum")
    low, high = struct.unpack(">QQ", data[16:32])
    return {"format": 1, "level": struct.unpack(">H", data[10:12])[0], "cluster_tag": f"{high:016x}{low:016x}",
            "writer": data[32:48].hex(), "regions": regions}


def main():
    try:
        with open(sys.argv[1], "rb") as file:
            print(json.dumps(read_segment(file.read()), indent=2))
    except Damaged as error:
        sys.exit(f"{sys.argv[1]}: {error}")


if __name__ == "__main__":
    main()
