"""Kamailio as the server of a voice network, with SIPp as its telephones: a call is cut when the money is used up."""

import socket
from pathlib import Path

import wire
from charging import ChargingSystem
from checks import Mismatch, check, wait_for
from process import Process, free_port, run
from setting import program

NEEDS = ["kamailio", "sipp", "usr/lib/*/kamailio/modules/ims_charging.so"]
CONFIGURATION = Path(__file__).with_name("peers") / "kamailio"
NUMBER = "46701000001"
# Enough for 8 seconds, at 0.60 for a minute.
MONEY, SECONDS = "0.08", 8
CC_REQUEST_TYPE, FINAL_UNIT_INDICATION, ERROR_MESSAGE = 416, 430, 281
MICROSECONDS = 1_000_000

# It lets a call begin if the message says success, so refusals must be there, and not in the service.
PEER = """
[diameter.peers."scscf.example.net"]
profile = "kamailio"
"""


def test(setting):
    accounts = {NUMBER: MONEY}
    with ChargingSystem(setting.tollgate, setting.folder, accounts, more=PEER, host="localhost") as charging:
        setting.record(charging)
        ports = write_configuration(setting.folder, charging.port)
        command = [program("kamailio"), "-f", "kamailio.cfg", "-DD", "-E", "-m", 64, "-M", 8, "-Y", "."]
        with Process("kamailio", command, setting.folder):
            wait_for("the capabilities of Kamailio", lambda: is_connected(charging.recorder))
            check_cut(setting.folder, charging, ports)
            check_refused(setting.folder, charging, ports)


def write_configuration(folder, charging_port):
    """Writes the files of Kamailio and SIPp with their ports, which it returns."""
    ports = {name: free_port(socket.SOCK_DGRAM) for name in ("SIP_PORT", "CALLEE_PORT", "CALLER_PORT")}
    diameter = {"DIAMETER_PORT": free_port(), "CHARGING_PORT": charging_port}
    values = {**ports, **diameter, "SUBSCRIBER": NUMBER, "FOLDER": folder}
    for file in CONFIGURATION.iterdir():
        text = file.read_text()
        for name, value in values.items():
            text = text.replace(f"@{name}@", str(value))
        (folder / file.name).write_text(text)
    return ports


def is_connected(recorder):
    """Returns whether it is connected. Its first attempt may come before it knows its address, which is refused."""
    return any(answer.result() == 2001 for answer in recorder.sent(wire.CAPABILITIES_EXCHANGE))


def check_cut(folder, charging, ports):
    """Both sides are hung up when all is used, and it is paid to the last."""
    callee = ["sipp", "-sf", "callee.xml", "-i", "127.0.0.1", "-p", ports["CALLEE_PORT"], "-m", "1", "-nostdin"]
    with Process("callee", callee, folder) as process:
        call(folder, "caller", ports, charging.recorder)
        check("the status of the callee", 0, process.wait())
    recorder = charging.recorder
    wait_for("the end of the session", lambda: len(recorder.sent(wire.CREDIT_CONTROL)) >= 3 and is_ended(recorder))
    answers = recorder.sent(wire.CREDIT_CONTROL)
    check("results of the call", [2001] * len(answers), [answer.result() for answer in answers])
    kinds = [kind_of(request) for request in recorder.received(wire.CREDIT_CONTROL)]
    check("kinds of requests", [1, *[2] * (len(kinds) - 2), 3], kinds)
    indications = [answer for answer in answers if FINAL_UNIT_INDICATION.to_bytes(4, "big") in answer.octets]
    check("whether the last grant says so", True, bool(indications))
    seconds = length_of_call(recorder)
    check(f"whether the call of {seconds:.1f} seconds took {SECONDS}", True, abs(seconds - SECONDS) < 2)
    charging.check_balance(NUMBER, "0.00")


def check_refused(folder, charging, ports):
    """The next call does not begin: the message of the answer says that there is no money."""
    call(folder, "refused", ports, charging.recorder)
    first = [of for of in charging.recorder.received(wire.CREDIT_CONTROL) if kind_of(of) == 1][-1]
    # Kamailio ends also what did not begin, so this is not the last answer.
    answers = charging.recorder.sent(wire.CREDIT_CONTROL)
    results = [answer.result() for answer in answers if answer.end_to_end == first.end_to_end]
    check("the result of the next call", [4012], results)
    charging.check_balance(NUMBER, "0.00")


def call(folder, scenario, ports, recorder):
    """Makes a call as a scenario says. If it goes otherwise, the charging system's answers say more than SIPp does."""
    command = ["sipp", "-sf", f"{scenario}.xml", "-i", "127.0.0.1", "-p", ports["CALLER_PORT"], "-m", "1", "-nostdin"]
    patience = ["-timeout", "40s", "-timeout_error"]
    try:
        run(scenario, [*command, *patience, f"127.0.0.1:{ports['SIP_PORT']}"], folder)
    except Mismatch as why:
        answers = [(of.result(), of.texts(ERROR_MESSAGE)) for of in recorder.sent(wire.CREDIT_CONTROL)]
        raise Mismatch(f"{why}\n  answers  {answers or 'none: Kamailio sent no request'}") from None


def is_ended(recorder):
    return kind_of(recorder.received(wire.CREDIT_CONTROL)[-1]) == 3


def kind_of(request):
    """Returns where in its session a request is."""
    kinds = [data for code, vendor, data in request.avps() if (code, vendor) == (CC_REQUEST_TYPE, 0)]
    return int.from_bytes(kinds[0], "big")


def length_of_call(recorder):
    """Returns the seconds from the first answer to the last request."""
    of_calls = [of for of in recorder.recorded if of.message.command == wire.CREDIT_CONTROL]
    first = next(of.at for of in of_calls if of.is_answered_side)
    last = max(of.at for of in of_calls if not of.is_answered_side)
    return (last - first) / MICROSECONDS
