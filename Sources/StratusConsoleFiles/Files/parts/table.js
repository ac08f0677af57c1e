// A table with one tab stop and the keys of a grid (ARIA Authoring Practices, "Grid").

import { h } from "../dom.js";

/**
 * Creates a table.
 *
 * @param {object} settings
 * @param {string} settings.caption the name of the table.
 * @param {Array<{title: string, cell: (row: any) => any, isNumber?: boolean,
 *   sorted?: "ascending" | "descending" | "none", onSort?: () => void,
 *   onEdit?: (row: any, cell: HTMLElement) => void}>} settings.columns
 * @param {any[]} settings.rows
 * @param {string} [settings.empty] a sentence for a table without rows.
 * @param {(row: any) => string} [settings.keyOf] the key of a row, needed for a selection.
 * @param {Set<string>} [settings.selection] the keys of the selected rows.
 * @param {() => void} [settings.onSelect] is called when the selection has changed.
 * @param {(row: any) => void} [settings.onOpen] is called by Enter or F2 in a cell that has neither
 *   an editor nor exactly one control.
 */
export function table(settings) {
  const { caption, rows } = settings;
  if (rows.length === 0) {
    return h("p", { class: "empty" }, settings.empty ?? "There is nothing to show.");
  }
  const grid = h(
    "table", {
      role: "grid", "aria-multiselectable": settings.selection ? "true" : null,
      "aria-rowcount": rows.length + 1, "data-table": caption,
    },
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, headCells(settings))),
    h("tbody", {}, rows.map((row) => bodyRow(row, settings))));
  const keys = new GridKeys(grid, settings);
  grid.addEventListener("keydown", (event) => keys.press(event));
  grid.addEventListener("focusin", (event) => keys.adopt(event.target));
  grid.addEventListener("dblclick", (event) => keys.edit(event.target.closest("td")));
  keys.adopt(grid.querySelector("tbody td, tbody th"), false);
  return h("div", { class: "scroll" }, grid);
}

function headCells({ columns, selection, rows, keyOf, onSelect }) {
  const cells = columns.map((column) => h(
    "th", {
      scope: "col", class: column.isNumber ? "number" : null,
      "aria-sort": column.sorted && column.sorted !== "none" ? column.sorted : null,
    },
    column.onSort
      ? h("button", {
        type: "button", class: "sort", tabindex: "-1", "data-focus": `sort-${column.title}`,
        on: { click: column.onSort },
      }, column.title, sortSign(column.sorted))
      : column.title));
  if (selection) {
    const all = h("input", {
      type: "checkbox", tabindex: "-1", "aria-label": "Select all rows",
      checked: rows.every((row) => selection.has(keyOf(row))),
      on: {
        change: () => {
          const body = all.closest("table").tBodies[0];
          for (const [index, row] of rows.entries()) {
            select(body.rows[index], keyOf(row), selection, all.checked);
          }
          onSelect?.();
        },
      },
    });
    cells.unshift(h("th", { scope: "col", class: "select" }, all));
  }
  return cells;
}

function sortSign(sorted) {
  const sign = { ascending: " ↑", descending: " ↓" }[sorted];
  return sign ? h("span", { "aria-hidden": "true" }, sign) : null;
}

function bodyRow(row, settings) {
  const { columns, selection, keyOf, onSelect } = settings;
  const cells = columns.map((column, index) => {
    const content = column.cell(row);
    const cell = index === 0
      ? h("th", { scope: "row" }, content)
      : h("td", { class: column.isNumber ? "number" : null }, content);
    for (const control of controls(cell)) control.tabIndex = -1;
    cell.tabIndex = -1;
    return cell;
  });
  const line = h("tr", {}, cells);
  if (selection) {
    const key = keyOf(row);
    const box = h("input", {
      type: "checkbox", tabindex: "-1", "aria-label": `Select ${key}`,
      on: {
        change: () => {
          select(line, key, selection, box.checked);
          onSelect?.();
        },
      },
    });
    line.prepend(h("td", { class: "select", tabindex: "-1" }, box));
    select(line, key, selection, selection.has(key));
  }
  return line;
}

function select(line, key, selection, isSelected) {
  if (isSelected) selection.add(key);
  else selection.delete(key);
  line.setAttribute("aria-selected", String(isSelected));
  line.querySelector("input[type=checkbox]").checked = isSelected;
}

function controls(cell) {
  return [...cell.querySelectorAll("a[href], button, input, select, textarea, summary")];
}

/** Moves the focus through a grid. */
class GridKeys {
  constructor(grid, settings) {
    this.grid = grid;
    this.settings = settings;
    this.current = null;
  }

  /** Makes the cell of an element the only tab stop. */
  adopt(element) {
    const cell = element?.closest("td, th");
    if (!cell || cell === this.current) return;
    if (this.current) for (const stop of this.stops(this.current)) stop.tabIndex = -1;
    this.current = cell;
    const [stop] = this.stops(cell);
    stop.tabIndex = 0;
  }

  /** The element that gets the focus in a cell: its only control, or else the cell. */
  stops(cell) {
    const found = controls(cell);
    return found.length === 1 ? found : [cell];
  }

  press(event) {
    const cell = event.target.closest("td, th");
    if (!cell || event.altKey || event.metaKey) return;
    const isTyping = event.target.matches(
      "textarea, select, input:not([type=checkbox])");
    if (isTyping) return;
    const line = cell.parentElement;
    const lines = [...this.grid.rows];
    const [row, column] = [lines.indexOf(line), [...line.cells].indexOf(cell)];
    const last = lines.length - 1;
    const end = line.cells.length - 1;
    const moves = {
      ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1], PageUp: [Math.max(row - 10, 0), column],
      PageDown: [Math.min(row + 10, last), column],
      Home: event.ctrlKey ? [0, 0] : [row, 0], End: event.ctrlKey ? [last, end] : [row, end],
    };
    if (event.key in moves) {
      event.preventDefault();
      const [nextRow, nextColumn] = moves[event.key];
      const next = lines[nextRow]?.cells[nextColumn];
      if (!next) return;
      if (event.shiftKey && nextRow !== row) this.extend([line, lines[nextRow]]);
      this.focus(next);
    } else if (event.key === " " && this.settings.selection && row > 0
      && !event.target.matches("button, a")) {
      event.preventDefault();
      line.querySelector("input[type=checkbox]").click();
    } else if ((event.key === "Enter" || event.key === "F2") && event.target === cell && row > 0) {
      event.preventDefault();
      if (!this.edit(cell)) this.settings.onOpen?.(this.settings.rows[row - 1]);
    }
  }

  focus(cell) {
    const [stop] = this.stops(cell);
    this.adopt(cell);
    stop.focus();
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  extend(lines) {
    if (!this.settings.selection) return;
    for (const line of lines) {
      const box = line.querySelector("td input[type=checkbox]");
      if (box && !box.checked) box.click();
    }
  }

  /** Opens the editor of a cell, and returns whether there is one. */
  edit(cell) {
    if (!cell?.closest("tbody")) return false;
    const index = [...cell.parentElement.cells].indexOf(cell) - (this.settings.selection ? 1 : 0);
    const row = this.settings.rows[[...this.grid.tBodies[0].rows].indexOf(cell.parentElement)];
    const column = this.settings.columns[index];
    if (!column?.onEdit || !row) return false;
    column.onEdit(row, cell);
    return true;
  }
}
