"""The PostgreSQL server of scripts/with-postgres: its settings, its statements and its processor time."""
import glob
import json
import os
import re
import shutil
import subprocess
import time
from urllib.parse import parse_qs, urlsplit

# with-postgres turns fsync off and has little memory, because tests need no more. A measurement needs the settings of
# a real server. The statistics of statements cost a few percent, so they are off until they are needed.
MEMORY_PART = 8
SHARED_BUFFERS_MAX = 2 << 30


def fail(reason):
    """Ends the script with a sentence for its user."""
    raise SystemExit(f"bench-postgres: {reason}")


def processor_time(process_id):
    """Returns the processor time that a process has used, in seconds.

    The number is the ID of the process's clock, as clock_getcpuclockid(3) computes it. The times in /proc have a
    resolution of 10 ms only.
    """
    return time.clock_gettime(~process_id << 3 | 2)


def kind_of(statement):
    """Returns what a statement does: begin, end, notify, advisory, unlock, control, write, lock or read."""
    text = statement.strip().upper()
    if text.startswith("BEGIN"):
        return "begin"
    if text.startswith(("COMMIT", "ROLLBACK")):
        return "end"
    if "PG_NOTIFY" in text:
        return "notify"
    if "PG_ADVISORY_UNLOCK" in text:
        return "unlock"
    if "PG_ADVISORY_" in text or "PG_TRY_ADVISORY_" in text:
        return "advisory"
    if text.startswith(("INSERT", "UPDATE", "DELETE", "WITH CHANGED", "WITH ADVANCED", "WITH SENT")):
        return "write"
    if "FOR UPDATE" in text:
        return "lock"
    if text.startswith(("SELECT", "WITH")):
        return "read"
    return "control"


def server_program(name):
    """Returns the path of one of PostgreSQL's programs for a server."""
    if found := shutil.which(name):
        return found
    paths = glob.glob(f"/usr/lib/postgresql/*/bin/{name}")
    if not paths:
        fail(f"{name} is missing; run scripts/install-needs")
    return max(paths, key=lambda path: int(path.split("/")[4]))


class Cluster:
    """The server whose address scripts/with-postgres gives. It is restarted with the settings of a real server."""

    def __init__(self, address):
        self.address = address
        self.folder = parse_qs(urlsplit(address).query).get("host", [""])[0]
        self.data = self.value("SHOW data_directory")
        # NB: the restart changes settings, so it must not happen to a server with real data.
        if not self.folder.startswith("/") or os.path.realpath(self.data) != os.path.realpath(f"{self.folder}/data"):
            fail("STRATUS_TEST_POSTGRES is not a server of scripts/with-postgres")
        self.seconds_of = {}
        with open("/proc/meminfo", encoding="ascii") as file:
            memory = int(re.search(r"MemTotal: +(\d+) kB", file.read()).group(1)) << 10
        self.shared_buffers = min(SHARED_BUFFERS_MAX, memory // MEMORY_PART) >> 20
        self.set({
            "fsync": "on", "shared_preload_libraries": "pg_stat_statements", "max_wal_size": "4GB",
            "checkpoint_timeout": "15min", "autovacuum_naptime": "1min", "track_wal_io_timing": "on",
            "shared_buffers": f"{self.shared_buffers}MB"})
        self.restart()
        self.run("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
        self.track(False)

    def url(self, database):
        return urlsplit(self.address)._replace(path=f"/{database}").geturl()

    def psql(self, database):
        return ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", self.url(database)]

    def run(self, *statements, database="postgres"):
        """Runs statements, each in a transaction of its own, and returns what they print."""
        texts = [part for statement in statements for part in ("-c", statement)]
        done = subprocess.run(self.psql(database) + texts, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            fail(f"PostgreSQL refuses a statement: {done.stderr.strip()[:2000]}")
        return done.stdout.strip()

    def value(self, statement, database="postgres"):
        return self.run(statement, database=database)

    def json(self, query, database="postgres"):
        """Returns the rows of a query as dictionaries."""
        return json.loads(self.run(f"SELECT COALESCE(json_agg(r), '[]') FROM ({query}) AS r", database=database))

    def set(self, settings):
        self.run(*(f"ALTER SYSTEM SET {name} = '{value}'" for name, value in settings.items()))

    def restart(self):
        owner = []
        if os.geteuid() == 0:
            owner = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
        done = subprocess.run(
            owner + [server_program("pg_ctl"), "-D", self.data, "-l", f"{self.folder}/log", "-m", "fast", "-w",
                     "-t", "120", "restart"],
            cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            fail(f"PostgreSQL does not restart: {done.stderr.strip()}; its log is {self.folder}/log")
        with open(f"{self.data}/postmaster.pid", encoding="ascii") as file:
            self.process_id = int(file.readline())

    def create(self, database):
        self.run(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)", f"CREATE DATABASE {database}")
        return self.url(database)

    def drop(self, database):
        self.run(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)")

    def reload(self, settings):
        """Changes settings of the running server."""
        self.set(settings)
        self.run("SELECT pg_reload_conf()")
        # The other processes read the settings between two statements.
        time.sleep(0.5)

    def track(self, is_on):
        """Turns the statistics of statements on or off, for all connections."""
        self.reload({"pg_stat_statements.track": "top" if is_on else "none"})

    def forget_statements(self):
        self.run("SELECT pg_stat_statements_reset()")

    def statements(self):
        """Returns the statements since they were forgotten: text, calls, rows, milliseconds and bytes of the log."""
        return self.json(
            "SELECT query, SUM(calls) AS calls, SUM(rows) AS rows, SUM(total_exec_time) AS milliseconds,"
            " SUM(wal_bytes) AS bytes FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_%' GROUP BY query")

    def flushes(self):
        """Returns the number of flushes of the log, and the time that they took in milliseconds."""
        row = self.json("SELECT wal_sync, wal_sync_time FROM pg_stat_wal")[0]
        return row["wal_sync"], row["wal_sync_time"]

    def processes(self):
        """Returns the IDs of the server's processes."""
        found = [self.process_id]
        for path in glob.glob("/proc/[0-9]*/stat"):
            try:
                with open(path, encoding="utf-8", errors="replace") as file:
                    text = file.read()
            except OSError:
                continue
            # NB: the name of a process is in parentheses, and may contain spaces.
            if int(text.rpartition(")")[2].split()[1]) == self.process_id:
                found.append(int(path.split("/")[2]))
        return found

    def seconds(self):
        """Returns the processor time of all processes of the server.

        The time of a process that has ended still counts, so the result never decreases. Short processes that begin
        and end between two calls are missing.
        """
        for process in self.processes():
            try:
                self.seconds_of[process] = max(self.seconds_of.get(process, 0), processor_time(process))
            except OSError:
                pass
        return sum(self.seconds_of.values())

    def pgbench(self, *options, database):
        command = ["pgbench", "-h", self.folder, "-U", "stratus", *options, database]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            fail(f"pgbench fails: {done.stderr.strip()[-2000:]}")
        return done.stdout

    def start_pgbench(self, *options, database):
        """Starts pgbench. The result is a context that waits for its end."""
        command = ["pgbench", "-h", self.folder, "-U", "stratus", *options, database]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def rate(self, *options, database):
        """Returns the transactions per second that pgbench measures."""
        return float(re.search(r"tps = ([0-9.]+)", self.pgbench(*options, database=database)).group(1))
