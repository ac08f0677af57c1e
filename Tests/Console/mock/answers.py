"""The answers of the mock server. The server keeps changes in memory, and enforces no rules."""
import copy
import uuid

import data


class Refusal(Exception):
    """An error that the server answers."""

    def __init__(self, status, code, reason, **more):
        super().__init__(reason)
        self.status = status
        self.body = {"uuid": str(uuid.uuid4()), "serverErrorCode": code, "reason": reason, **more}


class State:
    """The stored values of one mock server."""

    def __init__(self, role="owner", is_set_up=True):
        self.role = role
        self.is_set_up = is_set_up
        self.is_signed_in = False
        self.confirmed = False
        self.schema = copy.deepcopy(data.SCHEMA)
        self.records = data.records()
        self.records["Share-1"] = data.share()
        self.records["note-2"]["share"] = {"recordName": "Share-1"}
        self.accounts = copy.deepcopy(data.ACCOUNTS)
        self.members = copy.deepcopy(data.MEMBERS)
        self.tokens = copy.deepcopy(data.TOKENS)
        self.received = []
        self.changes = []

    # Sessions

    def session(self):
        answer = {"isSetUp": self.is_set_up, "version": "1.4.0",
                  "serverURL": "https://api.example.org"}
        if self.is_signed_in:
            answer |= {"member": {"email": data.OWNER, "role": self.role},
                       "permissions": data.ROLE_PERMISSIONS[self.role],
                       "containerIDs": [data.NOTES, data.PHOTOS]}
            if "records" in answer["permissions"]:
                answer["testAccounts"] = ["test+1@example.org"]
        return answer

    def answer(self, path, body):
        """Returns the answer to a request of the console's interface."""
        self.received.append((path, body))
        match path:
            case "session/fetch":
                return self.session()
            case "session/sign-in":
                if body.get("password") != "correct horse":
                    raise Refusal(401, "AUTHENTICATION_FAILED",
                                  "the e-mail or the password is wrong")
                self.is_signed_in = True
                return self.session()
            case "session/set-up":
                if body.get("code") != "7KQMPX2AW9TD4HGN":
                    raise Refusal(401, "AUTHENTICATION_FAILED", "the setup code is wrong")
                self.is_set_up = self.is_signed_in = True
                return self.session()
        if not self.is_signed_in:
            raise Refusal(401, "AUTHENTICATION_REQUIRED", "sign in first")
        match path:
            case "session/confirm":
                self.confirmed = True
                return {}
            case "session/sign-out":
                self.is_signed_in = False
                return {}
            case "team/list":
                return {"members": self.members}
            case "team/add" | "team/configure" | "team/remove":
                return self.change_team(path, body)
        if path.startswith("management/"):
            return self.manage(path.removeprefix("management/"), body)
        if path.startswith("as/"):
            path = path.split("/", 2)[2]
        if path.startswith("database/"):
            parts = path.split("/", 4)
            return self.database(parts[3], parts[4].split("?")[0], body)
        raise Refusal(404, "NOT_FOUND", "there is no such endpoint")

    def change_team(self, path, body):
        if not self.confirmed:
            raise Refusal(403, "ACCESS_DENIED", "the password is needed again")
        self.members = [m for m in self.members if m["email"] != body["email"]]
        if path != "team/remove":
            self.members.append({**body, "addedAt": data.NOW})
        return {}

    # Management

    def manage(self, path, body):
        fixed = {
            "status": data.STATUS, "schema/indexes": {"indexes": data.INDEXES, "advice": data.ADVICE},
            "schema/retiring": {"retirements": data.RETIREMENTS},
            "schema/export": {"schema": "DEFINE SCHEMA\n"},
            "api-tokens/list": {"apiTokens": self.tokens}, "server-keys/list": {"serverKeys": data.KEYS},
            "telemetry/fetch": data.telemetry(),
            "audit/list": {"entries": data.audit(body)},
            "quotas/show": data.quota(body.get("email")),
            "web-tokens/list": {"webTokens": data.SESSIONS},
            "accounts/list": {"accounts": self.accounts},
            "roles/list": {"roles": ["Editor"], "users": [
                {"email": data.OWNER, "userRecordName": data.ANNA, "roles": ["Editor"]},
                {"email": None, "userRecordName": data.HOSTILE[1], "roles": []}]},
            "permissions/explain": {"subject": f"Note, as {data.ANNA}", "verbs": data.VERBS},
            "containers/configure": {"allowsQueryExtensions": True,
                                     "requiresReferenceTargets": False},
        }
        if path in fixed:
            return fixed[path]
        match path:
            case "schema/describe":
                return self.describe(body)
            case "schema/change":
                return {**data.REPORT, "isApplied": not body.get("isDryRun")}
            case "devices/list":
                if body["code"].replace("-", "").upper() != "7KQMPX2AW9TD4HGN":
                    raise Refusal(404, "NOT_FOUND", "there is no such code of consent")
                return data.DEVICES
            case "requests/list":
                return {"requests": [data.request_entry(n) for n in range(1, 40)], "before": "40"}
            case "api-tokens/create":
                return {"token": "ab" * 32, "id": "cd" * 32}
            case "server-keys/add":
                return {"id": "ef" * 32, "userRecordName": data.BERT}
            case "accounts/create":
                self.accounts.append({"email": body["email"], "disabled": False})
                return {}
            case "containers/delete":
                raise Refusal(403, "ACCESS_DENIED", "the password is needed again")
        return {}

    def describe(self, body):
        if "schema" not in body:
            return {**self.schema, "faults": []}
        faults = []
        for number, line in enumerate(body["schema"].split("\n"), 1):
            if "BANANA" in line:
                faults.append({"line": number, "column": line.index("BANANA") + 1,
                               "reason": "BANANA is no type; write one of STRING, INT64 …"})
        return {**self.schema, "faults": faults}

    # Databases

    def database(self, scope, endpoint, body):
        match endpoint:
            case "records/query":
                return self.query(body)
            case "records/lookup":
                return {"records": [self.found(item["recordName"]) for item in body["records"]]}
            case "records/modify":
                return {"records": [self.modify(item) for item in body["operations"]]}
            case "changes/zone":
                return {"zones": [{
                    "zoneID": {"zoneName": "_defaultZone"}, "syncToken": "token2",
                    "moreComing": True, "records": [
                        *list(self.records.values())[:3],
                        {"recordName": "gone", "deleted": True, "deletedRecordType": "Note"}]}]}
            case "zones/list":
                return {"zones": data.ZONES}
            case "subscriptions/list":
                return {"subscriptions": data.SUBSCRIPTIONS}
            case "zones/modify":
                return {"zones": [{"zoneID": body["operations"][0]["zone"]["zoneID"]}]}
            case "subscriptions/modify":
                return {"subscriptions": [body["operations"][0]["subscription"]]}
            case "assets/upload":
                return {"tokens": [{**token, "url": "/console/1/assets/upload/ticket"}
                                   for token in body["tokens"]]}
        raise Refusal(404, "NOT_FOUND", "there is no such endpoint")

    def query(self, body):
        query = body["query"]
        for condition in query.get("filterBy", []):
            if condition.get("fieldName") == "body":
                raise Refusal(400, "BAD_REQUEST", "Field 'body' is not marked queryable")
        found = [r for r in self.records.values() if r["recordType"] == query["recordType"]]
        start = int(body.get("continuationMarker") or 0)
        page = found[start:start + 15]
        answer = {"records": page}
        if start + 15 < len(found):
            answer["continuationMarker"] = str(start + 15)
        return answer

    def found(self, name):
        return self.records.get(name) or {
            "recordName": name, "serverErrorCode": "NOT_FOUND", "reason": "Record not found"}

    def modify(self, operation):
        record = operation["record"]
        name = record["recordName"]
        if "elete" in operation["operationType"]:
            self.records.pop(name, None)
            return {"recordName": name, "deleted": True}
        stored = self.records.get(name)
        if stored is None:
            stored = {**data.note(1), "recordName": name, "recordType": record["recordType"],
                      "fields": {}}
        elif operation["operationType"] == "update" and name == "note-4":
            server = copy.deepcopy(stored)
            server["fields"]["title"] = {"value": "from another member", "type": "STRING"}
            return {"recordName": name, "serverErrorCode": "CONFLICT",
                    "reason": "the record has changed on the server", "serverRecord": server}
        for field, value in record.get("fields", {}).items():
            if value.get("value") is None:
                stored["fields"].pop(field, None)
            else:
                stored["fields"][field] = value
        self.records[name] = stored
        return stored
