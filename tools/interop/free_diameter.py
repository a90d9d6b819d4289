"""freeDiameter as a relay: the client knows only the relay, and the charging system answers through it."""

from pathlib import Path

import certificates
import wire
from charging import ChargingSystem
from checks import Mismatch, check, wait_for
from process import Process, free_port
from python_client import INITIAL, TERMINATION, UPDATE, PythonClient, check_validity, granted, service

NEEDS = ["python-diameter", "freeDiameterd", "openssl", "usr/lib/freeDiameter/dict_dcca_3gpp.fdx"]
CONFIGURATION = Path(__file__).with_name("peers") / "freediameter"
RELAY = "relay.example.net"
NUMBER = "46701000001"
SESSION = "smf.example.net;2;1"
MEGABYTE = 1_000_000
UNABLE_TO_DELIVER = 3002


def test(setting):
    with ChargingSystem(setting.tollgate, setting.folder, {NUMBER: "200.00"}) as charging:
        setting.record(charging)
        with Relay(setting, charging.port) as relay:
            with PythonClient(setting, relay.port, RELAY) as client:
                check_charging(client, charging)
                check_outage(client, charging)
                client.disconnect()
            check_orderly_end(charging)


class Daemon:
    """freeDiameter with one of its configurations, while it runs. Its name is that of a host."""

    def __init__(self, setting, charging_port, configuration, host, security="No_TLS;", transport="No_SCTP;"):
        self.folder, self.port, self.configuration = setting.folder, free_port(), configuration
        words = {
            "@PORT@": self.port, "@CHARGING_PORT@": charging_port, "@SECURITY@": security, "@TRANSPORT@": transport,
        }
        for file in CONFIGURATION.iterdir():
            text = file.read_text()
            for name, word in words.items():
                text = text.replace(name, str(word))
            (self.folder / file.name).write_text(text)
        if not (self.folder / "authority.pem").exists():
            certificates.authority(self.folder)
        certificates.of_host(self.folder, host, self.folder, ("certificate.pem", "key.pem"))

    def __enter__(self):
        self.process = Process("freediameter", ["freeDiameterd", "-c", self.configuration], self.folder)
        self.process.wait_for_output("-> 'STATE_OPEN'")
        return self

    def __exit__(self, *of):
        self.process.__exit__(*of)


class Relay(Daemon):
    """The relay."""

    def __init__(self, setting, charging_port, **more):
        super().__init__(setting, charging_port, "relay.conf", RELAY, **more)


def check_charging(client, charging):
    """Credit is granted through the relay, and its use is paid."""
    answer = client.ask(INITIAL, 0, NUMBER, SESSION, services=[service(100, wanted=MEGABYTE)])
    check("the result of the first request", 2001, answer["result"])
    check("its service", [granted(100, MEGABYTE)], check_validity(answer)["services"])
    answer = client.ask(UPDATE, 1, NUMBER, SESSION, services=[service(100, used=700_000, wanted=MEGABYTE)])
    check("the service of the second request", [granted(100, MEGABYTE)], check_validity(answer)["services"])
    charging.check_balance(NUMBER, "199.93", reserved="0.10")
    # The relay says from whom it has a request (RFC 6733 section 6.7.1).
    for request in charging.recorder.received(wire.CREDIT_CONTROL):
        check("Route-Record of a request", ["smf.example.net"], request.texts(wire.ROUTE_RECORD))


def check_outage(client, charging):
    """Without the charging system, the relay says that it cannot deliver. Afterwards, the session goes on."""
    charging.kill()
    report = {"services": [service(100, used=900_000, wanted=MEGABYTE)]}
    wait_for("that the relay notices", lambda: cannot_deliver(client.ask(UPDATE, 2, NUMBER, SESSION, **report)))
    charging.start()

    def answered():
        answer = client.ask(UPDATE, 2, NUMBER, SESSION, **report)
        return None if cannot_deliver(answer) else answer
    answer = wait_for("an answer after the charging system is there again", answered, seconds=30)
    check("the service of the third request", [granted(100, MEGABYTE)], check_validity(answer)["services"])
    answer = client.ask(TERMINATION, 3, NUMBER, SESSION, services=[service(100, used=400_000)])
    check("the result of the last request", 2001, answer["result"])
    # 2 MB in all, at 0.10.
    charging.check_balance(NUMBER, "199.80")


def check_orderly_end(charging):
    """The charging system disconnects from the relay before it ends, and the relay agrees."""
    check("the status of the charging system at its end", 0, charging.stop())
    answers = [message for message in charging.recorder.received(wire.DISCONNECT_PEER) if not message.is_request()]
    check("results of the request to disconnect", [2001], [answer.result() for answer in answers])


def cannot_deliver(answer):
    """Returns whether an answer is that of a relay which cannot reach the charging system."""
    if answer["result"] not in (2001, UNABLE_TO_DELIVER):
        raise Mismatch(f"a result through the relay:\n  expected 2001 or {UNABLE_TO_DELIVER}\n  came     {answer}")
    if answer["result"] == UNABLE_TO_DELIVER:
        check("whether the answer has the E bit", True, answer["error"])
    return answer["result"] == UNABLE_TO_DELIVER
