"""A small Ceph with radosgw: one monitor, one OSD that keeps its objects in a file, and radosgw.

`scripts/with-radosgw` and the cluster test start it. All its files are in the folder of a machine,
and all its processes work in this folder.
"""

import json
import os
import subprocess
import uuid

from machine import Machine, Trouble, wait_until
from network import HOME, free_ports
from services import status

BUCKET = "assets"
REGION = "us-east-1"
START_SECONDS = 90
COMMAND_SECONDS = 60
# The file of the objects is sparse, so it only takes the space that is used.
OBJECTS_BYTES = 16 << 30
GATEWAY = "client.rgw.s3"
# The keys of Ceph's own processes, and what each key may do.
RIGHTS = {
    "mon.": ["mon", "allow *"],
    "client.admin": ["mon", "allow *", "osd", "allow *", "mgr", "allow *"],
    "osd.0": ["mon", "allow profile osd", "osd", "allow *"],
    GATEWAY: ["mon", "allow rw", "osd", "allow rwx"],
}


class Radosgw:
    def __init__(self, network, folder):
        self.machine = Machine(network, folder, "s3")
        self.monitor, self.port = free_ports(2)
        self.address = f"{self.machine.address}:{self.port}"
        self.keys = {}
        place = self.machine.folder
        for name in ["mon", "osd", "rgw"]:
            os.mkdir(f"{place}/{name}", 0o700)
        self.cluster, self.disk = uuid.uuid4(), uuid.uuid4()
        self.configuration = self.machine.write("ceph.conf", f"""\
[global]
fsid = {self.cluster}
mon host = v2:{self.machine.address}:{self.monitor}/0
public addr = {self.machine.address}
cluster addr = {self.machine.address}
keyring = {place}/keyring
mon data = {place}/mon
osd data = {place}/osd
rgw data = {place}/rgw
run dir = {place}
crash dir = {place}
admin socket =
pid file =
log file =
mon cluster log file =
log to stderr = true
debug rocksdb = 0/0
debug bluestore = 0/0
debug bluefs = 0/0
# There is only one OSD, so each object has one copy.
osd pool default size = 1
osd pool default min size = 1
osd crush chooseleaf type = 0
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
mon allow pool size one = true
# The monitor applies each change of the cluster at once.
paxos propose interval = 0.05
paxos min wait = 0.01
osd objectstore = bluestore
bluestore block size = {OBJECTS_BYTES}
bluestore cache autotune = false
bluestore cache size = 33554432
rgw frontends = beast endpoint={self.address}
rgw thread pool size = 128
rgw enable usage log = false
rgw enable ops log = false
""")

    def command(self, *words, text=None):
        """Runs a program of Ceph to its end, and returns what it prints."""
        try:
            done = subprocess.run(
                [*self.machine.network.inside(self.machine.place), *words], input=text,
                capture_output=True, text=True, timeout=COMMAND_SECONDS, cwd=self.machine.folder,
                env=dict(os.environ, HOME=self.machine.folder, CEPH_CONF=self.configuration))
        except subprocess.TimeoutExpired:
            raise Trouble(f"{words[0]} takes too long") from None
        if done.returncode != 0:
            raise Trouble(f"{words[0]}: {done.stderr.strip()[-2000:]}")
        return done.stdout

    def daemon(self, *words):
        """Starts a process of Ceph, in the foreground so that its errors go to the log."""
        self.machine.start(*words, "-f", environment={"CEPH_CONF": self.configuration})

    def create_keys(self):
        keyring = self.machine.write("keyring", "")
        for name, rights in RIGHTS.items():
            pairs = zip(rights[::2], rights[1::2])
            self.command("ceph-authtool", keyring, "--gen-key", "-n", name,
                         *[word for pair in pairs for word in ["--cap", *pair]])

    def start(self):
        """Creates the cluster, a user with random keys, and the bucket."""
        self.create_keys()
        place = self.machine.folder
        self.command("monmaptool", "--create", "--fsid", str(self.cluster), "--addv", "a",
                     f"[v2:{self.machine.address}:{self.monitor}]", f"{place}/monmap")
        self.command("ceph-mon", "-i", "a", "--mkfs", "--monmap", f"{place}/monmap",
                     "--keyring", f"{place}/keyring")
        self.start_monitor()
        self.command("ceph", "--connect-timeout", "30", "osd", "new", str(self.disk))
        self.command("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", str(self.disk))
        self.start_disk()
        # radosgw-admin chooses the keys, so they are in no list of processes.
        user = json.loads(self.command(
            "radosgw-admin", "-n", GATEWAY, "user", "create", "--uid", "stratus",
            "--display-name", "Stratus"))
        key = user["keys"][0]
        self.keys = {"AWS_ACCESS_KEY_ID": key["access_key"],
                     "AWS_SECRET_ACCESS_KEY": key["secret_key"]}
        self.start_gateway()
        wait_until("radosgw does not start", self.answers, START_SECONDS)
        self.create_bucket(key)

    def create_bucket(self, key):
        """Creates the bucket. curl gets the keys from its standard input."""
        self.command("curl", "--config", "-", text=f"""\
url = "http://{self.address}/{BUCKET}"
request = "PUT"
aws-sigv4 = "aws:amz:{REGION}:s3"
user = "{key["access_key"]}:{key["secret_key"]}"
header = "x-amz-content-sha256: UNSIGNED-PAYLOAD"
max-time = 30
fail-with-body
silent
show-error
""")

    def start_again(self):
        self.start_monitor()
        self.start_disk()
        self.start_gateway()

    def start_monitor(self):
        self.daemon("ceph-mon", "-i", "a")

    def start_disk(self):
        self.daemon("ceph-osd", "-i", "0")

    def start_gateway(self):
        self.daemon("radosgw", "-n", GATEWAY)

    def answers(self):
        return status(f"http://{self.address}/")[0] == 200

    def is_well(self):
        # A request without a signature is refused, which shows that radosgw answers.
        return status(f"http://{self.address}/{BUCKET}/x")[0] == 403
