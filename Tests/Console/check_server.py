#!/usr/bin/python3
"""Uses the console of a real server as a person does: every screen and every endpoint that the front
end calls. The flows run in this order on one server, and each one continues the work of the last.

usage: check_server.py BINARY [--axe axe.js] [--until FLOW] [--pictures FOLDER]
"""
import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote, urlsplit

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]

from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select  # noqa: E402

import browser as chromium  # noqa: E402
from person import Person  # noqa: E402
from real import Member, RealServer  # noqa: E402

NOTES, OTHER = "iCloud.org.example.Notes", "iCloud.org.example.Other"
OWNER, ANNA, PASSWORD = "owner@example.org", "anna@example.org", "seven green bicycles"
STORE = f"container={NOTES}&environment=development"
HOSTILE = "<img src=x onerror=alert(1)>"
FILES = HERE.parents[1] / "Sources/StratusConsoleFiles/Files"
SCHEMA = """DEFINE SCHEMA

    CREATE ROLE Editor;

    RECORD TYPE Note (
        "___createTime" TIMESTAMP QUERYABLE SORTABLE,
        "___recordID"   REFERENCE QUERYABLE,
        title           STRING QUERYABLE SORTABLE SEARCHABLE,
        count           INT64 QUERYABLE SORTABLE,
        price           DOUBLE QUERYABLE SORTABLE,
        moment          TIMESTAMP QUERYABLE SORTABLE,
        place           LOCATION QUERYABLE,
        author          REFERENCE QUERYABLE,
        tags            LIST<STRING> QUERYABLE,
        data            BYTES,
        attachment      ASSET,
        old             STRING,
        GRANT WRITE TO "_creator",
        GRANT CREATE TO "_icloud",
        GRANT READ TO "_world"
    );
"""


class Operator(Person):
    """A person who uses the real server."""

    def __init__(self, page, server, folder):
        super().__init__(page)
        self.server, self.folder = server, folder
        self.answered = {}

    def go(self, address):
        self.open(self.server.url + address)

    def command(self, *words):
        return self.server.command(*words)

    def exported(self, environment="development"):
        return self.command("schema", "export", "--container", NOTES, "--environment", environment)

    def note_answers(self):
        """Keeps the status of each answer that the browser has got."""
        for entry in self.page.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] != "Network.responseReceived":
                continue
            answer = message["params"]["response"]
            path = urlsplit(answer["url"]).path
            if not path.startswith("/console/1/"):
                continue
            path = path.removeprefix("/console/1/").removeprefix("management/")
            if path.startswith("as/"):
                path = path.split("/", 2)[2]
            if path.startswith("database/"):
                path = path.split("/", 4)[4]
            elif path.startswith("assets/upload/"):
                path = "upload of bytes"
            self.answered.setdefault(path, set()).add(answer["status"])


def set_up(person):
    person.go("/set-up")
    person.fill("Setup code", "0000-0000-0000-0000")
    person.fill("E-mail", OWNER)
    person.fill("Password", PASSWORD).send_keys(Keys.ENTER)
    person.see("wrong")
    person.fill("Setup code", person.server.setup_code.lower())
    person.button("Create the first owner").click()
    person.see("Production radar")
    assert f"{OWNER} owner" in person.command("team", "list")


def sign_out_and_in(person):
    person.find("header details summary").click()
    person.button("Sign out").click()
    person.see("Only members of the server's team")
    person.fill("E-mail", OWNER)
    person.fill("Password", "wrong").send_keys(Keys.ENTER)
    person.see("wrong")
    person.fill("Password", PASSWORD).send_keys(Keys.ENTER)
    person.see("Production radar")


def containers(person):
    person.go("/containers")
    for container in (NOTES, OTHER):
        person.unfold("Create a container")
        person.fill("ID", container)
        person.button("Create").click()
        person.see(container, "main table")
    assert NOTES in person.command("container", "list")
    person.find(f"[data-focus='configure-{NOTES}']").click()
    person.see("Save for development", "dialog")
    boxes = "dialog [name=allowsQueryExtensions]"
    before = person.find(boxes).is_selected()
    person.find(boxes).click()
    person.button("Save for development", "dialog").click()
    person.see("The settings of development are saved.")
    person.button("Close", "dialog").click()
    person.find(f"[data-focus='configure-{NOTES}']").click()
    person.see("Save for development", "dialog")
    states = [box.is_selected() for box in person.page.find_elements(By.CSS_SELECTOR, boxes)]
    assert states == [not before, before], states
    person.button("Close", "dialog").click()
    person.find(f"[data-focus='delete-{OTHER}']").click()
    person.button("Delete", "dialog").click()
    person.see(f"Type {OTHER} to confirm")
    person.find("dialog input").send_keys(OTHER)
    person.button("Delete", "dialog").click()
    person.see("The container is deleted.")
    assert OTHER not in person.command("container", "list")


