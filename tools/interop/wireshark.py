"""Wireshark as a judge: it dissects all that the charging system sent in this and the tests before.

This test itself sends requests with faults, since other clients send few, and checks the results of their answers.
"""

import socket

import wire
from charging import HOST, REALM, ChargingSystem
from checks import Mismatch, check
from process import run
from recorder import SHOWN_PORT
from wire import CREDIT_CONTROL, DEVICE_WATCHDOG, ERROR, PROXIABLE, REQUEST, avp

NEEDS = ["tshark"]
NUMBER = "46701000001"
CLIENT = "probe.example.net"
ANSWERED_WITHIN = 10

ORIGIN = [avp(264, CLIENT), avp(296, REALM)]
ADDRESSES = [avp(257, b"\0\1\x7f\0\0\1")]
DESTINATION = [avp(283, REALM)]
APPLICATION = [avp(258, 4)]
CONTEXT = [avp(461, "32251@3gpp.org")]
SUBSCRIBER = [avp(443, [avp(450, 0), avp(444, NUMBER)])]
SERVICE = [avp(456, [avp(432, 100), avp(437, [avp(421, (1_000_000).to_bytes(8, "big"))])])]
BASE = ORIGIN + DESTINATION + APPLICATION + CONTEXT


def session(name):
    return [avp(263, f"{CLIENT};3;{name}")]


def kind(request_type, number):
    return [avp(416, request_type), avp(415, number)]


def credit(name, avps, flags=REQUEST | PROXIABLE, application=4, command=CREDIT_CONTROL):
    """Returns command, flags, application and AVPs of a request."""
    return command, flags, application, session(name) + avps


FIRST = BASE + kind(1, 0) + SUBSCRIBER + SERVICE


def without(avps):
    """Returns the AVPs of a first request but for some."""
    return [of for of in FIRST if of not in avps]


LONG = avp(456, [avp(432, b"\0\0\0\0\0")])
PROXIES = [avp(284, [avp(280, f"{place}.example.net"), avp(33, place)]) for place in ("near", "far")]

# Requests, and the results of their answers (RFC 6733 section 7.1, RFC 8506 section 9).
REQUESTS = {
    "a first request": (credit("1", FIRST), 2001),
    "one through two proxies": (credit("2", PROXIES + FIRST + PROXIES), 2001),
    "one that names this node": (credit("3", FIRST + [avp(293, HOST)]), 2001),
    "one that names another node": (credit("4", FIRST + [avp(293, "other.example.net")]), 3002),
    "one for another realm": (credit("5", without(DESTINATION) + [avp(283, "example.org")]), 3003),
    "one that was here before": (credit("6", FIRST + [avp(282, HOST)]), 3005),
    "another application": (credit("7", FIRST, application=16_777_238), 3007),
    "another command": (credit("8", FIRST, command=8_388_620), 3001),
    "a request with the E bit": (credit("9", FIRST, flags=REQUEST | PROXIABLE | ERROR), 3008),
    "an AVP that is not known": (credit("10", FIRST + [avp(9_999_999, "what")]), 5001),
    "an AVP of a vendor that is not known": (credit("11", FIRST + [avp(1, "what", vendor=99_999)]), 5001),
    "one without a context": (credit("12", without(CONTEXT)), 5005),
    "one without a kind": (credit("13", BASE + [avp(415, 0)] + SUBSCRIBER + SERVICE), 5005),
    "one without a subscriber": (credit("14", without(SUBSCRIBER)), 5005),
    "two numbers": (credit("15", FIRST + [avp(415, 1)]), 5009),
    "a kind that is none": (credit("16", BASE + kind(9, 0) + SUBSCRIBER + SERVICE), 5004),
    "a wrong length in a group": (credit("17", BASE + kind(1, 0) + SUBSCRIBER + [LONG]), 5014),
    "an update of no session": (credit("18", BASE + kind(2, 1) + SUBSCRIBER + SERVICE), 5002),
    "the watchdog": ((DEVICE_WATCHDOG, REQUEST, 0, ORIGIN), 2001),
    "the end": ((wire.DISCONNECT_PEER, REQUEST, 0, ORIGIN + [avp(273, 0)]), 2001),
}


def test(setting):
    with ChargingSystem(setting.tollgate, setting.folder, {NUMBER: "200.00"}) as charging:
        setting.record(charging)
        charging.command("charge", "traces", "start", "--all", "--because", "interop")
        ask(charging.port)
        check_refused_peers(charging.port)
        charging.command("charge", "traces", "end", "1", "--because", "interop")
        charging.command("charge", "traces", "export", "1", "trace.pcapng")
        check_trace(charging.folder / "trace.pcapng", setting.folder)
    setting.write_recordings()
    for recording in sorted(setting.recordings.glob("*.pcapng")):
        check_dissected(recording, setting.folder)


