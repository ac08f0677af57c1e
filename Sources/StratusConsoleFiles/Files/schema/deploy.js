// The screen that compares development with production, deploys, and resets.

import { h } from "../dom.js";
import { manage } from "../server.js";
import { may } from "../session.js";
import { report } from "../parts/announce.js";
import { askAndRun } from "../parts/dialog.js";
import { button, heading } from "../parts/page.js";
import { lackTable } from "../watching/lacks.js";
import { reportView, reviewChange } from "./report.js";

export async function show(screen) {
  const { signal, store } = screen;
  const { containerID } = store;
  const body = { containerID, environment: "production" };
  const [status, difference] = await Promise.all([
    manage("status", {}, { signal }),
    manage("schema/change", { ...body, isDryRun: true }, { signal }),
  ]);
  const lacks = status.productionLacks.filter((lack) => lack.containerID === containerID);
  screen.draw(
    heading("Deploy and reset"),
    lacks.length > 0 && [
      h("h2", {}, "Production lacks what apps need"), lackTable(lacks),
    ],
    h("h2", {}, "From development to production"), reportView(difference),
    h("div", { class: "actions" }, button("Deploy to production", async () => {
      const isDone = await reviewChange(body, {
        title: "Deploy to production", mayApply: may("deploy"),
      });
      if (isDone) screen.again();
    }, { isAllowed: difference.steps.length > 0 })),
    !may("deploy") && h("p", { class: "small" },
      "Only an owner of the team can deploy. The comparison is the one that the owner sees."),
    may("schema") && [
      h("h2", {}, "Reset development"),
      h("p", {}, "A reset removes all data of the development environment, and makes its schema ",
        "equal to production's."),
      button("Reset development", () => reset(screen, containerID), { kind: "danger" }),
    ]);
}

async function reset(screen, containerID) {
  const done = await askAndRun({
    title: "Reset the development environment?", button: "Reset", typed: containerID,
    endpoint: "schema/reset", body: { containerID },
    sentences: [
      "All records, zones, subscriptions and files of the development environment are removed.",
      "The schema becomes equal to production's. This cannot be undone.",
      "Production does not change.",
    ],
    run: () => manage("schema/reset", { containerID }),
  });
  if (!done) return;
  report("The development environment is reset.");
  screen.again();
}
