#!/usr/bin/env python3
"""Runs `tollgate bench diameter` beside servers made with libraries of others, and compares the codecs alone.

What is not for this program goes to the command: `bench/diameter/run.py --rounds 2 --json`. A library that is not
installed is left out, and a line says so.
"""

import argparse
import contextlib
import json
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The modules of the interoperability tests start programs and look for what is installed. Nothing is left behind in the
# folders of sources.
sys.path.append(str(ROOT / "tools" / "interop"))
sys.dont_write_bytecode = True

from checks import Mismatch, wait_for  # noqa: E402
from codec_comparison import TOLLGATE, Codecs  # noqa: E402
from peers import PEERS  # noqa: E402
from process import Process, free_port  # noqa: E402
from setting import missing  # noqa: E402

# Allocators, where Debian has them.
ALLOCATORS = ["usr/lib/*/libtcmalloc_minimal.so.4", "usr/lib/*/libmimalloc.so.2.0", "usr/lib/*/libjemalloc.so.2"]

LOG_LINES = 25
STARTS_WITHIN = 20


def main():
    arguments, others = parsed()
    tollgate = Path(arguments.tollgate or ROOT / "target" / "release" / "tollgate").resolve()
    if not tollgate.exists():
        sys.exit(f"there is no {tollgate}: build it, or give --tollgate")
    target = ROOT / "target" / "bench-diameter"
    target.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="tollgate-bench-diameter-"))
    try:
        peers = built(arguments.only or list(PEERS), folder, target)
        results = measure_servers(tollgate, peers, folder, others)
        codecs = measure_codecs(tollgate, peers, folder, arguments)
    except Mismatch as error:
        explain(error, folder)
        sys.exit(1)
    shutil.rmtree(folder)
    show(results, codecs)


def parsed():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="Other arguments go to the command.", allow_abbrev=False
    )
    parser.add_argument("--tollgate", metavar="PROGRAM", help="the program; without it, that of cargo build --release")
    parser.add_argument("--only", action="append", choices=PEERS, metavar="NAME", help=f"one of {', '.join(PEERS)}")
    parser.add_argument("--codec-rounds", type=int, default=5, metavar="COUNT", help="rounds of each codec, or else 5")
    parser.add_argument(
        "--codec-requests", type=int, default=200_000, metavar="COUNT", help="requests of a round, or else 200000"
    )
    return parser.parse_known_args()


def built(names, folder, target):
    """Builds what has its tools on this machine, and says what is left out."""
    peers = {}
    for name in names:
        kind = PEERS[name]
        absent = [what for what in kind.needs if missing(what, None)]
        if absent:
            note(f"{name} is left out: not installed: {', '.join(absent)}")
            continue
        note(f"building {name}")
        (folder / name).mkdir()
        peer = kind(folder / name, target)
        try:
            peer.build()
        except (Mismatch, subprocess.TimeoutExpired) as error:
            explain(error, folder / name)
            note(f"{name} is left out: it cannot be built")
            continue
        peers[name] = peer
    return peers


def measure_servers(tollgate, peers, folder, others):
    """Runs the command while all servers run. Returns its results, if they are wanted as JSON; else it prints them."""
    command = [str(tollgate), "bench", "diameter", *others]
    if "--allocator" not in others:
        command += [word for file in allocators() for word in ("--allocator", file)]
    as_json = "--json" in others
    with contextlib.ExitStack() as servers:
        for name, peer in peers.items():
            command += ["--peer", servers.enter_context(serving(name, peer))]
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE if as_json else None, text=True)
        if done.returncode != 0:
            raise Mismatch(f"{' '.join(command)}:\n  expected status 0\n  came     {done.returncode}")
    return json.loads(done.stdout) if as_json else None


def allocators():
    """Returns the libraries that are installed, and says which are not."""
    files = []
    for pattern in ALLOCATORS:
        found = sorted(Path("/").glob(pattern))
        if not found:
            note(f"an allocator is left out: there is no /{pattern}")
        files += map(str, found[:1])
    return files


@contextlib.contextmanager
def serving(name, peer):
    """Starts a server. Gives it as the command wants it: NAME=ADDRESS,PID."""
    port = free_port()
    command, program = peer.serving(port)
    with Process(name, command, peer.folder) as process:

        def is_there():
            if process.child.poll() is not None:
                raise Mismatch(f"{name} ended with {process.child.returncode}")
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        wait_for(f"the server of {name}", is_there, STARTS_WITHIN)
        yield f"{name}=127.0.0.1:{port},{process_of(process.child.pid, program)}"


def process_of(pid, program):
    """Returns the process that runs a program: this one, or one that it started."""
    # The kernel has 15 characters of a name.
    if Path(f"/proc/{pid}/comm").read_text().strip() == program[:15]:
        return pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    found = (process_of(int(child), program) for child in children)
    return next((of for of in found if of is not None), None)


def measure_codecs(tollgate, peers, folder, arguments):
    count = arguments.codec_requests
    commands = {TOLLGATE: [tollgate, "bench", "diameter", "--codec", count]}
    commands |= {name: peer.codec(count) for name, peer in peers.items()}
    folders = {TOLLGATE: folder} | {name: peer.folder for name, peer in peers.items()}
    codecs = Codecs(commands, folders)
    codecs.measure(arguments.codec_rounds)
    return codecs


def show(results, codecs):
    """Prints what was measured: as one JSON object if the results are one, else as a table."""
    if results is not None:
        results["rows"] += [{"name": name, "nanoseconds": took} for name, took in codecs.rows().items()]
        results["ratios"] |= {name: round(ratio, 3) for name, ratio in codecs.ratios().items()}
        print(json.dumps(results))
        return
    width = max(map(len, [*codecs.rows(), *codecs.ratios()]))
    print(f"\n{'':{width}} {'ns/request':>12}")
    for name, took in codecs.rows().items():
        print(f"{name:{width}} {took:12.0f}")
    print()
    for name, ratio in codecs.ratios().items():
        print(f"{name:{width}} {ratio:12.3f}")


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
