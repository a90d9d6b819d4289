"""The diameter application of Erlang/OTP, whose strict decoder judges each answer by the grammar of RFC 8506."""

import itertools
from pathlib import Path

import wire
from charging import ChargingSystem
from checks import Mismatch, check
from process import run

NEEDS = ["erl", "erlc", "usr/lib/erlang/lib/diameter-*/bin/diameterc"]
SOURCES = Path(__file__).with_name("peers") / "erlang"
NUMBER = "46701000001"

COST = (
    "{'Cost-Information',[#{'Currency-Code' => 752,'Unit-Value' => #{'Exponent' => [-9],'Value-Digits' => 490000000}}]}"
)

# The result, the services with group, result and octets, and the AVPs of an event; each without errors of the decoder.
EXPECTED = [
    "first: 2001 [{100,2001,1000000},{200,2001,2000000}] []",
    "next: 2001 [{100,2001,1000000}] []",
    "last: 2001 [{100,2001,none},{200,2001,none}] []",
    "unknown subscriber: 5030 [] []",
    "unknown session: 5002 [] []",
    "unknown context: 5031 [] []",
    f"event: 2001 [] [{{'Granted-Service-Unit',[#{{'CC-Service-Specific-Units' => [1]}}]}},{COST}]",
    f"price: 2001 [] [{COST}]",
    "check: 2001 [] [{'Check-Balance-Result',[0]}]",
]


def test(setting):
    build(setting.folder)
    with ChargingSystem(setting.tollgate, setting.folder, {NUMBER: "200.00"}) as charging:
        setting.record(charging)
        command = ["erl", "-noshell", "-run", "client", "main", charging.port]
        lines = run("erlang", command, setting.folder).splitlines()
        check_lines(["connected", *(f"{line} errors []" for line in EXPECTED), "disconnected"], lines)
        check("the last message of the charging system", wire.DISCONNECT_PEER, charging.recorder.sent()[-1].command)
        # 3 MB at 0.10, and a message.
        charging.check_balance(NUMBER, "199.21")


def check_lines(expected, came):
    """Compares lines, and reports all that differ."""
    pairs = itertools.zip_longest(expected, came, fillvalue="no line")
    different = [f"  expected {one}\n  came     {other}" for one, other in pairs if one != other]
    if different:
        raise Mismatch("lines of the client:\n" + "\n".join(different))


def build(folder):
    """Compiles the grammars and the client."""
    build_grammars(folder)
    run("erlc", ["erlc", SOURCES / "client.erl"], folder)


def build_grammars(folder):
    """Compiles the grammars, one of which has the other."""
    diameterc = next(Path("/").glob(NEEDS[2]))
    for name in ["tgpp_charging", "credit_control"]:
        run("diameterc", [diameterc, "-o", ".", "-i", ".", SOURCES / f"{name}.dia"], folder)
        run("erlc", ["erlc", "-I", diameterc.parents[1] / "include", f"{name}.erl"], folder)
