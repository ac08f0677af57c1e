import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import test from "node:test";

const root = normalize(join(dirname(fileURLToPath(import.meta.url)),
  "../../../Sources/StratusConsoleFiles/Files"));
const names = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)));
const text = (name) => readFileSync(join(root, name), "utf8");
const modules = names.filter((name) => name.endsWith(".js"));

test("no module can turn a text into code", () => {
  const forbidden =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc=/;
  for (const name of modules) assert.ok(!forbidden.test(text(name)), name);
});

test("only dom.js sets other attributes than those of ARIA", () => {
  for (const name of modules.filter((name) => name !== "dom.js")) {
    const attributes = [...text(name).matchAll(/setAttribute\(\s*"([^"]+)"/g)].map(([, n]) => n);
    for (const attribute of attributes) assert.match(attribute, /^aria-/, name);
  }
});

test("no file loads anything from another origin", () => {
  for (const name of names.filter((name) => !name.endsWith(".svg"))) {
    const urls = text(name).match(/https?:\/\/[\w.-]+/g) ?? [];
    const others = urls.filter((url) => !/example\.org|w3\.org/.test(url));
    assert.deepEqual(others, [], name);
  }
});

test("each import leads to a file, and each file is reached", () => {
  const reached = new Set(["main.js", "index.html", "style.css", "tables.css", "icon.svg"]);
  const queue = ["main.js"];
  while (queue.length > 0) {
    const name = queue.pop();
    for (const [, target] of text(name).matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)) {
      const path = normalize(join(dirname(name), target));
      assert.ok(names.includes(path), `${name} imports ${path}`);
      if (reached.has(path)) continue;
      reached.add(path);
      queue.push(path);
    }
  }
  assert.deepEqual(names.filter((name) => !reached.has(name)), []);
});

test("each import exists in its module and is used", () => {
  for (const name of modules) {
    for (const [, list, target] of text(name).matchAll(
      /import \{([^}]+)\} from\s+"(\.[^"]+)"/g)) {
      const source = text(normalize(join(dirname(name), target)));
      for (const part of list.split(",").map((part) => part.trim()).filter(Boolean)) {
        const [imported, local = imported] = part.split(" as ");
        assert.match(source, new RegExp(
          `export (?:async )?(?:function|const|let|class) ${imported}\\b`), `${name}: ${part}`);
        const uses = text(name).match(new RegExp(`\\b${local}\\b`, "g")).length;
        assert.ok(uses > 1, `${name} imports ${local} without using it`);
      }
    }
  }
});

test("lines have at most 100 columns, and files at most 500 lines", () => {
  for (const name of names) {
    const lines = text(name).split("\n");
    assert.ok(lines.length <= 500, name);
    for (const [index, line] of lines.entries()) {
      assert.ok([...line].length <= 100, `${name}:${index + 1}`);
    }
  }
});