def schema_text(person):
    person.go(f"/schema?{STORE}&view=text")
    area = person.find("textarea")
    area.clear()
    area.send_keys("DEFINE SCHEMA RECORD TYPE Note (title BANANA);")
    person.see("Line 1")
    file = person.folder / "notes.ckdb"
    file.write_text(SCHEMA)
    person.find("#schema-file").send_keys(str(file))
    person.see("The text has no faults.")
    person.button("Review and save").click()
    person.see("Steps", "dialog")
    person.named("dialog button", "Make the change").click()
    person.see("The schema is changed.")
    assert "title           STRING QUERYABLE SEARCHABLE SORTABLE" in person.exported()


def schema_fields(person):
    person.go(f"/schema?{STORE}&type=Note")
    person.find("[data-focus='Note-price-isSortable']").click()
    person.unfold("Add a field to Note")
    person.fill("Name of the field", "extra")
    person.fill("Type", "LIST<INT64>")
    person.button("Add to the draft").click()
    person.see("extra", "main table")
    person.unfold("Add a record type")
    person.fill("Name of the record type", "Folder")
    person.named("form[aria-label='Add a record type'] button", "Add to the draft").click()
    person.see("Fields of Folder")
    person.button("Review and save").click()
    person.see("Steps", "dialog")
    person.page.find_element(By.XPATH, "//dialog//button[starts-with(., 'Make the change')]").click()
    person.see("The schema is changed.")
    text = person.exported()
    assert "RECORD TYPE Folder" in text and "extra           LIST<INT64>" in text, text
    assert "price           DOUBLE QUERYABLE," in text, text
    person.button("Export").click()


def schema_roles(person):
    person.go(f"/schema?{STORE}&view=roles")
    person.find("[data-focus='Editor-Note-write']").click()
    person.button("Review and save").click()
    person.see("Steps", "dialog")
    person.page.find_element(By.XPATH, "//dialog//button[starts-with(., 'Make the change')]").click()
    person.see("The schema is changed.")
    assert "WRITE TO Editor" in person.exported(), person.exported()


def new_record(person):
    person.go(f"/records?{STORE}&type=Note&database=private")
    person.button("New record").click()
    person.fill("Record name", "first")
    for label, text in {"title": HOSTILE, "count": "9007199254740993", "price": "2.5",
                        "moment": "2026-11-23 15:04:05", "place": "48.1, 11.5",
                        "author": "first", "data": "SGVsbG8="}.items():
        person.fill(label, text)
    person.button("Add a value to tags").click()
    person.press("red, green")
    person.find("dialog input[type=file]").send_keys(str(HERE / "person.py"))
    person.button("Create", "dialog").click()
    person.see("The record is created.")
    person.see(HOSTILE, "main table")
    record = person.owner.call(
        f"database/{NOTES}/development/private/records/lookup",
        {"records": [{"recordName": "first"}], "numbersAsStrings": True}).json["records"][0]
    values = {name: field["value"] for name, field in record["fields"].items()}
    assert values["title"] == HOSTILE and values["count"] == "9007199254740993", values
    assert float(values["price"]) == 2.5 and values["tags"] == ["red, green"], values
    assert values["moment"] == "1795446245000" and values["data"] == "SGVsbG8=", values
    assert values["place"]["latitude"] == 48.1, values
    assert int(values["attachment"]["size"]) == (HERE / "person.py").stat().st_size, values
    assert not person.page.find_elements(By.CSS_SELECTOR, "img")
    link = person.find("main td a[download]").get_attribute("href")
    assert link.startswith(person.server.api), link


def edit_record(person):
    person.go(f"/records?{STORE}&type=Note&database=private")
    person.find("tbody td")
    person.page.execute_script(
        "const cells = [...document.querySelectorAll('thead th')].map((c) => c.textContent);"
        "const at = cells.findIndex((text) => text.startsWith('price'));"
        "document.querySelector('tbody tr').cells[at].focus()")
    person.press(Keys.ENTER)
    editor = person.find("td input:not([type=checkbox])")
    editor.clear()
    editor.send_keys("7.5", Keys.ENTER)
    person.see("The record is saved.")
    person.go(f"/records?{STORE}&type=Note&database=private&record=first")
    person.see("Change tag")
    base = f"database/{NOTES}/development/private/records/modify"
    other = person.owner.call(base, {"operations": [{
        "operationType": "forceUpdate", "record": {
            "recordName": "first", "recordType": "Note",
            "fields": {"title": {"value": "from another browser", "type": "STRING"}}}}]})
    assert other.status == 200, other.json
    person.fill("title", "mine")
    person.button("Save", "dialog").click()
    person.see("from another browser", "dialog")
    person.button("Save mine", "dialog").click()
    person.see("The record is saved.")
    person.see("mine", "main table")
    assert "7.5" in person.text("main table")


