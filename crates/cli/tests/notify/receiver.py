"""A receiver of webhooks. It writes each request to FOLDER/requests and answers by the mode in FOLDER/mode: "slow" waits
30 seconds, "redirect" redirects, "picky" refuses alarms of msc-boston, "down" answers 503. With a FOLDER/server.pem it uses
HTTPS. Prints the port."""

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
    # Each connection does its TLS handshake in its own thread.
    server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(server.server_address[1], flush=True)
server.serve_forever()
