"""What is measured: how long a program took, what it found, and whether that is what Tollgate found."""

from typing import NamedTuple

from checks import Mismatch, check

# The windows of Tollgate slide in steps of a sixtieth: of a second for a minute, so that they are exact, and of a
# minute for an hour.
STEP_SECONDS = {"two-in-a-minute": 1, "same-number-twice": 1, "thousand-an-hour": 60}


class Workload(NamedTuple):
    """Which events rules are about, and the share of events of one pair of numbers."""

    judged: str
    hot: float


class Took(NamedTuple):
    """The events, the seconds, the seconds of processors, and the alerts."""

    events: int
    seconds: float
    processor_seconds: float
    alerts: list

    def nanoseconds(self):
        """Returns the processor time of an event."""
        return self.processor_seconds / self.events * 1e9

    def rate(self):
        """Returns the events of a second of the clock on the wall."""
        return self.events / self.seconds


def check_same(name, expected, came):
    """Checks that the alerts are those of Tollgate."""
    check(f"the alerts of {name}", sorted(expected), sorted(came))


def check_within_steps(name, expected, came):
    """Checks that there is an alert for each one of Tollgate, in the order of their times, at most a step away.

    Exact windows begin up to a step earlier than those of Tollgate, so they have the events of these and some more.
    """
    expected, came = by_key(expected), by_key(came)
    check(f"the keys with alerts of {name}", sorted(expected), sorted(came))
    for key, times in expected.items():
        step = STEP_SECONDS[key.split(" ")[0]]
        is_close = (abs(one - other) < step for one, other in zip(times, came[key], strict=False))
        if len(times) != len(came[key]) or not all(is_close):
            raise Mismatch(f"the alerts of {name} about {key}:\n  expected {times}\n  came     {came[key]}")


def by_key(alerts):
    """Returns the times of alerts by rule and key."""
    found = {}
    for alert in alerts:
        key, at = alert.rsplit(" ", 1)
        found.setdefault(key, []).append(int(at))
    return {key: sorted(times) for key, times in found.items()}
