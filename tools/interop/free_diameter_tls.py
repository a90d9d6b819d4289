"""freeDiameter as a relay over TLS: both prove by their certificates who they are, before their capabilities."""

import json

import certificates
from charging import HOST, ChargingSystem
from checks import check
from free_diameter import MEGABYTE, NEEDS, NUMBER, RELAY, Relay
from process import free_port
from python_client import INITIAL, TERMINATION, PythonClient, check_validity, granted, service

__all__ = ["NEEDS", "test"]

SESSION = "smf.example.net;4;1"


def test(setting):
    port = free_port()
    check_relay(setting, f"listen = \"127.0.0.1:{port}\"", lambda charging: port, security="")


def check_relay(setting, more, port_of, security):
    """Charges through a relay that connects over TLS to a port. `more` are settings of TLS."""
    tls = f"""
[diameter.tls]
certificate-file = "certificate.pem"
key-file = "key.pem"
authority-file = "../authority.pem"
{more}
"""
    certificates.authority(setting.folder)
    with ChargingSystem(setting.tollgate, setting.folder, {NUMBER: "200.00"}, prepare=prepare, more=tls) as charging:
        with Relay(setting, port_of(charging), security=security) as relay:
            with PythonClient(setting, relay.port, RELAY) as client:
                check_charging(client, charging)
                client.disconnect()
            peers = json.loads(charging.command("charge", "peers", "list", "--json"))["peers"]
            check("the transport of the relay", ["tls"], [of["transport"] for of in peers[0]["connections"]])


def prepare(folder):
    """Makes the certificate of the charging system."""
    certificates.of_host(folder.parent, HOST, folder, ("certificate.pem", "key.pem"))


def check_charging(client, charging):
    """Credit is granted, and its use is paid."""
    answer = client.ask(INITIAL, 0, NUMBER, SESSION, services=[service(100, wanted=MEGABYTE)])
    check("the service of the first request", [granted(100, MEGABYTE)], check_validity(answer)["services"])
    answer = client.ask(TERMINATION, 1, NUMBER, SESSION, services=[service(100, used=400_000)])
    check("the result of the last request", 2001, answer["result"])
    charging.check_balance(NUMBER, "199.96")
