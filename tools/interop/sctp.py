"""SCTP in a guest of QEMU: a load with a kill, freeDiameter as a relay, and an endpoint that loses an address."""

from guest import NEEDS as GUEST_NEEDS
from guest import run_in_guest

NEEDS = [*GUEST_NEEDS, "freeDiameterd", "openssl", "ip", "usr/lib/freeDiameter/dict_dcca_3gpp.fdx"]


def test(setting):
    run_in_guest(setting, "sctp_cases")
