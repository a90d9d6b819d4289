"""A receiver of webhooks: notes each request in FOLDER/requests, and answers as FOLDER/mode says: "picky" is who takes
nothing of Boston. Where there is a FOLDER/server.pem it is reached by HTTPS."""

import http.server
import json
import pathlib
import ssl
import sys
import time

folder = pathlib.Path(sys.argv[1])


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        mode = (folder / "mode").read_text()
        request = {
            "path": self.path,
            "mode": mode,
            "key": self.headers["Idempotency-Key"],
            "authorization": self.headers["Authorization"],
            "body": json.loads(body),
        }
        with open(folder / "requests", "a") as requests:
            requests.write(json.dumps(request) + "\n")
        if mode == "slow":
            time.sleep(30)
        if mode == "redirect":
            self.send_response(307)
            self.send_header("Location", "/elsewhere")
        elif mode == "picky" and request["body"]["subject"] == "msc-boston":
            self.send_response(413)
        else:
            self.send_response(503 if mode == "down" else 204)
        self.end_headers()

    do_GET = do_POST

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
if (folder / "server.pem").exists():
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(folder / "server.pem")
    # Each connection greets in its own thread.
    server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(server.server_address[1], flush=True)
server.serve_forever()
