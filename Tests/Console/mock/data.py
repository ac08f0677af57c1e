"""The fixed data of the mock server. It contains names that must never become code."""
import base64
import time

NOW = int(time.time() * 1000)
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
NOTES, PHOTOS = "iCloud.org.example.Notes", "iCloud.org.example.Photos"
OWNER, DEVELOPER = "anna@example.org", "bert@example.org"
ANNA = "_" + "a1" * 16
BERT = "_" + "b2" * 16

HOSTILE = [
    "<img src=x onerror=alert(1)>", "\"><script>alert(2)</script>", "javascript:alert(3)",
    "=HYPERLINK(\"https://evil.example\")", "rtl \u202e gnp.exe", "zero\u200bwidth",
    "a" * 400, "two\nlines", "{{constructor}}", "' OR 1=1 --",
]

ROLE_PERMISSIONS = {
    "owner": ["status", "records", "schema-read", "schema", "deploy", "access", "users", "grants",
              "requests", "operation", "team", "audit"],
    "developer": ["status", "records", "schema-read", "schema", "access", "requests"],
    "operator": ["status", "schema-read", "users", "operation", "requests", "audit"],
    "auditor": ["status", "schema-read", "requests", "audit"],
}


def field(name, kind, marks="", system=False):
    return {"name": name, "type": kind, "isSystem": system, "isQueryable": "q" in marks,
            "isSortable": "s" in marks, "isSearchable": "t" in marks}


def system_fields():
    return [field("___createTime", "TIMESTAMP", "qs", True),
            field("___createdBy", "REFERENCE", "q", True), field("___etag", "STRING", "", True),
            field("___modTime", "TIMESTAMP", "qs", True),
            field("___modifiedBy", "REFERENCE", "q", True),
            field("___recordID", "REFERENCE", "q", True)]


def grants(**roles):
    return [{"role": role, "permissions": words.split()} for role, words in roles.items()]


SCHEMA = {
    "roles": ["Editor"],
    "recordTypes": [
        {"name": "Note", "fields": system_fields() + [
            field("attachment", "ASSET"), field("author", "REFERENCE", "q"),
            field("body", "STRING", "t"), field("count", "INT64", "qs"),
            field("created", "TIMESTAMP", "qs"), field("data", "BYTES"),
            field("place", "LOCATION", "q"), field("price", "DOUBLE", "qs"),
            field("secret", "ENCRYPTED STRING"), field("tags", "LIST<STRING>", "q"),
            field("title", "STRING", "qst")],
         "grants": grants(_creator="write", _icloud="create", _world="read", Editor="read write")},
        {"name": "Folder", "fields": system_fields() + [field("name", "STRING", "qs")],
         "grants": grants(_creator="write", _icloud="create", _world="read")},
        {"name": "Users", "fields": system_fields() + [field("roles", "LIST<INT64>")],
         "grants": grants(_creator="write", _world="read")},
    ],
}


def note(number):
    title = HOSTILE[number % len(HOSTILE)] if number % 2 else f"Note {number}"
    fields = {
        "title": {"value": title, "type": "STRING"},
        "count": {"value": str(9_007_199_254_740_993 + number), "type": "INT64"},
        "price": {"value": str(number / 4), "type": "DOUBLE"},
        "created": {"value": str(NOW - number * HOUR), "type": "TIMESTAMP"},
        "tags": {"value": ["red", HOSTILE[0], "long"][: number % 4], "type": "STRING_LIST"},
        "place": {"value": {"latitude": 48.137 + number, "longitude": 11.575,
                            "horizontalAccuracy": 5}, "type": "LOCATION"},
        "author": {"value": {"recordName": ANNA, "action": "NONE"}, "type": "REFERENCE"},
        "data": {"value": base64.b64encode(b"bytes").decode(), "type": "BYTES"},
    }
    if number % 3 == 0:
        fields["secret"] = {"value": "AAAA", "type": "STRING", "isEncrypted": True}
        fields["attachment"] = {"type": "ASSETID", "value": {
            "fileChecksum": "c", "size": 12_345,
            "downloadURL": "https://api.example.org/assets/download/t/${f}"}}
    if number % 2:
        fields["body"] = {"value": HOSTILE[(number + 1) % len(HOSTILE)], "type": "STRING"}
    name = f"note-{number}" if number != 5 else HOSTILE[1]
    stamp = {"timestamp": NOW - number * MINUTE, "userRecordName": ANNA, "deviceID": "device-1"}
    return {"recordName": name, "recordType": "Note", "fields": fields, "recordChangeTag": "tag1",
            "created": stamp, "modified": stamp, "deleted": False,
            "zoneID": {"zoneName": "_defaultZone", "ownerRecordName": ANNA}}


