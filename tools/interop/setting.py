"""What a test finds where it runs: the program, the peers that are installed, and its folder."""

import shutil
from pathlib import Path

# Debian has some programs outside the path of users, and others in folders of their own.
MORE_FOLDERS = "/usr/sbin:/usr/local/go/bin"


def program(name):
    """Returns the path of a program, or nothing."""
    return shutil.which(name) or shutil.which(name, path=MORE_FOLDERS)


def missing(what, setting):
    """Returns whether a program, a file by a pattern of its path, python-diameter or a kernel is not installed."""
    if what == "a kernel for guests":
        return not list(setting.installed.glob("guest/boot/vmlinuz-*"))
    if what == "python-diameter":
        return not list(setting.installed.glob("python/lib/python*/site-packages/diameter"))
    if "/" in what:
        return not list(Path("/").glob(what))
    return program(what) is None


class Setting:
    """What a test finds where it runs."""

    def __init__(self, name, tollgate, installed, recordings):
        self.name = name
        self.tollgate = tollgate
        self.installed = installed
        self.recordings = recordings
        self.python = installed / "python" / "bin" / "python"
        self.folder = None
        self.systems = []

    def record(self, charging):
        """Notes that what a charging system sends is looked at afterwards."""
        self.systems.append(charging)

    def write_recordings(self):
        """Writes what was recorded."""
        for place, charging in enumerate(self.systems):
            charging.recorder.write(self.recordings / f"{self.name}-{place}.pcapng")
