"""Connections that send requests to a server: one after the other, or over many connections at once."""
import itertools
import hashlib
import re
import select
import socket
import time

from .cluster import fail

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
# The text in a request that is replaced by the name of a record.
NAME = b"@" * 32
_names = itertools.count()


def new_name():
    """Returns a record name of 32 characters that was not used yet. Names are as unordered as UUIDs."""
    return hashlib.md5(b"%d" % next(_names)).hexdigest().encode()


def end_of_answer(answer):
    """Returns the number of bytes of the head and of the whole answer, or None if the head is not complete."""
    head = answer.find(b"\r\n\r\n")
    if head < 0:
        return None
    found = LENGTH.search(answer, 0, head + 2)
    if not found:
        fail(f"an answer has no length: {bytes(answer[:head])!r}")
    return head + 4, head + 4 + int(found.group(1))


def check(answer):
    if not answer.startswith(b"HTTP/1.1 200 ") or b'"serverErrorCode"' in answer:
        fail(f"a request is refused: {bytes(answer[:2000])!r}")


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


class Connection:
    """A connection that sends a request when the answer to the earlier one has arrived."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, request):
        """Sends a request, and returns the body of the answer."""
        self.socket.sendall(request)
        answer = bytearray()
        end = None
        while end is None or len(answer) < end[1]:
            more = self.socket.recv(1 << 18)
            if not more:
                fail("the server closed a connection")
            answer += more
            end = end or end_of_answer(answer)
        check(answer)
        return bytes(answer[end[0]:])

    def time(self, request):
        """Returns the seconds from the request to the end of its answer."""
        begin = time.perf_counter()
        self.ask(request)
        return time.perf_counter() - begin

    def close(self):
        self.socket.close()


class Load:
    """The result of many requests: their rate, their latencies, and the processor time that they have cost."""

    def __init__(self):
        self.latencies = []
        self.seconds = 0.0
        # The processor time of each meter, in seconds.
        self.costs = {}

    @property
    def rate(self):
        return len(self.latencies) / self.seconds

    def cost(self, meter):
        """The processor time per request in seconds."""
        return self.costs[meter] / max(1, len(self.latencies))


class Sender:
    """One of the connections of a load."""

    def __init__(self, port, make):
        self.connection = Connection(port)
        self.make = make
        self.answer = bytearray()
        self.begin = 0.0

    def send(self):
        self.answer.clear()
        self.begin = time.perf_counter()
        self.connection.socket.sendall(self.make())

    def receive(self):
        """Reads from the connection, and returns the latency if the answer is complete."""
        more = self.connection.socket.recv(1 << 16)
        if not more:
            fail("the server closed a connection")
        self.answer += more
        end = end_of_answer(self.answer)
        if end is None or len(self.answer) < end[1]:
            return None
        check(self.answer)
        return time.perf_counter() - self.begin


def drive(port, makers, seconds, warm_up=1.0, meters=None):
    """Sends requests over several connections for some seconds.

    `makers` has a function for each connection, which returns the next request. `meters` are functions that return a
    processor time in seconds, by their names.
    """
    meters = meters or {}
    poll = select.epoll()
    senders = {}
    for make in makers:
        sender = Sender(port, make)
        senders[sender.connection.socket.fileno()] = sender
        poll.register(sender.connection.socket, select.EPOLLIN)
    load, before = Load(), None
    under_way = len(senders)
    begin = time.perf_counter()
    for sender in senders.values():
        sender.send()
    while under_way:
        ready = poll.poll(20)
        if not ready:
            fail("the server has not answered for 20 seconds")
        for descriptor, _ in ready:
            sender = senders[descriptor]
            latency = sender.receive()
            if latency is None:
                continue
            if before is not None and not load.seconds:
                load.latencies.append(latency)
            if load.seconds:
                under_way -= 1
            else:
                sender.send()
        now = time.perf_counter()
        if before is None and now - begin >= warm_up:
            before = {name: meter() for name, meter in meters.items()}
            begin = time.perf_counter()
        elif before is not None and not load.seconds and now - begin >= seconds:
            load.seconds = now - begin
            load.costs = {name: meter() - before[name] for name, meter in meters.items()}
    for sender in senders.values():
        sender.connection.close()
    poll.close()
    return load
