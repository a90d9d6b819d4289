"""A mail server that requires TLS and a password. It puts each mail into FOLDER, numbered by arrival. TLS begins with
STARTTLS or, if there is a file FOLDER/implicit, with the connection. FOLDER/refused lists refused recipients, each with
the answer: "bo@example.com 550 nobody here". Prints the port."""

import itertools
import pathlib
import socket
import ssl
import sys

from aiosmtpd.controller import UnthreadedController
from aiosmtpd.smtp import AuthResult

folder = pathlib.Path(sys.argv[1])
number = itertools.count(1)


class Mailbox:
    async def handle_RCPT(self, server, session, envelope, address, options):
        refused = folder / "refused"
        for line in refused.read_text().splitlines() if refused.exists() else []:
            name, answer = line.split(" ", 1)
            if name == address:
                return answer
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        path = folder / f"mail-{next(number)}"
        path.with_suffix(".part").write_bytes(
            envelope.mail_from.encode() + b"\n" + ",".join(envelope.rcpt_tos).encode() + b"\n" + envelope.content
        )
        path.with_suffix(".part").rename(path)
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    return AuthResult(success=(data.login, data.password) == (b"gateway", b"hush-hush"))


tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
tls.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
listening = socket.create_server(("127.0.0.1", 0))
port = listening.getsockname()[1]
if (folder / "implicit").exists():
    how = {"ssl_context": tls, "auth_require_tls": False}
else:
    how = {"tls_context": tls, "require_starttls": True}


class Listening(UnthreadedController):
    """Listens on the socket that is bound already, so that no other process can take its port."""

    def _create_server(self):
        return self.loop.create_server(self._factory_invoker, sock=listening, ssl=self.ssl_context)


controller = Listening(Mailbox(), **how, authenticator=authenticate, auth_required=True)
controller.begin()
print(port, flush=True)
controller.loop.run_forever()
