#!/usr/bin/python3
"""Attacks the console of a real server like a page of another site, like a guest, and like a member
who lacks a permission. Checks that each attempt is refused.

usage: check_security.py BINARY
"""
import json
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]

from real import Member, RealServer  # noqa: E402

NOTES, PHOTOS = "iCloud.org.example.Notes", "iCloud.org.example.Photos"
PASSWORD = "seven green bicycles"
# The longest time after which the live updates of an ended session end. A heartbeat is sent every
# 10 seconds.
END_SECONDS = 45
ROLES = ["owner", "developer", "operator", "auditor"]
# The roles that may call each endpoint (docs/internals/console.md, Team).
ALL, WRITERS, KEEPERS = set(ROLES), {"owner", "developer"}, {"owner", "operator"}
PERMISSIONS = {
    "status": ALL, "containers/list": ALL, "containers/create": KEEPERS,
    "containers/configure": KEEPERS, "containers/delete": KEEPERS,
    "schema/indexes/drop": KEEPERS, "schema/export": ALL, "schema/describe": ALL,
    "schema/indexes": ALL, "schema/retiring": ALL, "roles/list": ALL,
    "permissions/explain": WRITERS, "schema/change": {"owner"}, "schema/retire": {"owner"},
    "schema/reset": WRITERS, "api-tokens/create": WRITERS, "api-tokens/list": WRITERS,
    "api-tokens/revoke": WRITERS, "server-keys/add": WRITERS, "server-keys/list": WRITERS,
    "server-keys/revoke": WRITERS, "accounts/create": KEEPERS, "accounts/list": KEEPERS,
    "accounts/enable": KEEPERS, "accounts/disable": KEEPERS,
    "accounts/restrict": KEEPERS, "accounts/unrestrict": KEEPERS, "web-tokens/list": KEEPERS,
    "web-tokens/revoke": KEEPERS, "requests/list": ALL, "telemetry/fetch": ALL,
    "audit/list": {"owner", "operator", "auditor"}, "versions/show": set(), "versions/restore": set(),
    "roles/grant": {"owner"}, "roles/revoke": {"owner"},
    "accounts/configure": set(), "web-tokens/create": set(), "web-tokens/rotate-key": set(),
    "accounts/invite": set(), "quotas/set": KEEPERS, "quotas/show": KEEPERS, "devices/list": ALL,
    "schema/deploy": set(), "team/list": set(),
}
# None of these things exist at the beginning. Allowed requests create the container and the
# account, and the later requests of `roles` change only these.
NOBODY = {"containerID": "iCloud.org.example.None", "environment": "production", "id": "x",
          "email": "nobody@example.org", "role": "x", "token": "x", "code": "x",
          "target": "public", "bytes": 1}


def policy(server):
    """Each answer has the policies of docs/internals/console.md."""
    member = Member(server, "owner@example.org", PASSWORD)
    page = server.send("GET", "/", Sec_Fetch_Site="none", Origin=None)
    script = page.bytes.decode().split('src="')[1].split('"')[0]
    answers = [
        page, server.send("GET", "/records?container=x", Origin=None),
        server.send("GET", script, Origin=None), server.send("GET", "/files/0/main.js"),
        member.call("management/status"), server.send("POST", "/console/1/session/fetch", {}),
        server.send("POST", "/console/1/management/status", {}), server.send("PUT", "/"),
        server.send("POST", "/console/1/nothing", {}, Sec_Fetch_Site="cross-site")]
    for answer in answers:
        found = answer.headers["Content-Security-Policy"]
        for part in ["default-src 'none'", "script-src 'self'", "style-src 'self'",
                     "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
                     "frame-ancestors 'none'", "require-trusted-types-for 'script'",
                     "trusted-types 'none'"]:
            assert part in found.split("; "), (answer.status, part, found)
        for name, value in {"Cross-Origin-Opener-Policy": "same-origin",
                            "Cross-Origin-Resource-Policy": "same-origin",
                            "Referrer-Policy": "no-referrer",
                            "X-Content-Type-Options": "nosniff"}.items():
            assert answer.headers[name] == value, (answer.status, name, answer.headers[name])
        assert not [name for name in answer.headers if name.lower().startswith("access-control")]
    assert page.headers["Cache-Control"] == "no-store"
    assert "unsafe" not in page.headers["Content-Security-Policy"]


