"""A client of the web service. The history gets an entry for each request and its answer."""

import hashlib
import http.client
import json
import urllib.parse

from cluster import CONTAINER
from history import now, short

# The answer to a request must arrive within this time, or the client stops waiting.
ANSWER_SECONDS = 15
# With these errors, the server has certainly not stored anything.
REFUSALS = {"CONFLICT", "EXISTS", "ATOMIC_ERROR"}
# The errors that a fault of the cluster may cause. All others are noted as odd. For example, a fault
# must not look like a wrong token, because a device would then sign out.
EXPECTED = {"CONFLICT", "ATOMIC_ERROR", "NOT_FOUND", "TRY_AGAIN_LATER"}
EXPIRED = "sync token expired"


class Lost(Exception):
    """There was no answer, or an answer that does not say whether the request was carried out."""


class Client:
    def __init__(self, history, url, account, name):
        self.history, self.account, self.name = history, account, name
        self.address = urllib.parse.urlsplit(url)
        self.connection = None
        self.tokens = urllib.parse.urlencode(
            {"ckAPIToken": account.api_token, "ckWebAuthToken": account.web_token})

    def send(self, method, path, body=None):
        """Sends a request on the open connection, or on a new one. There is no second attempt."""
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection(
                    self.address.hostname, self.address.port, timeout=ANSWER_SECONDS)
            self.connection.request(method, path, body)
            answer = self.connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Lost(str(error)) from error
        return answer.status, text

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def post(self, endpoint, body):
        path = f"/database/1/{CONTAINER}/development/private/{endpoint}?{self.tokens}"
        begin = now()
        _, text = self.send("POST", path, json.dumps(body))
        try:
            answer = json.loads(text)
        except ValueError as error:
            raise Lost(text[:80]) from error
        for item in [answer, *answer.get("records", []), *answer.get("zones", [])]:
            code = item.get("serverErrorCode")
            if code and code not in EXPECTED and item.get("reason") != EXPIRED:
                self.history.write("odd", client=self.name, begin=begin, end=now(),
                                   endpoint=endpoint, code=code, reason=item.get("reason"))
        return answer

    def create_zone(self, zone):
        return self.post("zones/modify", {"operations": [
            {"operationType": "create", "zone": zone_id(zone)}]})

    def save(self, zone, batch, operations, records):
        """Saves a batch. Returns the outcome, and the change tags or the server's records."""
        begin = now()
        tags, server, errors = {}, {}, set()
        try:
            answer = self.post("records/modify", {
                **zone_id(zone), "atomic": True, "desiredKeys": ["batch"], "operations": operations})
            items = answer.get("records", [answer])
            errors = {item["serverErrorCode"] for item in items if "serverErrorCode" in item}
            for item in items:
                if "serverRecord" in item:
                    server[item["recordName"]] = item["serverRecord"]
                elif "recordChangeTag" in item:
                    tags[item["recordName"]] = item["recordChangeTag"]
            outcome = "stored" if not errors else "refused" if errors <= REFUSALS else "unknown"
        except Lost:
            outcome = "unknown"
        end = now()
        self.history.write("save", client=self.name, zone=zone, begin=begin, end=end, batch=batch,
                           outcome=outcome, errors=sorted(errors), records=records)
        if server:
            self.history.write("read", client=self.name, zone=zone, begin=begin, end=end, records={
                name: value_of(record) for name, record in server.items()})
        return outcome, tags, server

    def read(self, zone, names):
        """Reads records by name, and returns the answer's records by name."""
        begin = now()
        answer = self.post("records/lookup", {
            **zone_id(zone), "records": [{"recordName": name} for name in names]})
        items = {}
        for item in answer.get("records", []):
            if item.get("serverErrorCode", "NOT_FOUND") != "NOT_FOUND":
                raise Lost(item["serverErrorCode"])
            items[item["recordName"]] = item
        if len(items) != len(names):
            raise Lost(str(answer)[:200])
        self.history.write("read", client=self.name, zone=zone, begin=begin, end=now(), records={
            name: value_of(item) for name, item in items.items()})
        return items

    def page(self, zone, token, limit, final=False):
        """Reads one page of a feed. Returns its records, the next token, and whether more is coming.

        An expired token leads to no records and the token None."""
        begin = now()
        answer = self.post("changes/zone", {"zones": [{
            **zone_id(zone), "syncToken": token, "resultsLimit": limit, "desiredKeys": ["batch"]}]})
        if "zones" not in answer:
            raise Lost(str(answer)[:200])
        page = answer["zones"][0]
        if "serverErrorCode" in page:
            if page.get("reason") == EXPIRED:
                self.history.write("expired", client=self.name, zone=zone, begin=begin, end=now(),
                                   **{"from": token and short(token)})
                return [], None, False
            raise Lost(page["serverErrorCode"])
        records = [[item["recordName"], value_of(item)] for item in page["records"]]
        values = {"from": token and short(token), "to": short(page["syncToken"]),
                  "more": page["moreComing"], "records": records}
        if final:
            values["final"] = True
        self.history.write("page", client=self.name, zone=zone, begin=begin, end=now(), **values)
        return records, page["syncToken"], page["moreComing"]

    def chain(self, zone, token, limit, final=False):
        """Reads pages until no more are coming. Returns all records and the last token."""
        found, more = [], True
        while more:
            records, token, more = self.page(zone, token, limit, final)
            found += records
        return found, token

    def upload(self, zone, name, contents):
        """Uploads a file, and returns the value for the field."""
        answer = self.post("assets/upload", {**zone_id(zone), "tokens": [
            {"recordType": "Note", "recordName": name, "fieldName": "file"}]})
        if "tokens" not in answer:
            raise Lost(str(answer)[:200])
        number, text = self.send("POST", path_of(answer["tokens"][0]["url"]), contents)
        if number != 200:
            raise Lost(f"{number} {text[:80]}")
        return json.loads(text)["singleFile"]

    def download(self, zone, name):
        """Downloads the file of a record, and notes its hash."""
        begin = now()
        answer = self.post("records/lookup", {**zone_id(zone), "records": [{"recordName": name}]})
        fields = answer.get("records", [{}])[0].get("fields")
        if fields is None:
            raise Lost(str(answer)[:200])
        number, contents = self.send("GET", path_of(fields["file"]["value"]["downloadURL"]))
        if number >= 500:
            raise Lost(f"{number}")
        found = hashlib.sha256(contents).hexdigest() if number == 200 else f"status {number}"
        self.history.write("file", client=self.name, zone=zone, begin=begin, end=now(), name=name,
                           hash=found)


def zone_id(zone):
    return {"zoneID": {"zoneName": zone.split("/")[-1]}}


def path_of(url):
    parts = urllib.parse.urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def value_of(item):
    """The batch that wrote a record of an answer, or None if the record does not exist."""
    if item.get("deleted") or "fields" not in item:
        return None
    return item["fields"]["batch"]["value"]
