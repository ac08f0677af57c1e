"""A simulation of many nodes on one PostgreSQL server, with measured service times.

usage: cd scripts; python3 -m bench_postgres.simulation FIGURES.json

FIGURES.json is the file of `scripts/bench-postgres --only statements --json FILE`. Its part "costs" has the measured
costs. The same costs always give the same result.

The model is simple: PostgreSQL's own growth with the number of connections is missing, and a network takes no time.
"""
import dataclasses
import json
import random
import sys

from .stations import Clock, Log, Station

NODES = (1, 3, 10, 30, 100)
# The machines of the simulated installation.
NODE_CORES = 2
DATABASE_CORES = 16
# The connections of a node that read and that write (`PostgresSettings`), and its other two connections.
READERS, WRITERS, OTHERS = 8, 16, 2
CLIENTS_PER_NODE = 64
# The load: every third request saves a record. Each client has a zone of its own, which its devices watch. One save in
# a hundred goes to the app's public zone, which all users share.
WRITE_SHARE = 1 / 3
PUBLIC_SHARE = 0.01
# A node collects signals for this time (`PostgresSignalBus.collectMilliseconds`), and keeps at most this number.
COLLECT_SECONDS = 0.005
SIGNALS_WAITING_MAX = 256
HEARTBEAT_SECONDS = 3
REQUESTS = 30_000
# The part of the greatest rate at which the latency is measured.
LOAD_SHARE = 0.7


@dataclasses.dataclass
class Costs:
    """Measured costs in seconds: of a request, of a signal, and of a node that has nothing to do."""

    # The processor time of a node and of the database for one request.
    node_read: float
    node_write: float
    database_read: float
    database_write: float
    # The time of one flush of PostgreSQL's log.
    flush: float
    # The time for which one save of many holds the lock of its zone.
    zone: float
    # The processor time of the database to send a signal, and to pass it on to one listener.
    notify: float
    listener: float
    # The processor time of the database and of another node until that node has reacted to a signal.
    database_reaction: float
    node_reaction: float
    # The processor time per second of the database and of the node, for each node without requests.
    database_idle: float
    node_idle: float
    # The processor time that the rows of one more node add to each heartbeat.
    heartbeat_row: float


class SimulatedNode:
    """A node: its cores, its connections, and its signals."""

    def __init__(self, world):
        self.world = world
        self.cpu = Station(world.clock, NODE_CORES)
        self.readers = Station(world.clock, READERS)
        self.writers = Station(world.clock, WRITERS)
        self.signals = 0
        self.is_reacting = False
        self.is_collecting = False

    def signal(self):
        """Tells the other nodes about a save. Saves within a few milliseconds send one signal."""
        if self.is_collecting or len(self.world.nodes) == 1:
            return
        self.is_collecting = True

        def send():
            self.is_collecting = False
            costs = self.world.costs
            seconds = costs.notify + costs.listener * len(self.world.nodes)
            # NB: PostgreSQL lets only one transaction at a time commit a NOTIFY.
            self.world.notify.use(costs.notify, lambda: self.world.database.use(seconds, self.arrive))

        self.world.clock.after(COLLECT_SECONDS, send)

    def arrive(self):
        self.world.signals += 1
        for node in self.world.nodes:
            if node is not self:
                node.signals = min(SIGNALS_WAITING_MAX, node.signals + 1)
                node.react()

    def react(self):
        """Reacts to one signal after the other, as `StoreSweep` and the hub do."""
        if self.is_reacting or not self.signals:
            return
        self.signals -= 1
        self.is_reacting = True

        def end():
            self.is_reacting = False
            self.react()

        costs = self.world.costs
        self.cpu.use(costs.node_reaction, lambda: self.world.database.use(costs.database_reaction, end))


