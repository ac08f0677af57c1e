#!/usr/bin/env python3
"""Uses the console as a person does, mostly by keyboard, and checks the requests that it sends.

usage: check_flows.py [NAME …]
"""
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "mock")]

from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select  # noqa: E402

import browser as chromium  # noqa: E402
import data  # noqa: E402
from answers import State  # noqa: E402
from person import Person  # noqa: E402
from screens import SCREENS  # noqa: E402
from server import MockServer  # noqa: E402


class MockPerson(Person):
    """A person who uses a new mock server."""

    def __init__(self, page, server):
        super().__init__(page)
        self.server = server

    def begin(self, address="/", **settings):
        is_signed_in = settings.pop("is_signed_in", True)
        self.server.state = State(**settings)
        self.server.state.is_signed_in = is_signed_in
        self.open(self.server.url + address)

    def sent(self, path):
        return [body for sent, body in self.server.state.received if sent.startswith(path)]


def sign_in(person):
    person.begin(SCREENS["records"], is_signed_in=False)
    person.fill("E-mail", data.OWNER)
    person.fill("Password", "wrong").send_keys(Keys.ENTER)
    person.see("The e-mail or the password is wrong.")
    person.fill("Password", "correct horse").send_keys(Keys.ENTER)
    person.see("note-1")
    assert "password" not in person.page.current_url


def set_up(person):
    person.begin("/", is_signed_in=False, is_set_up=False)
    person.fill("Setup code", "7kqm-px2a-w9td-4hgn")
    person.fill("E-mail", data.OWNER)
    person.fill("Password", "correct horse battery").send_keys(Keys.ENTER)
    person.see("Production radar")
    assert person.sent("session/set-up")[0]["code"] == "7KQMPX2AW9TD4HGN"


def ended_session(person):
    person.begin("/users")
    person.find("details summary")
    person.server.state.is_signed_in = False
    person.page.find_element(By.XPATH, "//summary[text()='Create an account']").click()
    person.fill("E-mail", "new@example.org")
    person.button("Create").click()
    person.see("Your session has ended")
    person.fill("Password", "correct horse").send_keys(Keys.ENTER)
    person.see("new@example.org", "main table")


def table_keys(person):
    person.begin(SCREENS["records"])
    person.find("tbody th").find_element(By.CSS_SELECTOR, "a")
    person.page.execute_script("document.querySelector(\"[role=grid] [tabindex='0']\").focus()")
    person.press(Keys.ARROW_RIGHT)
    assert person.focused() == "note-1", person.focused()
    person.press(Keys.ARROW_DOWN)
    assert person.focused() == "note-2", person.focused()
    person.press(Keys.CONTROL, Keys.END)
    person.press(Keys.CONTROL, Keys.HOME)
    assert person.focused() == "Select all rows", person.focused()
    person.press(Keys.ARROW_DOWN, Keys.SPACE)
    person.see("1 record selected")
    person.press(Keys.ARROW_RIGHT, Keys.ENTER)
    person.see("Change tag")


def inline_edit(person):
    person.begin(SCREENS["records"])
    person.find("tbody td")
    person.page.execute_script(
        "const cells = [...document.querySelectorAll('thead th')].map((c) => c.textContent);"
        "const at = cells.findIndex((text) => text.startsWith('price'));"
        "document.querySelector('tbody tr').cells[at].focus()")
    person.press(Keys.ENTER)
    editor = person.find("td input:not([type=checkbox])")
    editor.clear()
    editor.send_keys("x", Keys.ENTER)
    person.see("Write a number, for example 2.5.")
    editor.clear()
    editor.send_keys("7.5", Keys.ENTER)
    person.see("The record is saved.")
    (body,) = person.sent("database/")[-1:]
    record = body["operations"][0]["record"]
    assert record["fields"] == {"price": {"value": "7.5", "type": "DOUBLE"}}, record
    assert record["recordChangeTag"] == "tag1"
    assert "7.5" in person.focused(), person.focused()