def guests(server):
    """Without a session, a caller gets nothing but the state of the set-up."""
    for path in list(PERMISSIONS) + ["x"]:
        answer = server.send("POST", f"/console/1/management/{path}", NOBODY)
        assert answer.status == 401, (path, answer.status)
    for path in ["team/list", "team/add", "session/confirm", "session/sign-out", "x", "",
                 f"database/{NOTES}/development/public/records/query"]:
        answer = server.send("POST", f"/console/1/{path}", NOBODY)
        assert answer.status == 401, (path, answer.status)
    session = server.send("POST", "/console/1/session/fetch", {}).json
    assert "member" not in session and session["containerIDs"] == [], session
    for cookie in ["x", "0" * 64, ""]:
        answer = server.send("POST", "/console/1/management/status", {},
                             Cookie=f"stratus-console={cookie}")
        assert answer.status == 401, answer.status
    # A wrong password, an account outside of the team, and an unknown account get the same answer.
    refusals = []
    for email, password in [("owner@example.org", "wrong password"),
                            ("guest@example.org", PASSWORD), ("none@example.org", PASSWORD)]:
        answer = server.send("POST", "/console/1/session/sign-in",
                             {"email": email, "password": password})
        assert answer.status == 401 and answer.headers["Set-Cookie"] is None, email
        # Only the ID and the date of the request may differ.
        head = [field for field in answer.headers.items()
                if field[0].lower() not in ("date", "x-apple-request-uuid")]
        body = {key: value for key, value in answer.json.items() if key != "uuid"}
        assert body["reason"], answer.json
        refusals.append((head, body))
        assert refusals[-1] == refusals[0], (email, refusals)
    answer = server.send("POST", "/console/1/session/set-up", {
        "code": server.setup_code, "email": "eve@example.org", "password": PASSWORD})
    assert answer.status == 401, "the setup code is valid twice"


