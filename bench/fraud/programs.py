"""Programs that judge by the same rules without Tollgate: how each is built, and how it is run."""

import json
import shutil
from pathlib import Path

from measured import Took, check_same, check_within_steps
from process import run

SOURCES = Path(__file__).parent

# The first build fetches crates or jars, and compiles SQLite.
BUILT_WITHIN = 900
JUDGED_WITHIN = 900


class Program:
    """A program that reads events, writes alerts to a file, and prints what it took as JSON."""

    def __init__(self, target):
        self.target = target

    def judge(self, events, folder):
        """Judges the events, and returns what that took."""
        alerts = folder / "alerts.txt"
        took = json.loads(run(self.name, self.command(events, alerts), folder, JUDGED_WITHIN))
        return Took(**took, alerts=alerts.read_text().splitlines())

    def taken(self, events):
        """Returns of how many events the alerts are."""
        return events.count


class Rust(Program):
    """A program of `bench/fraud/rust`."""

    needs = ("cargo", "cc")

    def __init__(self, target):
        super().__init__(target / "rust")
        self.binary = self.target / "release" / "fraud-rules"

    def build(self, folder):
        manifest = SOURCES / "rust" / "Cargo.toml"
        command = ["cargo", "build", "--release", "--locked", "--manifest-path", manifest, "--target-dir", self.target]
        run("cargo", command, folder, BUILT_WITHIN)

    def decode(self, folder, judged, file):
        """Writes the events of switches to a file for programs that decode nothing."""
        run("decode", [self.binary, "events", folder, judged, file], file.parent, JUDGED_WITHIN)


class Hand(Rust):
    """By hand, the events in memory."""

    name = "hand"
    shown = "by hand in Rust, events in memory"
    check = staticmethod(check_same)

    def command(self, events, alerts):
        return [self.binary, "hand", events.file, alerts]


class HandFiles(Rust):
    """By hand, with reading and decoding."""

    name = "hand_files"
    shown = "by hand in Rust, from the files"
    check = staticmethod(check_same)

    def command(self, events, alerts):
        return [self.binary, "hand-files", events.folder, events.judged, alerts]


class Sql(Rust):
    """Queries of SQLite, for a part of the events."""

    name = "sql"
    shown = "SQLite, events in memory"
    check = staticmethod(check_within_steps)

    def command(self, events, alerts):
        return [self.binary, "sql", events.file, alerts, events.sql_count]

    def taken(self, events):
        return min(events.count, events.sql_count)


class Esper(Program):
    """Statements of Esper."""

    name = "esper"
    shown = "Esper 9.0.0, events in memory"
    needs = ("java", "javac", "mvn")
    check = staticmethod(check_within_steps)

    def __init__(self, target):
        super().__init__(target / "esper")

    def build(self, folder):
        libraries, classes = self.target / "lib", self.target / "classes"
        shutil.rmtree(self.target, ignore_errors=True)
        classes.mkdir(parents=True)
        fetch = [
            "mvn",
            "--quiet",
            "--batch-mode",
            "--file",
            SOURCES / "esper" / "pom.xml",
            "dependency:copy-dependencies",
        ]
        run("mvn", [*fetch, f"-DoutputDirectory={libraries}"], folder, BUILT_WITHIN)
        compile_it = ["javac", "-cp", f"{libraries}/*", "-d", classes, SOURCES / "esper" / "EsperRules.java"]
        run("javac", compile_it, folder, BUILT_WITHIN)

    def command(self, events, alerts):
        path = f"{self.target / 'classes'}:{self.target / 'lib'}/*"
        # One collector that works in the thread itself, with room for all: what it costs is counted.
        memory = ["-XX:+UseSerialGC", "-Xms3g", "-Xmx3g"]
        return ["java", *memory, "-cp", path, "EsperRules", events.file, alerts]


PROGRAMS = {kind.name: kind for kind in (Esper, Hand, HandFiles, Sql)}
