"""Size: the basic jobs with many users compared with 1,000 users, in alternation, and the start of a node."""
import json
import random
import shutil
import statistics

from .installations import RECORDS_PER_USER, ZONE, Installation
from .load import NAME, Connection, new_name, percentile
from .nodes import SMALL_TASK

SMALL_USERS = 1_000
# The users whose requests are measured in a round. Each round of the large database has other users.
USERS_PER_ROUND = 200
STARTS = 3
GOAL_RATIO = 1.5
GOAL_START_SECONDS = 2
LOADING_SECONDS_MAX = 1_500
# The disk must also have room for PostgreSQL's log and for temporary files.
SPARE_BYTES = 8 << 30
JOBS = ("lookup of 1 record", "query, 10 records", "modify-1", "zone changes, all", "database changes, none")


def measure_starts(installation):
    """Starts a node several times, and returns the seconds that each start takes. The last node keeps running."""
    seconds = []
    for number in range(STARTS):
        node = installation.start()
        seconds.append(node.start_seconds)
        if number < STARTS - 1:
            node.stop()
    return seconds


def request_of(job, user, token, record_name):
    if job == "lookup of 1 record":
        return user.lookup(ZONE, record_name)
    if job == "query, 10 records":
        return user.tasks_of_list(ZONE)
    if job == "modify-1":
        return user.save(ZONE, fields=SMALL_TASK).replace(NAME, new_name())
    if job == "zone changes, all":
        return user.zone_changes(ZONE)
    return user.database_changes(token)


def users_for_disk(wanted, bytes_per_user, free):
    """Returns the number of users for which the disk has room. The log and vacuum need a quarter more."""
    return max(SMALL_USERS, min(wanted, int((free - SPARE_BYTES) / (bytes_per_user * 1.25))))


def load(bench, small, large):
    """Loads both databases, and returns sentences about the number of users."""
    empty = small.bytes()
    seconds = small.loading.load(SMALL_USERS)
    per_user = max(1, (small.bytes() - empty) / SMALL_USERS)
    free = shutil.disk_usage(bench.cluster.folder).free
    users = users_for_disk(bench.users, per_user, free)
    notes = [f"{per_user / 1e3:.1f} kB for each user, {free / 1e9:.0f} GB free,"
             f" {seconds:.1f} s for {SMALL_USERS} users"]
    if users < bench.users:
        notes.append(f"the disk has room for {users} of {bench.users} users only")
    bench.announce(f"size: {notes[0]}; loading {users} users")
    seconds = large.loading.load(users, LOADING_SECONDS_MAX, bench.announce)
    if large.loading.count < users:
        notes.append(f"COPY has loaded {large.loading.count} of {users} users in {LOADING_SECONDS_MAX} s")
    records = large.loading.count * RECORDS_PER_USER
    notes.append(f"{large.loading.count} users with {records} records in their zones were loaded in {seconds:.0f} s,"
                 f" and take {large.bytes() / 1e9:.1f} GB")
    return notes


def measure_jobs(bench, installations):
    """Returns the latencies of each job in each installation, in seconds."""
    times = {job: {each.name: [] for each in installations} for job in JOBS}
    chance = random.Random(1)
    for turn in range(bench.rounds):
        bench.announce(f"size: round {turn + 1} of {bench.rounds}")
        users = {each.name: each.sign_in(USERS_PER_ROUND, chance) for each in installations}
        connections = {each.name: Connection(each.node.port) for each in installations}
        count = min(len(found) for found in users.values())
        for job in JOBS:
            for number in range(count):
                order = installations if (number + turn) % 2 == 0 else installations[::-1]
                for each in order:
                    user, token = users[each.name][number]
                    request = request_of(job, user, token, each.record_name)
                    if job == "database changes, none":
                        # The saves of this round are changes, so the newest token is fetched first.
                        page = json.loads(connections[each.name].ask(request))
                        request = user.database_changes(page["syncToken"])
                    times[job][each.name].append(connections[each.name].time(request))
        for connection in connections.values():
            connection.close()
    return times


def measure_size(bench):
    bench.announce("size: the first users")
    small, large = (Installation(bench, name, SMALL_TASK) for name in ("small", "large"))
    notes = load(bench, small, large)
    starts = {each.name: measure_starts(each) for each in (small, large)}
    times = measure_jobs(bench, [small, large])
    for each in (small, large):
        each.node.stop()
        bench.cluster.drop(each.database)
    report = bench.report
    figures = {"users": large.loading.count, "notes": notes, "starts": starts, "jobs": {}}
    for job, found in times.items():
        middle = {name: percentile(values, 0.5) for name, values in found.items()}
        late = {name: percentile(values, 0.99) for name, values in found.items()}
        ratio = middle["large"] / middle["small"]
        report.add(f"{job}, {SMALL_USERS} users", f"{middle['small'] * 1e3:.2f} ms, p50",
                   f"{late['small'] * 1e3:.2f} ms, p99")
        report.add(f"{job}, {large.loading.count} users", f"{middle['large'] * 1e3:.2f} ms, p50",
                   f"{late['large'] * 1e3:.2f} ms, p99")
        report.add("", "", f"{ratio:.2f} of the p50 with {SMALL_USERS} users", f"≤ {GOAL_RATIO}", ratio <= GOAL_RATIO)
        figures["jobs"][job] = {"p50 ms": {name: value * 1e3 for name, value in middle.items()},
                                "p99 ms": {name: value * 1e3 for name, value in late.items()}, "ratio": ratio}
    for each in (small, large):
        seconds = starts[each.name]
        report.add(f"start of a node, {each.loading.count} users", f"{statistics.median(seconds):.2f} s",
                   f"{max(seconds):.2f} s, the slowest", f"≤ {GOAL_START_SECONDS} s",
                   max(seconds) <= GOAL_START_SECONDS)
    report.notes += notes
    report.figures["size"] = figures