def foreign_pages(server):
    """A request of another origin is refused, although the browser sends the cookie."""
    member = Member(server, "owner@example.org", PASSWORD)
    port = server.url.rsplit(":", 1)[1]
    attacks = [
        {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"},
        {"Sec_Fetch_Site": "none"}, {"Origin": "https://evil.example"}, {"Origin": "null"},
        {"Origin": server.api}, {"Origin": server.url.replace("http:", "https:")},
        {"host": f"rebound.example:{port}"}, {"host": f"127.0.0.1.evil.example:{port}"},
        {"host": "evil.example", "Origin": "http://evil.example"},
        {"Content_Type": "text/plain"}, {"Content_Type": "application/x-www-form-urlencoded"},
        {"Content_Type": "multipart/form-data; boundary=x"}, {"Content_Type": None},
    ]
    for attack in attacks:
        for path in ["management/status", "session/sign-in", "session/sign-out", "team/list",
                     "assets/upload/x"]:
            answer = member.call(path, **attack)
            assert answer.status == 403, (attack, path, answer.status)
    for method in ["GET", "PUT", "DELETE", "OPTIONS"]:
        answer = server.send(method, "/console/1/management/status", Cookie=member.cookie)
        assert answer.status == 403, (method, answer.status)
    assert member.call("management/status").status == 200


def roles(server):
    """A member may call exactly the endpoints that PERMISSIONS allows for the member's role."""
    members = {role: Member(server, f"{role}@example.org", PASSWORD) for role in ROLES}
    for role, member in members.items():
        for path, allowed in PERMISSIONS.items():
            answer = member.call(f"management/{path}", NOBODY)
            reason = answer.json.get("reason", "")
            is_unknown = reason == "could not find handler for endpoint"
            assert is_unknown == (not allowed), (role, path, answer.json)
            if path == "roles/list" and role in ("developer", "auditor"):
                continue  # NB: these roles may not ask for an address.
            is_refused = answer.status == 403
            assert is_refused == (bool(allowed) and role not in allowed), (role, path, answer.json)
        for path in ["team/list", "team/add", "team/configure", "team/remove"]:
            assert (member.call(path, NOBODY).status == 403) == (role != "owner"), (role, path)
        database = member.call(f"database/{NOTES}/development/public/records/query",
                               {"query": {"recordType": "Note"}})
        assert (database.status == 403) == (role not in WRITERS), (role, database.status)


def deployment(server):
    """Only an owner changes production, however the request is written."""
    developer = Member(server, "developer@example.org", PASSWORD)
    schema = "DEFINE SCHEMA RECORD TYPE Sneaked (title STRING);"
    base = {"containerID": NOTES, "schema": schema}
    assert developer.call("management/schema/change",
                          {**base, "environment": "development"}).status == 200
    bodies = [
        json.dumps({**base, "environment": "production"}),
        json.dumps({**base, "environment": "production", "isDryRun": False}),
        json.dumps({"containerID": NOTES, "environment": "production"}),
        # The same key twice, in both orders.
        json.dumps(base)[:-1] + ', "environment": "development", "environment": "production"}',
        json.dumps(base)[:-1] + ', "environment": "production", "environment": "development"}',
        json.dumps({**base, "environment": "production"})[:-1]
        + ', "isDryRun": true, "isDryRun": false}',
        json.dumps({**base, "environment": "production"})[:-1]
        + ', "isDryRun": false, "isDryRun": true}',
        json.dumps({**base, "environment": "PRODUCTION"}),
        json.dumps({**base, "environment": "production", "isDryRun": "true"}),
        json.dumps({**base, "environment": "production", "isDryRun": 1}),
        json.dumps({**base, "environment": ["production"]}), json.dumps(base), "[]", "x", "",
    ]
    for body in bodies:
        developer.call("management/schema/change", body)
        exported = server.command("schema", "export", "--container", NOTES,
                                  "--environment", "production")
        assert "Sneaked" not in exported, body
    owner = Member(server, "owner@example.org", PASSWORD)
    answer = owner.call("management/schema/change", json.loads(bodies[0]))
    assert answer.json["isApplied"] is True, answer.json


def limited(server):
    """For a limited member, other containers do not exist."""
    server.command("account", "create", "limited@example.org", "--password-stdin",
                   text=PASSWORD + "\n")
    server.command("team", "add", "limited@example.org", "--role", "developer",
                   "--container", NOTES)
    member = Member(server, "limited@example.org", PASSWORD)
    owner = Member(server, "owner@example.org", PASSWORD)
    store = {"environment": "development"}
    token = owner.call("management/api-tokens/create", {**store, "containerID": PHOTOS}).json["id"]
    for answer in [
        member.call("management/schema/export", {**store, "containerID": PHOTOS}),
        member.call("management/schema/describe", {**store, "containerID": PHOTOS}),
        member.call("management/schema/reset", {"containerID": PHOTOS}),
        member.call("management/api-tokens/create", {**store, "containerID": PHOTOS}),
        member.call("management/api-tokens/revoke", {"id": token, "containerID": NOTES}),
        member.call(f"database/{PHOTOS}/development/public/zones/list"),
    ]:
        assert answer.status == 404, answer.json
    session = member.call("session/fetch").json
    assert session["containerIDs"] == [NOTES], session
    status = member.call("management/status").json
    assert [item["id"] for item in status["containers"]] == [NOTES], status
    tokens = member.call("management/api-tokens/list").json["apiTokens"]
    assert all(item["containerID"] == NOTES for item in tokens), tokens
    assert owner.call("management/api-tokens/revoke", {"id": token}).status == 200


def private_data(server):
    """A member opens only the member's own private database, and only with listed endpoints."""
    owner = Member(server, "owner@example.org", PASSWORD)
    developer = Member(server, "developer@example.org", PASSWORD)
    base = f"database/{NOTES}/development/private"
    saved = owner.call(f"{base}/records/modify", {"operations": [{
        "operationType": "create",
        "record": {"recordName": "secret", "recordType": "Note", "fields": {}}}]})
    assert saved.status == 200, saved.json
    lookup = {"records": [{"recordName": "secret"}]}
    assert "serverErrorCode" not in owner.call(f"{base}/records/lookup", lookup).json["records"][0]
    for query in ["", "?as=owner@example.org", "?ckWebAuthToken=x"]:
        found = developer.call(f"{base}/records/lookup{query}", lookup)
        assert found.json["records"][0]["serverErrorCode"] == "NOT_FOUND", found.json
    name = owner.call(f"{base}/users/caller").json["userRecordName"]
    zone = {"zoneName": "_defaultZone", "ownerRecordName": name}
    answer = developer.call(f"database/{NOTES}/development/shared/records/lookup",
                            {**lookup, "zoneID": zone})
    assert "secret" not in json.dumps(answer.json.get("records", [])) or "NOT_FOUND" in json.dumps(
        answer.json), answer.json
    for endpoint in ["tokens/create", "encryption/keys", "users/lookup/email", "records/accept",
                     "records/resolve", "x", "../public/records/query"]:
        assert developer.call(f"{base}/{endpoint}").status == 404, endpoint


def acting(server):
    """A developer can act only in the name of test accounts. Other roles can act for no account."""
    server.command("account", "create", "test@example.org", "--test")
    server.command("account", "create", "person@example.org")
    developer = Member(server, "developer@example.org", PASSWORD)
    path = f"database/{NOTES}/development/private/records/lookup"
    lookup = {"records": [{"recordName": "secret"}]}
    answer = developer.call(f"as/test%40example.org/{path}", lookup)
    assert answer.json["records"][0]["serverErrorCode"] == "NOT_FOUND", answer.json
    # The test account and the developer each have a database of their own.
    own = f"database/{NOTES}/development/private"
    test = f"as/test@example.org/{own}"
    for name, base, other in [("of-test", test, own), ("of-developer", own, test)]:
        saved = developer.call(f"{base}/records/modify", {"operations": [{
            "operationType": "create",
            "record": {"recordName": name, "recordType": "Note", "fields": {}}}]})
        assert saved.status == 200, (name, saved.json)
        named = {"records": [{"recordName": name}]}
        found = developer.call(f"{base}/records/lookup", named).json["records"][0]
        assert "serverErrorCode" not in found and found["recordName"] == name, found
        hidden = developer.call(f"{other}/records/lookup", named).json["records"][0]
        assert hidden.get("serverErrorCode") == "NOT_FOUND", hidden
    for email in ["owner@example.org", "person@example.org", "nobody@example.org", "%00", "..",
                  "test@example.org/as/owner@example.org", ""]:
        answer = developer.call(f"as/{email}/{path}", lookup)
        assert answer.status in (403, 404), (email, answer.json)
        assert "records" not in answer.json, (email, answer.json)
    for endpoint in ["tokens/create", "encryption/keys", "records/accept"]:
        answer = developer.call(
            f"as/test@example.org/database/{NOTES}/development/private/{endpoint}")
        assert answer.status == 404, endpoint
    for role in ["operator", "auditor"]:
        answer = Member(server, f"{role}@example.org", PASSWORD).call(
            f"as/test@example.org/{path}", lookup)
        assert answer.status == 404, (role, answer.json)
    answer = server.send("POST", f"/console/1/as/test@example.org/{path}", lookup)
    assert answer.status == 401, answer.status


def devices(server):
    """Without the user's code of consent, no role sees a user's devices."""
    store = {"containerID": NOTES, "environment": "development"}
    for role in ROLES:
        member = Member(server, f"{role}@example.org", PASSWORD)
        for code in ["", "x", "owner@example.org", "0000-0000-0000-0000", "A" * 10_000, None, 7]:
            for more in [{}, {"email": "owner@example.org"}, {"userRecordName": "_x"}]:
                answer = member.call("management/devices/list", {**store, "code": code, **more})
                assert answer.status in (400, 404), (role, code, answer.json)
                assert "devices" not in answer.json


def user_bytes(server):
    """No uploaded byte is served from the console's origin."""
    owner = Member(server, "owner@example.org", PASSWORD)
    base = f"database/{NOTES}/development/private"
    page = b"<script>alert(1)</script>"
    token = owner.call(f"{base}/assets/upload", {"tokens": [{
        "recordName": "file", "recordType": "Note", "fieldName": "file"}]}).json["tokens"][0]
    assert token["url"].startswith(server.url + "/console/1/assets/upload/"), token
    path = token["url"].removeprefix(server.url)
    refused = server.send("POST", path, page, Content_Type="application/octet-stream",
                          Sec_Fetch_Site="cross-site")
    assert refused.status == 403, refused.status
    done = server.send("POST", path, page, Content_Type="application/octet-stream")
    assert done.status == 200, done.bytes
    saved = owner.call(f"{base}/records/modify", {"operations": [{
        "operationType": "create", "record": {
            "recordName": "file", "recordType": "Note",
            "fields": {"file": {"value": done.json["singleFile"]}}}}]}).json
    link = saved["records"][0]["fields"]["file"]["value"]["downloadURL"]
    assert link.startswith(server.api), (link, server.api)
    path = link.removeprefix(server.api).replace("${f}", "x.html")
    at_console = server.send("GET", path, Cookie=owner.cookie)
    assert page not in at_console.bytes, "the console serves the bytes of a user"
    at_api = server.send("GET", path, at=server.api, Cookie=owner.cookie)
    assert at_api.bytes == page
    for path in ["/", "/database/1/x", "/health/live", "/management/status", "/auth/sign-in",
                 "/account", "/files/../../../etc/passwd", "/assets/x", "//evil.example/"]:
        answer = server.send("GET", path, Origin=None)
        assert b"<script>alert" not in answer.bytes
        assert answer.status in (200, 400, 404) and b"root:" not in answer.bytes, path
        if answer.status == 200:
            assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
            assert b"<title>Stratus</title>" in answer.bytes, (path, answer.bytes)


def other_listeners(server):
    """The console's cookie opens nothing in the API, and the pages' cookie opens nothing in the console."""
    owner = Member(server, "owner@example.org", PASSWORD)
    for path in ["/account", f"/database/1/{NOTES}/development/private/users/caller",
                 "/console/1/management/status", "/management/status"]:
        answer = server.send("GET", path, at=server.api, Cookie=owner.cookie, Origin=None)
        assert answer.status != 200 or b"owner@example.org" not in answer.bytes, path
        posted = server.send("POST", path, {}, at=server.api, Cookie=owner.cookie)
        assert posted.status >= 400, (path, posted.status)
    stolen = owner.cookie.split("=")[1]
    for name in ["stratus", "__Host-stratus"]:
        answer = server.send("GET", "/account", at=server.api, Cookie=f"{name}={stolen}",
                             Origin=None)
        assert b"owner@example.org" not in answer.bytes, name
    assert owner.call("session/sign-out").status == 200
    assert owner.call("management/status").status == 401, "a session works after the sign-out"


def throttle(server):
    """Many wrong passwords delay the next attempt."""
    statuses = [server.send("POST", "/console/1/session/sign-in", {
        "email": "auditor@example.org", "password": f"wrong {number}"}).status
        for number in range(12)]
    assert statuses[-1] in (429, 503), statuses


def live(server):
    """Live updates need a session and the same origin, and end with the session."""
    assert server.send("GET", "/console/1/live", Content_Type=None).status == 401
    developer = Member(server, "developer@example.org", PASSWORD)
    for attack in [{"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"},
                   {"Origin": "https://evil.example"}, {"host": "evil.example"}]:
        answer = server.send("GET", "/console/1/live", Cookie=developer.cookie, **attack)
        assert answer.status == 403, (attack, answer.status)
    with server.events(developer) as events:
        assert events.readline() == b"event: status\n"
        server.command("team", "remove", "developer@example.org")
        # The server checks the session with each heartbeat. NB: a stream that does not end has
        # heartbeats, so the time-out of the socket never passes.
        deadline = time.monotonic() + END_SECONDS
        while (line := events.readline()) and line != b"event: ended\n":
            assert time.monotonic() < deadline, \
                f"the live updates continue {END_SECONDS} seconds after the session has ended"
        assert line == b"event: ended\n", line
    server.command("team", "add", "developer@example.org", "--role", "developer")


def addresses(server):
    """A console that sends passwords over the network without TLS does not start."""
    for options, word in [
            (["--console-host", "0.0.0.0"], "--console-host"),
            (["--console-url", "http://console.example.org"], "--console-url"),
            (["--console-url", "https://console.example.org/path"], "--console-url"),
            (["--console-port", "70000"], "--console-port")]:
        done = subprocess.run(
            [server.binary, "serve", "--data", str(server.folder / "other"), "--port", "0",
             "--console-port", "0", *options], capture_output=True, text=True, timeout=30)
        assert done.returncode != 0 and word in done.stderr, (options, done.stderr)
    done = subprocess.run(
        [server.binary, "serve", "--data", str(server.folder / "other"), "--console-url",
         "https://console.example.org"], capture_output=True, text=True, timeout=30)
    assert done.returncode != 0 and "--console-port" in done.stderr, done.stderr


def restart(server):
    """A session survives a restart of the server, and there is no new setup code."""
    owner = Member(server, "owner@example.org", PASSWORD)
    assert server.end() == 0
    server.setup_code = None
    server.begin()
    assert server.setup_code is None, "a team with an owner got a setup code"
    assert owner.call("management/status").status == 200
    assert PASSWORD not in server.log_text() and owner.cookie.split("=")[1] not in server.log_text()


CHECKS = [policy, guests, foreign_pages, roles, deployment, limited, private_data, acting, devices, user_bytes,
          other_listeners, throttle, live, addresses, restart]


def prepare(server):
    """Makes the first owner with the setup code, checks its cookie, and makes the other members."""
    answer = server.send("POST", "/console/1/session/set-up", {
        "code": server.setup_code, "email": "owner@example.org", "password": PASSWORD})
    assert answer.status == 200, answer.bytes
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("stratus-console=") and "HttpOnly" in cookie, cookie
    assert "SameSite=Strict" in cookie and "Path=/" in cookie and "Domain" not in cookie, cookie
    for role in ROLES[1:] + ["guest"]:
        server.command("account", "create", f"{role}@example.org", "--password-stdin",
                       text=PASSWORD + "\n")
        if role != "guest":
            server.command("team", "add", f"{role}@example.org", "--role", role)
    for container in (NOTES, PHOTOS):
        server.command("container", "create", container)


def passes(check, server):
    """Runs a check, and prints its failure."""
    try:
        check(server)
    except Exception as error:
        line = error.__traceback__.tb_next.tb_lineno if error.__traceback__.tb_next else 0
        print(f"{check.__name__}: {type(error).__name__} in line {line}: {str(error)[:600]}")
        return False
    return True


def main():
    server = RealServer(sys.argv[1])
    try:
        if not passes(prepare, server):
            print(f"prepare failed, so the {len(CHECKS)} checks of the console's security were "
                  "skipped")
            return 1
        failures = sum(not passes(check, server) for check in CHECKS)
    finally:
        server.end()
        server.remove()
    print(f"{len(CHECKS)} checks of the console's security, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
