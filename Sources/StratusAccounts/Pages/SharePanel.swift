import StratusDomain

/// The sharing panel: a page that a web app embeds. In the panel, the app's user shares a record or
/// a zone (docs/internals/sharing.md, "The sharing panel").
///
/// The panel has no cookies and no rights of its own. It sends requests with the tokens that the
/// embedding page gives it, so any page may embed it.
enum SharePanel {
  /// The start of the path that CloudKit JS requests. The locale comes after it.
  static let pathStart = "/applications/ck-share-ui/current/"
  static let scriptPath = "/auth/share-panel.js"

  /// Returns the page, or nil if the path is not the panel's.
  static func answer(_ path: String) -> PageAnswer? {
    guard path.hasPrefix(pathStart) else { return nil }
    let locale = path.dropFirst(pathStart.count).drop { $0 != "/" }
    guard locale.isEmpty || locale == "/" else { return nil }
    return PageAnswer(
      fields: [
        ("Content-Type", "text/html; charset=utf-8"),
        (
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            + "form-action 'none'; base-uri 'none'"
        ),
        ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"),
      ], body: Array(page.text.utf8))
  }

  private static let page: HTML = """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Share</title>
    <link rel="stylesheet" href="\(PageLayout.stylePath)">
    </head>
    <body>
    <main>
    <h1 id="title">Share</h1>
    <p id="alarm" role="alert" hidden></p>
    <form id="panel" hidden>
    <label for="access">Who may join</label>
    <select id="access"></select>
    <h2>People</h2>
    <ul id="people"></ul>
    <label for="email">E-mail address</label>
    <input id="email" name="email" type="email" maxlength="320" autocomplete="off">
    <label for="permission">May</label>
    <select id="permission"></select>
    <button id="add" type="button" class="quiet">Invite</button>
    <div class="row">
    <button id="save">Save</button>
    <button id="cancel" type="button" class="quiet">Cancel</button>
    </div>
    </form>
    <noscript><p>The panel needs JavaScript.</p></noscript>
    </main>
    <script src="\(scriptPath)"></script>
    </body>
    </html>
    """

