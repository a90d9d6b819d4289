"""Messages of Diameter as octets (RFC 6733, sections 3 and 4): enough to look at them, and to make some."""

import struct
from dataclasses import dataclass

HEADER_OCTETS = 20

# Commands.
CAPABILITIES_EXCHANGE, CREDIT_CONTROL, DEVICE_WATCHDOG, DISCONNECT_PEER = 257, 272, 280, 282
# The bits of a header.
REQUEST, PROXIABLE, ERROR, RETRANSMITTED = 0x80, 0x40, 0x20, 0x10
# AVPs.
RESULT_CODE, ROUTE_RECORD, PROXY_INFO = 268, 282, 284


@dataclass(frozen=True)
class Message:
    """A message."""

    octets: bytes

    @property
    def flags(self):
        return self.octets[4]

    @property
    def command(self):
        return int.from_bytes(self.octets[5:8], "big")

    @property
    def end_to_end(self):
        return int.from_bytes(self.octets[16:20], "big")

    def is_request(self):
        return bool(self.flags & REQUEST)

    def avps(self):
        """Yields code, vendor and data of its AVPs, without those in groups."""
        at = HEADER_OCTETS
        while at < len(self.octets):
            code, flags = struct.unpack_from(">IB", self.octets, at)
            length = int.from_bytes(self.octets[at + 5:at + 8], "big")
            data = at + (12 if flags & 0x80 else 8)
            vendor = int.from_bytes(self.octets[at + 8:data], "big")
            yield code, vendor, self.octets[data:at + length]
            at += length + -length % 4

    def texts(self, wanted):
        """Returns the values of all AVPs of IETF with a code."""
        return [data.decode() for code, vendor, data in self.avps() if (code, vendor) == (wanted, 0)]

    def result(self):
        """Returns its Result-Code."""
        for code, vendor, data in self.avps():
            if (code, vendor) == (RESULT_CODE, 0):
                return int.from_bytes(data, "big")
        return None


class Reader:
    """Finds the messages in the octets of a connection."""

    def __init__(self):
        self.octets = b""

    def add(self, octets):
        """Adds octets, and yields the messages that are whole now."""
        self.octets += octets
        while len(self.octets) >= HEADER_OCTETS:
            length = int.from_bytes(self.octets[1:4], "big")
            if length < HEADER_OCTETS or len(self.octets) < length:
                return
            message, self.octets = Message(self.octets[:length]), self.octets[length:]
            yield message


def avp(code, data, vendor=0, flags=0x40):
    """Returns the octets of an AVP. Numbers have 32 bits; a list is a group."""
    if isinstance(data, int):
        data = struct.pack(">I", data)
    elif isinstance(data, str):
        data = data.encode()
    elif isinstance(data, list):
        data = b"".join(data)
    head = struct.pack(">I", vendor) if vendor else b""
    length = 8 + len(head) + len(data)
    bits = flags | (0x80 if vendor else 0)
    return struct.pack(">IB", code, bits) + length.to_bytes(3, "big") + head + data + bytes(-length % 4)


def message(command, flags, application, identifier, avps):
    """Returns the octets of a message, whose two identifiers are the same."""
    body = b"".join(avps)
    length = (HEADER_OCTETS + len(body)).to_bytes(3, "big")
    identifiers = struct.pack(">III", application, identifier, identifier)
    return b"\x01" + length + bytes([flags]) + command.to_bytes(3, "big") + identifiers + body
