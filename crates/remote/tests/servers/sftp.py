"""An SFTP server on a free port: sftp.py FOLDER PASSWORD [PROGRAM]. It serves the folder as its root, by itself or through
PROGRAM, OpenSSH's sftp-server. Prints the port, the fingerprint of the host key and the key, one per line."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE

import asyncssh

folder, password, program = sys.argv[1], sys.argv[2], sys.argv[3:]
keys = os.path.join(folder, "..", "authorized")


class Login(asyncssh.SSHServer):
    def password_auth_supported(self):
        return True

    def validate_password(self, username, given):
        return username == "cdr" and given == password


def withhold(path):
    # Denies access to files whose names contain the text of the file "withheld" beside the folder.
    withheld = os.path.join(folder, "..", "withheld")
    if os.path.exists(withheld) and open(withheld).read().encode() in path:
        raise asyncssh.SFTPPermissionDenied("it is withheld")


def odd():
    # Returns the server's peculiarity, from the file "odd" beside the folder.
    path = os.path.join(folder, "..", "odd")
    return open(path).read() if os.path.exists(path) else ""


def leave_out(attrs, is_listed):
    # Omits attributes of each file.
    how = odd()
    if how == "typeless" and attrs.permissions is not None:
        attrs.permissions &= 0o777
    if how == "bare" or (how == "bare-list" and is_listed):
        attrs.size = attrs.permissions = attrs.atime = attrs.mtime = None
        attrs.uid = attrs.gid = attrs.owner = attrs.group = attrs.nlink = None
    if how == "sizeless" or (how == "sizeless-list" and is_listed):
        attrs.size = None
    return attrs


def refuse(path):
    # Refuses to open one file, with the error that "odd" names.
    name, _, reason = odd().partition("=")
    if reason and name.encode() in path:
        raise getattr(asyncssh, reason)("not this one")


class Files(asyncssh.SFTPServer):
    def __init__(self, chan):
        super().__init__(chan, chroot=folder.encode())

    def known(self, result):
        return leave_out(asyncssh.SFTPAttrs.from_local(result), False)

    def stat(self, path):
        return self.known(super().stat(path))

    def lstat(self, path):
        return self.known(super().lstat(path))

    def fstat(self, file):
        # A server that fails at the end of a file has to report its size.
        return super().fstat(file) if odd() == "failing-end" else self.known(super().fstat(file))

    def read(self, file, offset, size):
        octets = super().read(file, offset, size)
        if odd() == "failing-end" and not octets:
            raise asyncssh.SFTPFailure("there is no more")
        return octets

    # Simulates a full disk while there is a file "full" beside the folder.
    def write(self, file, offset, data):
        if os.path.exists(os.path.join(folder, "..", "full")):
            raise asyncssh.SFTPFailure("No space left on device")
        return super().write(file, offset, data)

    # Refuses names that contain the text of the file "refused" beside the folder.
    def open(self, path, pflags, attrs):
        withhold(path)
        refuse(path)
        refused = os.path.join(folder, "..", "refused")
        if os.path.exists(refused) and open(refused).read().encode() in path:
            raise asyncssh.SFTPBadMessage("no such names")
        return super().open(path, pflags, attrs)

    # Refuses to remove the files that the file "kept" beside the folder lists: a line has a part of a name and an
    # error.
    def remove(self, path):
        kept = os.path.join(folder, "..", "kept")
        for line in open(kept).read().splitlines() if os.path.exists(kept) else []:
            name, reason = line.split(" ")
            if name.encode() in path:
                raise getattr(asyncssh, reason)("it stays")
        return super().remove(path)

    # Reports one octet more for files whose names contain the text of the file "missized" beside the folder. Adds the
    # names in the file "hostile" beside the folder to each listing, one per line.
    async def scandir(self, path):
        withhold(path)
        missized = os.path.join(folder, "..", "missized")
        missized = open(missized, "rb").read() if os.path.exists(missized) else None
        async for file in super().scandir(path):
            if missized and missized in file.filename:
                file.attrs.size += 1
            leave_out(file.attrs, True)
            yield file
        while odd() == "endless-list":
            yield asyncssh.SFTPName(b"again", attrs=asyncssh.SFTPAttrs(type=1, permissions=0o100644, size=9))
        hostile = os.path.join(folder, "..", "hostile")
        for name in open(hostile, "rb").read().splitlines() if os.path.exists(hostile) else []:
            attrs = asyncssh.SFTPAttrs(type=1, permissions=0o100644, size=9, atime=0, mtime=0)
            yield asyncssh.SFTPName(name, attrs=attrs)

    # Refuses to replace a file, as the protocol demands and OpenSSH does. A file "unnamed" beside the folder has the
    # error for every rename, by the library's name; or "swept", which removes the file first, as another client might.
    def rename(self, old, new):
        unnamed = os.path.join(folder, "..", "unnamed")
        reason = open(unnamed).read() if os.path.exists(unnamed) else ""
        if reason == "swept":
            os.remove(self.map_path(old))
        elif reason:
            raise getattr(asyncssh, reason)("it stays as it is called")
        if os.path.lexists(self.map_path(new)):
            raise asyncssh.SFTPFailure("it is there")
        return super().rename(old, new)



async def through(_, reader, writer, version):
    child = await asyncio.create_subprocess_exec(*program, "-d", folder, stdin=PIPE, stdout=PIPE)

    async def carry(source, target):
        while octets := await source.read(1 << 18):
            target.write(octets)
            await target.drain()
        target.close()

    await asyncio.gather(carry(reader, child.stdin), carry(child.stdout, writer), return_exceptions=True)
    await child.wait()


async def serve():
    key = asyncssh.generate_private_key("ssh-ed25519")
    how = dict(server_host_keys=[key], server_factory=Login, encoding=None)
    if os.path.exists(keys):
        how["authorized_client_keys"] = keys
    if program:
        # The library serves files itself. This is its only place to run another program instead.
        asyncssh.stream.run_sftp_server = through
        how["sftp_factory"] = lambda channel: None
    else:
        how["sftp_factory"] = Files
    server = await asyncssh.listen("127.0.0.1", 0, **how)
    print(server.sockets[0].getsockname()[1])
    print(key.get_fingerprint())
    print(key.export_public_key().decode().strip(), flush=True)
    await server.wait_closed()


asyncio.run(serve())