test("files.c lists exactly the files of the folder", () => {
  const list = readFileSync(join(root, "../files.c"), "utf8");
  const embedded = [...list.matchAll(/^FILE_ENTRY\("([^"]+)"/gm)].map(([, name]) => name);
  assert.deepEqual(embedded.sort(), [...names].sort());
});

/** Bodies of requests that need other options than an empty body. */
const bodies = {
  "containers/configure": [{}, { environment: "production" }],
  "schema/change": [{}, { environment: "production" }, { environment: "production", schema: "" }],
  "schema/retire": ["report", "refuse", "cancel", "drop", "rename"].map((action) => ({ action })),
  "schema/indexes/drop": [{}, { cancelsBuild: true }],
  "accounts/create": [{}, { isTest: true }],
  "quotas/set": [{}, { target: "eachUser" }, { target: "account", standard: true }],
  "shares/create": [{}, { publicPermission: "READ_WRITE" }],
  "team/add": [{}, { containerIDs: ["a", "b"] }],
  "team/configure": [{}, { containerIDs: ["a", "b"] }],
};

/** Returns the part of the reference about each command. */
function sectionsOfReference() {
  const reference = readFileSync(join(root, "../../../docs/reference/commands.md"), "utf8");
  const sections = new Map();
  for (const part of reference.split(/^#{2,3} (?=stratus)/m).slice(1)) {
    sections.set(part.slice(0, part.indexOf("\n")), part);
  }
  return sections;
}

test("each request that changes something has a command with options of the reference", async () => {
  const { commands } = await import(join(root, "commands.js"));
  const sections = sectionsOfReference();
  for (const [path, command] of Object.entries(commands)) {
    for (const body of bodies[path] ?? [{}]) {
      const text = command(body);
      const name = /^stratus [a-z-]+ [a-z-]+/.exec(text)?.[0];
      assert.ok(sections.has(name), `${path}: the reference has no command ${name}`);
      for (const option of text.match(/(?<=\s)--[a-z-]+/g) ?? []) {
        assert.ok(sections.get(name).includes(option), `${path}: ${name} has no ${option}`);
      }
    }
  }
});

test("each kind of change in a database has a command", async () => {
  const { commands } = await import(join(root, "commands.js"));
  for (const name of modules.filter((name) => name.startsWith("records/"))) {
    // A share is a record, but the commands for shares are not those for records.
    const area = name === "records/sharing.js"
      ? "shares" : /"(records|zones|subscriptions)\/modify"/.exec(text(name))?.[1];
    if (!area) continue;
    const lines = text(name).split("\n").filter((line) => line.includes("operationType:"));
    const kinds = /"(create|update|forceUpdate|delete|forceDelete)"/g;
    for (const [, kind] of lines.join("\n").matchAll(kinds)) {
      const changed = area === "shares" ? "configure" : "modify";
      const verb = { forceDelete: "delete", update: changed, forceUpdate: changed }[kind] ?? kind;
      assert.ok(`${area}/${verb}` in commands, `${name}: ${area} ${kind}`);
    }
  }
});

/** Returns the texts in one list or function of the server's table of permissions. */
function textsOf(start, end) {
  const swift = readFileSync(
    join(root, "../../StratusDomain/Console/ConsolePermission.swift"), "utf8");
  const part = swift.slice(swift.indexOf(start));
  return new Set([...part.slice(0, part.indexOf(end)).matchAll(/"([a-z/-]+\/[a-z/-]+)"/g)]
    .map(([, path]) => path));
}

test("each action of the sharing panel has a command", async () => {
  const { commands } = await import(join(root, "commands.js"));
  const named = new Set([...text("records/sharing.js").matchAll(/"(shares\/[a-z]+)"/g)]
    .map(([, path]) => path));
  const listed = Object.keys(commands).filter((path) => path.startsWith("shares/"));
  assert.deepEqual([...named].sort(), listed.sort());
});

test("each endpoint of the console that changes something has a command and a button", async () => {
  const { commands } = await import(join(root, "commands.js"));
  const offered = textsOf("func forManagement", "The endpoints of databases");
  const reads = textsOf("let reads", "]");
  assert.ok(offered.size > 30 && reads.size > 12);
  const used = new Set();
  for (const name of modules.filter((name) => name !== "commands.js")) {
    for (const [, path] of text(name).matchAll(/"([a-z/-]+\/[a-z/-]+)"/g)) used.add(path);
  }
  for (const path of offered) {
    if (!reads.has(path) && used.has(path)) assert.ok(path in commands, path);
  }
  // A command without a button would be a mistake in the list.
  for (const path of Object.keys(commands)) {
    const isDatabase = /^(records|zones|subscriptions|shares)\//.test(path);
    assert.ok(isDatabase || used.has(path), `${path} has no button`);
  }
  // The console does not request this list, because the session names the containers.
  const unused = [...offered].filter((path) => !used.has(path));
  assert.deepEqual(unused, ["containers/list"]);
});

test("each request with which the console changes something has a command", async () => {
  const { commands } = await import(join(root, "commands.js"));
  const changes = /\/(create|delete|configure|revoke|grant|add|remove|enable|disable|drop|reset|retire|restrict|unrestrict|set)$/;
  for (const name of modules.filter((name) => name !== "commands.js")) {
    for (const [, path] of text(name).matchAll(/(?:manage|call)\(\s*"([\w/-]+)"/g)) {
      if (changes.test(path)) assert.ok(path in commands, `${name}: ${path}`);
    }
  }
});
