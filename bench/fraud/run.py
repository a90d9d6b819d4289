#!/usr/bin/env python3
"""Compares Tollgate's fraud rules with Esper, a program by hand, and queries of SQLite, over the same events.

The events are those of `tollgate simulate fraud`, and the rules the three of the paper in examples/fraud/rules. There
are two workloads: the rules as they are, which are about one event in ten, and the same rules about all events.

What is compared is the processor time of an event, the best of all rounds, so that others on the machine matter little:

- tollgate: the whole flow with one worker, all threads counted: reading and decoding ASN.1, judging, the journal;
  without the start of the program.
- tollgate, rules alone: the whole flow, less the same flow without rules.
- the others have decoded events in memory before the clock starts, with numbers as integers; hand_files alone reads and
  decodes them, too. They have one thread, nothing durable, and no late events. Esper judges all events twice before
  that, and hand once, to warm up.

NAME_over_rules is the time of the other over that of the whole flow, NAME_over_rules_alone over that of the rules
alone: above 1, Tollgate is faster. Each program must find the alerts of Tollgate, or there are no results. Esper and
SQLite have exact windows, so an alert of the hour may be up to a minute away.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]

# The modules of the interoperability tests start programs and look for what is installed. Nothing is left behind in the
# folders of sources.
sys.path.append(str(ROOT / "tools" / "interop"))
sys.dont_write_bytecode = True

from checks import Mismatch, check  # noqa: E402
from measured import Workload  # noqa: E402
from programs import PROGRAMS, Rust  # noqa: E402
from setting import missing  # noqa: E402
from tollgate_flow import EVENTS_OF_A_FILE, Tollgate  # noqa: E402

# One pair of numbers has so many events that each rule fires for it, however many events rules are about.
WORKLOADS = {"indications": Workload("indications", 0.05), "all": Workload("all", 0.005)}

TARGETS = {"esper": 3, "hand": 0.5, "sql": 50}

TOLLGATE = "tollgate, the whole flow"
WITHOUT = "tollgate, without rules"
MEMORY = Path("/dev/shm")
LOG_LINES = 25


class Events(NamedTuple):
    """The events of a workload: the files of switches, the same decoded in one file, and how many there are."""

    judged: str
    folder: Path
    file: Path
    count: int
    sql_count: int


def main():
    arguments = parsed()
    tollgate = Path(arguments.tollgate).resolve()
    if not tollgate.exists():
        sys.exit(f"there is no {tollgate}: build it, or give --tollgate")
    target = ROOT / "target" / "bench-fraud"
    folder = Path(tempfile.mkdtemp(prefix="tollgate-bench-fraud-", dir=MEMORY if MEMORY.is_dir() else None))
    try:
        decoder = Rust(target)
        decoder.build(folder)
        programs = built(arguments.only or list(PROGRAMS), target, folder)
        names = arguments.workload or list(WORKLOADS)
        results = {name: measured(name, tollgate, (decoder, programs), folder, arguments) for name in names}
    except Mismatch as error:
        explain(error, folder)
        sys.exit(1)
    finally:
        shutil.rmtree(folder)
    show(results, arguments.json)


def parsed():
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="Example:\n  bench/fraud/run.py --rounds 1 --events 400000 --only hand",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--tollgate",
        metavar="PROGRAM",
        default=os.environ.get("TOLLGATE", ROOT / "target" / "release" / "tollgate"),
        help="the program; without it, that of the variable TOLLGATE, or of cargo build --release",
    )
    parser.add_argument(
        "--only", action="append", choices=PROGRAMS, metavar="NAME", help=f"one of {', '.join(PROGRAMS)}"
    )
    parser.add_argument(
        "--workload", action="append", choices=WORKLOADS, metavar="NAME", help=f"one of {', '.join(WORKLOADS)}"
    )
    parser.add_argument("--rounds", type=int, default=3, metavar="COUNT", help="rounds, in turns, or else 3")
    parser.add_argument(
        "--events", type=int, default=1_000_000, metavar="COUNT", help="events, in files of 20000, or else 1000000"
    )
    parser.add_argument(
        "--sql-events", type=int, default=500_000, metavar="COUNT", help="the first events, for SQLite, or else 500000"
    )
    parser.add_argument(
        "--subscribers", type=int, default=1_000_000, metavar="COUNT", help="subscribers, or else 1000000"
    )
    parser.add_argument(
        "--rate", type=int, default=100, metavar="COUNT", help="events a second by their own times, or else 100"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    return parser.parse_args()


def built(names, target, folder):
    """Builds what has its tools on this machine, and says what is left out."""
    programs = []
    for name in names:
        kind = PROGRAMS[name]
        absent = [what for what in kind.needs if missing(what, None)]
        if absent:
            note(f"{name} is left out: not installed: {', '.join(absent)}")
            continue
        note(f"building {name}")
        program = kind(target)
        program.build(folder)
        programs.append(program)
    return programs


def measured(name, tollgate, others, folder, arguments):
    """Measures all programs in turns. Returns what each took, round by round."""
    decoder, programs = others
    folder = folder / name
    folder.mkdir()
    flow = Tollgate(tollgate, WORKLOADS[name], folder)
    note(f"{name}: simulating events")
    flow.simulate(arguments.events, arguments.subscribers, arguments.rate)
    events = Events(
        judged=flow.workload.judged,
        folder=flow.events,
        file=folder / "events.bin",
        count=len(list(flow.events.glob("*/*"))) * EVENTS_OF_A_FILE,
        sql_count=arguments.sql_events,
    )
    decoder.decode(events.folder, events.judged, events.file)
    results = {TOLLGATE: [], WITHOUT: []} | {program: [] for program in programs}
    for place in range(max(1, arguments.rounds)):
        note(f"{name}: round {place + 1} of {max(1, arguments.rounds)}")
        whole = flow.judge()
        results[TOLLGATE].append(whole)
        results[WITHOUT].append(flow.pass_over())
        for program in programs:
            took = program.judge(events, folder)
            check(f"the events of {program.name}", program.taken(events), took.events)
            expected = [alert for alert, at in whole.alerts if at < took.events]
            program.check(program.name, expected, took.alerts)
            results[program].append(took)
    note(f"{name}: alerts of each rule: {of_rules(results[TOLLGATE][0])}")
    # The events of a workload need some room in memory.
    shutil.rmtree(folder)
    return results


def of_rules(took):
    """Returns how many alerts each rule has, as text: a rule without one compares little."""
    counts = Counter(alert.split(" ")[0] for alert, _ in took.alerts)
    return ", ".join(f"{rule} {count}" for rule, count in sorted(counts.items()))


def ratios(results):
    """Returns the time of each other program over that of Tollgate, by the best of all rounds."""
    whole, without = best(results[TOLLGATE]), best(results[WITHOUT])
    found = {}
    for program, rounds in results.items():
        if not isinstance(program, str):
            found[f"{program.name}_over_rules"] = best(rounds) / whole
            found[f"{program.name}_over_rules_alone"] = best(rounds) / (whole - without)
    return found


def best(rounds):
    """Returns the least nanoseconds of an event."""
    return min(took.nanoseconds() for took in rounds)


def rows(results):
    """Returns the name, the best time of an event, the best rate, the events and the alerts of each program."""
    for program, rounds in results.items():
        name = program if isinstance(program, str) else program.shown
        rate = max(took.rate() for took in rounds)
        yield name, best(rounds), rate, rounds[0].events, len(rounds[0].alerts)
    alone = best(results[TOLLGATE]) - best(results[WITHOUT])
    yield "tollgate, rules alone", alone, None, results[TOLLGATE][0].events, len(results[TOLLGATE][0].alerts)


def show(results, as_json):
    if as_json:
        print(
            json.dumps({"bench": "fraud-comparison", "workloads": {name: of_json(of) for name, of in results.items()}})
        )
        return
    for name, of in results.items():
        print(f"\n{'rules about ' + name:36} {'CPU ns/event':>12} {'events/s':>12} {'events':>10} {'alerts':>8}")
        for row, nanoseconds, rate, events, alerts in rows(of):
            print(f"{row:36} {nanoseconds:12.0f} {f'{rate:,.0f}' if rate else '':>12} {events:10} {alerts:8}")
        print()
        for ratio, value in ratios(of).items():
            print(f"{ratio:36} {value:12.2f}{target(ratio)}")


def target(ratio):
    """Returns what a ratio should be at least, as text."""
    least = TARGETS.get(ratio.split("_over_")[0])
    return f"    at least {least}" if least else ""


def of_json(results):
    names = ("name", "nanoseconds", "events_a_second", "events", "alerts")
    return {
        "rows": [dict(zip(names, row, strict=True)) for row in rows(results)],
        "ratios": {name: round(ratio, 3) for name, ratio in ratios(results).items()},
    }


def explain(error, folder):
    """Says what went wrong, and what the programs wrote last."""
    note(str(error))
    for log in sorted(folder.rglob("*.log")):
        lines = log.read_text(errors="replace").splitlines()[-LOG_LINES:]
        note("\n".join([f"    {log}:", *(f"        {line}" for line in lines)]))


def note(text):
    """Says something that is no result."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