def conflict(person):
    person.begin(SCREENS["records"] + "&record=note-4")
    person.see("Change tag")
    person.fill("title", "mine")
    person.button("Save", "dialog").click()
    person.see("from another member", "dialog")
    person.button("Save mine", "dialog").click()
    person.see("The record is saved.")
    kinds = [o["operationType"] for b in person.sent("database/") for o in b.get("operations", [])]
    assert kinds == ["update", "forceUpdate"], kinds


def editor_and_history(person):
    person.begin(SCREENS["records"])
    person.find("tbody th a").click()
    person.see("Change tag")
    assert "record=note-1" in person.page.current_url
    person.page.back()
    person.wait(lambda: not person.page.find_elements(By.CSS_SELECTOR, "dialog"), "closed")
    person.page.forward()
    person.see("Change tag")
    person.press(Keys.ESCAPE)
    person.wait(lambda: "record=" not in person.page.current_url, "the address is restored")


def new_record(person):
    person.begin(SCREENS["record-new"])
    person.see("New record")
    person.fill("title", "Line 1")
    person.fill("count", "12x")
    person.button("Create", "dialog").click()
    person.see("Write a whole number, for example 42.")
    assert person.page.switch_to.active_element.get_attribute("aria-invalid") == "true"
    person.fill("count", "9007199254740993")
    person.fill("place", "48.1, 11.5")
    person.button("Create", "dialog").click()
    person.see("The record is created.")
    record = [b for b in person.sent("database/") if "operations" in b][0]["operations"][0]
    assert record["record"]["fields"] == {
        "title": {"value": "Line 1", "type": "STRING"},
        "count": {"value": "9007199254740993", "type": "INT64"},
        "place": {"value": {"latitude": 48.1, "longitude": 11.5}, "type": "LOCATION"}}, record


def file_upload(person):
    person.begin(SCREENS["record"])
    person.see("Change tag")
    person.find("dialog input[type=file]").send_keys(str(HERE / "screens.py"))
    person.button("Save", "dialog").click()
    person.see("The record is saved.")
    saves = [b for b in person.sent("database/") if "operations" in b]
    fields = saves[-1]["operations"][0]["record"]["fields"]
    assert fields["attachment"]["value"]["fileChecksum"] == "new", fields
    assert list(fields) == ["attachment"], fields


def export_and_import(person):
    person.begin(SCREENS["records"])
    person.button("Import").click()
    file = Path(tempfile.mkdtemp()) / "import.csv"
    file.write_text("recordName,count:INT64\r\na,1\r\nb,x\r\n")
    person.find("dialog input[type=file]").send_keys(str(file))
    person.button("Check and import", "dialog").click()
    person.see("The file has 1 fault, so nothing was saved.")
    file.write_text("recordName,title:STRING\r\nimported,'=1+1\r\n")
    person.find("dialog input[type=file]").send_keys(str(file))
    person.button("Check and import", "dialog").click()
    person.see("1 record imported.")
    operation = [b for b in person.sent("database/") if "operations" in b][-1]["operations"][0]
    assert operation["record"]["fields"]["title"]["value"] == "=1+1", operation
    file.unlink()


def delete_by_query(person):
    person.begin(SCREENS["records"])
    person.button("Delete by query").click()
    person.see("Delete 25 records?")
    person.button("Delete", "dialog").click()
    person.see("Type 25 to confirm the action.")
    person.find("dialog input").send_keys("25")
    person.button("Delete", "dialog").click()
    person.see("25 records deleted.")
    person.see("No record meets the conditions.")


def query_builder(person):
    person.begin(SCREENS["records"])
    person.button("Add a condition").click()
    Select(person.find("[aria-label='Field of condition 1']")).select_by_value("count")
    Select(person.find("[aria-label='Comparator of condition 1']")).select_by_value("GREATER_THAN")
    person.find("[aria-label='Value of condition 1']").send_keys("5")
    person.button("Run query").click()
    person.settle()
    person.wait(lambda: "filters=" in person.page.current_url, "the filter in the address")
    query = person.sent("database/")[-1]["query"]
    assert query["filterBy"][0]["fieldValue"] == {"type": "INT64", "value": "5"}, query


