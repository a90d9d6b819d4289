"""The client made with python-diameter, which sends what a test wants and returns what came."""

import json
import subprocess
from pathlib import Path

from checks import Mismatch, check
from process import Process

PROGRAM = Path(__file__).with_name("peers") / "python_client.py"
HOST = "smf.example.net"

# Kinds of requests (RFC 8506 section 8.3).
INITIAL, UPDATE, TERMINATION, EVENT = 1, 2, 3, 4
DATA, SMS, TELEPHONY = "32251@3gpp.org", "32274@3gpp.org", "32260@3gpp.org"


class PythonClient:
    """A client that is connected."""

    def __init__(self, setting, port, peer_host):
        command = [setting.python, PROGRAM, port, peer_host]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = Process("python-diameter", command, setting.folder, **pipes)
        self.session = None

    def __enter__(self):
        self.process.__enter__()
        check("the first line of python-diameter", "connected", self.line())
        return self

    def __exit__(self, *of):
        self.process.__exit__(*of)

    def line(self):
        """Returns its next line."""
        line = self.process.child.stdout.readline()
        if not line:
            raise Mismatch("a line of python-diameter:\n  expected one\n  came     its end")
        return line.strip()

    def ask(self, kind, number, subscriber, session, context=DATA, **more):
        """Sends a request, and returns the answer."""
        request = {"type": kind, "number": number, "subscriber": subscriber, "session": session, "context": context}
        self.process.child.stdin.write(json.dumps({**request, **more}) + "\n")
        self.process.child.stdin.flush()
        return json.loads(self.line())

    def disconnect(self):
        """Disconnects in order, and ends."""
        self.process.child.stdin.close()
        check("the last line of python-diameter", "disconnected", self.line())
        check("the status of python-diameter", 0, self.process.wait())


def service(group, **units):
    """Returns a service of a request: what is wanted and what was used, in octets."""
    return {"group": group, **{what: {"octets": octets} for what, octets in units.items()}}


def granted(group, octets, **more):
    """Returns what a service of an answer has, without its validity."""
    return {"group": group, "result": 2001, "granted": {"octets": octets}, **more}


def check_validity(answer):
    """Checks that each grant, and nothing else, holds for about ten minutes, and removes that from the answer.

    It differs by a tenth from session to session, so that many do not come again at once.
    """
    for of in answer.get("services", []):
        valid = of.pop("valid", None)
        is_right = valid is not None and 540 <= valid <= 660 if "granted" in of else valid is None
        check(f"whether the validity {valid} of the service {of['group']} is right", True, is_right)
    return answer