def import_and_query(person):
    person.go(f"/records?{STORE}&type=Note&database=private")
    person.button("Import").click()
    file = person.folder / "import.csv"
    rows = [f"row-{n},Title {n},{n},{n / 4},\"48.{n}, 11\"" for n in range(30)]
    file.write_text("recordName,title:STRING,count:INT64,price:DOUBLE,place:LOCATION\r\n"
                    + "\r\n".join(rows) + "\r\n")
    person.find("dialog input[type=file]").send_keys(str(file))
    person.button("Check and import", "dialog").click()
    person.see("30 records imported.")
    for field, comparator, value, count in [
            ("count", "GREATER_THAN", "24", 6), ("count", "IN", "1\n2", 2),
            ("count", "NOT_EQUALS", "1", 30), ("title", "BEGINS_WITH", "Title 2", 11),
            ("title", "CONTAINS_ALL_TOKENS", "title 7", 1), ("place", "NEAR", "48.1, 11", 2),
            ("count", "LESS_THAN_OR_EQUALS", "2", 3), ("title", "EQUALS", "mine", 1),
            ("tags", "LIST_CONTAINS", "red, green", 1)]:
        filters = quote(json.dumps([{"field": field, "comparator": comparator, "value": value,
                                     "distance": "10"}]))
        person.go(f"/records?{STORE}&type=Note&database=private&filters={filters}")
        shown = len(person.page.find_elements(By.CSS_SELECTOR, "tbody tr"))
        assert shown == count, (field, comparator, shown, person.text("main")[-300:])
    person.go(f"/records?{STORE}&type=Note&database=private")
    person.button("Add a condition").click()
    Select(person.find("[aria-label='Field of condition 1']")).select_by_value("count")
    Select(person.find("[aria-label='Comparator of condition 1']")).select_by_value("LESS_THAN")
    person.find("[aria-label='Value of condition 1']").send_keys("3")
    person.button("Add a sort").click()
    Select(person.find("[aria-label='Field of sort 1']")).select_by_value("count")
    Select(person.find("[aria-label='Order of sort 1']")).select_by_value("descending")
    person.button("Run query").click()
    person.wait(lambda: "filters=" in person.page.current_url, "the filter in the address")
    person.settle()
    names = [row.text for row in person.page.find_elements(By.CSS_SELECTOR, "tbody th")]
    assert names == ["row-2", "row-1", "row-0"], names
    person.button("Copy request").click()
    person.see("curl", "dialog")
    person.button("Close", "dialog").click()
    person.go(f"/records?{STORE}&type=Note&database=private&filters=" + quote(json.dumps(
        [{"field": "old", "comparator": "EQUALS", "value": "x"}])))
    person.see("not marked queryable")


def export(person):
    person.page.execute_cdp_cmd("Browser.setDownloadBehavior", {
        "behavior": "allow", "downloadPath": str(person.folder)})
    person.go(f"/records?{STORE}&type=Note&database=private&sort=count:ascending")
    for form, name in [("csv", "Note.csv"), ("json", "Note.json")]:
        person.button("Export").click()
        person.fill("Form", form)
        person.fill("Records", "all")
        person.button("Export", "dialog").click()
        person.see("31 records exported.")
        person.wait(lambda: (person.folder / name).exists(), name)
    lines = (person.folder / "Note.csv").read_text().splitlines()
    assert lines[0].startswith("recordName,recordType,"), lines[0]
    assert len(json.loads((person.folder / "Note.json").read_text())["records"]) == 31


def lookup_and_changes(person):
    person.go(f"/records?{STORE}&mode=lookup&names=row-1%0Amissing&database=private")
    person.see("row-1", "main table")
    person.see("NOT_FOUND", "main table")
    person.go(f"/records?{STORE}&mode=changes&database=private")
    person.see("Only custom zones have changes.")