def ask(port):
    """Sends all requests on one connection, and checks the answers."""
    with socket.create_connection(("127.0.0.1", port), ANSWERED_WITHIN) as connection:
        check("the result of the capabilities", 2001, answer(connection, 1, capabilities(4)).result())
        for number, (name, (request, result)) in enumerate(REQUESTS.items(), start=2):
            came = answer(connection, number, request)
            check(f"the result of \"{name}\"", result, came.result())
            check(f"the E bit of \"{name}\"", 3000 <= result < 4000, bool(came.flags & ERROR))
        check("what comes after the end", b"", connection.recv(1))


def check_refused_peers(port):
    """A peer without a common application, and one without an address, are refused, and disconnected."""
    for request, result in [(capabilities(1), 5010), (capabilities(4, addresses=[]), 5005)]:
        with socket.create_connection(("127.0.0.1", port), ANSWERED_WITHIN) as connection:
            check("the result of the capabilities", result, answer(connection, 1, request).result())
            check("what comes after a refusal", b"", connection.recv(1))


def capabilities(application, addresses=ADDRESSES):
    mine = [*addresses, avp(266, 0), avp(269, "probe", flags=0), avp(258, application)]
    return wire.CAPABILITIES_EXCHANGE, REQUEST, 0, ORIGIN + mine


def answer(connection, number, request):
    """Sends a request, and returns its answer, whose proxies are those of the request, in order (RFC 6733 section 6.2)."""
    command, flags, application, avps = request
    octets = wire.message(command, flags, application, number, avps)
    connection.sendall(octets)
    reader = wire.Reader()
    while more := connection.recv(1 << 16):
        for message in reader.add(more):
            check("the identifier of an answer", number, message.end_to_end)
            check(f"the proxies of answer {number}", proxies(wire.Message(octets)), proxies(message))
            return message
    raise Mismatch(f"an answer to request {number}:\n  expected one\n  came     the end of the connection")


def proxies(message):
    return [data for code, _, data in message.avps() if code == wire.PROXY_INFO]


def check_dissected(recording, folder):
    """Checks that Wireshark dissects what the charging system sent in a recording, and finds nothing wrong with it."""
    of_system = f"exported_pdu.src_port == {SHOWN_PORT}"
    packets = dissected(recording, folder, of_system)
    check(f"whether {recording.name} has answers", True, bool(packets))
    check(f"what is a message in {recording.name}", packets, dissected(recording, folder, f"{of_system} && diameter"))
    wrong = f"{of_system} && (_ws.malformed || _ws.expert.severity == \"Error\")"
    check(f"what is wrong in {recording.name}", [], dissected(recording, folder, wrong))
    # A Failed-AVP repeats what is wrong with a request, or has an example without a value.
    doubtful = f"{of_system} && !diameter.Failed-AVP && _ws.expert.severity == \"Warning\""
    check(f"what is doubtful in {recording.name}", [], dissected(recording, folder, doubtful))


def check_trace(trace, folder):
    """Checks that Wireshark dissects each message of a trace, with its answer, and shows what it says and who the peer is."""
    fields = ["diameter.cmd.code", "diameter.flags.request", "frame.comment", "frame.packet_flags_direction"]
    chosen = [part for field in fields for part in ("-e", field)]
    command = ["tshark", "-n", "-r", trace, "-T", "fields", "-E", "aggregator=|", *chosen]
    packets = [line.split("\t") for line in run("tshark", command, folder).splitlines()]
    # Those of the connection that ends, and those of both that are refused.
    messages = 2 * (1 + len(REQUESTS) + 2)
    check("the packets of the trace", messages, len(packets))
    # Wireshark takes the request with the E bit for no message.
    check("the messages of the trace", messages - 1, len([code for code, *_ in packets if code]))
    check("the requests of the trace", messages // 2 - 1, len([of for _, of, *_ in packets if of in ("1", "True")]))
    check("the messages that came", messages // 2, len([of for *_, of in packets if int(of, 16) == 1]))
    first = next(comment for code, _, comment, _ in packets if code == str(CREDIT_CONTROL))
    check("the comments of a message", f"initial 0: 1000000 octets wanted (rating group 100)|peer {CLIENT}", first)


def dissected(recording, folder, wanted):
    """Returns the packets that a filter of Wireshark lets through: number, command, session, and what is notable."""
    fields = ["frame.number", "diameter.cmd.code", "diameter.Session-Id", "_ws.expert.message"]
    chosen = [part for field in fields for part in ("-e", field)]
    command = ["tshark", "-n", "-r", recording, "-Y", wanted, "-T", "fields", *chosen]
    return run("tshark", command, folder).splitlines()
