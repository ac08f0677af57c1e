"""Events: the time from a write at one node to its event on a device whose stream is open at another node."""
import random
import select
import time

from .cluster import fail
from .load import NAME, Connection, new_name, percentile
from .nodes import Node, prepare_zone

WRITES_PER_ROUND = 200
GOAL_SECONDS = 0.015
ZONE = "Watched"
EVENT = b"event: notification"


def open_stream(node, user, device):
    """Opens a notification stream, and waits for its first bytes."""
    stream = Connection(node.port)
    stream.socket.sendall(user.stream(device))
    answer = b""
    while b":\n" not in answer:
        more = stream.socket.recv(4096)
        answer += more
        if not more or not answer.startswith(b"HTTP/1.1 200"):
            fail(f"a stream is refused: {answer!r}")
    return stream


def prepare_watched(node, email, api_token):
    """Creates a user with a zone that a device watches."""
    user = node.make_user(email, api_token)
    prepare_zone(node, user, ZONE)
    connection = Connection(node.port)
    connection.ask(user.subscribe(ZONE, "subscriber"))
    connection.close()
    return user


def await_events(streams, begin):
    """Returns the seconds from `begin` to the next event of each stream."""
    seconds = {}
    texts = {name: b"" for name in streams}
    while len(seconds) < len(streams):
        waiting = {stream.socket: name for name, stream in streams.items() if name not in seconds}
        ready, _, _ = select.select(list(waiting), [], [], 10)
        if not ready:
            fail("a stream has received nothing for ten seconds")
        for socket in ready:
            name = waiting[socket]
            text = socket.recv(65536)
            if not text:
                fail("a stream was closed")
            texts[name] += text
            # NB: heartbeats may arrive before the event. The event ends with an empty line.
            event = texts[name].find(EVENT)
            if event >= 0 and b"\n\n" in texts[name][event:]:
                seconds[name] = time.perf_counter() - begin
    return seconds


def measure_events(bench):
    bench.announce("events: two nodes")
    address = bench.cluster.create("bench_events")
    near, far = (Node(bench.program, bench.folder, name, address) for name in ("events-a", "events-b"))
    user = prepare_watched(near, "ann@example.org", near.make_container())
    streams = {"near": open_stream(near, user, "near"), "far": open_stream(far, user, "far")}
    request = user.save(ZONE)
    writer = Connection(near.port)
    times = {"near": [], "far": []}
    chance = random.Random(1)
    for turn in range(bench.rounds):
        bench.announce(f"events: round {turn + 1} of {bench.rounds}")
        for number in range(WRITES_PER_ROUND):
            # The pauses differ, so that the writes do not keep pace with the server's own pauses.
            time.sleep(chance.uniform(0, 0.01))
            begin = time.perf_counter()
            writer.ask(request.replace(NAME, new_name()))
            seconds = await_events(streams, begin)
            # The first writes also open connections and prepare statements.
            if turn > 0 or number >= 20:
                for name, value in seconds.items():
                    times[name].append(value)
    near.stop()
    far.stop()
    bench.cluster.drop("bench_events")
    for name, title in (("near", "write to event at the same node"), ("far", "write to event at another node")):
        middle, late = percentile(times[name], 0.5), percentile(times[name], 0.99)
        goal = ("≤ 15 ms, p50", middle <= GOAL_SECONDS) if name == "far" else ("", None)
        bench.report.add(title, f"{middle * 1e3:.1f} ms, p50", f"{late * 1e3:.1f} ms, p99", *goal)
        bench.report.figures.setdefault("events", {})[name] = {
            "p50 ms": middle * 1e3, "p99 ms": late * 1e3, "writes": len(times[name])}
