"""A client of credit control made with python-diameter: python_client.py PORT PEER-HOST.

Each line of standard input is a request in JSON, and each line of standard output is its answer. At the end of the
input it disconnects, and its last line is "disconnected".
"""

import datetime
import json
import sys

from diameter.message.commands import CreditControlRequest
from diameter.message.commands.credit_control import (
    MultipleServicesCreditControl,
    RequestedServiceUnit,
    UsedServiceUnit,
)
from diameter.message.constants import APP_DIAMETER_CREDIT_CONTROL_APPLICATION
from diameter.node import Node
from diameter.node.application import SimpleThreadingApplication

HOST, REALM = "smf.example.net", "example.net"
ANSWERED_WITHIN = 10

# The names of units in lines, and those of their AVPs.
UNITS = {"octets": "cc_total_octets", "seconds": "cc_time", "units": "cc_service_specific_units"}


def connect(port, peer_host):
    """Returns a node and its application, connected to a peer."""
    node = Node(HOST, REALM)
    # It notices its own end only that often, in seconds.
    node.wakeup_interval = 1
    uri = f"aaa://{peer_host}:{port};transport=tcp"
    peer = node.add_peer(uri, REALM, ip_addresses=["127.0.0.1"], is_persistent=True)
    credit = SimpleThreadingApplication(
        APP_DIAMETER_CREDIT_CONTROL_APPLICATION,
        is_auth_application=True,
        request_handler=lambda _, request: request.to_answer(),
    )
    node.add_application(credit, [peer])
    node.start()
    credit.wait_for_ready(ANSWERED_WITHIN)
    return node, credit


def request_of(line):
    """Returns the request of a line. It has a realm as its destination, and no host: agents find one."""
    request = CreditControlRequest()
    request.session_id = line["session"]
    request.origin_host, request.origin_realm = HOST.encode(), REALM.encode()
    request.destination_realm = REALM.encode()
    request.auth_application_id = APP_DIAMETER_CREDIT_CONTROL_APPLICATION
    request.service_context_id = line["context"]
    request.cc_request_type, request.cc_request_number = line["type"], line["number"]
    request.event_timestamp = datetime.datetime.now(datetime.timezone.utc)
    request.add_subscription_id(subscription_id_type=0, subscription_id_data=line["subscriber"])
    if "action" in line:
        request.requested_action = line["action"]
    if "wanted" in line:
        request.requested_service_unit = units(RequestedServiceUnit, line["wanted"])
    if "services" in line:
        request.multiple_services_indicator = 1
        request.multiple_services_credit_control = [service_of(of) for of in line["services"]]
    return request


def service_of(line):
    service = MultipleServicesCreditControl(rating_group=line["group"])
    if "wanted" in line:
        service.requested_service_unit = units(RequestedServiceUnit, line["wanted"])
    if "used" in line:
        service.used_service_unit = [units(UsedServiceUnit, line["used"])]
    return service


def units(of_class, amounts):
    return of_class(**{UNITS[name]: amount for name, amount in amounts.items()})


def line_of(answer):
    """Returns what an answer says. What is not there is left out."""
    line = {
        "result": answer.result_code,
        "error": answer.header.is_error,
        "session": answer.session_id,
        "type": getattr(answer, "cc_request_type", None),
        "number": getattr(answer, "cc_request_number", None),
        "granted": amounts_of(getattr(answer, "granted_service_unit", None)),
        "cost": cost_of(getattr(answer, "cost_information", None)),
        "message": getattr(answer, "error_message", None),
    }
    services = getattr(answer, "multiple_services_credit_control", None) or []
    line["services"] = [service_line(of) for of in services] or None
    return {name: value for name, value in line.items() if value is not None}


def service_line(service):
    line = {
        "group": service.rating_group,
        "result": service.result_code,
        "granted": amounts_of(service.granted_service_unit),
        "valid": service.validity_time,
        "final": service.final_unit_indication and service.final_unit_indication.final_unit_action,
    }
    return {name: value for name, value in line.items() if value is not None}


def amounts_of(granted):
    if granted is None:
        return None
    amounts = {name: getattr(granted, avp) for name, avp in UNITS.items()}
    return {name: amount for name, amount in amounts.items() if amount is not None}


def cost_of(cost):
    """Returns digits, exponent and the number of the currency."""
    if cost is None:
        return None
    return [cost.unit_value.value_digits, cost.unit_value.exponent, cost.currency_code]


def main():
    node, credit = connect(int(sys.argv[1]), sys.argv[2])
    print("connected", flush=True)
    for line in sys.stdin:
        answer = credit.send_request(request_of(json.loads(line)), timeout=ANSWERED_WITHIN)
        print(json.dumps(line_of(answer)), flush=True)
    node.stop(wait_timeout=ANSWERED_WITHIN)
    print("disconnected", flush=True)


if __name__ == "__main__":
    main()