def schema_draft(person):
    person.begin(SCREENS["schema"])
    box = person.find("[data-focus='Note-price-isSortable']")
    box.click()
    person.see("The changes on this page are a draft.")
    person.button("Review and save").click()
    person.see("+ type Folder")
    person.button("Make the change with these losses").click()
    person.see("The schema is changed.")
    text = [b["schema"] for b in person.sent("management/schema/change")][-1]
    assert "price           DOUBLE QUERYABLE,\n" in text, text


def schema_faults(person):
    person.begin(SCREENS["schema-text"])
    area = person.find("textarea")
    area.send_keys(Keys.CONTROL, Keys.END)
    area.send_keys("BANANA")
    person.see("BANANA is no type")
    person.page.find_element(By.CSS_SELECTOR, ".alarm button").click()
    assert person.page.switch_to.active_element.tag_name == "textarea"


def secret_once(person):
    person.begin("/api-tokens")
    person.page.find_element(By.XPATH, "//summary[text()='Create an API token']").click()
    person.fill("Allowed origins", "https://a.example\nhttps://b.example")
    person.button("Create").click()
    person.see("ab" * 32)
    assert "ab" * 32 not in person.page.current_url
    person.button("I have stored it").click()
    person.wait(lambda: "ab" * 32 not in person.page.page_source, "the secret has left the page")
    assert person.sent("management/api-tokens/create")[0]["allowedOrigins"] == [
        "https://a.example", "https://b.example"]


def password_again(person):
    person.begin("/team")
    person.find("[data-focus='remove-bert@example.org']").click()
    person.button("Remove", "dialog").click()
    person.see("Confirm with your password")
    person.fill("Password", "correct horse").send_keys(Keys.ENTER)
    person.see("bert@example.org is no longer a member.")
    assert len(person.sent("team/remove")) == 2


def roles_hide(person):
    for role, seen, unseen in [("auditor", "Schema", "Records"),
                               ("operator", "Users", "Records"), ("developer", "Records", "Team")]:
        person.begin("/", role=role)
        screens = person.text("nav.screens")
        assert seen in screens and unseen not in screens, (role, screens)
    person.begin(SCREENS["deploy"], role="developer")
    person.see("Only an owner of the team can deploy.")
    person.begin(SCREENS["records"], role="auditor")
    person.see("does not allow this screen")


def live_requests(person):
    person.begin("/requests?live=yes")
    person.find("tbody tr")
    first = "return document.querySelector('tbody tr')?.innerText"
    before = person.page.execute_script(first)
    person.wait(lambda: person.page.execute_script(first) != before, "a new request")


def live_updates(person):
    person.begin(SCREENS["users"])
    person.see("Accounts")
    state = person.server.state
    state.accounts.append({"email": "live@example.org", "disabled": False})
    state.changes.append({"area": "accounts"})
    person.see("live@example.org")
    # While a person types, the screen does not change. A button shows the changes.
    box = person.fill("E-mail contains", "x")
    person.press(Keys.TAB)
    state.accounts.append({"email": "later@example.org", "disabled": False})
    state.changes.append({"area": "accounts"})
    person.see("The data of this screen has changed.")
    assert box.get_attribute("value") == "x"
    person.see_no("later@example.org")
    person.button("Show the changes").click()
    person.see("later@example.org")
    # A change in another container changes nothing on the screen.
    person.begin(SCREENS["records"])
    person.see("note-1")
    state = person.server.state
    before = len(person.sent("database"))
    state.changes.append({"area": "records", "containerID": data.PHOTOS,
                          "environment": "development", "database": "public"})
    state.changes.append({"area": "records", "containerID": data.NOTES,
                          "environment": "development", "database": "private"})
    time.sleep(1)
    assert len(person.sent("database")) == before
    state.changes.append({"area": "records", "containerID": data.NOTES,
                          "environment": "development", "database": "public"})
    person.wait(lambda: len(person.sent("database")) > before, "a new query")
    person.wait(lambda: "1" in [fields.get("Stratus-Refresh") for fields in person.server.heads],
                "a request that is marked as automatic")


