"""Servers of the measurement, their users, and the requests of these users."""
import http.client
import json
import os
import signal
import subprocess
import time
from urllib.parse import quote, urlsplit

from .cluster import fail, processor_time
from .load import NAME, Connection

CONTAINER = "iCloud.org.example.Bench"
PLACE = {"containerID": CONTAINER, "environment": "development"}
LIST = "3f1c9a50d2b84e67"
# The record of scripts/bench: ten fields, and about 450 bytes as JSON.
TASK = {
    "title": "Water the plants on the balcony", "note": "Twice in July, and not at noon.", "list": LIST,
    "position": {"value": 1024.5, "type": "DOUBLE"}, "priority": 2, "isDone": 0,
    "dueAt": {"value": 1_767_225_600_000, "type": "TIMESTAMP"},
    "createdAt": {"value": 1_764_547_200_000, "type": "TIMESTAMP"},
    "tags": {"value": ["home", "garden"], "type": "STRING_LIST"}, "colour": "green"}
# The record of a small zone.
SMALL_TASK = {"title": "Water the plants on the balcony", "list": LIST, "priority": 2}


class Node:
    """A process of `stratus serve`. Without the address of a database, it keeps its data in SQLite files."""

    running = []

    def __init__(self, program, folder, name, postgres=None):
        self.data = os.path.join(folder, name)
        self.log = os.path.join(folder, f"{name}.log")
        command = [
            program, "serve", "--data", self.data, "--port", "0", "--management-port", "0",
            "--requests-per-user", "0", "--operations-per-user", "0", "--requests-per-api-token", "0",
            "--operations-per-api-token", "0"]
        if postgres:
            shared = os.path.join(folder, "shared" + urlsplit(postgres).path.replace("/", "-"))
            command += ["--postgres", postgres, "--shared", shared]
        begin = time.monotonic()
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        Node.running.append(self)
        for line in self.process.stdout:
            if "stratus is ready at" in line:
                self.port = urlsplit(line.split()[-1]).port
                break
        else:
            with open(self.log, encoding="utf-8", errors="replace") as log:
                fail(f"a server does not start: {log.read()[-2000:]}")
        # The time from the start of the process until it accepts requests.
        self.start_seconds = time.monotonic() - begin

    def seconds(self):
        return processor_time(self.process.pid)

    def stop(self):
        """Ends the server in the way that an operator would."""
        Node.running.remove(self)
        self.process.terminate()
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    @staticmethod
    def kill_all():
        for node in Node.running:
            node.process.send_signal(signal.SIGKILL)
            node.process.wait()
        Node.running.clear()

    def manage(self, path, body):
        """Sends an operator's command."""
        with open(os.path.join(self.data, "management.json"), encoding="utf-8") as file:
            access = json.load(file)
        client = http.client.HTTPConnection(urlsplit(access["url"]).netloc, timeout=60)
        headers = {"Authorization": f"Bearer {access['token']}", "Content-Type": "application/json"}
        client.request("POST", f"/management/1/{path}", json.dumps(body), headers)
        answer = client.getresponse()
        text = answer.read()
        client.close()
        if answer.status != 200:
            fail(f"the command {path} is refused: {text[:2000]!r}")
        return json.loads(text or b"{}")

    def make_container(self):
        """Creates the container, and returns a token for its apps."""
        self.manage("containers/create", {"containerID": CONTAINER})
        return self.manage("api-tokens/create", PLACE)["token"]

    def make_user(self, email, api_token):
        self.manage("accounts/create", {"email": email})
        return self.sign_in(email, api_token)

    def sign_in(self, email, api_token):
        return User(api_token, self.manage("web-tokens/create", {"email": email, **PLACE})["token"])


class User:
    """Creates the requests of one user of the container."""

    def __init__(self, api_token, web_token):
        self.query = f"ckAPIToken={api_token}&ckWebAuthToken={quote(web_token, safe='')}"

    def request(self, endpoint, body, device=None):
        device = f"&clientId={device}" if device else ""
        content = json.dumps(body, separators=(",", ":")).encode()
        return (f"POST /database/1/{CONTAINER}/development/private/{endpoint}?{self.query}{device} HTTP/1.1\r\n"
                "Host: 127.0.0.1\r\nUser-Agent: Bench/1\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(content)}\r\n\r\n").encode() + content

    def stream(self, device):
        return (f"GET /device/1/{CONTAINER}/development/notifications/stream?{self.query}&clientId={device} HTTP/1.1"
                "\r\nHost: 127.0.0.1\r\n\r\n").encode()

    def make_zone(self, zone):
        return self.request("zones/modify", {"operations": [
            {"operationType": "create", "zone": {"zoneID": {"zoneName": zone}}}]})

    def save(self, zone, names=(NAME.decode(),), fields=None):
        """Returns a request that creates records. Without `names`, it has the placeholder of one name."""
        values = {name: value if isinstance(value, dict) else {"value": value}
                  for name, value in (fields or TASK).items()}
        operations = [{"operationType": "create", "record": {
            "recordName": name, "recordType": "Task", "fields": values}} for name in names]
        return self.request("records/modify", {
            "zoneID": {"zoneName": zone}, "operations": operations, "atomic": True})

    def lookup(self, zone, name):
        return self.request("records/lookup", {"zoneID": {"zoneName": zone}, "records": [{"recordName": name}]})

    def tasks_of_list(self, zone, limit=50):
        """Returns a query: equality and a sort."""
        return self.request("records/query", {"zoneID": {"zoneName": zone}, "resultsLimit": limit, "query": {
            "recordType": "Task",
            "filterBy": [{"fieldName": "list", "comparator": "EQUALS", "fieldValue": {"value": LIST}}],
            "sortBy": [{"fieldName": "priority", "ascending": True}]}})

    def tasks_by_date(self, zone):
        """Returns a query with a sort only."""
        return self.request("records/query", {"zoneID": {"zoneName": zone}, "resultsLimit": 50, "query": {
            "recordType": "Task", "sortBy": [{"fieldName": "dueAt", "ascending": True}]}})

    def zone_changes(self, zone, token=None):
        item = {"zoneID": {"zoneName": zone}}
        if token:
            item["syncToken"] = token
        return self.request("changes/zone", {"zones": [item]})

    def database_changes(self, token=None):
        return self.request("changes/database", {"syncToken": token} if token else {})

    def subscribe(self, zone, device):
        subscription = {"subscriptionID": "all", "subscriptionType": "zone", "zoneID": {"zoneName": zone}}
        operation = {"operationType": "create", "subscription": subscription}
        return self.request("subscriptions/modify", {"operations": [operation]}, device)


def newest_token(connection, user, zone):
    """Returns the change token at the end of a zone's history."""
    token = None
    while True:
        page = json.loads(connection.ask(user.zone_changes(zone, token)))["zones"][0]
        token = page["syncToken"]
        if not page["moreComing"]:
            return token


def prepare_zone(node, user, zone):
    """Creates a zone with one record."""
    connection = Connection(node.port)
    connection.ask(user.make_zone(zone))
    connection.ask(user.save(zone, ["first"]))
    connection.close()
