"""Servers of credit control made with libraries of others: how each is built, and how it is run.

Each has two modes. It serves, or it writes and reads requests of 11 AVPs: then it prints the nanoseconds of one, and
the sum of all values, which is the same for all of them.
"""

from pathlib import Path

import certificates
import erlang_diameter
from process import run
from setting import program

SOURCES = Path(__file__).parent
HOST = "charging.example.net"

# The first build fetches modules.
BUILT_WITHIN = 600


class Go:
    """go-diameter."""

    needs = ("go",)

    def __init__(self, folder, target):
        self.folder = folder
        self.binary = target / "go-server"

    def build(self):
        command = [program("go"), "build", "-C", SOURCES / "go", "-o", self.binary, "."]
        run("go", command, self.folder, BUILT_WITHIN)

    def serving(self, port):
        """Returns the command of the server, and the name of its process."""
        return [self.binary, "serve", f"127.0.0.1:{port}"], self.binary.name

    def codec(self, count):
        """Returns the command that measures its codec."""
        return [self.binary, "codec", count]


class Rust:
    """The crate `diameter`, which is built with OpenSSL."""

    needs = ("cargo", "pkg-config", "usr/include/openssl/ssl.h")

    def __init__(self, folder, target):
        self.folder = folder
        self.target = target / "rust"
        self.binary = self.target / "release" / "rust-server"

    def build(self):
        manifest = SOURCES / "rust" / "Cargo.toml"
        command = ["cargo", "build", "--release", "--locked", "--manifest-path", manifest, "--target-dir", self.target]
        run("cargo", command, self.folder, BUILT_WITHIN)

    def serving(self, port):
        return [self.binary, "serve", f"127.0.0.1:{port}"], self.binary.name

    def codec(self, count):
        return [self.binary, "codec", count]


class Erlang:
    """The diameter application of Erlang/OTP."""

    needs = tuple(erlang_diameter.NEEDS)
    # A scheduler without work sleeps at once. Without these flags, it looks for work for a while before that.
    command = ["erl", "-noshell", "+sbwt", "none", "+sbwtdcpu", "none", "+sbwtdio", "none", "-run", "server", "main"]

    def __init__(self, folder, _target):
        self.folder = folder

    def build(self):
        erlang_diameter.build_grammars(self.folder)
        run("erlc", ["erlc", *sorted((SOURCES / "erlang").glob("*.erl"))], self.folder)

    def serving(self, port):
        return [*self.command, "serve", f"127.0.0.1:{port}"], "beam.smp"

    def codec(self, count):
        return [*self.command, "codec", count]


class FreeDiameter:
    """freeDiameter with an extension."""

    needs = (
        "freeDiameterd",
        "openssl",
        "gcc",
        "usr/include/freeDiameter/extension.h",
        "usr/lib/freeDiameter/dict_dcca.fdx",
    )

    def __init__(self, folder, _target):
        self.folder = folder

    def build(self):
        sources = SOURCES / "freediameter"
        compiler = ["gcc", "-O2", "-Wall"]
        libraries = ["-lfdcore", "-lfdproto"]
        extension = ["-shared", "-fPIC", "-o", "server.fdx", sources / "server.c", sources / "avps.c"]
        run("gcc", [*compiler, *extension, *libraries], self.folder)
        run("gcc", [*compiler, "-o", "codec", sources / "codec.c", sources / "avps.c", *libraries], self.folder)
        certificates.authority(self.folder)
        certificates.of_host(self.folder, HOST, self.folder, ("certificate.pem", "key.pem"))
        acl = SOURCES.parents[1] / "tools" / "interop" / "peers" / "freediameter" / "clients.acl"
        (self.folder / acl.name).write_text(acl.read_text())

    def serving(self, port):
        return ["freeDiameterd", "-q", "-c", self.configuration(port)], "freeDiameterd"

    def codec(self, count):
        # Nothing listens, but the port is needed.
        return [self.folder / "codec", self.configuration(0), count]

    def configuration(self, port):
        """Writes the configuration, and returns its name."""
        text = (SOURCES / "freediameter" / "server.conf").read_text().replace("@PORT@", str(port))
        path = self.folder / f"server-{port}.conf"
        path.write_text(text)
        return path.name


# By the names that they have in the results.
PEERS = {"go": Go, "otp": Erlang, "freediameter": FreeDiameter, "rust": Rust}