def records():
    return {item["recordName"]: item for item in map(note, range(1, 26))}


def share():
    return {"recordName": "Share-1", "recordType": "cloudkit.share", "fields": {},
            "recordChangeTag": "s1", "created": {"timestamp": NOW}, "modified": {"timestamp": NOW},
            "zoneID": {"zoneName": "_defaultZone", "ownerRecordName": ANNA},
            "shortGUID": "0abcDEF", "displayedHostname": "notes.example.org",
            "publicPermission": "NONE", "participants": [
                {"participantId": "p1", "type": "OWNER", "acceptanceStatus": "ACCEPTED",
                 "permission": "READ_WRITE", "userIdentity": {"userRecordName": ANNA}},
                {"participantId": "p2", "type": "USER", "acceptanceStatus": "INVITED",
                 "permission": "READ_ONLY", "userIdentity": {
                     "lookupInfo": {"emailAddress": HOSTILE[0] + "@example.org"}}}]}


ACCOUNTS = [
    {"email": OWNER, "disabled": False}, {"email": DEVELOPER, "disabled": True},
    {"email": "<b>x</b>@example.org", "disabled": False},
    {"email": "test+1@example.org", "disabled": False, "isTest": True},
]

MEMBERS = [
    {"email": OWNER, "role": "owner", "addedAt": NOW - 90 * DAY, "lastUsedAt": NOW},
    {"email": DEVELOPER, "role": "developer", "containerIDs": [NOTES], "addedAt": NOW - DAY},
]

STATUS = {
    "productionLacks": [
        {"containerID": NOTES, "recordType": "Folder", "kind": "type", "name": "",
         "app": HOSTILE[0], "count": 1234, "firstAt": NOW - 2 * DAY, "lastAt": NOW - MINUTE},
        {"containerID": NOTES, "recordType": "Note", "kind": "index", "name": "title SORTABLE",
         "app": "Notes 2.1", "count": 3, "firstAt": NOW - HOUR, "lastAt": NOW - HOUR}],
    "ready": True, "faults": [], "version": "1.4.0", "startedAt": NOW - 3 * DAY,
    "uptimeSeconds": 259_200,
    "containers": [
        {"id": NOTES, "stores": [
            {"environment": "development", "open": True, "sizeBytes": 12_345_678},
            {"environment": "production", "open": False, "sizeBytes": 987_654_321}]},
        {"id": PHOTOS, "stores": []}],
}

