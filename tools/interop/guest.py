"""A guest of QEMU whose kernel has SCTP, where that of this machine may have none.

It sees all files of this machine, cannot change them, and runs tests of its own as this machine would run them.
"""

import shutil
import subprocess
from pathlib import Path

from checks import Mismatch
from process import run

NEEDS = ["qemu-system-x86_64", "python-diameter", "a kernel for guests"]

# In the order in which they are loaded: each after those that it uses.
MODULES = """
    crc32c_generic libcrc32c udp_tunnel ip6_udp_tunnel sctp virtio_ring virtio virtio_pci_legacy_dev
    virtio_pci_modern_dev virtio_pci netfs fscache 9pnet 9pnet_virtio 9p veth
""".split()

HERE = Path(__file__).parent
INIT = HERE / "guest" / "init.sh"
INSIDE = HERE / "guest" / "inside.py"

# How the guest finds a folder of this machine: owners are as they are, and disks count as one.
FOLDER = "security_model=none,multidevs=remap"

# How long a guest may take, in seconds. It computes some ten times slower than this machine.
ENDS_WITHIN = 600


def kernel(installed):
    """Returns the kernel for guests, or nothing."""
    return next(iter(sorted(installed.glob("guest/boot/vmlinuz-*"))), None)


def run_in_guest(setting, module):
    """Runs a module within a guest, and returns what it printed. Its logs are in the folder of the test then."""
    share = setting.folder / "share"
    share.mkdir()
    image = initial_files(setting)
    command = [INSIDE, module, setting.tollgate, setting.installed]
    (share / "command").write_text("\n".join(str(word) for word in command) + "\n")
    folders = [f"path=/,mount_tag=host,readonly=on,{FOLDER}", f"path={share},mount_tag=share,{FOLDER}"]
    machine = [
        *"qemu-system-x86_64 -accel tcg -cpu max -m 1024 -smp 1 -display none -serial stdio -net none -no-reboot".split(),
        "-kernel", kernel(setting.installed), "-initrd", image,
        "-append", "console=ttyS0 quiet panic=-1 no_timer_check",
        *(word for folder in folders for word in ("-virtfs", f"local,{folder}")),
    ]
    try:
        run("qemu", machine, setting.folder, seconds=ENDS_WITHIN)
    except subprocess.TimeoutExpired:
        text = f"the guest:\n  expected its end within {ENDS_WITHIN} seconds\n  came     nothing"
        raise Mismatch(text) from None
    came = share / "status"
    status = came.read_text().strip() if came.exists() else "no status"
    output = share / "output.log"
    text = output.read_text(errors="replace") if output.exists() else "no output"
    if status != "0":
        raise Mismatch(f"the tests in the guest:\n  expected status 0\n  came     {status}\n{text}")
    return text


def initial_files(setting):
    """Makes the files with which the guest begins: its first program, and modules of its kernel."""
    root = setting.folder / "initial"
    for folder in ("bin", "modules", "proc", "sys", "dev", "host"):
        (root / folder).mkdir(parents=True)
    installed = setting.installed / "guest"
    shutil.copy(installed / "bin" / "busybox", root / "bin" / "busybox")
    shutil.copy(INIT, root / "init")
    (root / "init").chmod(0o755)
    for name in MODULES:
        found = next(installed.glob(f"lib/modules/*/kernel/**/{name}.ko"))
        shutil.copy(found, root / "modules")
    (root / "modules" / "order").write_text("\n".join(MODULES) + "\n")
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*"))) + "\n"
    image = setting.folder / "initial.cpio"
    with image.open("wb") as to:
        subprocess.run(
            [installed / "bin" / "busybox", "cpio", "-o", "-H", "newc"], cwd=root, input=names.encode(), stdout=to,
            stderr=subprocess.DEVNULL, check=True,
        )
    shutil.rmtree(root)
    return image
