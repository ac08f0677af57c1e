"""The services of the cluster. Each of them runs on a machine of its own, except HAProxy."""

import json
import os
import secrets
import time
import urllib.error
import urllib.request

from machine import Machine, Trouble
from network import HOME, free_ports

START_SECONDS = 60
RESTART_SECONDS = 1
CHECK_SECONDS = 2


def status(url):
    """Returns the status of an answer and its text, or 0 if there is no answer."""
    try:
        with urllib.request.urlopen(url, timeout=CHECK_SECONDS) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except OSError:
        return 0, b""


class Etcd:
    def __init__(self, network, folder, name):
        self.machine = Machine(network, folder, name)
        self.peers, self.clients = free_ports(2)
        self.address = f"{self.machine.address}:{self.clients}"
        self.peer = f"http://{self.machine.address}:{self.peers}"

    def start(self, all_of_them):
        self.members = ",".join(f"{one.machine.name}={one.peer}" for one in all_of_them)
        self.start_again()

    def start_again(self):
        self.machine.start(
            "etcd", "--name", self.machine.name, "--data-dir", "data",
            "--listen-peer-urls", self.peer, "--initial-advertise-peer-urls", self.peer,
            "--listen-client-urls", f"http://{self.address}",
            "--advertise-client-urls", f"http://{self.address}",
            "--initial-cluster", self.members, "--initial-cluster-token", "stratus",
            # NB: Patroni 3.0 must use the second API of etcd: see docs/internals/cluster.md.
            "--enable-v2", "--logger", "zap", "--log-level", "warn")

    def is_well(self):
        number, text = status(f"http://{self.address}/health")
        return number == 200 and b'"true"' in text

    def leads(self):
        number, text = status(f"http://{self.address}/metrics")
        return number == 200 and b"\netcd_server_is_leader 1\n" in text


class Storage:
    """The S3 of the tests. It listens at 127.0.0.1 only, so HAProxy on its machine forwards the connections."""

    def __init__(self, network, folder, program):
        self.machine = Machine(network, folder, "s3")
        self.program = program
        self.keys = {"AWS_ACCESS_KEY_ID": "KEY", "AWS_SECRET_ACCESS_KEY": secrets.token_hex(16)}
        self.inner, self.outer = free_ports(2)
        self.address = f"{self.machine.address}:{self.outer}"
        self.configuration = self.machine.write("haproxy.cfg", f"""\
defaults
  mode tcp
  timeout connect 5s
  timeout client 60s
  timeout server 60s
listen s3
  bind {self.address}
  server s3 127.0.0.1:{self.inner}
""")

    def start(self):
        os.mkdir(f"{self.machine.folder}/objects")
        self.start_again()

    def start_again(self):
        lines = self.machine.start(
            self.program, str(self.inner),
            environment=dict(self.keys, STRATUS_S3_FOLDER=f"{self.machine.folder}/objects"))
        if not lines.wait_for("ready at", START_SECONDS):
            raise Trouble("the S3 of the tests does not start")
        self.machine.start("haproxy", "-db", "-f", self.configuration)

    def is_well(self):
        # A request without a signature is refused, which shows that the server answers.
        return status(f"http://{self.address}/assets/x")[0] == 403


class Node:
    def __init__(self, network, folder, name, program, settings):
        self.machine = Machine(network, folder, name)
        self.program, self.settings = program, settings
        self.port, = free_ports(1)
        self.url = f"http://{self.machine.address}:{self.port}"

    def start_again(self):
        """Starts the node. A node ends at its start if PostgreSQL cannot be reached. It is then
        started again after a pause, as systemd does in the guide (`Restart=on-failure`)."""
        end = time.monotonic() + START_SECONDS
        while True:
            lines = self.start()
            if lines.wait_for("stratus is ready at", end - time.monotonic()):
                return
            if not lines.ended or time.monotonic() + RESTART_SECONDS > end:
                raise Trouble(f"{self.machine.name} does not start")
            time.sleep(RESTART_SECONDS)

    def start(self):
        return self.machine.start(
            self.program, "serve", "--data", f"{self.machine.folder}/data",
            "--host", self.machine.address, "--port", str(self.port), *self.settings.words,
            environment=self.settings.environment)

    def is_well(self):
        # A node that cannot use S3 is ready, but it is not well.
        code, text = status(f"{self.url}/health/ready")
        return code == 200 and json.loads(text)["status"] == "ok"


class Balancer:
    """HAProxy in front of the primary and of the nodes. It runs where the clients run."""

    def __init__(self, network, folder):
        self.machine = Machine(network, folder, "haproxy", place=HOME)
        self.web, self.sql = free_ports(2)
        self.address = self.machine.address
        self.url = f"http://{self.address}:{self.web}"

    def start(self, databases, nodes):
        def servers(lines):
            return "".join(f"  server {line}\n" for line in lines)

        # If no node is ready, the reason is usually PostgreSQL, which all nodes share. HAProxy then
        # uses all live nodes, which tell clients when to try again. A node that only lacks S3 is
        # ready.
        # NB: HAProxy must notice a lost primary sooner than Patroni promotes a standby (`ttl`), and
        # must then close the connections. Otherwise nodes could read from the former primary.
        configuration = self.machine.write("haproxy.cfg", f"""\
defaults
  timeout connect 2s
  timeout check 1s
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
frontend stratus
  mode http
  bind {self.address}:{self.web}
  timeout client 90s
  option forwardfor
  use_backend nodes if {{ nbsrv(nodes) gt 0 }}
  default_backend live-nodes
backend nodes
  mode http
  balance roundrobin
  timeout server 90s
  option redispatch
  option httpchk GET /health/ready
{servers(f"{one.machine.name} {one.machine.address}:{one.port} check" for one in nodes)}
backend live-nodes
  mode http
  balance roundrobin
  timeout server 90s
  option redispatch
  option httpchk GET /health/live
{servers(f"{one.machine.name} {one.machine.address}:{one.port} check" for one in nodes)}
listen postgresql
  mode tcp
  bind {self.address}:{self.sql}
  timeout client 1h
  timeout server 1h
  option clitcpka
  clitcpka-idle 5s
  clitcpka-intvl 2s
  clitcpka-cnt 3
  option srvtcpka
  srvtcpka-idle 5s
  srvtcpka-intvl 2s
  srvtcpka-cnt 3
  option httpchk OPTIONS /primary
  http-check expect status 200
{servers(f"{one.machine.name} {one.address} check port {one.rest}" for one in databases)}""")
        self.machine.start("haproxy", "-db", "-f", configuration)
