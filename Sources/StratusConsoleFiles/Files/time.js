// Times and sizes as texts.

import { h } from "./dom.js";
import { serverNow } from "./server.js";

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const units = [
  ["year", 31_536_000], ["month", 2_592_000], ["day", 86_400], ["hour", 3_600], ["minute", 60],
  ["second", 1],
];

/** Returns a time like "3 minutes ago". */
export function ageText(milliseconds) {
  const seconds = Math.round((milliseconds - serverNow()) / 1_000);
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  return relative.format(Math.trunc(seconds / size), unit);
}

/** Shows a time, with its age. */
export function time(milliseconds, { isShort = false } = {}) {
  if (milliseconds === null || milliseconds === undefined) return "never";
  const date = new Date(Number(milliseconds));
  if (Number.isNaN(date.getTime())) return String(milliseconds);
  const text = exact.format(date);
  return h(
    "time", { datetime: date.toISOString(), title: text },
    isShort ? ageText(date.getTime()) : `${text} (${ageText(date.getTime())})`);
}

/** Returns a size like "1.5 MB". */
export function sizeText(bytes) {
  const value = Number(bytes);
  if (!Number.isFinite(value)) return "unknown";
  const names = ["bytes", "kB", "MB", "GB", "TB"];
  const power = value < 1 ? 0 : Math.min(Math.floor(Math.log10(value) / 3), names.length - 1);
  const amount = value / 1_000 ** power;
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${names[power]}`;
}

/** Returns "1 record", "2 records". */
export function counted(count, singular, plural = `${singular}s`) {
  return `${Number(count).toLocaleString("en")} ${Number(count) === 1 ? singular : plural}`;
}
