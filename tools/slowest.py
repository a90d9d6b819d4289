#!/usr/bin/env python3
"""Prints the slowest tests, and what tests left out, from the JUnit report of cargo-nextest."""

import sys
import xml.etree.ElementTree as xml

SHOWN = 25


def main():
    cases = list(xml.parse(sys.argv[1]).iter("testcase"))
    slowest = sorted(cases, key=lambda case: -float(case.get("time", 0)))
    for case in slowest[:SHOWN]:
        print(f"{float(case.get('time')):8.1f} {case.get('classname')} {case.get('name')}")
    left_out = {line for case in cases for line in "".join(case.itertext()).splitlines() if "LEFT OUT" in line}
    for line in sorted(left_out):
        print(line)


if __name__ == "__main__":
    main()
