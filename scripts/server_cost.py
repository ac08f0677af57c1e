"""Servers of a benchmark, and the comparison of their processor time per request."""
import http.client
import json
import os
import re
import socket
import statistics
import subprocess
import time
from urllib.parse import quote

CONTAINER = "iCloud.org.example.Bench"
CONNECTIONS = 32
# The number of parts in which a server gets the requests of a round.
PARTS = 16


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A running server with one signed-in user and one record.

    `database` is the database that the requests name, and `schema` is a file that is imported before the record is
    saved. `roles` are custom roles of the user.
    """

    def __init__(self, program, folder, name, options, database="private", schema=None, roles=()):
        self.database = database
        self.data, self.program = os.path.join(folder, name), program
        self.port = free_port()
        self.log = open(os.path.join(folder, name + ".log"), "wb")
        self.process = subprocess.Popen(
            [program, "serve", "--data", self.data, "--port", str(self.port), "--requests-per-user", "0",
             "--operations-per-user", "0", "--requests-per-api-token", "0", "--operations-per-api-token", "0",
             *options],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.sockets = []
        self.lines = []
        for line in self.process.stdout:
            self.lines.append(line.strip())
            if "stratus is ready at" in line:
                break
        self.run("container", "create", CONTAINER)
        self.run("account", "create", "ann@example.org")
        place = ["--container", CONTAINER, "--environment", "development"]
        self.api_token = re.search(r"[0-9a-f]{64}", self.run("api-token", "create", *place)).group()
        self.web_token = self.run("web-token", "create", "--account", "ann@example.org", *place).split()[-1]
        if schema:
            self.run("schema", "import", "--container", CONTAINER, schema)
        for role in roles:
            self.run("role", "grant", *place, "--account", "ann@example.org", role)
        self.post("records/modify", {"operations": [self.operation("r1")]})

    def run(self, *arguments):
        done = subprocess.run([self.program, *arguments, "--data", self.data], capture_output=True, text=True,
                              check=True)
        return done.stdout

    @staticmethod
    def operation(name):
        record = {"recordName": name, "recordType": "Note", "fields": {"title": {"value": "milk"}}}
        return {"operationType": "forceReplace", "record": record}

    def head(self, endpoint, body):
        path = f"/database/1/{CONTAINER}/development/{self.database}/{endpoint}?ckAPIToken={self.api_token}"
        path += f"&ckWebAuthToken={quote(self.web_token, safe='')}"
        return (f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: Bench/1\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body

    def post(self, endpoint, body):
        client = http.client.HTTPConnection("127.0.0.1", self.port)
        text = self.head(endpoint, json.dumps(body).encode())
        client.connect()
        client.sock.sendall(text)
        answer = http.client.HTTPResponse(client.sock)
        answer.begin()
        content = answer.read()
        assert answer.status == 200, content
        client.close()

    def seconds(self):
        """The processor time that the process has used.

        The number is the ID of the process's clock, as clock_getcpuclockid(3) computes it. The times in /proc have a
        resolution of 10 ms only.
        """
        return time.clock_gettime(~self.process.pid << 3 | 2)

    def open(self):
        """Opens new connections for `load`."""
        self.close()
        self.sockets = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(CONNECTIONS)]

    def close(self):
        for connection in self.sockets:
            connection.close()
        self.sockets = []

    def load(self, request, count):
        """Sends a request over all connections until at least `count` are answered, and returns their number."""
        sent = 0
        while sent < count:
            for connection in self.sockets:
                connection.sendall(request)
            for connection in self.sockets:
                answer = b""
                while b"\r\n\r\n" not in answer:
                    answer += connection.recv(65536)
                head, rest = answer.split(b"\r\n\r\n", 1)
                assert head.startswith(b"HTTP/1.1 200"), head
                length = int(re.search(rb"content-length: (\d+)", head, re.I).group(1))
                while len(rest) < length:
                    rest += connection.recv(65536)
            sent += CONNECTIONS
        return sent

    def stop(self):
        self.close()
        self.process.terminate()
        self.process.wait(timeout=30)
        self.log.close()


def compare(servers, jobs, rounds):
    """Measures jobs on two servers in alternating rounds, and prints a line for each job.

    `servers` has two servers by name, and the ratios are second / first. A job has a name, an endpoint, a body and a
    number of requests. Returns for each job the medians in µs by the servers' names, and the median of the ratios.

    In each round, both servers get the requests of the job in many short parts, by turns. So a disturbance of the
    machine slows down both. The processor time of a server is that of the whole round. So it includes the work that the
    server does after its answers.
    """
    first, second = servers
    results = {}
    for name, endpoint, body, count in jobs:
        requests = {kind: server.head(endpoint, body) for kind, server in servers.items()}
        costs = {kind: [] for kind in servers}
        for kind, server in servers.items():
            server.open()
            server.load(requests[kind], count // 4)
        for _ in range(rounds):
            before = {kind: server.seconds() for kind, server in servers.items()}
            sent = dict.fromkeys(servers, 0)
            for part in range(PARTS):
                for kind in (first, second) if part % 2 == 0 else (second, first):
                    sent[kind] += servers[kind].load(requests[kind], count // PARTS)
            for kind, server in servers.items():
                costs[kind].append((server.seconds() - before[kind]) / sent[kind] * 1e6)
        ratio = statistics.median(b / a for a, b in zip(costs[first], costs[second]))
        results[name] = {kind: round(statistics.median(values), 2) for kind, values in costs.items()}
        results[name]["ratio"] = round(ratio, 4)
        print(f"{name:8} {first} {results[name][first]:8.2f} µs   {second} {results[name][second]:8.2f} µs"
              f"   ratio {ratio:.3f}", flush=True)
    return results
