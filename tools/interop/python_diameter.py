"""python-diameter as a packet gateway: a session of several services, an event, and an orderly end."""

import wire
from charging import HOST, ChargingSystem
from checks import check, wait_for
from python_client import EVENT, INITIAL, SMS, TERMINATION, UPDATE, PythonClient, check_validity, granted, service

NEEDS = ["python-diameter"]
NUMBER = "46701000001"
OTHER = "46701000002"
SESSION = "smf.example.net;1;1"
MEGABYTE = 1_000_000


def test(setting):
    accounts = {NUMBER: "200.00", OTHER: "0.40"}
    with ChargingSystem(setting.tollgate, setting.folder, accounts) as charging:
        setting.record(charging)
        with PythonClient(setting, charging.port, HOST) as client:
            check_session(client, charging)
            check_events(client, charging)
            check_refusals(client, charging)
            client.disconnect()
        check_disconnected(charging)


def check_session(client, charging):
    """Two services are granted credit, used and paid; a third has no price."""
    wanted = [service(100, wanted=MEGABYTE), service(200, wanted=2 * MEGABYTE), service(999, wanted=MEGABYTE)]
    answer = client.ask(INITIAL, 0, NUMBER, SESSION, services=wanted)
    services = [granted(100, MEGABYTE), granted(200, 2 * MEGABYTE), {"group": 999, "result": 5031}]
    check("the answer to the first request", answer_of(INITIAL, 0, services), check_validity(answer))
    charging.check_balance(NUMBER, "200.00", reserved="0.30")

    used = [service(100, used=700_001, wanted=MEGABYTE), service(200, used=2_500_000, wanted=MEGABYTE)]
    answer = client.ask(UPDATE, 1, NUMBER, SESSION, services=used)
    services = [granted(100, MEGABYTE), granted(200, MEGABYTE)]
    check("the answer to the second request", answer_of(UPDATE, 1, services), check_validity(answer))

    used = [service(100, used=300_000), service(200, used=12_345_678)]
    answer = client.ask(TERMINATION, 2, NUMBER, SESSION, services=used)
    services = [{"group": 100, "result": 2001}, {"group": 200, "result": 2001}]
    check("the answer to the last request", answer_of(TERMINATION, 2, services), check_validity(answer))
    # 1,001 kB and 14,846 kB that were begun, at 0.10 for each MB.
    charging.check_balance(NUMBER, "198.42")


def check_events(client, charging):
    """A message is paid at once, and what it costs is in the answer."""
    answer = event(client, "smf.example.net;1;2")
    message = {"granted": {"units": 1}, "cost": [490_000_000, -9, 752]}
    expected = {**answer_of(EVENT, 0, None, "smf.example.net;1;2"), **message}
    check("the answer to an event", expected, answer)
    charging.check_balance(NUMBER, "197.93")


def check_refusals(client, charging):
    """Refusals of events, of subscribers, of contexts and of sessions have the codes of RFC 8506 and RFC 6733."""
    check("the result without enough money", 4012, event(client, "smf.example.net;1;3", OTHER)["result"])
    wanted = {"services": [service(100, wanted=MEGABYTE)]}
    answer = client.ask(INITIAL, 0, "46709999999", "smf.example.net;1;4", **wanted)
    check("the result of an unknown subscriber", 5030, answer["result"])
    answer = client.ask(INITIAL, 0, NUMBER, "smf.example.net;1;5", context="32299@3gpp.org", **wanted)
    check("the result of an unknown context", 5031, answer["result"])
    answer = client.ask(UPDATE, 1, NUMBER, "smf.example.net;1;6", **wanted)
    check("the result of an unknown session", 5002, answer["result"])
    charging.check_balance(NUMBER, "197.93")
    charging.check_balance(OTHER, "0.40")


def check_disconnected(charging):
    """The request to disconnect is the last of the client, and its answer the last of the charging system."""
    recorder = charging.recorder
    last = wait_for("an answer to the request to disconnect", lambda: recorder.sent(wire.DISCONNECT_PEER))[-1]
    check("the last message of the client", wire.DISCONNECT_PEER, recorder.received()[-1].command)
    check("the last message of the charging system", last, recorder.sent()[-1])
    check("its result", 2001, last.result())


def event(client, session, subscriber=NUMBER):
    return client.ask(EVENT, 0, subscriber, session, context=SMS, action=0, wanted={"units": 1})


def answer_of(kind, number, services, session=SESSION):
    """Returns an answer of a request that succeeded."""
    answer = {"result": 2001, "error": False, "session": session, "type": kind, "number": number}
    return answer if services is None else {**answer, "services": services}
