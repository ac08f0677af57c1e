// The forms that choose records: by a query, by names, or by changes.

import { h } from "../dom.js";
import { change } from "../address.js";
import { comparatorsFor, takesList } from "../fields/types.js";
import { field, optionOf } from "../parts/form.js";
import { filtersOf, firstComparator, lacksIndex, sortText, sortsOf } from "./query.js";

/**
 * Creates the builder of a query.
 *
 * @param {object} place
 * @param {Array<{name: string}>} recordTypes
 * @param {Array<object>} fields the fields of the chosen record type.
 */
export function queryForm(place, recordTypes, fields) {
  const filters = filtersOf(place.params);
  const usable = fields.filter((field) => comparatorsFor(field.type).length > 0);
  const rows = h("div", { class: "conditions" });
  const lines = [];
  const addLine = (filter) => {
    const line = conditionLine(filter, usable, lines.length + 1, () => {
      lines.splice(lines.indexOf(line), 1);
      line.element.remove();
      adder.focus();
    });
    lines.push(line);
    rows.append(line.element);
    return line;
  };
  const adder = h("button", {
    type: "button", class: "quiet", "data-focus": "add-condition",
    on: {
      click: () => {
        const [first] = usable;
        addLine({ field: first.name, comparator: firstComparator(first.type), value: "" }).focus();
      },
    },
  }, "Add a condition");
  for (const filter of filters) addLine(filter);
  const sorts = sortList(place.params, fields);
  const form = h(
    "form", {
      "aria-label": "Query", on: {
        submit: (event) => {
          event.preventDefault();
          const read = lines.map((line) => line.read());
          change({
            type: form.elements.type.value, sort: sortText(sorts.read()), after: "",
            columns: form.elements.columns.value.trim(),
            filters: read.length > 0 ? JSON.stringify(read) : "",
          });
        },
      },
    },
    h("div", { class: "row" },
      field({
        label: "Record type", name: "type", type: "select", value: place.params.type ?? "",
        "data-filter": true, "data-focus": "query-type",
        options: recordTypes.map((type) => type.name),
        on: {
          change: (event) => change({
            type: event.target.value, filters: "", sort: "", columns: "", after: "",
          }),
        },
      }),
      field({
        label: "Fields to show", name: "columns", value: place.params.columns ?? "",
        placeholder: "all", "data-focus": "query-columns",
      })),
    rows, sorts.element, missingIndexes(filters, fields),
    h("div", { class: "actions" }, adder, sorts.adder,
      h("button", { "data-focus": "run-query" }, "Run query")));
  return form;
}

/** Creates the list of sorts. The first sort is the most important one. */
function sortList(params, fields) {
  const sortable = fields.filter((field) => !/_LIST$|ASSETID|BYTES/.test(field.type));
  const list = h("div", { class: "conditions" });
  const lines = [];
  const add = (sort) => {
    const line = sortLine(sort, sortable, lines.length + 1, () => {
      lines.splice(lines.indexOf(line), 1);
      line.element.remove();
      adder.focus();
    });
    lines.push(line);
    list.append(line.element);
    return line;
  };
  for (const sort of sortsOf(params)) add(sort);
  const adder = h("button", {
    type: "button", class: "quiet", "data-focus": "add-sort",
    on: { click: () => add({ name: sortable[0].name, order: "ascending", near: "" }).focus() },
  }, "Add a sort");
  return { element: list, adder, read: () => lines.map((line) => line.read()) };
}

function sortLine(sort, fields, number, remove) {
  const label = (text) => `${text} of sort ${number}`;
  const name = h("select", { "aria-label": label("Field"), value: sort.name },
    fields.map((field) => optionOf({ value: field.name, text: field.text })));
  const order = h("select", { "aria-label": label("Order"), value: sort.order },
    ["ascending", "descending"].map(optionOf));
  const near = h("input", {
    type: "text", "aria-label": label("Latitude and longitude"),
    value: sort.near.replace(";", ", "), placeholder: "48.1, 11.5", size: 14, spellcheck: "false",
  });
  // NB: a location field sorts records only by their distance from a given location.
  const fit = () => {
    near.hidden = fields.find((field) => field.name === name.value)?.type !== "LOCATION";
  };
  name.addEventListener("change", fit);
  fit();
  return {
    element: h(
      "div", { class: "row", role: "group", "aria-label": `Sort ${number}` },
      h("span", {}, "Sort by"), name, order, near,
      h("button", {
        type: "button", class: "quiet", "aria-label": `Remove sort ${number}`,
        on: { click: remove },
      }, "Remove")),
    read: () => ({ name: name.value, order: order.value, near: near.hidden ? "" : near.value }),
    focus: () => name.focus(),
  };
}