INDEXES = [
    {"id": 6, "recordType": "Note", "columns": ["title"], "state": "ready", "uses": 10_400,
     "lastUsedDay": NOW // DAY},
    {"id": 7, "recordType": "Note", "columns": ["price"], "state": "building", "uses": 0,
     "rowsDone": 500, "rowsTotal": 2000},
]


DEVICES = {
    "userRecordName": ANNA, "endsAt": NOW + HOUR, "unsavedBytes": 12_345, "devices": [
        {"deviceID": HOSTILE[0], "app": "Notes/2.1", "lastSeen": NOW - MINUTE, "session": "a1b2c3d4",
         "lastSave": NOW - HOUR, "uploadSince": NOW - HOUR, "zones": [
             {"zoneName": "Notes", "tokenAt": NOW - HOUR, "moreComing": True, "lag": 1_234},
             {"zoneName": HOSTILE[1], "ownerRecordName": BERT, "tokenAt": NOW, "moreComing": False}],
         "push": {"channel": "apns", "waiting": 3, "waitingSince": NOW - DAY, "lastPush": NOW - 2 * DAY,
                  "seen": NOW - DAY},
         "requests": [
             {"time": NOW - MINUTE, "endpoint": "records/modify", "outcome": "QUOTA_EXCEEDED",
              "milliseconds": 3, "requestID": "00000000-0000-0000-0000-000000000001"},
             {"time": NOW - HOUR, "endpoint": "changes/zone", "outcome": "ok", "milliseconds": 2}],
         "findings": ["The device has not fetched 1000 records of the zone 'Notes'."]},
        {"deviceID": "quiet", "app": "", "zones": [], "requests": [], "findings": []}]}


def audit(body):
    """The entries of the audit log, the newest first."""
    actions = [("operator", None, "accounts/disable", OWNER, None, None, ""),
               ("member", OWNER, "api-tokens/create", None, NOTES, "production", HOSTILE[0]),
               ("user", None, "account-page", DEVELOPER, None, None, "changed its password")]
    entries = []
    for number in range(450, 0, -1):
        actor, member, action, account, container, environment, subject = actions[number % 3]
        entries.append({
            "number": number, "time": NOW - (450 - number) * HOUR, "actor": actor, "member": member,
            "action": action, "account": account, "containerID": container,
            "environment": environment, "subject": subject})
    entries = [entry for entry in entries
               if (not body.get("email") or entry["account"] == body["email"])
               and (not body.get("before") or entry["number"] < body["before"])]
    return entries[:body.get("limit", 100)]


def telemetry():
    points = []
    for minutes in range(50, 0, -1):
        for number, endpoint in enumerate(["records/query", "records/modify", HOSTILE[0]]):
            count = (minutes * 7 + number * 13) % 40
            points.append({
                "time": (NOW // MINUTE - minutes) * MINUTE, "containerID": NOTES,
                "environment": "development", "endpoint": endpoint, "count": count,
                "failedCount": count // 9, "milliseconds": count * 4, "bytesIn": count * 300,
                "bytesOut": count * 2_000, "durations": [0, 0, count - count // 9, 0, 0, 0, count // 9,
                                                         0, 0, 0, 0, 0]})
    return {"durationBounds": [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000],
            "points": points, "since": NOW - 50 * MINUTE}


ADVICE = [
    {"kind": "noIndex", "recordType": "Note", "filters": ["EQUALS title"], "sorts": ["count descending"],
     "queries": 12, "recordsRead": 60_000, "recordsFound": 3, "sentence": "No index served these queries."},
    {"kind": "costlyQuery", "recordType": HOSTILE[0], "filters": [], "sorts": [], "queries": 1,
     "recordsRead": 900, "recordsFound": 1, "sentence": "These queries read far more records than they find."},
    {"kind": "unusedIndex", "recordType": "Note", "filters": [], "sorts": [], "queries": 0, "recordsRead": 0,
     "recordsFound": 0, "index": 6, "sentence": "No query has read the index for 9 days."}]


def quota(email):
    users = [] if email else [
        {"email": OWNER, "userRecordName": ANNA, "usedBytes": 123_456_789,
         "quotaBytes": 500_000_000},
        {"userRecordName": HOSTILE[1], "usedBytes": 3}]
    return {"usedBytes": 987_654_321, "quotaBytes": 1_000_000_000,
            "userQuotaBytes": 500_000_000, "users": users, "types": [
                {"recordType": "Note", "records": 12_345, "recordBytes": 7_000_000,
                 "assetBytes": 980_654_321}]}


RETIREMENTS = [
    {"place": "Note.color", "phase": "reported", "isCopied": True, "since": NOW - 3 * DAY,
     "writers": [{"deviceID": HOSTILE[0], "userRecordName": ANNA, "lastWrite": NOW, "writes": 3}]},
    {"place": "Note.old", "phase": "refused", "newName": "new", "isCopied": False,
     "since": NOW - 20 * DAY, "writers": []},
]

TOKENS = [
    {"id": "11" * 32, "containerID": NOTES, "environment": "development", "name": HOSTILE[0],
     "allowedOrigins": ["https://notes.example.org"], "createdAt": NOW - DAY},
    {"id": "22" * 32, "containerID": PHOTOS, "environment": "production", "name": "",
     "callbackURL": "https://photos.example.org/back"}]

KEYS = [
    {"id": "33" * 32, "containerID": NOTES, "environment": "production", "name": "importer",
     "userRecordName": BERT, "createdAt": NOW - DAY},
    {"id": "44" * 32, "containerID": NOTES, "environment": "production", "name": "old",
     "userRecordName": BERT, "createdAt": NOW - 9 * DAY, "revokedAt": NOW}]

SESSIONS = [
    {"id": "s1", "email": OWNER, "containerID": NOTES, "environment": "development",
     "createdAt": NOW - DAY, "lastUsedAt": NOW - MINUTE, "endsAt": NOW + 30 * DAY}]

SUBSCRIPTIONS = [
    {"subscriptionID": HOSTILE[1], "subscriptionType": "query", "firesOn": ["create"],
     "query": {"recordType": "Note", "filterBy": [
         {"fieldName": "title", "comparator": "EQUALS", "fieldValue": {"value": "x"}}]},
     "notificationInfo": {"alertBody": HOSTILE[0]}},
    {"subscriptionID": "everything", "subscriptionType": "database",
     "notificationInfo": {"shouldSendContentAvailable": True}}]

ZONES = [
    {"zoneID": {"zoneName": "_defaultZone", "ownerRecordName": ANNA}, "atomic": False},
    {"zoneID": {"zoneName": HOSTILE[0], "ownerRecordName": ANNA}, "atomic": True,
     "share": {"recordName": "cloudkit.zoneshare"}}]


def request_entry(number):
    return {"requestID": f"00000000-0000-0000-0000-{number:012d}", "time": NOW - number * 7_000,
            "milliseconds": number * 3 % 97, "bytesIn": 200 + number, "bytesOut": 3000 * number,
            "containerID": NOTES, "environment": "development", "database": "public",
            "endpoint": ["records/query", "records/modify", "changes/zone"][number % 3],
            "outcome": ["ok", "ok", "BAD_REQUEST", "ok", "CONFLICT"][number % 5],
            "steps": number * 40, "userRecordName": ANNA if number % 2 else None,
            "deviceID": "device-1", "app": HOSTILE[0] if number == 3 else "Notes/2.1",
            **({"reason": "Field … is not marked queryable", "query": "Note where title EQUALS",
                "plan": {"plan": "scan", "index": "title", "ranges": 1, "remainingFilters": [],
                         "entriesRead": 3, "recordsRead": 2}} if number % 5 == 2 else {})}


VERBS = [
    {"verb": "read", "isAllowed": True, "sentence": "The grant to _world allows it.", "sources": [
        {"kind": "grant", "name": "_world", "isAllowed": True, "sentence": "Note grants READ."},
        {"kind": "grant", "name": "Editor", "isAllowed": False,
         "sentence": "The user does not have the role."}]},
    {"verb": "write", "isAllowed": False, "sentence": "No role of the user may write Note.",
     "sources": []}]

REPORT = {
    "isValid": True, "isApplied": False, "faults": [], "refusals": [],
    "warnings": [{"reason": "queries of production can no longer sort by Note.price"}],
    "steps": ["+ type Folder", "+ field Folder.name STRING QUERYABLE SORTABLE"]}