def bulk_and_delete(person):
    person.go(f"/records?{STORE}&type=Note&database=private&sort=count:descending")
    for name in ("row-29", "row-28"):
        person.find(f"[aria-label='Select {name}']").click()
    person.see("2 records selected")
    person.button("Change a field").click()
    Select(person.find("#bulk-field")).select_by_value("title")
    person.fill("New value of title", "=both")
    person.button("Save", "dialog").click()
    person.see("2 records saved.")
    person.see("=both", "main table")
    person.find("[aria-label='Select row-29']").click()
    person.button("Delete selected").click()
    person.button("Delete", "dialog").click()
    person.see("1 record deleted.")
    filters = quote(json.dumps([{"field": "count", "comparator": "LESS_THAN", "value": "10"}]))
    person.go(f"/records?{STORE}&type=Note&database=private&filters={filters}")
    person.button("Delete by query").click()
    person.see("Delete 10 records?")
    person.find("dialog input").send_keys("10")
    person.button("Delete", "dialog").click()
    person.see("10 records deleted.")
    person.see("No record meets the conditions.")
    person.go(f"/records?{STORE}&type=Note&database=private&record=row-20")
    person.see("Change tag")
    person.button("Delete", "dialog").click()
    person.see("Delete the record?")
    person.page.find_elements(By.XPATH, "//dialog[last()]//button[.='Delete']")[-1].click()
    person.see("The record is deleted.")


def zones_and_shares(person):
    person.go(f"/zones?{STORE}")
    person.unfold("Create a zone")
    person.fill("Name of the zone", "Shared")
    person.button("Create").click()
    person.see("Shared", "main table")
    person.go(f"/records?{STORE}&type=Note&database=private&zone=Shared&record=new")
    person.fill("Record name", "root")
    person.fill("title", "The root")
    person.button("Create", "dialog").click()
    person.see("The record is created.")
    person.go(f"/records?{STORE}&mode=changes&database=private&zone=Shared")
    person.see("root", "main table")
    person.named("main a", "Fetch again with the new token").click()
    person.see("No record meets the conditions.")
    person.go(f"/records?{STORE}&type=Note&database=private&zone=Shared&record=root")
    person.unfold("Sharing")
    person.button("Share", "dialog").click()
    person.see("The link of the share:", "dialog")
    person.fill("E-mail", ANNA)
    person.button("Invite", "dialog").click()
    person.see(f"{ANNA} is invited.")
    person.see("invited", "dialog table")
    person.button("Remove", "dialog").click()
    person.see("Remove the participant?")
    person.page.find_elements(By.XPATH, "//dialog[last()]//button[.='Remove']")[-1].click()
    person.wait(lambda: "Remove" not in person.text("dialog table"), "only the owner")
    Select(person.find("#publicPermission")).select_by_value("READ_ONLY")
    person.button("Change", "dialog").click()
    person.see("The permission is changed.")
    person.wait(lambda: Select(person.find("#publicPermission"))
                .first_selected_option.get_attribute("value") == "READ_ONLY", "the permission")
    person.button("Stop sharing", "dialog").click()
    person.see("End the share?")
    person.button("End").click()
    person.see("People with the link", "dialog")
    person.go(f"/zones?{STORE}")
    person.find("[data-focus='delete-Shared']").click()
    person.find("dialog input").send_keys("Shared")
    person.button("Delete", "dialog").click()
    person.see("The zone is deleted.")
    for database in ("shared", "public"):
        person.go(f"/zones?{STORE}&database={database}")
        assert "alarm" not in person.find("main").get_attribute("innerHTML")


def subscriptions(person):
    made = person.owner.call(f"database/{NOTES}/development/private/zones/modify", {"operations": [{
        "operationType": "create", "zone": {"zoneID": {"zoneName": "Watched"}}}]})
    assert made.status == 200, made.json
    person.go(f"/subscriptions?{STORE}")
    for kind, more in [("database", {}), ("zone", {"Zone": "Watched"}),
                       ("query", {"Record type": "Note", "Text of the alert": HOSTILE})]:
        person.unfold("Create a subscription")
        person.fill("ID", f"s-{kind}")
        person.fill("Kind", kind)
        for label, text in more.items():
            person.fill(label, text)
        person.button("Create").click()
        person.see(f"s-{kind}", "main table")
    person.see(HOSTILE, "main table")
    for kind in ("database", "zone", "query"):
        person.find(f"[data-focus='delete-s-{kind}']").click()
        person.button("Delete", "dialog").click()
        person.wait(lambda: f"s-{kind}" not in person.text("main"), kind)
        person.settle()


