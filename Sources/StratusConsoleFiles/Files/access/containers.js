// The screen of containers.

import { h, userText } from "../dom.js";
import { manage } from "../server.js";
import { fetchSession, may } from "../session.js";
import { report, reportFailure } from "../parts/announce.js";
import { askAndRun, openDialog } from "../parts/dialog.js";
import { field, requestForm } from "../parts/form.js";
import { button, heading, screenLink } from "../parts/page.js";
import { table } from "../parts/table.js";
import { sizeText } from "../time.js";

export async function show(screen) {
  const { containers } = await manage("status", {}, { signal: screen.signal });
  const size = (container, environment) => {
    const store = container.stores.find((store) => store.environment === environment);
    return store ? sizeText(store.sizeBytes) : "–";
  };
  const mayOperate = may("operation");
  screen.draw(
    heading("Containers"),
    table({
      caption: "Containers", rows: containers, empty: "There is no container yet.",
      columns: [
        { title: "Container", cell: ({ id }) => screenLink(
          may("records") ? "/records" : "/schema", { container: id }, userText(id)) },
        { title: "Development", isNumber: true, cell: (item) => size(item, "development") },
        { title: "Production", isNumber: true, cell: (item) => size(item, "production") },
        ...(mayOperate ? [
          { title: "Settings", cell: ({ id }) => button("Configure", () => configure(id),
            { kind: "quiet", focus: `configure-${id}` }) },
          { title: "Delete", cell: ({ id }) => button("Delete", () => remove(screen, id),
            { kind: "quiet", focus: `delete-${id}` }) },
        ] : []),
      ],
    }),
    mayOperate && h("details", {}, h("summary", {}, "Create a container"), requestForm({
      label: "Create a container", button: "Create", endpoint: "containers/create",
      fields: [field({ label: "ID", name: "containerID", required: true, spellcheck: "false",
        hint: "for example iCloud.org.example.Notes" })],
      submit: async ({ containerID }) => {
        await manage("containers/create", { containerID: containerID.trim() });
        report("The container is created.");
        await fetchSession();
        screen.again();
      },
    })));
}

async function configure(containerID) {
  const environments = ["development", "production"];
  let settings;
  try {
    settings = await Promise.all(environments.map((environment) =>
      manage("containers/configure", { containerID, environment })));
  } catch (error) {
    reportFailure(error);
    return;
  }
  await openDialog(`Settings of ${containerID}`, () => environments.map((environment, index) =>
    h("section", {}, h("h3", {}, environment), requestForm({
      label: `Settings of ${environment}`, button: `Save for ${environment}`,
      endpoint: "containers/configure",
      fields: [
        field({ label: "Queries may use extensions that CloudKit lacks", type: "check",
          name: "allowsQueryExtensions", value: settings[index].allowsQueryExtensions }),
        field({ label: "A reference with DELETE_SELF needs an existing target", type: "check",
          name: "requiresReferenceTargets", value: settings[index].requiresReferenceTargets }),
      ],
      submit: async (values) => {
        await manage("containers/configure", { containerID, environment, ...values });
        report(`The settings of ${environment} are saved.`);
      },
    }))));
}

async function remove(screen, containerID) {
  const done = await askAndRun({
    title: "Delete the container?", button: "Delete", typed: containerID,
    endpoint: "containers/delete", body: { containerID },
    sentences: ["All data of the container in both environments is deleted, for all users.",
      "This cannot be undone. A backup can be restored."],
    run: () => manage("containers/delete", { containerID }),
  });
  if (!done) return;
  report("The container is deleted.");
  await fetchSession();
  screen.again();
}
