"""Statements and locks of each request with one, two and three nodes, and the costs for the simulation of 100 nodes."""
import collections
import json
import random
import statistics
import time

from . import simulation
from .cluster import kind_of
from .costs import heartbeat_cost, load_costs, signal_costs
from .events import ZONE as WATCHED, open_stream, prepare_watched
from .installations import ZONE, Installation
from .load import NAME, Connection, new_name
from .nodes import TASK, Node, newest_token, prepare_zone
from .speed import ACTIVE_USERS, USERS, fill

NODES = 3
REQUESTS = 300
IDLE_SECONDS = 10
# A pause between saves that devices watch: longer than the time for which a node collects signals.
PAUSE_SECONDS = 0.02


def sums(statements):
    """Returns the sums of some statements: their number by kind, the rows that they wrote, and bytes of the log."""
    found = collections.Counter()
    for statement in statements:
        kind = kind_of(statement["query"])
        found[kind] += statement["calls"]
        found["statements"] += statement["calls"]
        found["log"] += statement["bytes"]
        if kind == "write":
            found["rows"] += statement["rows"]
    return found


def per_request(found, idle, seconds, requests):
    """Returns the sums of one request. `idle` are the sums of one second without requests."""
    return {key: (found.get(key, 0) - idle.get(key, 0) * seconds) / requests for key in set(found) | set(idle)}


class Statements:
    """The nodes and users of this part."""

    def __init__(self, bench):
        self.bench, self.cluster = bench, bench.cluster
        self.streams = []
        bench.announce(f"statements: {USERS} users with a zone each")
        installation = Installation(bench, "statements", TASK, has_second_index=True)
        installation.loading.load(USERS)
        self.database, self.address = installation.database, installation.address
        self.record_name = installation.record_name
        node = installation.start()
        self.nodes = [node]
        self.users = [user for user, _ in installation.sign_in(ACTIVE_USERS, random.Random(1))]
        prepare_zone(node, self.users[0], "One")
        fill(node, self.users[1], "Pulled", 800)
        self.ann = prepare_watched(node, "ann@example.org", installation.api_token)

    def add_node(self):
        name = f"statements-{len(self.nodes)}"
        self.nodes.append(Node(self.bench.program, self.bench.folder, name, self.address))

    def open_streams(self):
        """Opens a stream of one device at each node that has none."""
        for number in range(len(self.streams), len(self.nodes)):
            self.streams.append(open_stream(self.nodes[number], self.ann, f"device-{number}"))

    def jobs(self):
        """Returns the request of each job, and the pause before each request."""
        connection = Connection(self.nodes[0].port)
        # NB: the saves have users of their own, so that the polls find no changes.
        first, second, third = self.users[:3]
        token = newest_token(connection, first, ZONE)
        database_token = database_token_of(connection, first)
        connection.close()
        many = ["@" * 32] * 200
        return {
            "lookup of 1 record": (first.lookup(ZONE, self.record_name), 0),
            "zone changes, none": (first.zone_changes(ZONE, token), 0),
            "database changes, none": (first.database_changes(database_token), 0),
            "query, first 50": (second.tasks_of_list("Pulled"), 0),
            "page of 200 changes": (second.zone_changes("Pulled"), 0),
            "modify-1": (third.save(ZONE), 0),
            "modify-200": (third.save(ZONE, many), 0),
            "modify-1, watched": (self.ann.save(WATCHED), PAUSE_SECONDS),
        }

    def idle(self):
        """Returns the sums of one second without requests."""
        self.cluster.forget_statements()
        time.sleep(IDLE_SECONDS)
        return {key: value / IDLE_SECONDS for key, value in sums(self.cluster.statements()).items()}

    def send(self, request, pause, count=REQUESTS):
        """Sends requests one after the other, and returns the seconds that this takes."""
        connection = Connection(self.nodes[0].port)
        begin = time.perf_counter()
        for _ in range(count):
            if pause:
                time.sleep(pause)
            named = request
            while NAME in named:
                named = named.replace(NAME, new_name(), 1)
            connection.ask(named)
        if pause:
            # The other nodes still work on the last signal.
            time.sleep(0.2)
        connection.close()
        return time.perf_counter() - begin

    def count(self):
        """Returns the sums of each job and of an idle second, with the present number of nodes."""
        self.open_streams()
        self.cluster.track(True)
        jobs = self.jobs()
        for request, _ in jobs.values():
            self.send(request, 0, 40)
        time.sleep(1)
        idle = self.idle()
        results = {}
        for name, (request, pause) in jobs.items():
            self.bench.announce(f"statements: {len(self.nodes)} nodes, {name}")
            self.cluster.forget_statements()
            seconds = self.send(request, pause)
            results[name] = per_request(sums(self.cluster.statements()), idle, seconds, REQUESTS)
        self.cluster.track(False)
        return idle, results

    def watched_cost(self):
        """Returns the processor time per save that devices watch: of the database, and of the last node.

        The time without requests is subtracted.
        """
        request = self.ann.save(WATCHED)
        costs = []
        for _ in range(self.bench.rounds):
            before = self.cluster.seconds(), self.nodes[-1].seconds()
            time.sleep(3)
            middle = self.cluster.seconds(), self.nodes[-1].seconds()
            seconds = self.send(request, PAUSE_SECONDS, 150)
            after = self.cluster.seconds(), self.nodes[-1].seconds()
            costs.append([(c - b - (b - a) / 3 * seconds) / 150 for a, b, c in zip(before, middle, after)])
        return [statistics.median(values) for values in zip(*costs)]

    def idle_cost(self):
        """Returns the processor time per second without requests: of the database, and of one node."""
        costs = []
        for _ in range(self.bench.rounds):
            before = self.cluster.seconds(), self.nodes[-1].seconds()
            time.sleep(IDLE_SECONDS * 0.6)
            after = self.cluster.seconds(), self.nodes[-1].seconds()
            costs.append([(b - a) / (IDLE_SECONDS * 0.6) for a, b in zip(before, after)])
        return [statistics.median(values) for values in zip(*costs)]


