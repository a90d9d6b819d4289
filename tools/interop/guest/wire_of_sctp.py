"""What goes over a network by SCTP: its packets as they are (RFC 9260 section 3)."""

import socket
import struct
import threading

from wire import CAPABILITIES_EXCHANGE, Message

ALL_PROTOCOLS = 3
ETHERNET_OCTETS = 14
IP_VERSION = 4
SCTP = 132
COMMON_HEADER_OCTETS = 12
DATA = 0
DATA_HEADER_OCTETS = 16
FIRST, LAST = 2, 1
DIAMETER_VERSION = 1
HOST_IP_ADDRESS = 257


class Wire:
    """Looks at the packets of an interface that are sent to or from a port, until it is closed."""

    def __init__(self, interface, port):
        self.interface, self.port = interface, port
        # Each packet is a list of the chunks with data: their flags, identifiers and octets.
        self.packets = []
        self.ends = False
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_PROTOCOLS))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        self.socket.bind((interface, 0))
        self.socket.settimeout(0.2)
        self.thread = threading.Thread(target=self.look)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends = True
        self.thread.join()
        self.socket.close()

    def look(self):
        while not self.ends:
            try:
                frame, address = self.socket.recvfrom(1 << 17)
            except TimeoutError:
                continue
            except OSError:
                return  # The interface is down.
            # Each packet of the loopback interface comes twice.
            if self.interface != "lo" or address[2] != socket.PACKET_OUTGOING:
                self.note(frame[ETHERNET_OCTETS:])

    def note(self, packet):
        if packet[0] >> 4 != IP_VERSION or packet[9] != SCTP:
            return
        sctp = packet[(packet[0] & 15) * 4:]
        if self.port in struct.unpack(">HH", sctp[:4]):
            self.packets.append(list(data_chunks(sctp)))

    def chunks(self):
        return [chunk for packet in self.packets for chunk in packet]

    def payloads(self):
        """Returns the identifiers of all data."""
        return {payload for _, payload, _ in self.chunks()}

    def is_diameter(self):
        """Returns whether each message that is in one chunk has the length of a message of Diameter."""
        whole = [octets for flags, _, octets in self.chunks() if flags & (FIRST | LAST) == FIRST | LAST]
        return bool(whole) and all(
            octets[0] == DIAMETER_VERSION and int.from_bytes(octets[1:4], "big") == len(octets) for octets in whole
        )

    def addresses(self):
        """Returns the addresses that the first answer to capabilities has."""
        messages = (Message(octets) for _, _, octets in self.chunks())
        answers = (of for of in messages if of.command == CAPABILITIES_EXCHANGE and not of.is_request())
        # The family is before the address.
        return sorted(socket.inet_ntoa(data[2:]) for code, _, data in next(answers).avps() if code == HOST_IP_ADDRESS)

    def has_shared_packets(self):
        """Returns whether a packet has several messages."""
        return any(len(packet) > 1 for packet in self.packets)


def data_chunks(sctp):
    """Returns the chunks with data in a packet."""
    at = COMMON_HEADER_OCTETS
    while at + 4 <= len(sctp):
        kind, flags, length = struct.unpack(">BBH", sctp[at:at + 4])
        if length < 4:
            return
        if kind == DATA:
            (payload,) = struct.unpack(">I", sctp[at + 12:at + 16])
            yield flags, payload, sctp[at + DATA_HEADER_OCTETS:at + length]
        at += (length + 3) // 4 * 4