def radar_and_deploy(person):
    token = person.command("api-token", "create", "--container", NOTES, "--environment",
                           "production").split()[0]
    person.command("account", "create", ANNA)
    web = person.command("web-token", "create", "--account", ANNA, "--container", NOTES,
                         "--environment", "production").split()[0]
    refused = person.server.send(
        "POST", f"/database/1/{NOTES}/production/private/records/modify?ckAPIToken={token}"
        f"&ckWebAuthToken={quote(web)}", {"operations": [{
            "operationType": "create", "record": {"recordName": "a", "recordType": "Note",
                                                  "fields": {}}}]},
        at=person.server.api, Origin=None, Sec_Fetch_Site=None)
    assert "serverErrorCode" in json.dumps(refused.json), refused.json

    def lacks():
        person.go("/")
        return "Note" in person.text("main") and NOTES in person.text("main")
    person.wait(lacks, "the lack in the radar")
    person.named("main a", "Compare").click()
    person.see("Production lacks what apps need")
    person.button("Deploy to production").click()
    person.see("Steps", "dialog")
    person.page.find_element(By.XPATH, "//dialog//button[starts-with(., 'Make the change')]").click()
    person.see("The schema is changed.")
    assert "RECORD TYPE Note" in person.exported("production")


def requests(person):
    """The request log, also while requests arrive."""
    person.go("/requests?endpoint=records/modify")
    person.see("records/modify", "main table")
    person.find("main tbody button").click()
    person.see("Request ID", "dialog")
    person.button("Copy as curl, Swift, CloudKit JS").click()
    person.see("curl", "dialog")
    person.button("Close", "dialog").click()
    person.go("/requests?outcome=failed&live=yes")
    shown = "return document.querySelectorAll('main tbody tr').length"
    before = person.page.execute_script(shown)
    for number in range(3):
        answer = person.server.send(
            "POST", f"/database/1/{NOTES}/production/public/records/query?ckAPIToken={number}",
            {"query": {"recordType": "SecretType"}}, at=person.server.api, Origin=None,
            Sec_Fetch_Site=None, User_Agent="Live/7")
        assert answer.status == 401, answer.status
    person.see("Live/7", "main table")
    person.wait(lambda: person.page.execute_script(shown) >= before + 3, "three more requests")
    assert "SecretType" not in person.page.page_source
    person.named("main a", "Stop the live list").click()
    person.settle()


def indexes(person):
    person.go(f"/indexes?{STORE}")
    person.see("Note", "main table")
    before = len(person.page.find_elements(By.CSS_SELECTOR, "tbody tr"))
    person.find("main tbody button").click()
    person.button("Remove", "dialog").click()
    person.see("The index is removed.")
    person.settle()
    assert len(person.page.find_elements(By.CSS_SELECTOR, "tbody tr")) == before - 1


def permissions(person):
    person.go(f"/permissions?{STORE}")
    person.fill("Record type", "Note")
    person.button("Explain").click()
    person.see("Reasons for read")
    person.see("_world")
    person.go(f"/permissions?{STORE}&record=missing")
    person.see("not found")


def retirements(person):
    person.go(f"/schema?{STORE}&view=retirements")
    person.unfold("Retire or rename a field or a record type")
    person.fill("Field or record type", "Note.old")
    person.button("Begin").click()
    person.see("Note.old", "main table")
    person.button("Refuse Note.old").click()
    person.button("Refuse Note.old", "dialog").click()
    person.see("Note.old: refuse is done.")
    person.button("Cancel Note.old").click()
    person.button("Cancel Note.old", "dialog").click()
    person.see("Nothing is being retired.")


def users(person):
    person.go("/users")
    person.unfold("Create an account")
    person.fill("E-mail", "bert@example.org")
    person.fill("Password", PASSWORD)
    person.button("Create").click()
    person.see("bert@example.org", "main table")
    person.fill("E-mail contains", "anna")
    person.button("Search").click()
    person.wait(lambda: "bert" not in person.text("main"), "only Anna")
    person.go(f"/users?account={ANNA}")
    person.see(NOTES, "main table")
    person.button("End").click()
    person.button("End the session", "dialog").click()
    person.see("No app has a session of this account.")
    person.button("Disable").click()
    person.button("Disable the account", "dialog").click()
    person.see("disabled")
    assert re.search(rf"{ANNA}.*disabled", person.command("account", "list"))
    person.button("Enable").click()
    person.button("Enable the account", "dialog").click()
    person.see("enabled")
    person.button("Restrict").click()
    person.button("Restrict the account", "dialog").click()
    person.see("restricted")
    assert re.search(rf"{ANNA}.*restricted", person.command("account", "list"))
    person.button("End the restriction").click()
    person.button("End the restriction", "dialog").click()
    person.see("enabled")


def audit_log(person):
    """The audit log has the changes of the earlier flows, with the members who made them."""
    person.go("/audit")
    person.see("accounts/restrict", "main")
    person.fill("Action", "accounts/unrestrict")
    person.button("Show").click()
    person.wait(lambda: "action=accounts" in person.page.current_url, "the action in the address")
    person.settle()
    rows = [row.text for row in person.page.find_elements(By.CSS_SELECTOR, "tbody tr")]
    assert rows and all("accounts/unrestrict" in row and ANNA in row for row in rows), rows


