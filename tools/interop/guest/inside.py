#!/usr/bin/env python3
"""Runs the tests of a module within a guest. Their logs are copied to where the machine finds them."""

import importlib
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from setting import Setting  # noqa: E402

# A folder of the machine.
SHARE = Path("/mnt")


def main():
    module, tollgate, installed = sys.argv[1:]
    for name, test in importlib.import_module(module).TESTS.items():
        setting = Setting(name, Path(tollgate), Path(installed), None)
        setting.folder = Path(tempfile.mkdtemp(prefix=f"{name}-"))
        start = time.monotonic()
        try:
            test(setting)
        finally:
            for log in setting.folder.rglob("*.log"):
                shutil.copy(log, SHARE / f"{name}-{log.name}")
        print(f"passed   {name:17} {time.monotonic() - start:5.1f} s", flush=True)


if __name__ == "__main__":
    main()
