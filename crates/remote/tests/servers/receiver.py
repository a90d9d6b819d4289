"""An HTTP receiver on a free port: receiver.py FOLDER TOKEN [CERTIFICATE]. It puts each file into the folder and logs each
request in the file "asked" beside the folder. Files beside the folder control it. Each line of "answers" is the answer to one
upload: a status with headers behind it; "lost", which stores the file and closes the connection without an answer; or "echo",
which answers 400 with the credentials. While "full" exists, it answers that the disk is full. It refuses names that contain
the text of "refused". While "unshown" exists, it serves and deletes no file. Prints the port."""

import base64
import hashlib
import http.server
import os
import ssl
import sys
import threading
import urllib.parse

folder, token, certificate = sys.argv[1], sys.argv[2], sys.argv[3:]
beside = os.path.dirname(os.path.abspath(folder))
seen = set()
one_at_a_time = threading.Lock()


def next_answer():
    path = os.path.join(beside, "answers")
    if not os.path.exists(path):
        return None
    with open(path) as answers:
        lines = answers.read().splitlines()
    with open(path, "w") as answers:
        answers.write("\n".join(lines[1:]))
    return lines[0] if lines else None


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for header in headers:
            self.send_header(*header.split(": ", 1))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    # Refuse before the client sends the body.
    def handle_expect_100(self):
        if not self.is_known():
            self.close_connection = True
            self.answer(401, b"who are you?\n")
            return False
        return super().handle_expect_100()

    def is_known(self):
        basic = "Basic " + base64.b64encode(("cdr:" + token).encode()).decode()
        return self.headers.get("Authorization") in ("Bearer " + token, basic)

    def put(self, path, body):
        """Stores a file, and returns the status."""
        name = os.path.basename(path)
        refused = os.path.join(beside, "refused")
        if os.path.exists(os.path.join(beside, "full")):
            return 507
        if os.path.exists(refused) and open(refused).read() in name:
            return 400
        # Also if the file was removed since.
        if self.headers["Idempotency-Key"] in seen:
            return 200
        if os.path.exists(path):
            return 412 if self.headers.get("If-None-Match") == "*" else 409
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        assert self.headers["Repr-Digest"] == f"sha-256=:{digest}:"
        with open(os.path.join(beside, ".half"), "wb") as file:
            file.write(body)
        os.rename(os.path.join(beside, ".half"), path)
        seen.add(self.headers["Idempotency-Key"])
        return 201

    def do(self):
        # If the connection breaks within the head, the library treats the head as complete.
        sends = self.command in ("PUT", "POST")
        length = int(self.headers.get("Content-Length", -1 if sends else 0))
        body = self.rfile.read(length) if length > 0 else b""
        if len(body) < length or length < 0:
            self.close_connection = True
            return None
        with one_at_a_time:
            return self.done(body)

    def done(self, body):
        if not self.is_known():
            return self.answer(401, b"who are you?\n")
        with open(os.path.join(beside, "asked"), "a") as asked:
            asked.write(f"{self.command} {self.path} {self.headers.get('Idempotency-Key')}\n")
        path = folder + urllib.parse.unquote(self.path)
        assert ".." not in path, path
        if self.command in ("PUT", "POST"):
            said = next_answer()
            if said and said != "lost":
                if said == "echo":
                    return self.answer(400, self.headers["Authorization"].encode() + b"\n")
                status, *headers = said.split("|")
                return self.answer(int(status), b"as I was told\n", headers)
            status = self.put(path, body) if os.path.isdir(os.path.dirname(path)) else 404
            if said:
                self.close_connection = True
                return None
            return self.answer(status)
        if os.path.exists(os.path.join(beside, "unshown")):
            return self.answer(405)
        if not os.path.exists(path):
            return self.answer(404)
        if self.command == "DELETE":
            os.remove(path)
            return self.answer(204)
        with open(path, "rb") as file:
            return self.answer(200, file.read())

    do_PUT = do_POST = do_GET = do_HEAD = do_DELETE = do


class Server(http.server.ThreadingHTTPServer):
    # Broken connections are part of the tests.
    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", 0), Receiver)
if certificate:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate[0])
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
