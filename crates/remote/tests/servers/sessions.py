"""An FTP server over TLS on a free port: sessions.py FOLDER PASSWORD VERSION. Each data connection has to resume a TLS session of
the control connection, or its file is refused, as by vsftpd with require_ssl_reuse. The certificate is in server.pem beside the
folder, and only the given TLS version is supported. The users that log in are written to "logins" beside the folder. Prints
the port."""

import os
import socket
import ssl
import sys
import threading

folder, password, version = sys.argv[1:]
beside = os.path.dirname(os.path.abspath(folder))
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(os.path.join(beside, "server.pem"))
context.minimum_version = context.maximum_version = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}[version]


class Refused(Exception):
    pass


def path(name):
    return os.path.join(folder, os.path.basename(name))


class Visit(threading.Thread):
    def __init__(self, line):
        super().__init__(daemon=True)
        self.line, self.lines, self.files = line, line.makefile("rb"), None

    def say(self, text):
        self.line.sendall(text.encode() + b"\r\n")

    def open(self):
        self.say("150 go")
        line, _ = self.files.accept()
        line = context.wrap_socket(line, server_side=True)
        if not line.session_reused:
            line.close()
            raise Refused("522 SSL connection failed: session reuse required")
        return line

    def run(self):
        self.say("220 here")
        for line in self.lines:
            command, _, name = line.decode().rstrip("\r\n").partition(" ")
            try:
                getattr(self, "do_" + command.lower(), lambda _: self.say("502 not implemented"))(name)
            except Refused as why:
                self.say(str(why))
            except OSError:
                return

    def do_auth(self, _):
        self.say("234 go on")
        self.line = context.wrap_socket(self.line, server_side=True)
        self.lines = self.line.makefile("rb")
        for line in self.lines:
            command, _, name = line.decode().rstrip("\r\n").partition(" ")
            try:
                getattr(self, "do_" + command.lower(), lambda _: self.say("502 not implemented"))(name)
            except Refused as why:
                self.say(str(why))

    def do_user(self, name):
        self.user = name
        self.say("331 and?")

    def do_pass(self, said):
        if said != password:
            return self.say("530 no")
        with open(os.path.join(beside, "logins"), "a") as logins:
            logins.write(self.user + "\n")
        self.say("230 in")

    def do_type(self, _):
        self.say("200 so be it")

    do_pbsz = do_prot = do_opts = do_type

    def do_pasv(self, _):
        self.files = socket.create_server(("127.0.0.1", 0))
        port = self.files.getsockname()[1]
        self.say(f"227 Entering Passive Mode (127,0,0,1,{port >> 8},{port & 255})")

    def do_stor(self, name):
        line = self.open()
        with open(path(name), "wb") as file:
            while octets := line.recv(1 << 16):
                file.write(octets)
        line.close()
        self.say("226 all of it")

    def do_retr(self, name):
        line = self.open()
        with open(path(name), "rb") as file:
            line.sendall(file.read())
        try:
            line.unwrap()
        except OSError:
            pass
        line.close()
        self.say("226 all of it")

    def do_size(self, name):
        self.say(f"213 {os.path.getsize(path(name))}" if os.path.exists(path(name)) else "550 no such file")


server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
while True:
    Visit(server.accept()[0]).start()
