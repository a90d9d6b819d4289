"""freeDiameter as a relay that begins TLS after its capabilities, as programs before RFC 6733 do."""

from free_diameter import NEEDS, RELAY
from free_diameter_tls import check_relay

__all__ = ["NEEDS", "test"]


def test(setting):
    peer = f"[diameter.peers.\"{RELAY}\"]\ninband-tls = true"
    check_relay(setting, peer, lambda charging: charging.listens_at, security="TLS_old_method;")
