"""An S3 store on a free port: s3.py FOLDER KEY SECRET. Each folder in the folder is a bucket with its objects, and files that a
test puts there become objects. Requests must be signed, which botocore checks. Files beside the folder control the store. Each
line of "answers" is the answer to one upload: a status with the error code behind it; or "lost", which stores the object and
closes the connection without an answer. While "full" exists, uploads fail. It refuses names that contain the text of "refused",
and denies reading and removing objects whose names contain the text of "withheld". Prints the port."""

import io
import logging
import os
import socket
import sys
import threading
import urllib.parse

from botocore.auth import S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from moto.s3.models import s3_backends
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

folder, key, secret = sys.argv[1:]
beside = os.path.dirname(os.path.abspath(folder))
store = s3_backends["123456789012"]["aws"]
moto = DomainDispatcherApplication(create_backend_app)
sizes = {}
one_at_a_time = threading.Lock()


def next_answer(method, name):
    refused = os.path.join(beside, "refused")
    if method == "PUT" and os.path.exists(os.path.join(beside, "full")):
        return "507 full"
    if method == "PUT" and os.path.exists(refused) and open(refused).read() in name:
        return "400 KeyTooLongError"
    withheld = os.path.join(beside, "withheld")
    if method in ("GET", "DELETE") and os.path.exists(withheld) and open(withheld).read() in name:
        return "403 AccessDenied"
    path = os.path.join(beside, "answers")
    if method != "PUT" or not os.path.exists(path):
        return None
    with open(path) as answers:
        lines = answers.read().splitlines()
    with open(path, "w") as answers:
        answers.write("\n".join(lines[1:]))
    return lines[0] if lines else None


def take_in():
    """Applies the files that were added to the folder, or removed from it, to the store."""
    for bucket in os.listdir(folder):
        if bucket not in store.buckets:
            store.create_bucket(bucket, "us-east-1")
        found = {}
        for path, _, names in os.walk(os.path.join(folder, bucket)):
            for name in names:
                whole = os.path.join(path, name)
                found[os.path.relpath(whole, os.path.join(folder, bucket))] = whole
        for name, whole in found.items():
            if sizes.get((bucket, name)) != os.stat(whole).st_size:
                sizes[bucket, name] = os.stat(whole).st_size
                with open(whole, "rb") as file:
                    store.put_object(bucket, name, file.read())
        for name in list(store.get_bucket(bucket).keys):
            if name not in found:
                store.delete_object(bucket, name)
                sizes.pop((bucket, name), None)


def lay_out(path):
    """Writes the current state of an object to the folder, or removes its file."""
    bucket, _, name = path.lstrip("/").partition("/")
    if bucket not in store.buckets or not name:
        return
    there = os.path.join(folder, bucket, name)
    kept = store.get_bucket(bucket).keys.get(name)
    if kept is None:
        if os.path.exists(there):
            os.remove(there)
        sizes.pop((bucket, name), None)
        return
    os.makedirs(os.path.dirname(there), exist_ok=True)
    hidden = os.path.join(beside, ".half")
    with open(hidden, "wb") as file:
        file.write(kept.value)
    sizes[bucket, name] = len(kept.value)
    os.rename(hidden, there)


def is_signed(environ):
    """Returns whether the signature is the one that botocore computes."""
    address = urllib.parse.urlsplit(environ["REQUEST_URI"])
    said = dict(urllib.parse.parse_qsl(address.query, keep_blank_values=True))
    if "X-Amz-Signature" not in said:
        return False
    query = "&".join(part for part in address.query.split("&") if not part.startswith("X-Amz-Signature="))
    names = [name for name in said["X-Amz-SignedHeaders"].split(";") if name != "host"]
    headers = {name: environ["HTTP_" + name.upper().replace("-", "_")] for name in names}
    url = f"http://{environ['HTTP_HOST']}{address.path}?{query}"
    request = AWSRequest(environ["REQUEST_METHOD"], url, headers)
    request.context["timestamp"] = said["X-Amz-Date"]
    known, date, region, _, _ = said["X-Amz-Credential"].split("/")
    signing = S3SigV4QueryAuth(Credentials(key, secret), "s3", region, int(said["X-Amz-Expires"]))
    text = signing.string_to_sign(request, signing.canonical_request(request))
    return known == key and signing.signature(text, request) == said["X-Amz-Signature"]


def application(environ, start):
    length = int(environ.get("CONTENT_LENGTH") or 0)
    body = environ["wsgi.input"].read(length)
    if len(body) < length:
        raise ConnectionError("half of it")
    environ["wsgi.input"] = io.BytesIO(body)
    with one_at_a_time:
        return answered(environ, start)


def answered(environ, start):
    said = next_answer(environ["REQUEST_METHOD"], environ["REQUEST_URI"])
    if not is_signed(environ):
        said = "403 SignatureDoesNotMatch"
    if said and said != "lost":
        status, _, code = said.partition(" ")
        text = f"<?xml version=\"1.0\"?><Error><Code>{code}</Code></Error>".encode()
        start(f"{status} No", [("Content-Type", "application/xml"), ("Content-Length", str(len(text)))])
        return [text]
    take_in()
    answer = list(moto(environ, start))
    if environ["REQUEST_METHOD"] in ("PUT", "DELETE"):
        lay_out(urllib.parse.unquote(urllib.parse.urlsplit(environ["REQUEST_URI"]).path))
    if said == "lost":
        environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
    return answer


logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
server = make_server("127.0.0.1", 0, application, threaded=True)
print(server.server_port, flush=True)
server.serve_forever()
