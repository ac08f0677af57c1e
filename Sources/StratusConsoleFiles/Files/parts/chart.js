// Charts of numbers over time, each with the table behind it.

import { h, newID, svg } from "../dom.js";
import { table } from "./table.js";

const width = 600;
const height = 160;

/**
 * Creates a chart with bars, and its table.
 *
 * @param {object} settings
 * @param {string} settings.title
 * @param {Array<{time: number, values: number[]}>} settings.points in the order of their times.
 * @param {Array<{name: string, style: string}>} settings.series the names of the values, and the
 *   classes of their bars. A later series is drawn over an earlier one.
 * @param {(value: number) => string} settings.text shows a value.
 * @param {(time: number) => any} settings.label shows a time.
 * @param {number} settings.from the time at the left edge.
 * @param {number} settings.to the time at the right edge.
 * @param {number} settings.step the time that one bar stands for, in milliseconds.
 */
export function chart({ title, points, series, text, label, from, to, step }) {
  const top = Math.max(1, ...points.flatMap((point) => point.values));
  const id = newID("chart");
  const slot = width / Math.max(1, (to - from) / step);
  const bars = series.flatMap(({ style }, index) => points.map((point) => {
    const size = (point.values[index] / top) * (height - 4);
    return size > 0 && svg("rect", {
      class: style, x: (((point.time - from) / step) * slot).toFixed(2),
      y: (height - size).toFixed(2), width: Math.max(1, slot - 1).toFixed(2),
      height: size.toFixed(2),
    });
  }));
  return h(
    "figure", { class: "chart" },
    h("figcaption", { id }, h("strong", {}, title), ` – ${summary(points, series, text)}`),
    h("ul", { class: "legend" }, series.map(({ name, style }) => h(
      "li", {}, svg("svg", { class: "key", viewBox: "0 0 10 10", "aria-hidden": "true" },
        svg("rect", { class: style, x: 0, y: 0, width: 10, height: 10 })), ` ${name}`))),
    svg("svg", {
      class: "plot", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-labelledby": id,
      preserveAspectRatio: "none",
    }, svg("line", { class: "axis", x1: 0, y1: height - 0.5, x2: width, y2: height - 0.5 }), bars),
    h("p", { class: "small" }, `The highest bar is ${text(top)}. The first bar is from `,
      label(from), "."),
    h("details", {}, h("summary", {}, `Table of ${title}`), table({
      caption: title, rows: [...points].reverse(), empty: "There are no values.",
      columns: [
        { title: "From", cell: (point) => label(point.time) },
        ...series.map(({ name }, index) => ({
          title: name, isNumber: true, cell: (point) => text(point.values[index]),
        })),
      ],
    })));
}

function summary(points, series, text) {
  if (points.length === 0) return "no requests in this time.";
  return series.map(({ name }, index) => {
    const values = points.map((point) => point.values[index]);
    return `${name}: ${text(Math.min(...values))} to ${text(Math.max(...values))}`;
  }).join("; ");
}
