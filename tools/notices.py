#!/usr/bin/env python3
"""Writes the notices of all crates that are linked into the binary: `tools/notices.py > THIRD-PARTY.txt`.

The licences of most crates require that their text comes with the program. Each text appears once, below the names of
its crates. For a crate without a licence file, the value of its `license` field and its authors appear instead.
"""

import json
import pathlib
import re
import subprocess
import sys

# The names of files with licences and notices.
NAMES = re.compile(r"(licen[cs]e|copying|notice|copyright)", re.IGNORECASE)


def metadata():
    """Returns cargo's metadata of the workspace and its dependencies."""
    command = ["cargo", "metadata", "--locked", "--format-version=1", "--filter-platform=x86_64-unknown-linux-gnu"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def linked(found):
    """Returns the direct and indirect dependencies of the binary `tollgate`, without those of builds and tests."""
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
    """Returns the texts of the licences and notices of a crate."""
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
