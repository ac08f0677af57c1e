"""Signs requests with a server-to-server key in the forms of known clients, with the package cryptography.

Starts `stratus dev` on a free port with a new folder, registers a key on the command line, and sends
requests with the standard library. Prints one line for each check, and exits with 1 at the first failure.

Usage: server_key_client.py PATH_TO_STRATUS
"""

import base64
import datetime
import hashlib
import json
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

CONTAINER = "iCloud.org.example.Interop"
PREFIX = "X-Apple-CloudKit-Request-"


def check(what, condition):
    print(("ok    " if condition else "FAILED ") + what)
    if not condition:
        sys.exit(1)


def start(binary, folder):
    """Starts the server; returns the process and its URL."""
    process = subprocess.Popen(
        [binary, "dev", "--data", folder, "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    for line in process.stdout:
        if line.startswith("stratus is ready at "):
            return process, line.split()[-1]
    raise SystemExit("the server ended before it was ready")


class Program:
    def __init__(self, url, key, key_id):
        self.url, self.key, self.key_id = url, key, key_id

    def headers(self, date, body_text, path):
        text = f"{date}:{body_text}:{path}"
        signature = self.key.sign(text.encode(), ec.ECDSA(hashes.SHA256()))
        return {
            PREFIX + "KeyID": self.key_id,
            PREFIX + "ISO8601Date": date,
            PREFIX + "SignatureV1": base64.b64encode(signature).decode(),
        }

    def send(self, endpoint, body=None, query="", signed_path=None, body_text=None, minutes=0):
        path = f"/database/1/{CONTAINER}/development/public/{endpoint}"
        data = json.dumps(body).encode() if body is not None else b""
        now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=minutes)
        if body_text is None:
            body_text = base64.b64encode(hashlib.sha256(data).digest()).decode()
        headers = self.headers(
            now.strftime("%Y-%m-%dT%H:%M:%SZ"), body_text, signed_path or path + query
        )
        request = urllib.request.Request(
            self.url + path + query, data=data or None, headers=headers
        )
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)


def run(binary, folder):
    process, url = start(binary, folder)
    try:
        key = ec.generate_private_key(ec.SECP256R1())
        public = key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        subprocess.run(
            [binary, "container", "create", CONTAINER, "--data", folder],
            check=True, stdout=subprocess.DEVNULL,
        )
        added = subprocess.run(
            [binary, "server-key", "add", "--container", CONTAINER, "--environment", "development",
             "--data", folder, "--json", "-"],
            input=public, check=True, capture_output=True,
        )
        added = json.loads(added.stdout)
        program = Program(url, key, added["id"])
        record = {"recordName": "n-1", "recordType": "Note", "fields": {"t": {"value": "Milk ☕️"}}}
        body = {"operations": [{"operationType": "create", "record": record}]}
        status, answer = program.send("records/modify", body)
        saved = answer["records"][0]
        check("a record is saved", status == 200 and "serverErrorCode" not in saved)
        check(
            "the record's creator is the user of the key",
            saved["created"]["userRecordName"] == added["userRecordName"],
        )
        status, _ = program.send("zones/list")
        check("a GET with the hash of an empty body is accepted", status == 200)
        status, _ = program.send("zones/list", body_text="")
        check("a GET with an empty text is accepted, as from MistKit", status == 200)
        query = "?ckjsBuildVersion=2402&clientId=a%20b"
        status, _ = program.send("zones/list", query=query)
        check("a signed query is accepted, as from CloudKit JS", status == 200)
        path = f"/database/1/{CONTAINER}/development/public/zones/list"
        status, _ = program.send("zones/list", query=query, signed_path=path)
        check("an unsigned query is accepted, as from OpenCloudKit", status == 200)
        status, answer = program.send("zones/list", signed_path=path + "x")
        check(
            "a signature of another path is refused",
            (status, answer["reason"]) == (401, "Authentication failed"),
        )
        status, answer = program.send("zones/list", minutes=-11)
        check("an old request is refused", status == 401 and "date" in answer["reason"])
        subprocess.run(
            [binary, "server-key", "revoke", added["id"], "--data", folder], check=True
        )
        status, answer = program.send("zones/list")
        check("a revoked key is refused", status == 401 and "revoked" in answer["reason"])
    finally:
        process.terminate()
        process.wait()


def main():
    with tempfile.TemporaryDirectory() as folder:
        run(sys.argv[1], folder)


main()