def telemetry(person):
    """The charts contain numbers, because the earlier flows have sent requests."""
    person.go("/telemetry")
    person.see("Requests", "main")
    assert len(person.page.find_elements(By.CSS_SELECTOR, "svg.plot[role=img]")) == 3


def quotas(person):
    person.go(f"/quotas?{STORE}")
    person.see("no limit")
    person.unfold("Set a quota")
    person.fill("Quota of", "eachUser")
    person.fill("Quota", "3GB")
    person.button("Set").click()
    person.see("The quota is set.")
    person.see("3.0 GB")
    shown = person.command("quota", "show", "--container", NOTES, "--environment", "development")
    assert "at most 3000000000 bytes" in shown, shown
    person.unfold("Set a quota")
    person.fill("Quota of", "eachUser")
    person.fill("Quota", "unlimited")
    person.button("Set").click()
    person.see_no("3.0 GB")


def devices(person):
    """A user makes a code on the server's own pages. With the code, a member sees the devices."""
    person.go(f"/devices?{STORE}")
    person.fill("Code", "0000-0000-0000-0000").send_keys(Keys.ENTER)
    person.see("There is no such code of consent")
    pages = person.server.api.replace("127.0.0.1", "localhost")
    person.page.get(pages + "/auth/sign-in")
    person.find("[name=email]").send_keys(OWNER)
    person.find("[name=password]").send_keys(PASSWORD, Keys.ENTER)
    person.see("Your account")
    person.page.get(pages + "/account/devices")
    person.find("form[action='/account/devices/consent'] button").click()
    code = person.find("strong code").text
    assert re.fullmatch(r"(?:[0-9A-Z]{4}-){3}[0-9A-Z]{4}", code), code
    person.go(f"/devices?{STORE}")
    person.fill("Code", code.lower()).send_keys(Keys.ENTER)
    person.see("Consent ends")
    person.page.get(pages + "/account/devices")
    assert "last used" in person.text("body")
    person.find("form[action='/account/devices/end'] button").click()
    person.go(f"/devices?{STORE}")
    person.fill("Code", code).send_keys(Keys.ENTER)
    person.see("There is no such code of consent")


def act_as(person):
    """A test account has records of its own."""
    person.go("/users")
    person.unfold("Create an account")
    person.fill("E-mail", "test@example.org")
    person.input("Test account: members of the team can act in its name").click()
    person.button("Create").click()
    person.see("test account", "main table")
    person.go(f"/zones?{STORE}")
    Select(person.find("#actor")).select_by_value("test@example.org")
    person.wait(lambda: "as=test" in person.page.current_url, "the account in the address")
    person.settle()
    person.unfold("Create a zone")
    person.fill("Name of the zone", "OfTheTest").send_keys(Keys.ENTER)
    person.see("OfTheTest", "main table")
    Select(person.find("#actor")).select_by_value("")
    person.settle()
    person.see_no("OfTheTest", "main table")


def live_updates(person):
    """After a command changes the data, an open screen shows the change by itself."""
    person.go("/containers")
    person.see(NOTES)
    person.command("container", "create", "iCloud.org.example.Live")
    person.see("iCloud.org.example.Live", "main table")
    person.command("container", "delete", "iCloud.org.example.Live", "--yes")
    person.see_no("iCloud.org.example.Live", "main table")


def roles(person):
    person.go(f"/roles?{STORE}")
    person.unfold("Grant a role to another user")
    person.fill("E-mail", ANNA)
    person.button("Grant").click()
    person.see(ANNA, "main table")
    box = person.find("main tbody input")
    assert box.is_selected()
    box.click()
    person.see("The role is revoked.")
    person.find("main tbody input").click()
    person.wait(lambda: "Editor" in person.command(
        "role", "list", "--container", NOTES, "--environment", "development"), "the grant")


def team(person):
    person.go("/team")
    person.unfold("Add a member")
    person.fill("E-mail", "bert@example.org")
    person.fill("Role", "auditor")
    person.button("Add").click()
    person.see("bert@example.org is now a member.")
    person.find("[data-focus='change-bert@example.org']").click()
    person.fill("Role", "developer")
    person.fill("Only these containers", NOTES)
    person.button("Save", "dialog").click()
    person.see("bert@example.org is changed.")
    assert f"bert@example.org developer {NOTES}" in person.command("team", "list")
    person.find(f"[data-focus='remove-{OWNER}']").click()
    person.button("Remove", "dialog").click()
    person.see("must keep an owner")
    person.button("Cancel", "dialog").click()