def database_token_of(connection, user):
    token = None
    while True:
        page = json.loads(connection.ask(user.database_changes(token)))
        token = page["syncToken"]
        if not page["moreComing"]:
            return token


def statements_table(counts):
    """Returns the sums by the number of nodes as lines of a table."""
    columns = ["statements", "begin", "read", "write", "rows", "advisory", "lock", "notify", "log"]
    lines = ["| request | nodes | statements | transactions | reads | writes | rows written | advisory locks |"
             " reads with row locks | NOTIFY | bytes of the log |", "|---|" + "---:|" * 10]
    for name in next(iter(counts.values()))[1]:
        for count, (_, results) in counts.items():
            values = [f"{results[name].get(column, 0):.2f}" for column in columns[:-1]]
            lines.append(f"| {name} | {count} | {' | '.join(values)} | {results[name].get('log', 0):.0f} |")
    for count, (idle, _) in counts.items():
        values = [f"{idle.get(column, 0):.2f}" for column in columns[:-1]]
        lines.append(f"| none, in a second | {count} | {' | '.join(values)} | {idle.get('log', 0):.0f} |")
    return lines


def measure_statements(bench):
    part = Statements(bench)
    costs = load_costs(part)
    counts, watched = {}, {}
    for count in range(1, NODES + 1):
        counts[count] = part.count()
        watched[count] = part.watched_cost()
        if count < NODES:
            part.add_node()
    bench.announce("statements: nodes without requests")
    database_idle, costs["node_idle"] = part.idle_cost()
    costs["database_idle"] = database_idle / NODES
    costs["heartbeat_row"] = heartbeat_cost(part)
    costs |= signal_costs(bench)
    # Each further node costs the database the delivery of the signal, and the statements of the node's reaction.
    growth = (watched[NODES][0] - watched[1][0]) / (NODES - 1)
    costs["database_reaction"] = max(0.0, growth - costs["listener"])
    costs["node_reaction"] = max(0.0, watched[NODES][1])
    for node in list(part.nodes):
        node.stop()
    bench.cluster.drop(part.database)
    bench.report.tables.append(("Statements and locks of a request", statements_table(counts)))
    bench.report.tables.append(("Costs for the simulation", [
        "| cost | µs |", "|---|---:|", *(f"| {name} | {value * 1e6:.1f} |" for name, value in costs.items())]))
    results = []
    for count in simulation.NODES:
        bench.announce(f"statements: a simulation of {count} nodes")
        results.append(simulation.simulate(simulation.Costs(**costs), count))
    title = (f"Simulation: nodes with {simulation.NODE_CORES} cores, a database with {simulation.DATABASE_CORES} cores,"
             f" {simulation.CLIENTS_PER_NODE} clients a node")
    bench.report.tables.append((title, simulation.table(results)))
    bench.report.figures["costs"] = costs
    bench.report.figures["simulation"] = results
    bench.report.figures["statements"] = {
        count: {"idle": dict(idle), "requests": found} for count, (idle, found) in counts.items()}
