"""Drives a Stratus server with pyicloud's typed CloudKit client, which this project did not write.

Starts `stratus dev` on a free port with a new folder. The client validates strictly: it must know
every key of an answer. Prints one line for each check, and exits with 1 at the first failure.

Usage: pyicloud_client.py PATH_TO_STRATUS
"""

import base64
import datetime
import subprocess
import sys
import tempfile

import requests
from pyicloud.common.cloudkit.client import CloudKitApiError, CloudKitContainerClient
from pyicloud.common.cloudkit.models import (
    CKModifyOperation,
    CKTombstoneRecord,
    CKWriteRecord,
    CKZoneChangesZoneReq,
    CKZoneIDReq,
)

CONTAINER = "iCloud.org.example.Interop"
ZONE = CKZoneIDReq(zoneName="Notes")


def check(what, condition):
    print(("ok    " if condition else "FAILED ") + what)
    if not condition:
        sys.exit(1)


def start(binary, folder):
    """Starts the server, and returns the process and the settings that it prints."""
    process = subprocess.Popen(
        [binary, "dev", "--data", folder, "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    settings = {}
    for line in process.stdout:
        if line.startswith("export "):
            key, value = line[len("export ") :].strip().split("=", 1)
            settings[key] = value
        if line.startswith("stratus is ready"):
            return process, settings
    raise SystemExit("the server ended before it was ready")


def operation(kind, name, fields=None, tag=None):
    record = CKWriteRecord(
        recordName=name, recordType="Note", fields=fields or {}, recordChangeTag=tag
    )
    return CKModifyOperation(operationType=kind, record=record)


FIELDS = {
    "title": {"type": "STRING", "value": "Milk – ☕️"},
    "count": {"type": "INT64", "value": 9007199254740993},
    "price": {"type": "DOUBLE", "value": 1.25},
    "due": {"type": "TIMESTAMP", "value": 1767225600000},
    "data": {"type": "BYTES", "value": base64.b64encode(b"\x00\x01\xff").decode()},
    "place": {"type": "LOCATION", "value": {"latitude": 60.17, "longitude": 24.94}},
    "next": {"type": "REFERENCE", "value": {"recordName": "note-2", "action": "NONE"}},
    "tags": {"type": "STRING_LIST", "value": ["a", "b"]},
    "counts": {"type": "INT64_LIST", "value": [1, 2]},
    "prices": {"type": "DOUBLE_LIST", "value": [0.5]},
    "all": {"type": "REFERENCE_LIST", "value": [{"recordName": "note-2"}]},
}


def values(record):
    return {key: field.value for key, field in record.fields.items()}


def check_records(client):
    saved = client.modify(
        operations=[operation("create", "note-1", FIELDS), operation("create", "note-2")],
        zone_id=ZONE,
        atomic=True,
    ).records
    check("modify creates two records", [r.recordName for r in saved] == ["note-1", "note-2"])
    found = client.lookup(["note-1", "note-2"], zone_id=ZONE).records
    check("lookup finds the records", [r.recordName for r in found] == ["note-1", "note-2"])
    note = values(found[0])
    check("a string is unchanged", note["title"] == "Milk – ☕️")
    check("a large whole number is unchanged", note["count"] == 9007199254740993)
    check("a fraction is unchanged", note["price"] == 1.25)
    due = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    check("a time is unchanged", note["due"] == due)
    check("bytes are unchanged", note["data"] == b"\x00\x01\xff")
    check("a location is unchanged", note["place"]["latitude"] == 60.17)
    check("a reference is unchanged", note["next"].recordName == "note-2")
    check("lists are unchanged", note["tags"] == ["a", "b"] and note["counts"] == [1, 2])
    some = client.lookup(["note-1"], zone_id=ZONE, desired_keys=["title"]).records[0]
    check("desired keys limit the fields", set(some.fields) == {"title"})

    tag = found[0].recordChangeTag
    change = {"title": {"type": "STRING", "value": "Oat milk"}}
    updated = client.modify(
        operations=[operation("update", "note-1", change, tag)], zone_id=ZONE
    ).records[0]
    check(
        "an update keeps the other fields",
        values(updated)["title"] == "Oat milk" and "count" in updated.fields,
    )
    check("an update changes the change tag", updated.recordChangeTag != tag)


def check_conflict(client):
    payload = {
        "zoneID": {"zoneName": "Notes"},
        "operations": [
            {
                "operationType": "update",
                "record": {"recordName": "note-1", "recordChangeTag": "stale", "fields": {}},
            }
        ],
    }
    item = client.raw_post("/records/modify", payload)["records"][0]
    check("a stale tag is a conflict", item["serverErrorCode"] == "CONFLICT")
    check("the conflict has the server's record", item["serverRecord"]["recordName"] == "note-1")


def check_changes(client):
    request = CKZoneChangesZoneReq(zoneID={"zoneName": "Notes"})
    pages = list(client.iter_changes(zone_req=request, results_limit=1))
    names = [record.recordName for page in pages for record in page.records]
    check("changes come page by page", sorted(names) == ["note-1", "note-2"])
    token = pages[-1].syncToken
    deleted = client.modify(operations=[operation("forceDelete", "note-2")], zone_id=ZONE).records
    check("modify deletes a record", isinstance(deleted[0], CKTombstoneRecord))
    later = client.changes(
        zone_req=CKZoneChangesZoneReq(zoneID={"zoneName": "Notes"}, syncToken=token)
    ).zones[0]
    check(
        "the deletion follows in the changes",
        [type(r).__name__ for r in later.records] == ["CKTombstoneRecord"]
        and not later.moreComing,
    )
    try:
        client.changes(
            zone_req=CKZoneChangesZoneReq(zoneID={"zoneName": "Notes"}, syncToken="AAAA")
        )
        check("a forged token is refused", False)
    except CloudKitApiError as error:
        check("a forged token is refused", "BAD_REQUEST" in str(error))


def check_zones(client):
    client.raw_post(
        "/zones/modify",
        {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Notes"}}}]},
    )
    names = [zone.zoneID.zoneName for zone in client.zones_list().zones]
    check("the custom zone and the default zone are listed", names == ["_defaultZone", "Notes"])
    feed = client.database_changes()
    check(
        "the database's changes contain the custom zone",
        [z.zoneID.zoneName for z in feed.zones] == ["Notes"],
    )
    check(
        "the database's changes contain the zone only once",
        client.database_changes(sync_token=feed.syncToken).zones == [],
    )


def main():
    with tempfile.TemporaryDirectory() as folder:
        process, settings = start(sys.argv[1], folder)
        try:
            base = f"{settings['STRATUS_URL']}/database/1/{CONTAINER}/development/private"
            client = CloudKitContainerClient(
                base,
                requests.Session(),
                {
                    "ckAPIToken": settings["STRATUS_API_TOKEN"],
                    "ckWebAuthToken": settings["STRATUS_WEB_AUTH_TOKEN"],
                },
                validation_extra="forbid",
            )
            check_zones(client)
            check_records(client)
            check_conflict(client)
            check_changes(client)
        finally:
            process.terminate()
            check("SIGTERM ends the server with 0", process.wait(timeout=10) == 0)


main()
