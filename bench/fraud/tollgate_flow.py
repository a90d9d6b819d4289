"""Tollgate's measurement: the flow of examples/fraud over files of simulated events, with and without its rules."""

import json
import os
import re
import resource
import shutil
from datetime import datetime

from measured import Took
from process import run

JUDGED_WITHIN = 600

# A large file, as in `tollgate bench fraud`.
EVENTS_OF_A_FILE = 20_000

SWITCHES = 5


class Tollgate:
    """`tollgate run --once --workers 1` of a flow, less the processor time of a start without files."""

    def __init__(self, program, workload, folder):
        self.program = program
        self.workload = workload
        self.folder = folder
        self.events = folder / "events"

    def simulate(self, events, subscribers, rate):
        """Writes the flow and the events, and leaves the paper's three rules."""
        arguments = ["--files", max(1, events // EVENTS_OF_A_FILE), "--events", EVENTS_OF_A_FILE]
        arguments += ["--subscribers", subscribers, "--rate", rate, "--hot", self.workload.hot]
        run("simulate", [self.program, "simulate", "fraud", "--flow", *arguments, self.folder], self.folder)
        (self.folder / "in").rename(self.events)
        (self.folder / "rules" / "wangiri.toml").unlink()
        if self.workload.judged == "all":
            for rule in (self.folder / "rules").iterdir():
                rule.write_text(re.sub(r"(?m)^where .*\n", "", rule.read_text()))

    def judge(self):
        """Judges all events. Returns the processor time and the alerts."""
        return self.measure("with-rules", (self.folder / "flow.toml").read_text())

    def pass_over(self):
        """Reads, decodes and journals all events, without the node that judges them."""
        flow = (self.folder / "flow.toml").read_text()
        return self.measure("without-rules", flow[: flow.index("[fraud.")])

    def measure(self, name, flow):
        """Runs a flow in a folder of its own, so that it starts with nothing."""
        folder = self.folder / name
        folder.mkdir()
        for part in ("asn1", "rules"):
            (folder / part).symlink_to(self.folder / part)
        (folder / "flow.toml").write_text(flow + "\n[trace]\nenabled = false\n")
        for switch in range(1, SWITCHES + 1):
            (folder / "in" / f"switch-{switch}").mkdir(parents=True)
        # The first start makes the journal.
        self.run_once(folder)
        _, idle = self.run_once(folder)
        for file in self.events.glob("*/*"):
            os.link(file, folder / "in" / file.parent.name / file.name)
        report, processor = self.run_once(folder)
        events = sum(file["records"] for file in report["files"])
        took = Took(events, report["seconds"], processor - idle, self.alerts(folder))
        shutil.rmtree(folder)
        return took

    def run_once(self, folder):
        """Returns the report of a run until the inputs are empty, and the processor time of all its threads."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [self.program, "run", "--once", "--json", "--quiet", "--workers", 1, "flow.toml"]
        report = run("run", command, folder, JUDGED_WITHIN)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return json.loads(report), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def alerts(self, folder):
        """Returns each alert with its rule, key, time, and the place of its event among all."""
        found = run("alerts", [self.program, "fraud", "alerts", "--json", "flow.toml"], folder)
        return [placed(json.loads(line)) for line in found.splitlines()]


def placed(alert):
    """Returns the line that the other programs write for an alert, and the place of its event among all."""
    at = int(datetime.fromisoformat(alert["at"]).timestamp())
    place = int(alert["file"].removesuffix(".ber")) * EVENTS_OF_A_FILE + alert["record"]
    return f"{alert['rule']} {alert['key']} {at}", place
