"""An FTP server on a free port: ftp.py FOLDER PASSWORD [tls] [mute]. With "tls" it requires TLS and uses the certificate of
server.pem beside the folder; with "mute" it does not support MLST and MLSD. Prints the port on one line, and the ports of data
connections on the next."""

import itertools
import logging
import os
import random
import socket
import sys
import threading

from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.filesystems import AbstractedFS
from pyftpdlib.handlers import FTPHandler, TLS_FTPHandler
from pyftpdlib.servers import ThreadedFTPServer

folder, password, how = sys.argv[1], sys.argv[2], sys.argv[3:]


def beside(name):
    return os.path.join(folder, "..", name)


class Full:
    def __init__(self, file):
        self.file = file

    def write(self, _):
        raise OSError(28, "No space left on device")

    def __getattr__(self, name):
        return getattr(self.file, name)


class Files(AbstractedFS):
    # Simulates a full disk while there is a file "full" beside the folder.
    def open(self, filename, mode):
        file = super().open(filename, mode)
        return Full(file) if "w" in mode and os.path.exists(beside("full")) else file


# Two threads can bind the same port, and only one of them can listen on it; the other has to take another port.
listening = threading.Lock()


class Listening(FTPHandler.passive_dtp):
    def __init__(self, *arguments, **named):
        with listening:
            super().__init__(*arguments, **named)


class Handler(TLS_FTPHandler if "tls" in how else FTPHandler):
    # Denies reading and removing files whose names contain the text of the file "withheld" beside the folder.
    def is_withheld(self, path):
        is_it = os.path.exists(beside("withheld")) and open(beside("withheld")).read() in path
        if is_it:
            self.respond("550 Permission denied: it is withheld")
        return is_it

    def ftp_RETR(self, file):
        return None if self.is_withheld(file) else super().ftp_RETR(file)

    def ftp_DELE(self, file):
        return None if self.is_withheld(file) else super().ftp_DELE(file)

    def ftp_MLSD(self, path):
        return None if self.is_withheld(path) else super().ftp_MLSD(path)

    # Refuses names that contain the text of the file "refused" beside the folder.
    def ftp_STOR(self, file, mode="w"):
        if os.path.exists(beside("refused")) and open(beside("refused")).read() in file:
            self.respond("553 no such names")
            return None
        return super().ftp_STOR(file, mode)


if "tls" in how:
    Handler.certfile = beside("server.pem")
    Handler.tls_control_required = Handler.tls_data_required = True
if "mute" in how:
    Handler.proto_cmds = {key: value for key, value in Handler.proto_cmds.items() if key not in ("MLST", "MLSD")}


def reserved():
    # Yields ports that the system does not assign by itself. Each is held at an address of its own, so that no other
    # server of a test uses it while this one lives.
    for port in random.sample(range(10_000, 20_000), 10_000):
        try:
            yield socket.create_server(("127.0.0.9", port))
        except OSError:
            pass


held = list(itertools.islice(reserved(), 16))
ports = [one.getsockname()[1] for one in held]
Handler.passive_ports = ports
Handler.passive_dtp = Listening
Handler.abstracted_fs = Files
logging.basicConfig(level=logging.CRITICAL)
authorizer = DummyAuthorizer()
authorizer.add_user("cdr", password, folder, perm="elradfmwMT")
Handler.authorizer = authorizer
server = ThreadedFTPServer(("127.0.0.1", 0), Handler)
print(server.address[1])
print(*ports, flush=True)
server.serve_forever()