def as_developer(person):
    person.find("header details summary").click()
    person.button("Sign out").click()
    person.see("Only members of the server's team")
    person.fill("E-mail", "bert@example.org")
    person.fill("Password", PASSWORD).send_keys(Keys.ENTER)
    person.see("Production radar")
    screens = person.text("nav.screens")
    assert "Records" in screens and "Team" not in screens and "Users" not in screens, screens
    person.go(f"/records?{STORE}&type=Note&database=private")
    person.see("No record meets the conditions.")
    person.go(f"/deploy?{STORE}")
    person.see("Only an owner of the team can deploy.")
    for address in ["/api-tokens", "/server-keys", f"/roles?{STORE}", "/containers",
                    f"/schema?{STORE}", f"/indexes?{STORE}"]:
        person.go(address)
        assert "alarm" not in person.find("main").get_attribute("innerHTML"), address
    assert ANNA not in person.page.page_source
    person.go("/users")
    person.see("does not allow this screen")
    person.find("header details summary").click()
    person.button("Sign out").click()
    person.see("Only members of the server's team")
    person.fill("E-mail", OWNER)
    person.fill("Password", PASSWORD).send_keys(Keys.ENTER)
    person.see("Production radar")
    person.go("/team")
    person.find("[data-focus='remove-bert@example.org']").click()
    person.button("Remove", "dialog").click()
    person.see("bert@example.org is no longer a member.")


def tokens(person):
    person.go(f"/api-tokens?{STORE}")
    person.unfold("Create an API token")
    person.fill("Name", HOSTILE)
    person.fill("Allowed origins", "https://notes.example.org")
    person.button("Create").click()
    person.see("The server does not show the token again.")
    secret = re.search(r"\b[0-9a-f]{64}\b", person.text("dialog"))[0]
    person.button("I have stored it").click()
    person.wait(lambda: secret not in person.page.page_source, "the secret has left the page")
    path = f"/database/1/{NOTES}/development/public/users/caller?ckAPIToken={secret}"
    send = {"at": person.server.api, "Origin": None, "Sec_Fetch_Site": None}
    assert person.server.send("POST", path, {}, **send).status == 421
    person.settle()
    person.button("Revoke").click()
    person.button("Revoke", "dialog").click()
    person.see("The API token is revoked.")
    assert person.server.send("POST", path, {}, **send).status == 401


def keys(person):
    made = subprocess.run(
        "openssl ecparam -name prime256v1 -genkey -noout | openssl ec -pubout", shell=True,
        capture_output=True, text=True, timeout=30)
    person.go(f"/server-keys?{STORE}")
    person.unfold("Register a public key")
    person.fill("Name", "importer")
    person.fill("Public key", made.stdout)
    person.button("Register").click()
    person.see("The program names this key ID in each request.")
    person.button("I have stored it").click()
    person.see("importer", "main table")
    person.settle()
    person.button("Revoke").click()
    person.button("Revoke", "dialog").click()
    person.see("The server key is revoked.")
    person.see("revoked", "main table")


def policy_in_the_browser(person):
    person.go("/")
    script = ("try { document.body.innerHTML = '<b>x</b>'; return 'set' }"
              " catch (error) { return 'refused' }")
    assert person.page.execute_script(script) == "refused"
    person.page.get_log("browser")
    for url in (person.server.api + "/health/live", "https://evil.example/"):
        done = person.page.execute_async_script(
            "const done = arguments[1]; fetch(arguments[0], { mode: 'no-cors' })"
            ".then(() => done('sent'), () => done('refused'))", url)
        assert done == "refused", url
    # A page of the API's port is same-site: the browser sends the cookie, and the console refuses.
    person.page.get(person.server.api + "/")
    done = person.page.execute_async_script(
        "const done = arguments[1]; fetch(arguments[0], { method: 'POST', credentials: 'include',"
        " mode: 'no-cors', body: '{}' }).then(() => done('sent'), () => done('refused'))",
        person.server.url + "/console/1/session/sign-out")
    person.page.get_log("browser")
    person.go("/")
    person.see("Production radar")
    cookies = person.page.execute_script("return document.cookie")
    assert "stratus-console" not in cookies, (cookies, done)


def reset(person):
    person.go(f"/deploy?{STORE}")
    person.button("Reset development").click()
    person.find("dialog input").send_keys(NOTES)
    person.button("Reset", "dialog").click()
    person.see("The development environment is reset.")
    person.go(f"/records?{STORE}&type=Note&database=private")
    person.see("No record meets the conditions.")