  /// The script speaks JSON-RPC 2.0 with the page that embeds the panel or has opened its window.
  static let script = """
    "use strict";
    const host = window.opener || (window.parent === window ? null : window.parent);
    const find = (id) => document.getElementById(id);
    const words = { READ_WRITE: "read and change", READ_ONLY: "read" };
    let asked = null;

    function tell(message) {
      asked.source.postMessage({ jsonrpc: "2.0", id: asked.id, ...message }, asked.origin);
    }

    function alarm(text) {
      find("alarm").textContent = text;
      find("alarm").hidden = !text;
    }

    async function call(endpoint, body) {
      const { containerIdentifier, environment, ckAPIToken, ckWebAuthToken } = asked.params;
      const place = ["database", "1", containerIdentifier, environment.toLowerCase(), "private"];
      const query = new URLSearchParams({ ckAPIToken, ckWebAuthToken });
      const url = "/" + place.map(encodeURIComponent).join("/") + "/" + endpoint + "?" + query;
      const text = JSON.stringify({ zoneID: asked.zoneID, ...body });
      const answer = await fetch(url, { method: "POST", credentials: "omit", body: text });
      const contents = await answer.json();
      const failed = contents.serverErrorCode ? contents
        : (contents.records || []).find((record) => record.serverErrorCode);
      if (failed) throw new Error(failed.reason || failed.serverErrorCode);
      return contents.records;
    }

    async function lookup(recordName) {
      return (await call("records/lookup", { records: [{ recordName }] }))[0];
    }

    function option(select, value, text) {
      const element = document.createElement("option");
      element.value = value;
      element.textContent = text;
      select.append(element);
    }

    function show() {
      find("people").replaceChildren(...asked.people.map((person) => {
        const entry = document.createElement("li");
        const address = (person.userIdentity || {}).lookupInfo || {};
        entry.textContent = (address.emailAddress || "A user") + " may " + words[person.permission];
        const remove = document.createElement("button");
        remove.type = "button";
        remove.className = "quiet";
        remove.textContent = "Remove";
        remove.addEventListener("click", () => {
          asked.people = asked.people.filter((other) => other !== person);
          show();
        });
        entry.append(" ", remove);
        return entry;
      }));
    }

    function newShare() {
      const { record, shareTitle, shareType } = asked.params;
      const [recordType, fields] = ["cloudkit.share", {}];
      if (shareTitle) fields["cloudkit.title"] = { value: shareTitle, type: "STRING" };
      if (shareType) fields["cloudkit.type"] = { value: shareType, type: "STRING" };
      if (!record) return { recordName: "cloudkit.zoneshare", recordType, fields };
      // NB: browsers have `randomUUID` only in pages that were loaded by TLS or from this machine.
      const random = crypto.getRandomValues(new Uint32Array(4));
      return {
        recordName: "Share-" + random.join("-"), recordType, fields,
        forRecord: { recordName: record.recordName, recordChangeTag: record.recordChangeTag },
      };
    }

    async function begin() {
      const { record, zoneID, supportedAccess, supportedPermissions } = asked.params;
      asked.zoneID = (record && record.zoneID) || zoneID;
      let name = "cloudkit.zoneshare";
      if (record) {
        asked.params.record = await lookup(record.recordName);
        name = (asked.params.record.share || {}).recordName;
      }
      asked.share = null;
      if (name) {
        asked.share = await lookup(name).catch((error) => {
          if (record) throw error;
          return null;
        });
      }
      const permissions = supportedPermissions || ["READ_WRITE", "READ_ONLY"];
      const access = supportedAccess || ["PRIVATE", "PUBLIC"];
      if (access.includes("PRIVATE")) option(find("access"), "NONE", "Only invited people");
      for (const value of permissions) {
        option(find("permission"), value, words[value]);
        if (access.includes("PUBLIC")) {
          option(find("access"), value, "Everyone with the URL may " + words[value]);
        }
      }
      const title = asked.share && (asked.share.fields["cloudkit.title"] || {}).value;
      find("title").textContent = title || asked.params.shareTitle || "Share";
      if (asked.share) find("access").value = asked.share.publicPermission;
      asked.people = ((asked.share || {}).participants || []).filter((one) => one.type !== "OWNER");
      show();
      find("panel").hidden = false;
    }

    async function save() {
      const share = { ...(asked.share || newShare()) };
      share.publicPermission = find("access").value;
      share.participants = asked.people;
      const operation = { operationType: asked.share ? "update" : "create", record: share };
      return (await call("records/modify", { operations: [operation] }))[0];
    }

    find("add").addEventListener("click", () => {
      const emailAddress = find("email").value.trim();
      if (!emailAddress.includes("@")) return alarm("Enter an e-mail address.");
      alarm("");
      asked.people.push({
        type: "USER", acceptanceStatus: "INVITED", permission: find("permission").value,
        userIdentity: { lookupInfo: { emailAddress } },
      });
      find("email").value = "";
      show();
    });
    find("panel").addEventListener("submit", async (event) => {
      event.preventDefault();
      find("save").disabled = true;
      try {
        tell({ result: { share: await save() } });
      } catch (error) {
        alarm("The share could not be saved: " + error.message + ".");
      }
      find("save").disabled = false;
    });
    find("cancel").addEventListener("click", () => {
      tell({ error: { code: -32000, message: "cancelled" } });
    });
    addEventListener("message", (event) => {
      const data = event.data;
      if (!host || event.source !== host || asked) return;
      if (!data || data.jsonrpc !== "2.0" || data.method !== "share" || !data.params) return;
      asked = { id: data.id, params: data.params, source: event.source, origin: event.origin };
      begin().catch((error) => {
        alarm("The share could not be opened: " + error.message + ".");
        tell({ error: { code: -32001, message: error.message } });
      });
    });
    if (host) host.postMessage({ jsonrpc: "2.0", method: "ready" }, "*");
    """
}
