"""What a request costs the charging system over SCTP, beside what it costs over TCP."""

import os
from statistics import median

from sctp_cases import Load, system

ROUNDS = 3
LOAD = "--connections 4 --sessions 1000"
TICK_US = 1_000_000 / os.sysconf("SC_CLK_TCK")


def compare(setting):
    charging, port = system(setting, ["127.0.0.1"])
    costs = {"tcp": [], "sctp": []}
    with charging:
        for _ in range(ROUNDS):
            costs["tcp"].append(cost(charging, f"127.0.0.1:{charging.listens_at}", LOAD))
            costs["sctp"].append(cost(charging, f"127.0.0.1:{port}", f"--sctp {LOAD}"))
    tcp, sctp = median(costs["tcp"]), median(costs["sctp"])
    print(f"processor time a request: tcp {tcp:.0f} us, sctp {sctp:.0f} us, sctp_over_tcp {sctp / tcp:.2f}")


def cost(charging, address, arguments):
    """Returns the microseconds of a processor that a request takes, those of the kernel for the process included."""
    before = ticks(charging.process.child.pid)
    with Load(charging, address, arguments) as running:
        requests = running.result()["requests"]
    return (ticks(charging.process.child.pid) - before) * TICK_US / requests


def ticks(process):
    with open(f"/proc/{process}/stat") as of:
        words = of.read().rsplit(")", 1)[1].split()
    return int(words[11]) + int(words[12])


TESTS = {"compare": compare}
