"""The load: writers, followers of feeds, and devices with a sync engine."""

import hashlib
import random
import signal
import threading

from client import Client, Lost
from cluster import CONTAINER
from history import now
from machine import Machine, Trouble, send
from network import HOME

ZONES = ["Z1", "Z2"]
REGISTERS = 4
PAUSE_SECONDS = 0.15
# The pause of a client after a request without a useful answer.
LOST_SECONDS = 0.4
KEPT_TOKENS = 30
DEVICE_SECONDS = 60


class Worker:
    """A client that takes one step after the other until the load ends."""

    def __init__(self, history, url, account, name, seed):
        self.client = Client(history, url, account, name)
        self.random = random.Random(f"{seed}/{name}")
        self.over = threading.Event()
        self.failure = None
        self.thread = threading.Thread(target=self.work, daemon=True)

    def work(self):
        try:
            while not self.over.is_set():
                try:
                    self.step()
                except Lost:
                    self.over.wait(LOST_SECONDS)
                self.over.wait(self.random.uniform(0.3, 1.7) * PAUSE_SECONDS)
        except Exception as error:  # The run reports it, and fails.
            self.failure = f"{self.client.name}: {type(error).__name__}: {error}"
        self.client.close()


class Writer(Worker):
    """Writes batches into one zone. A batch has new records, and sometimes a register or a deletion.

    All writers of a zone write to its registers, mostly with the change tag that they know."""

    def __init__(self, *words, zone):
        super().__init__(*words)
        self.zone, self.count, self.tags, self.own = zone, 0, {}, []

    def step(self):
        batch = f"{self.zone}.{self.client.name}-{self.count}"
        self.count += 1
        operations, records = [], []

        def add(kind, name, tag=None, value=batch, **facts):
            record = {"recordName": name, "recordType": "Note"}
            if value:
                record["fields"] = {"batch": {"value": value}}
            if tag:
                record["recordChangeTag"] = tag
            operations.append({"operationType": kind, "record": record})
            records.append({"name": name, **facts})

        for number in range(self.random.choice([1, 1, 2, 3, 8])):
            add("create", f"{batch}.{number}")
        register = f"{self.zone}.R{self.random.randrange(REGISTERS)}"
        if self.random.random() < 0.5:
            if register in self.tags and self.random.random() < 0.8:
                value, tag = self.tags[register]
                add("update", register, tag, expects=value)
            else:
                add("forceUpdate", register)
        deleted = None
        if self.own and self.random.random() < 0.2:
            deleted = self.random.choice(self.own)
            add("forceDelete", deleted, value=None, deleted=True)
        self.random.shuffle(operations)
        outcome, tags, server = self.client.save(self.zone, batch, operations, records)
        if deleted and outcome != "refused":
            self.own.remove(deleted)
        for name, record in server.items():
            self.learn(name, record)
        if outcome == "stored":
            self.own = [*self.own[-20:], *(name for name in tags
                                           if name.startswith(batch) and not name.endswith(".0"))]
            if register in tags:
                self.tags[register] = batch, tags[register]
        elif outcome == "unknown":
            self.tags.pop(register, None)
            self.over.wait(LOST_SECONDS)
            self.look([f"{batch}.0", register])
        if self.random.random() < 0.2:
            self.look([f"{batch}.0", register, *self.own[-2:]])

    def look(self, names):
        for name, record in self.client.read(self.zone, names).items():
            self.learn(name, record)

    def learn(self, name, record):
        if ".R" in name and "fields" in record:
            self.tags[name] = record["fields"]["batch"]["value"], record["recordChangeTag"]


class FileWriter(Worker):
    """Saves records with files, and downloads files of records that are stored."""

    def __init__(self, *words, zone):
        super().__init__(*words)
        self.zone, self.count, self.stored = zone, 0, []

    def step(self):
        batch = f"{self.zone}.{self.client.name}-{self.count}"
        self.count += 1
        name = f"{batch}.0"
        contents = self.random.randbytes(self.random.randrange(1, 100_000))
        file = self.client.upload(self.zone, name, contents)
        outcome, _, _ = self.client.save(self.zone, batch, [{
            "operationType": "create", "record": {"recordName": name, "recordType": "Note", "fields": {
                "batch": {"value": batch}, "file": {"value": file}}}}],
            [{"name": name, "file": hashlib.sha256(contents).hexdigest()}])
        if outcome == "stored":
            self.stored.append(name)
        if self.stored:
            self.client.download(self.zone, self.random.choice(self.stored))
        self.over.wait(5 * PAUSE_SECONDS)