def quotas(person):
    person.begin(SCREENS["quotas"])
    person.see("988 MB")
    person.unfold("Set a quota")
    person.fill("E-mail", data.OWNER)
    person.fill("Quota of", "account")
    person.fill("Quota", "many").send_keys(Keys.ENTER)
    person.see("Write a number of bytes such as 500MB")
    person.fill("Quota", "2 GB").send_keys(Keys.ENTER)
    person.see("The quota is set.")
    [sent] = person.sent("management/quotas/set")
    assert (sent["bytes"], sent["target"], sent["email"]) == (2_000_000_000, "account", data.OWNER)


def several_sorts(person):
    person.begin(SCREENS["records"])
    for number, name in enumerate(["count", "place"], 1):
        person.button("Add a sort").click()
        label = f"[aria-label='Field of sort {number}']"
        Select(person.find(label)).select_by_value(name)
    person.find("[aria-label='Latitude and longitude of sort 2']").send_keys("48, 11")
    person.button("Run query").click()
    person.wait(lambda: "sort=count" in person.page.current_url, "the sorts in the address")
    person.settle()
    body = person.sent("database")[-1]
    assert body["query"]["sortBy"] == [
        {"fieldName": "count", "ascending": True},
        {"fieldName": "place", "ascending": True,
         "relativeLocation": {"latitude": 48, "longitude": 11}}], body["query"]["sortBy"]


def index_advice(person):
    person.begin(SCREENS["indexes-production"])
    person.see("title SORTABLE")
    person.see("12 queries read 60,000 records and found 3 records")
    person.named("a", "Open as a query of Note").click()
    person.see("Run query")
    person.wait(lambda: "filters=" in person.page.current_url, "the form of the query")
    assert person.find("[aria-label='Comparator of condition 1']").get_attribute("value") == "EQUALS"


def telemetry(person):
    person.begin(SCREENS["telemetry"])
    assert len(person.page.find_elements(By.CSS_SELECTOR, "svg.plot[role=img]")) == 3
    assert person.find("figcaption").text.startswith("Requests – all:")
    person.unfold("Table of Duration")
    person.see("100 ms")
    person.named("tbody a", "records/modify").click()
    person.wait(lambda: "endpoint=records" in person.page.current_url, "the endpoint")
    person.settle()
    assert person.sent("management/telemetry/fetch")[-1]["endpoint"] == "records/modify"
    person.fill("Time", "24")
    person.button("Show").click()
    person.wait(lambda: "hours=24" in person.page.current_url, "the time in the address")
    person.settle()
    assert person.sent("management/telemetry/fetch")[-1]["minutesPerPoint"] == 15


def audit_log(person):
    person.begin(SCREENS["audit"], role="auditor")
    person.see("api-tokens/create")
    assert len(person.page.find_elements(By.CSS_SELECTOR, "tbody tr")) == 200
    # The name of a token stays data.
    person.see("<img src=x onerror=alert(1)>")
    person.fill("By", "user")
    person.button("Show").click()
    person.wait(lambda: "actor=user" in person.page.current_url, "the filter in the address")
    person.settle()
    shown = person.find("tbody").text
    assert "changed its password" in shown and "accounts/disable" not in shown
    person.named("tbody a", "bert@example.org").click()
    person.wait(lambda: "account=bert" in person.page.current_url, "the account in the address")
    person.settle()
    assert person.sent("management/audit/list")[-1]["email"] == "bert@example.org"
    person.begin(SCREENS["audit"], role="auditor")
    person.named("nav.pages a", "Next page").click()
    person.wait(lambda: "before=251" in person.page.current_url, "the page in the address")
    person.settle()
    assert person.sent("management/audit/list")[-1]["before"] == 251
    assert person.find("tbody tr").text.startswith("250")


