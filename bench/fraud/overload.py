#!/usr/bin/env python3
"""Feeds a gateway five times what it can judge for ten minutes, and compares what it finds with an undisturbed run.

Files of 20 events come from `tollgate simulate fraud`. The gateway is stopped most of the time (SIGSTOP), so that its capacity
is known and small. Events happen as fast as their files come. Once all files have come, it runs freely until all are judged. Then the account must be exact: each event is
processed once, none is late or passed over, and the alerts are those of a run that had all the time it needed.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EVENTS = 20
SWITCHES = 5
CYCLE_SECONDS = 0.2
WAIT_SECONDS = 0.5
OF_A_FILE = f" {EVENTS} records, "


def main():
    arguments = parsed()
    tollgate = Path(arguments.tollgate).resolve()
    if not tollgate.exists():
        sys.exit(f"there is no {tollgate}: build it, or give --tollgate")
    folder = Path(tempfile.mkdtemp(prefix="tollgate-overload-", dir=arguments.folder))
    try:
        site = Site(tollgate, folder, arguments)
        account = overloaded(site)
        account["alerts_of_an_undisturbed_run"] = undisturbed(site, account.pop("alerts_found"))
        show(account)
    finally:
        shutil.rmtree(folder)


def parsed():
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="Example:\n  bench/fraud/overload.py --minutes 1",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--tollgate", metavar="PROGRAM", default=ROOT / "target" / "release" / "tollgate")
    parser.add_argument("--minutes", type=float, default=10, metavar="COUNT", help="how long too much comes, or else 10")
    parser.add_argument("--times", type=float, default=5, metavar="COUNT", help="how many times the capacity comes, or else 5")
    parser.add_argument(
        "--capacity", type=int, default=100, metavar="COUNT", help="files a second that the gateway may judge, or else 100"
    )
    parser.add_argument("--folder", metavar="FOLDER", help="where it is done, or else the temporary folder")
    return parser.parse_args()


class Site:
    """A flow with the files that are to come."""

    def __init__(self, tollgate, folder, arguments):
        self.tollgate, self.folder, self.arguments = tollgate, folder, arguments
        self.log, self.rest, self.lines = None, "", 0
        a_second = arguments.capacity * arguments.times
        self.files = int(a_second * arguments.minutes * 60)
        self.run(
            "simulate", "fraud", ".", "--flow", "--switches", str(SWITCHES), "--files", str(self.files),
            "--events", str(EVENTS), "--rate", str(a_second * EVENTS), "--subscribers", "999999",
        )
        (folder / "in").rename(folder / "come")
        for switch in range(1, SWITCHES + 1):
            (folder / f"in/switch-{switch}").mkdir(parents=True)

    def run(self, *words):
        done = subprocess.run([self.tollgate, *words], cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"tollgate {' '.join(words)}: {done.stderr}")
        return done.stdout

    def come(self, number, to):
        """Lets a file come, by its number."""
        name = f"switch-{number % SWITCHES + 1}/{number:08}.ber"
        os.link(self.folder / "come" / name, to / "in" / name)

    def judged(self):
        """Returns how many files are judged, by the lines of the log."""
        if self.log is None:
            self.log = open(self.folder / "log", encoding="utf-8")
        *whole, self.rest = (self.rest + self.log.read()).split("\n")
        self.lines += sum(1 for line in whole if OF_A_FILE in line)
        return self.lines

    def alerts(self):
        alerts = [json.loads(line) for line in self.run("fraud", "alerts", "flow.toml", "--json").splitlines()]
        # Files may be judged in another order: an alert is by another record of the same window then.
        return sorted((of["rule"], of["key"]) for of in alerts)


def overloaded(site):
    """Returns the account of a gateway to which too much comes."""
    arguments = site.arguments
    log = open(site.folder / "log", "w", encoding="utf-8")
    gateway = subprocess.Popen([site.tollgate, "run", "flow.toml"], cwd=site.folder, stdout=log, stderr=log)
    throttle = Throttle(gateway, site)
    begin, come = time.monotonic(), 0
    waiting_max = 0
    while come < site.files:
        due = min(site.files, int((time.monotonic() - begin) * arguments.capacity * arguments.times))
        for number in range(come, due):
            site.come(number, site.folder)
        come = max(come, due)
        judged = site.judged()
        waiting_max = max(waiting_max, come - judged)
        throttle.adjust(judged, time.monotonic() - begin)
        time.sleep(WAIT_SECONDS)
    fed = time.monotonic() - begin
    judged = site.judged()
    throttle.end()
    while site.judged() < site.files:
        time.sleep(WAIT_SECONDS)
    caught_up = time.monotonic() - begin - fed
    time.sleep(2)
    gateway.send_signal(signal.SIGTERM)
    gateway.wait()
    return {
        "seconds of overload": round(fed),
        "files that came": come,
        "of these judged meanwhile": judged,
        "most files that waited": waiting_max,
        "seconds until all were judged": round(caught_up),
        **accounted(site),
        "alerts_found": site.alerts(),
    }


def accounted(site):
    """Returns what the journal has of the events, by the program's own lists."""
    files = [json.loads(line) for line in site.run("files", "list", "flow.toml", "--json").splitlines()]
    late = sum(1 for line in (site.folder / "log").read_text(encoding="utf-8").splitlines() if "too late" in line)
    return {
        "files in the journal": len(files),
        "events in the journal": sum(of["records"] for of in files),
        "events that came": site.files * EVENTS,
        "lines of the log about late records": late,
    }


class Throttle:
    """Stops a process for a part of each cycle, so that it judges so many files a second."""

    def __init__(self, gateway, site):
        self.gateway, self.capacity = gateway, site.arguments.capacity
        self.share, self.is_over = 0.1, threading.Event()
        self.before = (0, 0.0)
        self.thread = threading.Thread(target=self.cycles)
        self.thread.start()

    def cycles(self):
        while not self.is_over.is_set():
            self.gateway.send_signal(signal.SIGCONT)
            time.sleep(CYCLE_SECONDS * self.share)
            self.gateway.send_signal(signal.SIGSTOP)
            time.sleep(CYCLE_SECONDS * (1 - self.share))
        self.gateway.send_signal(signal.SIGCONT)

    def adjust(self, judged, seconds):
        """Gives it more or less time, by how many files it has judged since the last call."""
        (judged_before, seconds_before) = self.before
        if seconds - seconds_before < 2:
            return
        rate = (judged - judged_before) / (seconds - seconds_before)
        self.share = min(0.9, max(0.01, self.share * min(2, max(0.5, self.capacity / max(rate, 1)))))
        self.before = (judged, seconds)

    def end(self):
        self.is_over.set()
        self.thread.join()


def undisturbed(site, found):
    """Judges the same files one after the other. Returns whether the alerts are the same."""
    shutil.rmtree(site.folder / "flow.state")
    for number in range(site.files):
        site.come(number, site.folder)
    site.run("run", "flow.toml", "--once", "--workers", "1")
    expected = site.alerts()
    if found != expected:
        missing, more = len(set(expected) - set(found)), len(set(found) - set(expected))
        return f"{len(expected)}, of which {missing} were not found; {more} others were"
    return f"{len(expected)}, the same"


def show(account):
    width = max(map(len, account))
    for name, value in account.items():
        print(f"{name.replace('_', ' '):<{width}}  {value}")


if __name__ == "__main__":
    main()
