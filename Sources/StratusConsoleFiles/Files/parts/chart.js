// A line chart, with a sentence for screen readers and the table behind it.

import { h, svg, newID } from "../dom.js";
import { table } from "./table.js";

const size = { width: 640, height: 200, left: 56, bottom: 24, top: 8, right: 8 };
/** NB: lines differ by their dashes as well, because not all people see the colours. */
const dashes = ["", "6 3", "2 3", "8 3 2 3"];

/**
 * Creates a chart.
 *
 * @param {object} settings
 * @param {string} settings.title
 * @param {string} settings.unit
 * @param {Array<{name: string, points: Array<{time: number, value: number}>}>} settings.series
 * @param {(from: number, to: number) => void} [settings.onRange] is called when the person drags
 *   over a part of the chart.
 */
export function chart({ title, unit, series, onRange }) {
  const points = series.flatMap((line) => line.points);
  if (points.length === 0) return h("p", { class: "empty" }, `${title}: there are no requests.`);
  const scale = scaleOf(points);
  const id = newID("chart");
  const picture = svg(
    "svg", {
      viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-labelledby": id,
      class: "chart",
    },
    svg("title", { id }, sentenceFor(title, unit, series)),
    axes(scale), series.map((line, index) => lineOf(line, index, scale)));
  if (onRange) allowRange(picture, scale, onRange);
  return h(
    "figure", {},
    h("figcaption", {}, `${title} (${unit})`),
    picture,
    series.length > 1 && h("ul", { class: "legend" }, series.map((line, index) => h(
      "li", {},
      svg("svg", { viewBox: "0 0 32 8", class: "sample", "aria-hidden": "true" },
        svg("path", {
          d: "M0 4H32", class: `line line-${index}`, "stroke-dasharray": dashes[index % 4],
        })),
      line.name))),
    h("details", {}, h("summary", {}, `${title} as a table`), valuesTable(title, unit, series)));
}

function scaleOf(points) {
  const times = points.map((point) => point.time);
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const top = niceTop(Math.max(...points.map((point) => point.value)));
  const across = size.width - size.left - size.right;
  const down = size.height - size.top - size.bottom;
  return {
    from, to, top,
    x: (time) => size.left + (to === from ? 0 : ((time - from) / (to - from)) * across),
    y: (value) => size.top + down - (value / top) * down,
    time: (x) => from + ((x - size.left) / across) * (to - from),
  };
}

/** Returns the next number of the form 1, 2 or 5 times a power of ten. */
export function niceTop(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * power).find((top) => top >= value * 0.999_999);
}

function axes(scale) {
  const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
  const marks = [0, 0.5, 1].map((part) => part * scale.top);
  return [
    marks.map((value) => [
      svg("path", {
        class: "axis", d: `M${size.left} ${scale.y(value)}H${size.width - size.right}`,
      }),
      svg("text", { class: "mark", x: size.left - 6, y: scale.y(value) + 4, "text-anchor": "end" },
        value.toLocaleString("en")),
    ]),
    [scale.from, scale.to].map((time, index) => svg(
      "text", {
        class: "mark", x: scale.x(time), y: size.height - 6,
        "text-anchor": index === 0 ? "start" : "end",
      }, clock.format(new Date(time)))),
  ];
}

function lineOf(line, index, scale) {
  const path = line.points
    .map((point, place) => `${place ? "L" : "M"}${round(scale.x(point.time))} `
      + `${round(scale.y(point.value))}`)
    .join("");
  return svg("path", {
    class: `line line-${index}`, d: path, "stroke-dasharray": dashes[index % 4],
  });
}

function round(number) {
  return Math.round(number * 10) / 10;
}

function sentenceFor(title, unit, series) {
  const parts = series.map((line) => {
    const values = line.points.map((point) => point.value);
    const last = values[values.length - 1];
    return `${line.name}: at most ${Math.max(...values).toLocaleString("en")}, `
      + `at the end ${last.toLocaleString("en")}`;
  });
  return `${title} in ${unit}. ${parts.join(". ")}.`;
}

function valuesTable(title, unit, series) {
  const times = [...new Set(series.flatMap((line) => line.points.map((point) => point.time)))];
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "short" });
  const values = series.map((line) => new Map(line.points.map((p) => [p.time, p.value])));
  return table({
    caption: `${title} in ${unit}`,
    rows: times.sort((left, right) => left - right),
    columns: [
      { title: "Time", cell: (time) => format.format(new Date(time)) },
      ...series.map((line, index) => ({
        title: line.name, isNumber: true,
        cell: (time) => values[index].get(time)?.toLocaleString("en") ?? "–",
      })),
    ],
  });
}

function allowRange(picture, scale, onRange) {
  let start = null;
  const timeAt = (event) => {
    const box = picture.getBoundingClientRect();
    const time = scale.time(((event.clientX - box.left) / box.width) * size.width);
    return Math.min(Math.max(time, scale.from), scale.to);
  };
  picture.addEventListener("pointerdown", (event) => { start = timeAt(event); });
  picture.addEventListener("pointerup", (event) => {
    if (start === null) return;
    const [from, to] = [start, timeAt(event)].sort((left, right) => left - right);
    start = null;
    if (to - from > (scale.to - scale.from) / 100) onRange(Math.round(from), Math.round(to));
  });
}
