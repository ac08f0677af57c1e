#!/usr/bin/env python3
"""Serves the console's files and answers its interface with fixed data, for tests and for work on
the front end.

usage: server.py [--port 8081] [--role owner|developer|operator|auditor] [--signed-in] [--set-up]
"""
import argparse
import json
import mimetypes
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import data
from answers import Refusal, State

FILES = Path(__file__).resolve().parents[3] / "Sources/StratusConsoleFiles/Files"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'")
mimetypes.add_type("text/javascript", ".js")
mimetypes.add_type("image/svg+xml", ".svg")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Logs nothing: the tests have the answers."""

    def do_GET(self):
        path = unquote(urlsplit(self.path).path)
        if path == "/console/1/live":
            return self.stream(urlsplit(self.path).query == "requests")
        if path.startswith("/files/"):
            file = (FILES / path.split("/", 3)[3]).resolve()
            if not file.is_relative_to(FILES) or not file.is_file():
                return self.send(404, "text/plain", b"There is no such file.")
            kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
            return self.send(200, kind, file.read_bytes())
        page = (FILES / "index.html").read_text().replace("HASH", "test")
        return self.send(200, "text/html; charset=utf-8", page.encode())

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        self.server.heads.append(dict(self.headers))
        path = self.path.removeprefix("/console/1/")
        if path.startswith("assets/upload/"):
            return self.send_json(200, {"singleFile": {
                "fileChecksum": "new", "size": len(body), "receipt": "r"}})
        site = self.headers.get("Sec-Fetch-Site", "same-origin")
        kind = self.headers.get("Content-Type")
        if site != "same-origin" or kind != "application/json":
            return self.send_json(403, {"serverErrorCode": "ACCESS_DENIED", "reason": "foreign"})
        try:
            with self.server.lock:
                answer = self.server.state.answer(unquote(path), json.loads(body or b"{}"))
            self.send_json(200, answer)
        except Refusal as refusal:
            self.send_json(refusal.status, refusal.body)

    def stream(self, has_requests):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            told = len(self.server.state.changes)
            for number in range(1_000, 1_000_000):
                events = []
                if number % 10 == 0:
                    entry = data.request_entry(number) | {"time": int(time.time() * 1000)}
                    events.append(("status", {"version": "1.4.0"}))
                    if has_requests:
                        events.append(("requests", entry))
                changes = self.server.state.changes
                if len(changes) < told:
                    told = 0
                if len(changes) > told:
                    events.append(("changes", {"changes": changes[told:]}))
                    told = len(changes)
                for event, value in events:
                    self.wfile.write(f"event: {event}\ndata: {json.dumps(value)}\n\n".encode())
                self.wfile.flush()
                if self.server.ends.wait(0.1):
                    return
        except OSError:
            return

    def send_json(self, status, value):
        self.send(status, "application/json", json.dumps(value).encode())

    def send(self, status, kind, body):
        self.send_response(status)
        for name, value in [
                ("Content-Type", kind), ("Content-Length", str(len(body))),
                ("Content-Security-Policy", POLICY), ("X-Content-Type-Options", "nosniff"),
                ("Cross-Origin-Opener-Policy", "same-origin"), ("Cache-Control", "no-store"),
                ("Cross-Origin-Resource-Policy", "same-origin"),
                ("Referrer-Policy", "no-referrer")]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class MockServer(ThreadingHTTPServer):
    """A mock server on a free port. `state` is its data, and may be replaced."""

    daemon_threads = True

    def __init__(self, port=0, state=None):
        super().__init__(("127.0.0.1", port), Handler)
        self.state = state or State()
        self.lock = threading.Lock()
        self.heads = []
        self.ends = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def begin(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def handle_error(self, request, client_address):
        """A browser that closes a connection is no error."""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8081)
    parser.add_argument("--role", default="owner", choices=sorted(data.ROLE_PERMISSIONS))
    parser.add_argument("--signed-in", action="store_true")
    parser.add_argument("--set-up", action="store_true", help="begin without an owner")
    options = parser.parse_args()
    state = State(options.role, is_set_up=not options.set_up)
    state.is_signed_in = options.signed_in
    server = MockServer(options.port, state)
    print(f"The mock console is at {server.url}. The password is 'correct horse', "
          "and the setup code is 7KQM-PX2A-W9TD-4HGN.")
    server.serve_forever()


if __name__ == "__main__":
    main()
