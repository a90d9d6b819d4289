"""A charging system of Tollgate for a test, in a folder of its own."""

import json
import os
import shutil
import signal
import subprocess
from decimal import Decimal
from pathlib import Path

from checks import Mismatch, check
from process import Process, free_port
from recorder import Recorder

HOST = "charging.example.net"
REALM = "example.net"

# The plan of the example for prepaid accounts: 0.10 SEK for each MB of data, in kB; 0.49 for a message; 0.60 for a
# minute to other networks of the country, in seconds.
TARIFF = Path(__file__).resolve().parents[2] / "examples" / "prepaid" / "tariff"

DEFINITION = """
plan = "tariff"

[grants]
seconds = {seconds}
octets = "10 MB"
validity = "10 minutes"

[diameter]
listen = "127.0.0.1:{port}"
host = "{host}"
realm = "{realm}"

[diameter.services.data]
contexts = ["32251@3gpp.org"]
rating-groups = [100, 200]

[diameter.services.sms]
contexts = ["32274@3gpp.org"]

[diameter.services.telephony]
contexts = ["32260@3gpp.org"]
"""


class ChargingSystem:
    """A charging system that runs, and a recorder in front of it."""

    def __init__(
        self, tollgate, folder, accounts, more="", seconds=180, host=HOST, realm=REALM, prepare=lambda folder: None
    ):
        self.tollgate = tollgate
        self.folder = folder / "charging"
        self.folder.mkdir()
        prepare(self.folder)
        self.listens_at = free_port()
        text = DEFINITION.format(port=self.listens_at, host=host, realm=realm, seconds=seconds)
        (self.folder / "charging.toml").write_text(text + more)
        shutil.copytree(TARIFF, self.folder / "tariff")
        lines = [f"{number},{amount}\n" for number, amount in accounts.items()]
        (self.folder / "subscribers.csv").write_text("number,amount\n" + "".join(lines))
        self.command("subscriber", "import", "subscribers.csv")
        self.process = None
        self.recorder = Recorder(self.listens_at)

    @property
    def port(self):
        """Where peers connect."""
        return self.recorder.port

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, *_):
        try:
            if self.process is not None and self.process.child.poll() is None:
                status = self.stop()
                # What a test found counts more than this.
                if kind is None:
                    check("the status of the charging system at its end", 0, status)
        finally:
            self.recorder.close()

    def start(self):
        """Starts it, and waits until peers reach it."""
        command = [self.tollgate, "charge", "run", "charging.toml"]
        self.process = Process("tollgate", command, self.folder)
        self.process.wait_for_output(f"127.0.0.1:{self.listens_at}")

    def stop(self):
        """Ends it as an operator does, and returns its status."""
        return self.process.stop(signal.SIGINT)

    def kill(self):
        """Ends it as a power cut does, and forgets what it wrote, so that the next start is waited for."""
        self.process.stop(signal.SIGKILL)
        self.process.log.unlink()

    def command(self, *arguments):
        """Runs a command of Tollgate on it, and returns what it prints."""
        environment = {**os.environ, "TOLLGATE_CHARGING": "charging.toml"}
        command = [str(self.tollgate), *arguments]
        done = subprocess.run(
            command, check=False, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=60
        )
        if done.returncode != 0:
            raise Mismatch(f"{' '.join(arguments)}:\n  expected status 0\n  came     {done.returncode}: {done.stderr}")
        return done.stdout

    def account(self, number):
        """Returns an account."""
        return json.loads(self.command("account", "show", number, "--json"))

    def check_balance(self, number, amount, reserved="0.00"):
        """Checks what an account has, and what is reserved of it, to the last digit."""
        account = self.account(number)
        came = [(of["amount"], of["reserved"]) for of in account["balances"]]
        check(f"amount and reserved amount of {number}", [(amount, reserved)], came)
        # Sessions that ended are listed for some minutes.
        goes_on = any(not session["ended"] for session in account["sessions"])
        check(f"whether a session of {number} goes on", Decimal(reserved) > 0, goes_on)
