"""PostgreSQL servers that Patroni manages."""

import json
import os
import shutil
import subprocess

from machine import Machine, Trouble
from network import HOME, free_ports
from services import status

# After this many seconds without a renewal by Patroni, a primary is replaced.
TTL = 10


def programs():
    """The folder of PostgreSQL's programs."""
    found = shutil.which("initdb")
    if found:
        return os.path.dirname(os.path.realpath(found))
    versions = "/usr/lib/postgresql"
    newest = max(os.listdir(versions) if os.path.isdir(versions) else [],
                 key=lambda name: [int(part) for part in name.split(".") if part.isdigit()],
                 default=None)
    if newest is None:
        raise Trouble("PostgreSQL is missing; run scripts/install-needs")
    return f"{versions}/{newest}/bin"


class Database:
    def __init__(self, network, folder, name, passwords):
        # NB: PostgreSQL does not run as root.
        user = "postgres" if os.geteuid() == 0 else None
        self.machine = Machine(network, folder, name, user)
        self.passwords = passwords
        self.port, self.rest = free_ports(2)
        self.address = f"{self.machine.address}:{self.port}"
        self.api = f"{self.machine.address}:{self.rest}"

    def start(self, etcd):
        quoted = json.dumps
        hosts = quoted([one.address for one in etcd])
        self.configuration = self.machine.write("patroni.yml", f"""\
scope: stratus
name: {self.machine.name}
restapi: {{listen: "{self.api}", connect_address: "{self.api}"}}
etcd: {{hosts: {hosts}}}
bootstrap:
  dcs:
    ttl: {TTL}
    loop_wait: 2
    retry_timeout: 4
    synchronous_mode: true
    synchronous_mode_strict: true
    postgresql:
      use_pg_rewind: true
      use_slots: true
      parameters:
        max_connections: 200
        max_locks_per_transaction: 512
        shared_buffers: 32MB
        wal_keep_size: 256MB
        wal_log_hints: "on"
        wal_sender_timeout: 5s
        wal_receiver_timeout: 5s
        # A killed process loses no write of the kernel's cache, and the kernel is never killed.
        fsync: "off"
  initdb: [{{encoding: UTF8}}, {{locale: C}}, {{auth-host: scram-sha-256}}, {{auth-local: scram-sha-256}}]
  pg_hba:
    - local all all scram-sha-256
    - host all all all scram-sha-256
    - host replication replicator all scram-sha-256
postgresql:
  listen: "{self.address}"
  connect_address: "{self.address}"
  data_dir: {quoted(self.machine.folder + "/data")}
  bin_dir: {quoted(programs())}
  pgpass: {quoted(self.machine.folder + "/pgpass")}
  basebackup: [{{checkpoint: fast}}]
  parameters: {{unix_socket_directories: {quoted(self.machine.folder)}}}
  authentication:
    superuser: {{username: postgres, password: "{self.passwords["postgres"]}"}}
    replication: {{username: replicator, password: "{self.passwords["replicator"]}"}}
    rewind: {{username: postgres, password: "{self.passwords["postgres"]}"}}
""")
        self.start_again()

    def start_again(self):
        self.machine.start("patroni", self.configuration)

    def ask(self, text):
        """Executes statements as the superuser. They come from standard input."""
        done = subprocess.run(
            [*self.machine.network.inside(HOME), "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1",
             "-h", self.machine.address, "-p", str(self.port), "-U", "postgres", "-d", "postgres"],
            input=text, capture_output=True, text=True, timeout=30,
            env=dict(os.environ, PGPASSWORD=self.passwords["postgres"]))
        if done.returncode != 0:
            raise Trouble(f"psql: {done.stderr}")


class Group:
    """The PostgreSQL servers together."""

    def __init__(self, databases):
        self.databases = databases

    def members(self):
        """What Patroni says about the members: their names, roles and states."""
        for one in self.databases:
            number, text = status(f"http://{one.api}/cluster")
            if number == 200:
                return json.loads(text)["members"]
        return []

    def primary(self):
        """The server whose Patroni says that it is the primary."""
        return next(
            (one for one in self.databases if status(f"http://{one.api}/primary")[0] == 200), None)

    def standby(self):
        """The synchronous standby, or another standby."""
        roles = {one["name"]: one["role"] for one in self.members()}
        for role in ["sync_standby", "replica"]:
            for one in self.databases:
                if roles.get(one.machine.name) == role:
                    return one
        return None

    def is_well(self):
        """Whether there is a primary, and all others follow it, one of them synchronously."""
        members = self.members()
        roles = [one["role"] for one in members]
        states = {one["role"]: one["state"] for one in members}
        timelines = {one.get("timeline") for one in members}
        return (len(members) == len(self.databases) and roles.count("leader") == 1
                and "sync_standby" in roles and len(timelines) == 1
                and all(state in ("running", "streaming") for state in states.values())
                and self.primary() is not None)
