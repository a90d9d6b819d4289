"""Stands between peers and a charging system, and records the messages of both.

It needs no right to capture packets, and each message is one packet of its recording, however TCP cut it.
"""

import socket
import struct
import threading
import time
from dataclasses import dataclass

import wire

# Packets of this kind have a list of tags before them, which name the dissector (LINKTYPE_WIRESHARK_UPPER_PDU).
LINKTYPE = 252
TAG_DISSECTOR, TAG_FROM, TAG_TO, TAG_PORT_KIND, TAG_FROM_PORT, TAG_TO_PORT = 12, 20, 21, 24, 25, 26
PORT_KIND_TCP = 2
SHOWN_PORT = 3868


@dataclass(frozen=True)
class Recorded:
    """A message that passed."""

    message: wire.Message
    at: int
    """When, in microseconds since 1970."""
    peer_port: int
    is_answered_side: bool
    """Whether the charging system sent it."""


class Recorder:
    """Passes connections on to a port of this machine."""

    def __init__(self, to_port):
        self.to_port = to_port
        self.recorded = []
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        """Takes no more connections."""
        # A plain close does not wake the thread that waits for one.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def sent(self, command=None):
        """Returns what the charging system sent."""
        return self._messages(True, command)

    def received(self, command=None):
        """Returns what peers sent to it."""
        return self._messages(False, command)

    def _messages(self, is_answered_side, command):
        with self.lock:
            chosen = [of.message for of in self.recorded if of.is_answered_side == is_answered_side]
        return [message for message in chosen if command in (None, message.command)]

    def _accept(self):
        while True:
            try:
                peer, (_, port) = self.listener.accept()
            except OSError:
                return
            try:
                system = socket.create_connection(("127.0.0.1", self.to_port))
            except OSError:
                # The charging system is down: its peers find no connection, too.
                peer.close()
                continue
            for ends in [(peer, system, port, False), (system, peer, port, True)]:
                threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    def _pass_on(self, source, target, port, is_answered_side):
        reader = wire.Reader()
        try:
            while octets := source.recv(1 << 16):
                with self.lock:
                    for message in reader.add(octets):
                        at = time.time_ns() // 1000
                        self.recorded.append(Recorded(message, at, port, is_answered_side))
                target.sendall(octets)
        except OSError:
            pass
        try:
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def write(self, path):
        """Writes the messages into a file for Wireshark (pcapng)."""
        with self.lock:
            recorded = list(self.recorded)
        with path.open("wb") as file:
            file.write(_block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)))
            file.write(_block(1, struct.pack("<HHI", LINKTYPE, 0, 0)))
            for of in recorded:
                file.write(_packet(of))


def _block(kind, body):
    length = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", kind) + length + body + length


def _packet(of):
    ends = [(TAG_FROM, TAG_FROM_PORT), (TAG_TO, TAG_TO_PORT)]
    if of.is_answered_side:
        ends.reverse()
    (peer, peer_port), (system, system_port) = ends
    tags = [
        _tag(TAG_DISSECTOR, b"diameter"),
        # Both are on this machine. Invented addresses show which one is which.
        _tag(peer, bytes([10, 0, 0, 1])),
        _tag(system, bytes([10, 0, 0, 2])),
        _tag(TAG_PORT_KIND, struct.pack(">I", PORT_KIND_TCP)),
        _tag(peer_port, struct.pack(">I", of.peer_port)),
        _tag(system_port, struct.pack(">I", SHOWN_PORT)),
        bytes(4),
    ]
    octets = b"".join(tags) + of.message.octets
    head = struct.pack("<IIIII", 0, of.at >> 32, of.at & 0xFFFF_FFFF, len(octets), len(octets))
    return _block(6, head + octets + bytes(-len(octets) % 4))


def _tag(kind, data):
    padded = data + bytes(-len(data) % 4)
    return struct.pack(">HH", kind, len(padded)) + padded