class World:
    """The whole installation, with a load of clients that send a request after each answer or at a fixed rate."""

    def __init__(self, costs, count, seed=1):
        self.costs = costs
        self.clock = Clock()
        self.chance = random.Random(seed)
        self.database = Station(self.clock, DATABASE_CORES)
        self.log = Log(self.clock, costs.flush)
        self.notify = Station(self.clock, 1)
        self.public = Station(self.clock, 1)
        self.nodes = [SimulatedNode(self) for _ in range(count)]
        self.signals = 0
        self.latencies = []
        for node in self.nodes:
            self.beat(node, self.chance.uniform(0, HEARTBEAT_SECONDS))

    def beat(self, node, wait):
        """Adds the work of a node without requests, and its heartbeats. It is one piece of work each 100 ms."""
        costs, pause = self.costs, 0.1
        beat = costs.heartbeat_row * len(self.nodes) / HEARTBEAT_SECONDS

        def work():
            node.cpu.use(costs.node_idle * pause, lambda: None)
            self.database.use((costs.database_idle + beat) * pause, lambda: None)
            self.clock.after(pause, work)

        self.clock.after(wait % pause, work)

    def request(self, node, then):
        begin = self.clock.now

        def end():
            self.latencies.append(self.clock.now - begin)
            then()

        if self.chance.random() < WRITE_SHARE:
            self.write(node, end)
        else:
            self.read(node, end)

    def read(self, node, end):
        costs = self.costs

        def ask():
            taken = self.clock.now

            def answer():
                node.readers.give(self.clock.now - taken)
                node.cpu.use(costs.node_read / 2, end)

            self.database.use(costs.database_read, answer)

        node.cpu.use(costs.node_read / 2, lambda: node.readers.take(ask))

    def write(self, node, end):
        costs = self.costs
        # NB: a client's own zone is never locked by others. The time of the public zone contains that of its batch.
        is_public = self.chance.random() < PUBLIC_SHARE

        def ask():
            taken = self.clock.now

            def committed():
                node.writers.give(self.clock.now - taken)
                node.signal()
                node.cpu.use(costs.node_write / 2, end)

            self.database.use(costs.database_write, lambda: self.log.flush(committed))

        def begin():
            if is_public:
                self.public.use(costs.zone, lambda: node.writers.take(ask))
            else:
                node.writers.take(ask)

        node.cpu.use(costs.node_write / 2, begin)

    def closed_load(self):
        """Starts clients that send the next request after each answer."""
        for node in self.nodes:
            for _ in range(CLIENTS_PER_NODE):
                def again(node=node):
                    self.request(node, lambda: again(node))
                again()

    def open_load(self, rate):
        """Starts requests at random times, this number per second, which do not wait for earlier ones."""

        def next_one():
            self.request(self.chance.choice(self.nodes), lambda: None)
            self.clock.after(self.chance.expovariate(rate), next_one)

        next_one()

    def busy(self):
        """Returns the busy time of each resource, and the number of its servers."""
        count = len(self.nodes)
        return {
            "the database's cores": (self.database.busy, DATABASE_CORES),
            "the nodes' cores": (sum(node.cpu.busy for node in self.nodes), NODE_CORES * count),
            "the flushes of the log": (self.log.busy, 1),
            "the lock of the public zone": (self.public.busy, 1),
            "the lock of NOTIFY": (self.notify.busy, 1),
            "the reading connections": (sum(node.readers.busy for node in self.nodes), READERS * count),
            "the writing connections": (sum(node.writers.busy for node in self.nodes), WRITERS * count),
        }

    def run(self, requests):
        """Measures this number of requests, after a quarter of it. Returns the result as a dictionary."""
        while len(self.latencies) < requests // 4:
            self.clock.step()
        start, before, signals = self.clock.now, self.busy(), self.signals
        self.latencies.clear()
        while len(self.latencies) < requests:
            self.clock.step()
        seconds = self.clock.now - start
        use = {name: (busy - before[name][0]) / seconds / servers for name, (busy, servers) in self.busy().items()}
        ordered = sorted(self.latencies)
        return {"rate": requests / seconds, "p50": ordered[len(ordered) // 2],
                "p99": ordered[int(len(ordered) * 0.99)], "use": use, "signals": (self.signals - signals) / seconds}


def bottleneck(use):
    """Returns the resource that limits the rate.

    Connections count only if no core and no lock is used fully, because a connection is also busy while its statement
    waits for the database. The log does not count: if it is always busy, each flush takes more commits.
    """
    own = {name: part for name, part in use.items() if "connections" not in name and "log" not in name}
    name = max(own, key=own.get)
    return name if own[name] >= 0.85 else max(use, key=use.get)


def simulate(costs, count, requests=REQUESTS):
    """Simulates a number of nodes: the greatest rate, and the latency at a part of this rate."""
    full = World(costs, count)
    full.closed_load()
    greatest = full.run(requests)
    calm = World(costs, count)
    calm.open_load(greatest["rate"] * LOAD_SHARE)
    latency = calm.run(requests)
    return {"nodes": count, "requests per second": greatest["rate"], "p50 ms": latency["p50"] * 1e3,
            "p99 ms": latency["p99"] * 1e3, "signals per second": greatest["signals"],
            "connections": count * (READERS + WRITERS + OTHERS), "bottleneck": bottleneck(greatest["use"]),
            "use": {name: round(part, 3) for name, part in greatest["use"].items()}}


def table(results):
    """Returns the results as lines of a table."""
    lines = ["| nodes | requests/s | p50 / p99 at 70 % | signals/s | connections | most used |",
             "|---:|---:|---:|---:|---:|---|"]
    for result in results:
        name = result["bottleneck"]
        lines.append(
            f"| {result['nodes']} | {result['requests per second']:.0f} | {result['p50 ms']:.1f} /"
            f" {result['p99 ms']:.1f} ms | {result['signals per second']:.0f} | {result['connections']} |"
            f" {name}, {result['use'][name]:.0%} |")
    return lines


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    with open(sys.argv[1], encoding="utf-8") as file:
        content = json.load(file)
    costs = Costs(**content.get("costs", content))
    print("\n".join(table([simulate(costs, count) for count in NODES])))


if __name__ == "__main__":
    main()
