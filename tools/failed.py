#!/usr/bin/env python3
"""Prints the failed tests of the JUnit report of cargo-nextest, a line each."""

import sys
import xml.etree.ElementTree as xml


def main():
    for case in xml.parse(sys.argv[1]).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            print(f"failed: {case.get('classname')} {case.get('name')}")


if __name__ == "__main__":
    main()
