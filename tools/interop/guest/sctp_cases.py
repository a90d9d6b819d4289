"""What runs over SCTP in the guest."""

import functools
import json
import subprocess

import free_diameter
import free_diameter_tls
from charging import ChargingSystem
from checks import check, wait_for
from process import Process, free_port
from python_client import PythonClient
from wire_of_sctp import Wire

FIRST_NUMBER = 46702000000
SUBSCRIBERS = 20
# Nobody runs out of it.
AMOUNT = "100000.00"
PAYLOAD = 46

# The other side of a second network, where the clients are.
SERVER = ["10.61.0.1", "10.62.0.1"]
CLIENT = ["10.61.0.2", "10.62.0.2"]


def system(setting, addresses, more=""):
    """Returns a charging system that listens at addresses for SCTP, and its port there."""
    port = free_port()
    listen = json.dumps([f"{address}:{port}" for address in addresses])
    tables = f"""
[diameter.sctp]
listen = {listen}
[diameter.services.load]
service = "data"
contexts = ["32251@3gpp.org"]
{more}
"""
    accounts = {FIRST_NUMBER + place: AMOUNT for place in range(SUBSCRIBERS)}
    accounts[free_diameter.NUMBER] = "200.00"
    return ChargingSystem(setting.tollgate, setting.folder, accounts, more=tables), port


class Load:
    """Clients of `tollgate simulate diameter`, while they run."""

    def __init__(self, charging, address, arguments, inside=()):
        numbers = f"--first-number {FIRST_NUMBER} --subscribers {SUBSCRIBERS} --charging charging.toml --json"
        command = [*inside, charging.tollgate, "simulate", "diameter", address, *numbers.split(), *arguments.split()]
        self.output = charging.folder / "load.json"
        with self.output.open("w") as to:
            self.process = Process("load", command, charging.folder, stdout=to)

    def __enter__(self):
        return self

    def __exit__(self, *of):
        self.process.__exit__(*of)

    def result(self):
        """Waits for its end, and checks what was answered and what is charged."""
        status = self.process.wait(seconds=300)
        check(f"the status of the load ({self.process.output()})", 0, status)
        result = json.loads(self.output.read_text())
        check("what is charged", result["cost"], result["charged"])
        check("wrong answers", 0, result["faults"])
        return result


def load(setting):
    """Sessions in any order and twice are charged exactly, also through a kill. Each message is one of SCTP."""
    charging, port = system(setting, ["127.0.0.1"])
    with charging, Wire("lo", port) as wire:
        with Load(charging, f"127.0.0.1:{port}", "--sctp --connections 2 --sessions 200 --repeated 0.1") as running:
            result = running.result()
        check("connections that broke", 0, result["reconnects"])
        check("identifiers of the payload", {PAYLOAD}, wire.payloads())
        check("whether each message of SCTP is one of Diameter", True, wire.is_diameter())
        check("whether messages shared a packet", True, wire.has_shared_packets())
        arguments = "--sctp --connections 2 --sessions 600 --patience 120"
        with Load(charging, f"127.0.0.1:{port}", arguments) as running:
            wait_for("a session", lambda: transports(charging) == ["sctp", "sctp"], seconds=60)
            charging.kill()
            charging.start()
            result = running.result()
        check("whether connections were made again", True, result["reconnects"] >= 2)


def transports(charging):
    """Returns the transports of the connections of clients that have sent requests."""
    peers = json.loads(charging.command("charge", "peers", "list", "--json"))["peers"]
    peers = [peer for peer in peers if peer["requests"] > 0]
    return [of["transport"] for peer in peers for of in peer["connections"]]


def relay(setting):
    """freeDiameter is a relay over SCTP."""
    # It does not start on a machine with the loopback interface only.
    networks()
    charging, port = system(setting, ["127.0.0.1"])
    with charging:
        with free_diameter.Relay(setting, port, security="No_TLS; No_TCP;", transport="") as relay_of:
            with PythonClient(setting, relay_of.port, free_diameter.RELAY) as client:
                free_diameter_tls.check_charging(client, charging)
                check("the transport of the relay", ["sctp"], transports(charging))
                client.disconnect()


def multihoming(setting):
    """An endpoint of two addresses loses one, and nothing is lost with it."""
    networks()
    peers = "".join(f"[diameter.peers.\"load-{number}.example.net\"]\n" for number in range(2))
    charging, port = system(setting, SERVER, peers)
    inside = ["nsenter", "--net=/run/clients"]
    with charging, Wire("first", port) as network:
        arguments = "--sctp --connections 2 --sessions 600 --patience 120"
        with Load(charging, f"{SERVER[0]}:{port}", arguments, inside) as running:
            wait_for("sessions", lambda: transports(charging) == ["sctp", "sctp"], seconds=60)
            ip(f"addr del {SERVER[0]}/24 dev first")
            ip("link set first down")
            check("the status of the load when an address is gone", None, running.process.child.poll())
            result = running.result()
        check("connections that broke", 0, result["reconnects"])
        check("addresses in the capabilities", SERVER, network.addresses())


@functools.cache
def networks():
    """Makes two networks to clients that have a network of their own."""
    subprocess.run(["touch", "/run/clients"], check=True)
    subprocess.run(["unshare", "--net=/run/clients", "ip", "link", "set", "lo", "up"], check=True)
    for name, server, client in zip(("first", "second"), SERVER, CLIENT):
        ip(f"link add {name} type veth peer name {name}-clients")
        with open("/run/clients") as of:
            subprocess.run(["ip", "link", "set", f"{name}-clients", "netns", "/run/clients"], check=True, stdin=of)
        ip(f"addr add {server}/24 dev {name}")
        ip(f"link set {name} up")
        ip(f"addr add {client}/24 dev {name}-clients", "nsenter", "--net=/run/clients")
        ip(f"link set {name}-clients up", "nsenter", "--net=/run/clients")


def ip(line, *inside):
    subprocess.run([*inside, "ip", *line.split()], check=True)


TESTS = {"load": load, "relay": relay, "multihoming": multihoming}
