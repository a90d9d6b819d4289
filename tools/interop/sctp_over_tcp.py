#!/usr/bin/env python3
"""Prints what a request costs the charging system over SCTP and over TCP, in a guest of QEMU.

Give it a program of a release; the default is that of `make build`.
"""

import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

from guest import run_in_guest  # noqa: E402
from setting import Setting  # noqa: E402


def main():
    root = Path(__file__).resolve().parents[2]
    program = Path(sys.argv[1] if len(sys.argv) > 1 else root / "target" / "release" / "tollgate").resolve()
    setting = Setting("sctp_over_tcp", program, root / "target" / "interop", None)
    with tempfile.TemporaryDirectory() as folder:
        setting.folder = Path(folder)
        print(run_in_guest(setting, "sctp_cost"), end="")


if __name__ == "__main__":
    main()