/** Creates the inputs of one condition. */
function conditionLine(filter, fields, number, remove) {
  const label = (text) => `${text} of condition ${number}`;
  const name = h("select", { "aria-label": label("Field"), value: filter.field },
    fields.map((field) => optionOf({ value: field.name, text: field.text })));
  const comparator = h("select", { "aria-label": label("Comparator") });
  const value = h("textarea", {
    rows: 1, "aria-label": label("Value"), value: filter.value ?? "", spellcheck: "false",
  });
  const distance = h("input", {
    type: "text", inputmode: "decimal", "aria-label": label("Distance in metres"),
    value: filter.distance ?? "1000", size: 8,
  });
  const update = (chosen) => {
    const type = fields.find((field) => field.name === name.value)?.type ?? "STRING";
    const options = comparatorsFor(type);
    comparator.replaceChildren(
      ...options.map(([word, text]) => optionOf({ value: word, text })));
    if (options.some(([word]) => word === chosen)) comparator.value = chosen;
    fit();
  };
  const fit = () => {
    value.rows = takesList(comparator.value) ? 3 : 1;
    value.placeholder = takesList(comparator.value) ? "one value on each line" : "value";
    distance.hidden = comparator.value !== "NEAR";
  };
  name.addEventListener("change", () => update(comparator.value));
  comparator.addEventListener("change", fit);
  update(filter.comparator);
  return {
    element: h(
      "div", { class: "row", role: "group", "aria-label": `Condition ${number}` },
      name, comparator, value, distance,
      h("button", {
        type: "button", class: "quiet", "aria-label": `Remove condition ${number}`,
        on: { click: remove },
      }, "Remove")),
    read: () => ({
      field: name.value, comparator: comparator.value, value: value.value,
      ...(comparator.value === "NEAR" ? { distance: distance.value } : {}),
    }),
    focus: () => name.focus(),
  };
}

function missingIndexes(filters, fields) {
  const names = filters.filter((filter) => lacksIndex(
    fields.find((field) => field.name === filter.field), filter)).map((filter) => filter.field);
  if (names.length === 0) return null;
  return h("p", { class: "notice" },
    `The schema has no index option for ${names.join(", ")}, so the query will be refused. `,
    "Switch the option on in the screen Schema.");
}

/** Creates the form that looks records up by their names. */
export function lookupForm(place) {
  const form = h(
    "form", {
      "aria-label": "Lookup", on: {
        submit: (event) => {
          event.preventDefault();
          change({ names: form.elements.names.value.trim() });
        },
      },
    },
    field({
      label: "Record names", name: "names", type: "area", value: place.params.names ?? "",
      hint: "one name on each line, at most 400", "data-filter": true, spellcheck: "false",
    }),
    h("button", { "data-focus": "run-lookup" }, "Look up"));
  return form;
}

/** Creates the form that fetches the changes of a zone. */
export function changesForm(place) {
  const form = h(
    "form", {
      "aria-label": "Changes", on: {
        submit: (event) => {
          event.preventDefault();
          change({ token: form.elements.token.value.trim() });
        },
      },
    },
    field({
      label: "Change token", name: "token", value: place.params.token ?? "", "data-filter": true,
      hint: "Without a token, the changes begin with the zone's first one.", spellcheck: "false",
    }),
    h("button", { "data-focus": "run-changes" }, "Fetch changes"));
  return form;
}

/** Creates the selectors of the database and the zone. */
export function placeForm(place, zones) {
  const { database = "public", zone = "", owner = "" } = place.params;
  const options = zones.map(({ zoneID }) => ({
    value: JSON.stringify([zoneID.zoneName, database === "shared" ? zoneID.ownerRecordName : ""]),
    text: database === "shared"
      ? `${zoneID.zoneName} of ${zoneID.ownerRecordName}` : zoneID.zoneName,
  }));
  const chosen = JSON.stringify([zone || "_defaultZone", owner]);
  if (!options.some((option) => option.value === chosen)) {
    options.push({ value: chosen, text: zone || "_defaultZone" });
  }
  return h(
    "div", { class: "row" },
    field({
      label: "Database", name: "database", type: "select", value: database,
      options: ["public", "private", "shared"], "data-focus": "database",
      on: {
        change: (event) => change({
          database: event.target.value === "public" ? "" : event.target.value, zone: "", owner: "",
          after: "", record: "", token: "",
        }),
      },
    }),
    field({
      label: "Zone", name: "zone", type: "select", value: chosen, options, "data-focus": "zone",
      on: {
        change: (event) => {
          const [name, zoneOwner] = JSON.parse(event.target.value);
          change({
            zone: name === "_defaultZone" ? "" : name, owner: zoneOwner, after: "", token: "",
          });
        },
      },
    }));
}
