#!/usr/bin/env python3
"""Writes the notices of all that is linked into the binary: `tools/notices.py > THIRD-PARTY.txt`.

The licences of most crates ask that their text goes with the program. Each text is there once, below the names of
the crates that have it. A crate without a file of its own has the text named by its `license`.
"""

import json
import pathlib
import re
import subprocess
import sys

# Files by which crates say how they may be used.
NAMES = re.compile(r"(licen[cs]e|copying|notice|copyright)", re.IGNORECASE)


def metadata():
    """What cargo knows of the workspace and all that it is made of."""
    command = ["cargo", "metadata", "--locked", "--format-version=1", "--filter-platform=x86_64-unknown-linux-gnu"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def linked(found):
    """The crates of the binary `tollgate`: its dependencies and theirs, without those of builds and tests."""
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    packages = {package["id"]: package for package in found["packages"]}
    ahead = [id for id, package in packages.items() if package["name"] == "tollgate-cli"]
    reached = set(ahead)
    while ahead:
        for dependency in nodes[ahead.pop()]["deps"]:
            normal = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if normal and dependency["pkg"] not in reached:
                reached.add(dependency["pkg"])
                ahead.append(dependency["pkg"])
    crates = [packages[id] for id in reached if packages[id]["source"]]
    return sorted(crates, key=lambda crate: (crate["name"], crate["version"]))


def texts(crate):
    """The files of a crate that are licences or notices."""
    folder = pathlib.Path(crate["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.is_file() and NAMES.match(path.name))
    return [path.read_text(errors="replace").strip() for path in files if path.suffix not in (".rs", ".toml")]


def main():
    crates = linked(metadata())
    by_text = {}
    for crate in crates:
        name = f"{crate['name']} {crate['version']}"
        found = texts(crate) or [f"{crate['license']}, by {', '.join(crate['authors']) or crate['repository']}"]
        for text in found:
            by_text.setdefault(text, []).append(name)
    print("Tollgate contains the following software.\n")
    for crate in crates:
        print(f"{crate['name']} {crate['version']}  {crate['license']}  {crate['repository'] or ''}".rstrip())
    for text, names in sorted(by_text.items(), key=lambda entry: entry[1]):
        print(f"\n{'=' * 120}\n{', '.join(names)}\n{'-' * 120}\n{text}")
    print(f"{len(crates)} crates, {len(by_text)} texts", file=sys.stderr)


if __name__ == "__main__":
    main()