def devices(person):
    person.begin(SCREENS["devices"], role="auditor")
    person.fill("Code", "wrong").send_keys(Keys.ENTER)
    person.see("There is no such code of consent.")
    person.fill("Code", "7kqm-px2a-w9td-4hgn").send_keys(Keys.ENTER)
    person.see("The device has not fetched 1000 records")
    person.see("QUOTA_EXCEEDED")
    # The address never contains the code, so that a copied address does not reveal it.
    assert "7kqm" not in person.page.current_url.lower()
    findings = chromium.own_findings(person.page)
    assert not findings, findings
    person.named("a", "Requests").click()
    person.settle()


def act_as_test_account(person):
    person.begin(SCREENS["zones"])
    Select(person.find("#actor")).select_by_value("test+1@example.org")
    person.wait(lambda: any(path.startswith("as/") for path, _ in person.server.state.received),
                "a request in the name of the test account")
    paths = [path for path, _ in person.server.state.received if "zones/list" in path]
    assert paths[-1].startswith("as/test+1@example.org/database/"), paths
    person.named("a", "Records").click()
    person.wait(lambda: "as=test" in person.page.current_url, "the account in the address")
    person.begin("/", role="auditor")
    assert not person.page.find_elements(By.CSS_SELECTOR, "#actor")


def test_account(person):
    person.begin(SCREENS["users"])
    person.see("test account")
    person.unfold("Create an account")
    person.fill("E-mail", "new@example.org")
    person.input("Test account: members of the team can act in its name").click()
    person.button("Create").click()
    person.see("The account new@example.org is created.")
    [sent] = person.sent("management/accounts/create")
    assert sent == {"email": "new@example.org", "isTest": True}, sent


def keys_without_modifiers(person):
    person.begin("/")
    person.press("g", "c")
    person.see("Containers", "h1")
    person.settle()
    person.press("?")
    person.see("Keys without Ctrl or Alt")
    person.find("#single-keys").click()
    person.press(Keys.ESCAPE)
    person.press("g", "u")
    time.sleep(0.3)
    assert person.text("h1") == "Containers"
    person.page.execute_script("localStorage.clear()")


def focus_is_never_lost(person):
    person.begin("/")
    for address in ["/users", "/team", "/containers"]:
        person.page.find_element(By.CSS_SELECTOR, f"nav.screens a[href^='{address}']").click()
        person.settle()
        person.wait(lambda: person.page.switch_to.active_element.tag_name == "h1", address)
    for _ in range(40):
        person.press(Keys.TAB)
        active = person.page.switch_to.active_element
        if active.tag_name == "body":
            continue
        outline = person.page.execute_script(
            "return getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", active.get_attribute("outerHTML")[:120]


def hostile_data(person):
    for name in SCREENS:
        person.begin(SCREENS[name])
        assert not person.page.find_elements(By.CSS_SELECTOR, "img, script:not([src]), iframe")
    assert person.page.execute_script("try { document.body.innerHTML = '<b>x</b>'; return 'set' }"
                                      " catch (error) { return 'refused' }") == "refused"


FLOWS = [sign_in, set_up, ended_session, table_keys, inline_edit, conflict, editor_and_history,
         new_record, file_upload, export_and_import,
         delete_by_query, query_builder, schema_draft, schema_faults, secret_once,
         password_again, roles_hide, live_requests, live_updates, quotas, index_advice, telemetry,
         audit_log, devices, act_as_test_account, test_account,
         several_sorts,
         keys_without_modifiers,
         focus_is_never_lost, hostile_data]


def main():
    chosen = [flow for flow in FLOWS if not sys.argv[1:] or flow.__name__ in sys.argv[1:]]
    server = MockServer().begin()
    page = chromium.start()
    chromium.show_in(page, "light")
    failures = 0
    try:
        for flow in chosen:
            try:
                flow(MockPerson(page, server))
                found = chromium.messages(page)
                if flow is hostile_data:
                    found = [text for text in found if "TrustedHTML" not in text]
                assert not found, found
            except Exception as error:
                failures += 1
                print(f"{flow.__name__}: {type(error).__name__}: {str(error)[:600]}")
    finally:
        page.quit()
        server.ends.set()
    print(f"{len(chosen)} flows, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
