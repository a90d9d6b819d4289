"""go-diameter as a client that had no answer: each request comes a second time, and counts once."""

import subprocess
from pathlib import Path

import wire
from charging import ChargingSystem
from checks import check
from process import Process, run
from setting import program

NEEDS = ["go"]
SOURCES = Path(__file__).with_name("peers") / "go"
NUMBER = "46701000001"
# The first build fetches modules.
BUILT_WITHIN = 400


def test(setting):
    binary = setting.installed / "go-diameter-client"
    run("go", [program("go"), "build", "-C", SOURCES, "-o", binary, "."], setting.folder, BUILT_WITHIN)
    with ChargingSystem(setting.tollgate, setting.folder, {NUMBER: "200.00"}) as charging:
        setting.record(charging)
        command = [binary, f"127.0.0.1:{charging.port}"]
        with Process("go-diameter", command, setting.folder, subprocess.PIPE, subprocess.PIPE) as client:
            check_pair(client, "session")
            charging.check_balance(NUMBER, "200.00", reserved="0.10")
            go_on(client)
            check_pair(client, "event")
            charging.check_balance(NUMBER, "199.51", reserved="0.10")
            go_on(client)
            check_pair(client, "end")
            charging.check_balance(NUMBER, "199.44")
            go_on(client)
            check("the status of the client", 0, client.wait())
        # The refill, the message and the data: nothing twice.
        check("entries of the account", 3, charging.account(NUMBER)["entries"])
        check_octets(charging.recorder)


def check_pair(client, what):
    line = client.child.stdout.readline().strip()
    check(f"the answers of the {what}", f"{what}: 2001, the same again: true", line)


def go_on(client):
    client.child.stdin.write("\n")
    client.child.stdin.flush()


def check_octets(recorder):
    """Each second request has the T bit, and each second answer the octets of the first."""
    requests, answers = recorder.received(wire.CREDIT_CONTROL), recorder.sent(wire.CREDIT_CONTROL)
    bits = [bool(request.flags & wire.RETRANSMITTED) for request in requests]
    check("T bits of the requests", [False, True] * 3, bits)
    for first, second in zip(answers[::2], answers[1::2]):
        check("the octets of the second answer", first.octets.hex(), second.octets.hex())
