"""The addresses of all screens, and of the views in them."""
from urllib.parse import quote
import json

import data

STORE = f"container={data.NOTES}&environment=development"
FILTERS = quote(json.dumps([
    {"field": "title", "comparator": "BEGINS_WITH", "value": "N"},
    {"field": "place", "comparator": "NEAR", "value": "48, 11", "distance": "500"},
    {"field": "count", "comparator": "IN", "value": "1\n2"}]))

SCREENS = {
    "overview": "/",
    "records": f"/records?{STORE}&type=Note",
    "records-query": f"/records?{STORE}&type=Note&filters={FILTERS}&sort=count:descending,place:ascending:48;11",
    "records-refused": f"/records?{STORE}&type=Note&filters=" + quote(json.dumps(
        [{"field": "body", "comparator": "EQUALS", "value": "x"}])),
    "records-lookup": f"/records?{STORE}&mode=lookup&names=note-1%0Amissing&database=private",
    "records-changes": f"/records?{STORE}&mode=changes&database=private&zone=Other",
    "record": f"/records?{STORE}&type=Note&record=note-3&database=private",
    "record-new": f"/records?{STORE}&type=Note&record=new",
    "zones": f"/zones?{STORE}",
    "subscriptions": f"/subscriptions?{STORE}",
    "schema": f"/schema?{STORE}",
    "schema-roles": f"/schema?{STORE}&view=roles",
    "schema-text": f"/schema?{STORE}&view=text",
    "schema-retirements": f"/schema?{STORE}&view=retirements",
    "deploy": f"/deploy?{STORE}",
    "indexes": f"/indexes?{STORE}",
    "indexes-production": f"/indexes?container={data.NOTES}&environment=production",
    "permissions": f"/permissions?{STORE}&record=note-1&user={data.ANNA}",
    "telemetry": "/telemetry",
    "telemetry-endpoint": f"/telemetry?{STORE}&hours=24&endpoint=records/query",
    "audit": "/audit",
    "audit-filter": f"/audit?account={data.OWNER}&actor=operator",
    "users": "/users",
    "devices": f"/devices?{STORE}",
    "acting": f"/zones?{STORE}&as=test%2B1@example.org",
    "user": f"/users?{STORE}&account={data.OWNER}",
    "roles": f"/roles?{STORE}",
    "quotas": f"/quotas?{STORE}",
    "quota": f"/quotas?{STORE}&account={data.OWNER}",
    "team": "/team",
    "containers": "/containers",
    "api-tokens": "/api-tokens",
    "server-keys": "/server-keys",
    "requests": "/requests",
    "choose": "/records",
    "missing": "/nowhere",
}
