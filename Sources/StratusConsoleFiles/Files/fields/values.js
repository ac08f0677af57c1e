// Values of fields as texts, and back. The console requests numbers as texts, because a number of
// JavaScript cannot hold every INT64.

import { elementOf, isList } from "./types.js";

/** A text that is not a value of the type. Its message says how to write one. */
export class ValueFault extends Error {}

const bounds = { min: -(2n ** 63n), max: 2n ** 63n - 1n };

/** Returns the text of a value. {@link parseValue} reads it, unless it is a list or a file. */
export function valueText(type, value) {
  if (value === null || value === undefined) return "";
  if (isList(type)) return value.map((item) => valueText(elementOf(type), item)).join(", ");
  switch (type) {
    case "TIMESTAMP": return timestampText(value);
    case "LOCATION": return locationText(value);
    case "REFERENCE": return value.recordName ?? "";
    case "ASSETID": return value.size === undefined ? "a file" : `a file of ${value.size} bytes`;
    default: return String(value);
  }
}

/** Returns a time in UTC, such as `2026-11-23T15:04:05.123Z`. */
function timestampText(value) {
  const date = new Date(Number(value));
  return Number.isNaN(date.getTime()) ? String(value) : date.toISOString();
}

function locationText(value) {
  return `${value.latitude}, ${value.longitude}`;
}

/**
 * Returns the value that a text means.
 *
 * @throws {ValueFault} if the text is not a value of the type.
 */
export function parseValue(type, text) {
  const trimmed = text.trim();
  switch (type) {
    case "STRING": return text;
    case "INT64": return parseWhole(trimmed);
    case "DOUBLE": return parseFraction(trimmed, "Write a number, for example 2.5.");
    case "TIMESTAMP": return parseTime(trimmed);
    case "BYTES": return parseBytes(trimmed);
    case "LOCATION": return parseLocation(trimmed);
    case "REFERENCE":
      if (trimmed === "") throw new ValueFault("Write the record name of the target.");
      return { recordName: trimmed, action: "NONE" };
    case "ASSETID": throw new ValueFault("A file cannot be written as text.");
    default: return parseList(type, text);
  }
}

/** Returns the values of a list: one on each line. */
function parseList(type, text) {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => parseValue(elementOf(type), line));
}

function parseWhole(text) {
  if (!/^[+-]?\d{1,19}$/.test(text)) throw new ValueFault("Write a whole number, for example 42.");
  const number = BigInt(text);
  if (number < bounds.min || number > bounds.max) {
    throw new ValueFault(`Write a whole number from ${bounds.min} to ${bounds.max}.`);
  }
  return number.toString();
}

function parseFraction(text, advice) {
  const number = Number(text);
  if (text === "" || !Number.isFinite(number)) throw new ValueFault(advice);
  return String(number);
}

/**
 * Reads milliseconds since 1970 UTC, or a date with or without a time of day. Without a time zone,
 * the time is UTC.
 */
function parseTime(text) {
  if (/^-?\d{1,16}$/.test(text)) return text;
  const day = "(\\d{4}-\\d\\d-\\d\\d)";
  const clock = "(\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,3})?)?)\\s*(Z|[+-]\\d\\d:\\d\\d)?";
  const match = new RegExp(`^${day}(?:[T ]${clock})?$`).exec(text);
  const time = match && Date.parse(`${match[1]}T${match[2] ?? "00:00"}${match[3] ?? "Z"}`);
  if (!match || Number.isNaN(time)) {
    throw new ValueFault("Write a time of UTC, for example 2026-11-23 15:04:05.");
  }
  return String(time);
}

function parseBytes(text) {
  const compact = text.replace(/\s/g, "");
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(compact);
  if (!isBase64) throw new ValueFault("Write the bytes in base64, for example SGVsbG8=.");
  return compact;
}

function parseLocation(text) {
  const advice = "Write latitude and longitude in degrees, for example 48.137, 11.575.";
  const parts = text.split(/\s*[,;]\s*/);
  if (parts.length !== 2) throw new ValueFault(advice);
  const [latitude, longitude] = parts.map((part) => Number(parseFraction(part, advice)));
  if (Math.abs(latitude) > 90) throw new ValueFault("A latitude is between −90 and 90.");
  if (Math.abs(longitude) > 180) throw new ValueFault("A longitude is between −180 and 180.");
  return { latitude, longitude };
}

/** Whether two field dictionaries have the same value. */
export function isSameField(left, right) {
  return JSON.stringify(left?.value ?? null) === JSON.stringify(right?.value ?? null);
}
