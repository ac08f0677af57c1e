"""The whole cluster. Its services start in the order of their dependencies."""

import concurrent.futures
import os
import secrets
import subprocess

from database import Database, Group
from machine import Machine, Trouble, wait_until
from network import HOME
from radosgw import Radosgw
from services import Balancer, Etcd, Node, Storage

COUNT = 3
START_SECONDS = 90
CONTAINER = "iCloud.org.example.Cluster"
PLACE = ["--container", CONTAINER, "--environment", "development"]
LIMITS = ["requests-per-user", "operations-per-user", "requests-per-api-token",
          "operations-per-api-token"]


class NodeSettings:
    """The command-line options and the environment variables of all nodes."""

    def __init__(self, words, environment):
        self.words, self.environment = words, environment


class Account:
    """A user, with the tokens for requests."""

    def __init__(self, name, api_token, web_token):
        self.name, self.api_token, self.web_token = name, api_token, web_token


class Cluster:
    def __init__(self, network, folder, programs, has_radosgw):
        self.network, self.folder, self.programs = network, folder, programs
        passwords = {name: secrets.token_hex(16) for name in ["postgres", "replicator", "stratus"]}
        self.passwords = passwords
        numbers = range(1, COUNT + 1)
        self.etcd = [Etcd(network, folder, f"etcd{n}") for n in numbers]
        self.databases = [Database(network, folder, f"pg{n}", passwords) for n in numbers]
        self.group = Group(self.databases)
        self.storage = (Radosgw(network, folder) if has_radosgw
                        else Storage(network, folder, f"{programs}/stratus-s3"))
        self.balancer = Balancer(network, folder)
        self.home = Machine(network, folder, "clients", place=HOME)
        passwords_file = self.home.write("pgpass", f"*:*:*:stratus:{passwords['stratus']}\n")
        words = ["--postgres", f"postgres://stratus@{self.balancer.address}:{self.balancer.sql}/stratus",
                 "--shared", f"{folder}/shared",
                 "--assets", f"s3://assets/stratus?endpoint=http://{self.storage.address}&plaintext=yes",
                 "--public-url", self.balancer.url, "--trusted-proxy", self.balancer.address]
        for limit in LIMITS:
            words += [f"--{limit}", "0"]
        self.settings = NodeSettings(words, {
            "PGPASSFILE": passwords_file, "STRATUS_MANAGEMENT_TOKEN": secrets.token_hex(32)})
        self.nodes = [Node(network, folder, f"node{n}", f"{programs}/stratus", self.settings)
                      for n in numbers]

    def start(self):
        for one in self.etcd:
            one.start(self.etcd)
        wait_until("etcd is not well", lambda: all(one.is_well() for one in self.etcd), START_SECONDS)
        for one in self.databases:
            one.start(self.etcd)
        # NB: HAProxy needs two seconds to find the primary, so it starts before the slow storage.
        self.balancer.start(self.databases, self.nodes)
        self.storage.start()
        self.settings.environment.update(self.storage.keys)
        wait_until("PostgreSQL is not well", self.group.is_well, START_SECONDS)
        self.group.primary().ask(
            f"CREATE ROLE stratus LOGIN PASSWORD '{self.passwords['stratus']}';\n"
            "CREATE DATABASE stratus OWNER stratus;\n")
        # The first node creates the tables, and the others find them.
        self.nodes[0].start_again()
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(Node.start_again, self.nodes[1:]))
        wait_until("the cluster is not well", lambda: not self.faults(), START_SECONDS)

    def command(self, *words):
        """Runs a command of the command line at the first node."""
        done = subprocess.run(
            [f"{self.programs}/stratus", *words], capture_output=True, text=True, timeout=60,
            env=dict(os.environ, STRATUS_DATA=f"{self.nodes[0].machine.folder}/data",
                     HOME=self.home.folder))
        if done.returncode != 0:
            raise Trouble(f"stratus {words[0]}: {done.stderr.strip()}")
        return done.stdout.strip()

    def prepare(self, names):
        """Creates the container and accounts, and returns the accounts."""
        self.command("container", "create", CONTAINER)
        api_token = self.command("api-token", "create", *PLACE)
        accounts = []
        for name in names:
            address = f"{name}@example.org"
            self.command("account", "create", address)
            accounts.append(Account(
                name, api_token, self.command("web-token", "create", "--account", address, *PLACE)))
        return accounts

    def faults(self):
        """The names of the services that do not work at the moment."""
        parts = [*((one.machine.name, one) for one in [*self.etcd, self.storage, *self.nodes]),
                 ("PostgreSQL", self.group)]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            well = list(pool.map(lambda part: part[1].is_well(), parts))
        return [name for (name, _), is_well in zip(parts, well) if not is_well]
