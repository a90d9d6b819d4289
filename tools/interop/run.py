#!/usr/bin/env python3
"""Runs Diameter peers of others against the program of Tollgate, each against a charging system of its own.

One line for each test says how long it took. A peer that is not installed is left out, and its line says so; with
--all, that is a failure.
"""

import argparse
import importlib
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

# The modules beside this one leave nothing behind in the folder of sources.
sys.dont_write_bytecode = True

from checks import Mismatch  # noqa: E402
from setting import Setting, missing  # noqa: E402

# The names of tests, and their modules. The one of Wireshark looks at what the others recorded.
TESTS = {
    "python-diameter": "python_diameter",
    "freediameter": "free_diameter",
    "freediameter-client": "free_diameter_client",
    "freediameter-tls": "free_diameter_tls",
    "freediameter-old": "free_diameter_inband_tls",
    "erlang": "erlang_diameter",
    "go-diameter": "go_diameter",
    "kamailio": "kamailio",
    "sctp": "sctp",
    "wireshark": "wireshark",
}

ROOT = Path(__file__).resolve().parents[2]
LOG_LINES = 25


def main():
    arguments = parsed()
    names = arguments.only or list(TESTS)
    target = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target")
    installed = ROOT / "target" / "interop"
    tollgate = Path(arguments.tollgate or target / "debug" / "tollgate").resolve()
    if not tollgate.exists():
        sys.exit(f"there is no {tollgate}: build it, or give --tollgate")
    recordings = installed / "recordings"
    shutil.rmtree(recordings, ignore_errors=True)
    recordings.mkdir(parents=True)
    results = [result(name, Setting(name, tollgate, installed, recordings), arguments.all) for name in names]
    count = results.count
    print(f"{count('passed')} passed, {count('FAILED')} failed, {count('LEFT OUT')} skipped")
    sys.exit(1 if "FAILED" in results else 0)


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", choices=TESTS, metavar="NAME", help=f"one of {', '.join(TESTS)}")
    parser.add_argument("--tollgate", metavar="PROGRAM", help="the program; without it, that of cargo build")
    parser.add_argument("--all", action="store_true", help="fail if a peer is not installed")
    return parser.parse_args()


def result(name, setting, needs_all):
    """Runs a test, and prints its line."""
    test = importlib.import_module(TESTS[name])
    absent = [what for what in test.NEEDS if missing(what, setting)]
    if absent:
        word = "FAILED" if needs_all else "LEFT OUT"
        print(f"{word:8} {name:17} not installed: {', '.join(absent)}", flush=True)
        return word
    start = time.monotonic()
    setting.folder = Path(tempfile.mkdtemp(prefix=f"tollgate-{name}-"))
    try:
        test.test(setting)
        setting.write_recordings()
    except Exception as error:  # Any fault of a test is one of this test only.
        print(f"FAILED   {name:17} {time.monotonic() - start:5.1f} s", flush=True)
        explain(error, setting)
        return "FAILED"
    print(f"passed   {name:17} {time.monotonic() - start:5.1f} s", flush=True)
    shutil.rmtree(setting.folder)
    return "passed"


def explain(error, setting):
    """Prints why a test failed, and what its programs wrote last."""
    setting.write_recordings()
    text = str(error) if isinstance(error, Mismatch) else f"{type(error).__name__}: {error}"
    print(indented(text))
    for log in sorted(setting.folder.rglob("*.log")):
        lines = log.read_text(errors="replace").splitlines()[-LOG_LINES:]
        print(f"    {log}:\n" + indented("\n".join(lines), 8), flush=True)


def indented(text, by=4):
    return "\n".join(" " * by + line for line in text.splitlines())


if __name__ == "__main__":
    main()
