"""Programs that run beside a test, and end with it."""

import signal
import socket
import subprocess

from checks import Mismatch, wait_for

# How long a program has until its end, in seconds.
ENDS_WITHIN = 20


class Process:
    """A program that runs, with its output in a file."""

    def __init__(self, name, command, folder, stdin=None, stdout=None):
        self.name = name
        self.log = folder / f"{name}.log"
        with self.log.open("ab") as log:
            self.child = subprocess.Popen(
                [str(part) for part in command], cwd=folder, stdin=stdin or subprocess.DEVNULL, stdout=stdout or log,
                stderr=log, text=True, start_new_session=True,
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.stop()

    def output(self):
        """Returns what it wrote up to now."""
        return self.log.read_text(errors="replace")

    def wait_for_output(self, text, seconds=15):
        """Waits until it has written a text."""
        def is_there():
            if text not in self.output() and self.child.poll() is not None:
                raise Mismatch(f"{self.name} ended with {self.child.returncode}, without \"{text}\"")
            return text in self.output()
        wait_for(f"\"{text}\" of {self.name}", is_there, seconds)

    def stop(self, how=signal.SIGTERM):
        """Ends it, and returns its status."""
        self.child.send_signal(how)
        return self.wait()

    def wait(self, seconds=ENDS_WITHIN):
        """Waits for its end, and returns its status."""
        try:
            return self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
            raise Mismatch(f"{self.name}:\n  expected its end within {seconds} seconds\n  came     nothing") from None


def run(name, command, folder, seconds=120):
    """Runs a program to its end, which must be a good one, and returns what it wrote to standard output."""
    with (folder / f"{name}.log").open("ab") as log:
        done = subprocess.run(
            [str(part) for part in command], check=False, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=log, text=True, timeout=seconds,
        )
        log.write(done.stdout.encode())
    if done.returncode != 0:
        raise Mismatch(f"{name}:\n  expected status 0\n  came     {done.returncode}")
    return done.stdout


def free_port(kind=socket.SOCK_STREAM):
    """Returns a port of this machine that is free now."""
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
