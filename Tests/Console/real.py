"""Starts a real server with a console, and sends requests to it without a browser."""
import http.client
import json
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

START_SECONDS = 60
# The longest time in which the body of an answer arrives.
ANSWER_SECONDS = 60


class Answer:
    """An answer to a request without a browser."""

    def __init__(self, answer):
        self.status = answer.status
        self.headers = answer.headers
        self.bytes = self.body(answer)

    @staticmethod
    def body(answer):
        """Reads the body. NB: the time-out of a socket does not end a stream with heartbeats."""
        deadline = time.monotonic() + ANSWER_SECONDS
        parts = []
        while part := answer.read1(65_536):
            parts.append(part)
            if time.monotonic() > deadline:
                raise TimeoutError(
                    f"the answer with the status {answer.status} has not ended after "
                    f"{ANSWER_SECONDS} seconds, and begins with {b''.join(parts)[:100]}")
        body = b"".join(parts)
        if answer.length:
            raise http.client.IncompleteRead(body, answer.length)
        return body

    @property
    def json(self):
        return json.loads(self.bytes)


class RealServer:
    """`stratus serve` on free ports with a new data folder."""

    def __init__(self, binary, *options):
        self.binary = str(Path(binary).resolve())
        self.folder = Path(tempfile.mkdtemp(prefix="stratus-console-"))
        self.log = open(self.folder / "log", "w")
        self.lines = []
        self.options = options
        self.setup_code = None
        self.begin()

    def begin(self):
        self.url = self.api = None
        self.process = subprocess.Popen(
            [self.binary, "serve", "--data", str(self.folder / "data"), "--port", "0",
             "--console-port", "0", *self.options],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        timer = threading.Timer(START_SECONDS, self.process.kill)
        timer.start()
        for line in self.process.stdout:
            self.lines.append(line)
            if found := re.match(r"stratus is ready at (\S+)", line):
                self.api = found[1]
            elif found := re.match(r"set up the console at (\S+)/set-up with the code (\S+)", line):
                self.url, self.setup_code = found[1], found[2]
            elif found := re.match(r"the console is at (\S+)", line):
                self.url = found[1]
            if self.url and self.api:
                break
        timer.cancel()
        assert self.url, f"the server has not started: {self.lines} {self.log_text()}"
        # NB: if this process did not read the server's output, the server would stop when the pipe
        # is full.
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def log_text(self):
        self.log.flush()
        return (self.folder / "log").read_text()

    def end(self):
        """Ends the server and returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        return status

    def remove(self):
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def command(self, *words, text=None):
        """Runs a command of the command line for this server, and returns what it prints."""
        done = subprocess.run(
            [self.binary, *words, "--data", str(self.folder / "data")],
            input=text, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"stratus {' '.join(words)}: {done.stderr}"
        return done.stdout

    def send(self, method, path, body=None, host=None, at=None, **fields):
        """Sends one request to the console. `None` removes a field that is sent by default."""
        address = urlsplit(at or self.url)
        head = {"Host": host or address.netloc, "Sec-Fetch-Site": "same-origin",
                "Origin": self.url, "Content-Type": "application/json"}
        for name, value in fields.items():
            head[name.replace("_", "-")] = value
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in head.items():
                if value is not None:
                    connection.putheader(name, value)
            if body is not None:
                data = body.encode() if isinstance(body, str) else body
                connection.putheader("Content-Length", str(len(data)))
                connection.endheaders(data)
            else:
                connection.endheaders()
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def events(self, member):
        """Opens the stream of live updates of a member."""
        address = urlsplit(self.url)
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
        connection.request("GET", "/console/1/live", headers={"Cookie": member.cookie})
        answer = connection.getresponse()
        assert answer.status == 200, answer.status
        return answer


class Member:
    """A member of the team who sends requests to the console without a browser."""

    def __init__(self, server, email, password):
        self.server = server
        answer = server.send("POST", "/console/1/session/sign-in",
                             {"email": email, "password": password})
        assert answer.status == 200, answer.bytes
        self.cookie = answer.headers["Set-Cookie"].split(";")[0]

    def call(self, path, body=None, **fields):
        return self.server.send(
            "POST", f"/console/1/{path}", body if body is not None else {},
            Cookie=self.cookie, **fields)
