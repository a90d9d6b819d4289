"""What a test expects, and what came instead."""

import time


class Mismatch(Exception):
    """Something else came than what a test expects."""


def check(what, expected, came):
    """Compares something that came with what is expected."""
    if expected != came:
        raise Mismatch(f"{what}:\n  expected {expected!r}\n  came     {came!r}")


def wait_for(what, is_there, seconds=15):
    """Waits until something is there, and returns it."""
    until = time.monotonic() + seconds
    while not (found := is_there()):
        if time.monotonic() > until:
            raise Mismatch(f"{what}:\n  expected within {seconds} seconds\n  came     nothing")
        time.sleep(0.05)
    return found
