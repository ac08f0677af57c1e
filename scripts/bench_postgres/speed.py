"""Speed: saves compared with pgbench -N, and a full pull compared with the same server on SQLite."""
import random
import re
import statistics
import time

from .cluster import fail
from .installations import ZONE, Installation
from .load import NAME, Connection, drive, new_name
from .nodes import TASK, Node, prepare_zone

# The users in the store, and those of them that save records.
USERS, ACTIVE_USERS = 10_000, 1_024
CONNECTIONS = 64
# A node writes with this number of connections (`PostgresSettings.writersMax`), and so does pgbench.
WRITERS = 16
SECONDS = 8
WARM_UP_SECONDS = 2
PGBENCH_SCALE = 20
PULLED_RECORDS = 100_000
RECORDS_PER_REQUEST = 400
TOKEN = re.compile(rb'"syncToken":"([^"]+)"')


def saving(requests):
    """Returns a function that returns save requests, in turn from these templates, each with a new name."""
    turn = [0]

    def make():
        turn[0] += 1
        return requests[turn[0] % len(requests)].replace(NAME, new_name())

    return make


def makers_of_many_zones(users, connections=CONNECTIONS):
    """Returns a function for each connection. No two connections save into the same zone."""
    requests = [user.save(ZONE) for user in users]
    return [saving(requests[index::connections]) for index in range(connections)]


def fill(node, user, zone, records):
    """Creates a zone with many records."""
    connection = Connection(node.port)
    connection.ask(user.make_zone(zone))
    for _ in range(records // RECORDS_PER_REQUEST):
        names = [new_name().decode() for _ in range(RECORDS_PER_REQUEST)]
        connection.ask(user.save(zone, names))
    connection.close()


def pull(node, user, zone):
    """Fetches all records of the large zone, and returns the seconds that this takes."""
    connection = Connection(node.port)
    token, found = None, 0
    begin = time.perf_counter()
    while True:
        page = connection.ask(user.zone_changes(zone, token))
        found += page.count(b'"recordChangeTag"')
        # NB: the token of the zone follows its records, which have no key of this name.
        token = TOKEN.findall(page)[-1].decode().replace("\\/", "/")
        if b'"moreComing":true' not in page[-4096:]:
            break
    seconds = time.perf_counter() - begin
    connection.close()
    if found != PULLED_RECORDS:
        fail(f"a pull has {found} of {PULLED_RECORDS} records")
    return seconds


class Speed:
    """The servers of this part, and its jobs."""

    def __init__(self, bench):
        self.bench = bench
        cluster = bench.cluster
        bench.announce("speed: the database of pgbench")
        cluster.create("bench_floor")
        cluster.pgbench("-i", "-q", "-s", str(PGBENCH_SCALE), database="bench_floor")
        bench.announce(f"speed: {USERS} users with a zone each")
        installation = Installation(bench, "speed", TASK, has_second_index=True)
        installation.loading.load(USERS)
        self.node = installation.start()
        self.users = [user for user, _ in installation.sign_in(ACTIVE_USERS, random.Random(1))]
        token = installation.api_token
        prepare_zone(self.node, self.users[0], "One")
        self.sqlite = Node(bench.program, bench.folder, "sqlite")
        self.pulls = {}
        for name, node, user in (
                ("PostgreSQL", self.node, self.node.make_user("puller@example.org", token)),
                ("SQLite", self.sqlite, self.sqlite.make_user("puller@example.org", self.sqlite.make_container()))):
            bench.announce(f"speed: a zone of {PULLED_RECORDS} records in {name}")
            fill(node, user, "Pulled", PULLED_RECORDS)
            pull(node, user, "Pulled")
            self.pulls[name] = (node, user)
        cluster.run("VACUUM ANALYZE", "CHECKPOINT", database="bench_speed")
        self.figures = {name: [] for name in ("floor", "many", "one", "PostgreSQL", "SQLite")}
        self.loads = {"many": [], "one": []}

    def measure(self, job):
        self.bench.announce(f"speed: {job}")
        cluster = self.bench.cluster
        if job == "floor":
            rate = cluster.rate("-N", "-n", "-M", "prepared", "-c", str(WRITERS), "-j", "2", "-T", str(SECONDS),
                                database="bench_floor")
        elif job in self.pulls:
            rate = PULLED_RECORDS / pull(*self.pulls[job], "Pulled")
        else:
            one = saving([self.users[0].save("One")])
            makers = [one] * CONNECTIONS if job == "one" else makers_of_many_zones(self.users)
            load = drive(self.node.port, makers, SECONDS, WARM_UP_SECONDS,
                         {"node": self.node.seconds, "database": cluster.seconds, "client": time.process_time})
            self.loads[job].append(load)
            rate = load.rate
        self.figures[job].append(rate)

    def ratio(self, job, floor):
        return statistics.median(a / b for a, b in zip(self.figures[job], self.figures[floor]))

    def cost(self, job):
        parts = [f"{meter} {statistics.median(load.cost(meter) * 1e6 for load in self.loads[job]):.0f}"
                 for meter in ("node", "database", "client")]
        return f"µs of CPU each: {', '.join(parts)}"


def measure_speed(bench):
    speed = Speed(bench)
    jobs = list(speed.figures)
    for turn in range(bench.rounds):
        bench.announce(f"speed: round {turn + 1} of {bench.rounds}")
        for job in jobs if turn % 2 == 0 else reversed(jobs):
            speed.measure(job)
    speed.node.stop()
    speed.sqlite.stop()
    for database in ("bench_speed", "bench_floor"):
        bench.cluster.drop(database)
    rate = {job: statistics.median(values) for job, values in speed.figures.items()}
    report = bench.report
    report.add(f"pgbench -N, {WRITERS} connections", f"{rate['floor']:.0f}/s")
    for job, name, goal in (("many", f"modify-1 into {ACTIVE_USERS} zones", 0.8),
                            ("one", "modify-1 into one zone", 0.5)):
        report.add(name, f"{rate[job]:.0f}/s", speed.cost(job))
        report.add("", "", f"{speed.ratio(job, 'floor'):.2f} of pgbench -N", f"≥ {goal}",
                   speed.ratio(job, "floor") >= goal)
    report.add("full pull on SQLite", f"{rate['SQLite']:.0f} records/s")
    ratio = speed.ratio("PostgreSQL", "SQLite")
    report.add("full pull on PostgreSQL", f"{rate['PostgreSQL']:.0f} records/s", f"{ratio:.2f} of SQLite", "≥ 0.5",
               ratio >= 0.5)
    report.figures["speed"] = {
        "rounds": speed.figures, "of pgbench, many zones": speed.ratio("many", "floor"),
        "of pgbench, one zone": speed.ratio("one", "floor"), "of SQLite": ratio}
