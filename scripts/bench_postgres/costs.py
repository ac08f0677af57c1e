"""The costs for the simulation of many nodes: of reads and writes, of signals, and of nodes without requests."""
import os
import subprocess
import time

from . import simulation
from .cluster import fail
from .installations import ZONE
from .load import Connection, drive
from .nodes import newest_token
from .speed import CONNECTIONS, makers_of_many_zones, saving

LOAD_SECONDS = 5
LISTENERS = 100
NOTIFICATIONS_PER_SECOND = 200
# The simulated number of nodes for which rows are added to the tables of the nodes.
NODE_ROWS = 99
NOTIFY = "SELECT pg_notify('stratus', 'bench ' || md5(random()::text));\n"


def wait_for_listeners(cluster, database, count):
    query = f"SELECT COUNT(*) FROM pg_stat_activity WHERE datname = '{database}' AND query LIKE 'LISTEN%'"
    for _ in range(100):
        if int(cluster.value(query)) == count:
            return
        time.sleep(0.2)
    fail("the listeners of the measurement do not listen")


def signal_costs(bench):
    """Returns the time of a NOTIFY without listeners, and the time of the database that one listener adds."""
    cluster, database = bench.cluster, "bench_notify"
    cluster.create(database)
    script = os.path.join(bench.folder, "notify.sql")
    with open(script, "w", encoding="ascii") as file:
        file.write(NOTIFY)
    alone = 1 / cluster.rate("-n", "-f", script, "-T", "3", "-c", "1", "-M", "prepared", database=database)
    costs, listeners = {}, []
    try:
        for count in (0, LISTENERS):
            bench.announce(f"statements: NOTIFY with {count} listeners")
            for _ in range(count):
                listener = subprocess.Popen(cluster.psql(database), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                            stderr=subprocess.DEVNULL, text=True)
                listeners.append(listener)
                listener.stdin.write("LISTEN stratus;\n")
                listener.stdin.flush()
            wait_for_listeners(cluster, database, count)
            # NB: the processor time of a connection is unknown after its end, so both times are read before.
            with cluster.start_pgbench("-n", "-f", script, "-R", str(NOTIFICATIONS_PER_SECOND), "-T", "9",
                                       database=database):
                time.sleep(1.5)
                before, begin = cluster.seconds(), time.perf_counter()
                time.sleep(6)
                used, seconds = cluster.seconds() - before, time.perf_counter() - begin
            costs[count] = used / seconds / NOTIFICATIONS_PER_SECOND
    finally:
        for listener in listeners:
            listener.kill()
            listener.wait()
    cluster.drop(database)
    return {"notify": alone, "listener": max(0.0, costs[LISTENERS] - costs[0]) / LISTENERS}


def heartbeat_cost(part):
    """Returns the processor time of the database that the rows of one more node add to a heartbeat."""
    calm = part.idle_cost()[0]
    part.cluster.run(
        "INSERT INTO stratus.nodes (node, version, started_at, seen_at, draining,"
        " store_oldest, store_newest, registry_oldest, registry_newest) SELECT 'bench-' || n, 'bench', 0,"
        " (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT + 3600000, 0,"
        " store_oldest, store_newest, registry_oldest, registry_newest"
        f" FROM generate_series(1, {NODE_ROWS}) n, (SELECT * FROM stratus.nodes LIMIT 1) AS one",
        "INSERT INTO stratus.writers (node, commits) SELECT 'bench-' || n, 0"
        f" FROM generate_series(1, {NODE_ROWS}) n, generate_series(1, {simulation.WRITERS})", database=part.database)
    full = part.idle_cost()[0]
    part.cluster.run("DELETE FROM stratus.nodes WHERE node LIKE 'bench-%'",
                     "DELETE FROM stratus.writers WHERE node LIKE 'bench-%'", database=part.database)
    beats_per_second = len(part.nodes) / simulation.HEARTBEAT_SECONDS
    return max(0.0, full - calm) / beats_per_second / NODE_ROWS


def load_costs(part):
    """Returns the costs of reads and writes under load at one node, for the simulation."""
    node, cluster, users = part.nodes[0], part.cluster, part.users
    meters = {"node": node.seconds, "database": cluster.seconds}
    connection = Connection(node.port)
    token = newest_token(connection, users[0], ZONE)
    connection.close()
    requests = [users[0].lookup(ZONE, part.record_name), users[0].zone_changes(ZONE, token)]
    part.bench.announce("statements: lookups and polls under load")
    reads = drive(node.port, [lambda request=request: request for request in requests * (CONNECTIONS // 2)],
                  LOAD_SECONDS, 1, meters)
    part.bench.announce("statements: saves under load")
    before = cluster.flushes()
    writes = drive(node.port, makers_of_many_zones(users), LOAD_SECONDS, 1, meters)
    after = cluster.flushes()
    zone = drive(node.port, [saving([users[0].save("One")])] * CONNECTIONS, LOAD_SECONDS, 1, meters)
    return {
        "node_read": reads.cost("node"), "database_read": reads.cost("database"), "node_write": writes.cost("node"),
        "database_write": writes.cost("database"), "zone": 1 / zone.rate,
        "flush": (after[1] - before[1]) / 1e3 / max(1, after[0] - before[0])}
