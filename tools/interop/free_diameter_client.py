"""freeDiameter as a client: it charges sessions, and does what the charging system requests of it."""

from pathlib import Path

from charging import ChargingSystem
from checks import check
from free_diameter import CONFIGURATION, Daemon
from process import run

NEEDS = ["freeDiameterd", "openssl", "gcc", "usr/include/freeDiameter/extension.h", "usr/lib/freeDiameter/dict_dcca_3gpp.fdx"]
# The AVPs of its messages are those of the server of the benchmark.
AVPS = Path(__file__).resolve().parents[2] / "bench" / "diameter" / "freediameter"
CLIENT = "smf.example.net"
RICH, POOR = "46701000001", "46701000002"
RE_AUTH, ABORT_SESSION = 258, 274


def test(setting):
    build(setting.folder)
    with ChargingSystem(setting.tollgate, setting.folder, {RICH: "200.00", POOR: "0.50"}) as charging:
        setting.record(charging)
        with Daemon(setting, charging.port, "client.conf", CLIENT) as client:
            # As much as 0.50 pays for.
            client.process.wait_for_output(line(2, 2001, 5_049_000, ", the last"))
            for request in (1, 2, 3):
                client.process.wait_for_output(line(1, 2001, 1_000_000 if request < 3 else 0))
            charging.check_balance(RICH, "199.90")
            charging.command("account", "refill", POOR, "100", "--reference", "p-1")
            client.process.wait_for_output(f"the server sends the request {RE_AUTH}")
            client.process.wait_for_output(line(2, 2001, 10_000_000))
            charging.command("account", "block", POOR, "--because", "lost")
            client.process.wait_for_output(f"the server sends the request {ABORT_SESSION}")
            client.process.wait_for_output("all is charged")
            charging.check_balance(POOR, "100.30")
    results = [message.result() for message in charging.recorder.received(RE_AUTH)]
    check("the result of its answer to the request to authorize again", [2002], results)


def line(session, result, granted, more=""):
    return f"{CLIENT};1;{session}: result {result}, granted {granted}{more}\n"


def build(folder):
    """Builds the client, an extension of the daemon."""
    sources = [CONFIGURATION / "client.c", AVPS / "avps.c"]
    command = ["gcc", "-O2", "-Wall", "-shared", "-fPIC", f"-I{AVPS}", "-o", "client.fdx", *sources]
    run("gcc", [*command, "-lfdcore", "-lfdproto"], folder)