class Follower(Worker):
    """Follows the feeds of an account's zones, and sometimes reads again from an earlier token."""

    def __init__(self, *words, zones):
        super().__init__(*words)
        self.tokens = {zone: None for zone in zones}
        self.kept = {zone: [] for zone in zones}

    def step(self):
        zone = self.random.choice(list(self.tokens))
        more = True
        while more and not self.over.is_set():
            _, self.tokens[zone], more = self.client.page(
                zone, self.tokens[zone], self.random.choice([3, 10, 50]))
        if not more and self.tokens[zone]:
            self.kept[zone] = [*self.kept[zone][1 - KEPT_TOKENS:], self.tokens[zone]]
        if self.kept[zone] and self.random.random() < 0.1:
            self.client.chain(zone, self.random.choice(self.kept[zone]), 100)


class Device:
    """A program with a sync engine, which prints the records that it receives."""

    def __init__(self, network, folder, program, history, url, account, name):
        self.machine = Machine(network, folder, name, place=HOME)
        self.history, self.account, self.name = history, account.name, name
        self.seen = set()
        self.lines = self.machine.start(program, each=self.note, environment={
            "STRATUS_URL": url, "STRATUS_CONTAINER": CONTAINER,
            "STRATUS_ENVIRONMENT": "development", "STRATUS_API_TOKEN": account.api_token,
            "STRATUS_WEB_AUTH_TOKEN": account.web_token,
            "STRATUS_KEYS": f"{self.machine.folder}/keys.json"})

    def note(self, line):
        words = line.split()
        if len(words) > 1 and words[0] == "private":
            self.history.write(
                "seen", client=self.name, account=self.account, end=now(), name=words[1])
            self.seen.add(words[1])

    def end(self):
        send(self.machine.processes(), signal.SIGTERM)
        self.machine.kill()
        self.history.write("watched", client=self.name, account=self.account, end=now())


class Load:
    """All clients together."""

    def __init__(self, cluster, history, accounts, seed):
        url, self.accounts, self.history = cluster.balancer.url, accounts, history
        self.zones = {account.name: [f"{account.name}/{zone}" for zone in ZONES] for account in accounts}
        for account in accounts:
            client = Client(history, url, account, "setup")
            for zone in self.zones[account.name]:
                if "zones" not in (answer := client.create_zone(zone)):
                    raise Trouble(f"{zone} is not created: {answer}")
            client.close()
        self.workers = []
        for account in accounts:
            mine = self.zones[account.name]
            for zone in mine:
                for number in [1, 2]:
                    self.workers.append(Writer(
                        history, url, account, f"w{len(self.workers)}", seed, zone=zone))
            self.workers.append(FileWriter(
                history, url, account, f"x{len(self.workers)}", seed, zone=mine[0]))
            self.workers.append(Follower(
                history, url, account, f"f{len(self.workers)}", seed, zones=mine))
        self.devices = [
            Device(cluster.network, cluster.folder, f"{cluster.programs}/engine-watch", history, url,
                   account, f"device{number}")
            for number, account in enumerate([accounts[0], *accounts], 1)]
        # The program ends if its first requests fail, so no fault may happen before they have
        # succeeded.
        for device in self.devices:
            if not device.lines.wait_for("running", DEVICE_SECONDS):
                raise Trouble(f"{device.name} does not run")
        for worker in self.workers:
            worker.thread.start()

    def failures(self):
        return [worker.failure for worker in self.workers if worker.failure] + [
            f"{device.name} has ended" for device in self.devices if device.lines.ended]

    def end(self, seconds):
        """Ends the workers, but not the devices."""
        for worker in self.workers:
            worker.over.set()
        for worker in self.workers:
            worker.thread.join(seconds)