SCREENS = ["/", f"/records?{STORE}&type=Note&database=private",
           f"/records?{STORE}&type=Note&database=private&record=first", f"/zones?{STORE}",
           f"/subscriptions?{STORE}", f"/schema?{STORE}", f"/schema?{STORE}&view=roles",
           f"/schema?{STORE}&view=text", f"/schema?{STORE}&view=retirements", f"/deploy?{STORE}",
           "/requests", f"/indexes?{STORE}", f"/permissions?{STORE}&type=Note", "/users",
           f"/users?account={ANNA}", f"/quotas?{STORE}", f"/devices?{STORE}", f"/roles?{STORE}",
           "/team", "/containers", "/api-tokens", "/server-keys"]


def screens(person):
    """Most screens with the data of the real server, in two of the ways, with axe."""
    for way in ("light", "narrow"):
        chromium.show_in(person.page, way)
        for address in SCREENS:
            person.go(address)
            found = chromium.own_findings(person.page)
            if person.axe:
                found += chromium.axe_findings(person.page, person.axe)
            assert not found, (way, address, found)
            if person.pictures:
                name = re.sub(r"\W+", "-", address.split("?")[0] + address[-12:]).strip("-")
                person.page.save_screenshot(str(person.pictures / f"{name or 'overview'}-{way}.png"))
    chromium.show_in(person.page, "light")


FLOWS = [set_up, sign_out_and_in, containers, schema_text, schema_fields, schema_roles, new_record,
         edit_record, import_and_query, export, lookup_and_changes, bulk_and_delete,
         zones_and_shares, subscriptions, radar_and_deploy, requests, telemetry, indexes, permissions,
         retirements, users, audit_log, quotas, devices, act_as, live_updates, roles, team, as_developer, tokens, keys,
         policy_in_the_browser, screens, reset]


def endpoints_of_the_front_end():
    """Returns the paths of all endpoints that the modules name."""
    used = {"upload of bytes"}
    for file in FILES.rglob("*.js"):
        text = file.read_text()
        used |= set(re.findall(r'(?:manage|call)\(\s*"([\w/-]+)"', text))
        used |= set(re.findall(r'database\(\s*[^;"]*?"((?:records|zones|subscriptions|changes|'
                               r'assets|users)/[\w/-]+)"', text))
        used |= set(re.findall(r'endpoint: "([\w-]+/[\w/-]+)", body', text))
        used |= set(re.findall(r'act\(\s*screen, "([\w/-]+)"', text))
        used |= set(re.findall(r'"(roles/(?:grant|revoke))"', text))
        used |= set(re.findall(r'endpoint: "(team/[\w-]+)"', text))
    # Names of commands in dialogs, which are not paths of endpoints.
    return used - {"records/create", "records/delete", "zones/create", "zones/delete",
                   "shares/create", "shares/configure", "shares/invite", "shares/remove",
                   "shares/end", "shares/leave",
                   "subscriptions/create", "subscriptions/delete", "session/confirm"}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--axe", type=Path)
    parser.add_argument("--until", help="the last flow", default="reset")
    parser.add_argument("--pictures", type=Path)
    options = parser.parse_args()
    server = RealServer(options.binary)
    page = chromium.start(notes_answers=True)
    page.execute_cdp_cmd("Network.enable", {})
    chromium.show_in(page, "light")
    person = Operator(page, server, server.folder)
    person.axe = options.axe.read_text() if options.axe else None
    person.pictures = options.pictures
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    failures = 0
    try:
        flows = FLOWS[:[flow.__name__ for flow in FLOWS].index(options.until) + 1]
        for flow in flows:
            started = time.monotonic()
            try:
                flow(person)
                if flow is set_up:
                    person.owner = Member(server, OWNER, PASSWORD)
                found = chromium.messages(page)
                assert not found, found
            except Exception as error:
                failures += 1
                frame = error.__traceback__.tb_next
                print(f"{flow.__name__}: {type(error).__name__} in line "
                      f"{frame.tb_lineno if frame else 0}: {str(error)[:500]}")
                print("    the page:", page.find_element(By.TAG_NAME, "body").text[-400:]
                      .replace("\n", " | "))
            person.note_answers()
            print(f"{time.monotonic() - started:5.1f} s  {flow.__name__}", flush=True)
        missing = [path for path in sorted(endpoints_of_the_front_end())
                   if 200 not in person.answered.get(path, set())]
        if missing and flows == FLOWS:
            failures += 1
            print("no flow got an answer from: " + ", ".join(missing))
    finally:
        page.quit()
        server.end()
        server.remove()
    print(f"{len(flows)} flows with a real server and {len(person.answered)} endpoints, "
          f"{failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
