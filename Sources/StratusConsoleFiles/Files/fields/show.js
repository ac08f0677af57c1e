// Shows a field's value in a cell.

import { h, userText } from "../dom.js";
import { screenLink } from "../parts/page.js";
import { sizeText, time } from "../time.js";
import { elementOf, isList } from "./types.js";
import { valueText } from "./values.js";

/** The maximum length of a text in a cell. The editor shows the whole value. */
const lengthMax = 200;
const itemsMax = 5;

/** Returns the content of a cell. */
export function fieldCell(field) {
  if (!field || field.value === null || field.value === undefined) return "";
  if (field.isEncrypted) return h("em", {}, "encrypted");
  if (!isList(field.type)) return oneValue(field.type, field.value);
  const shown = field.value.slice(0, itemsMax);
  const rest = field.value.length - shown.length;
  const type = elementOf(field.type);
  return h("span", { class: "cut" },
    shown.map((value, index) => [index > 0 && ", ", oneValue(type, value)]),
    rest > 0 && ` and ${rest} more`);
}

function oneValue(type, value) {
  switch (type) {
    case "TIMESTAMP": return time(value, { isShort: true });
    case "REFERENCE": return referenceLink(value);
    case "ASSETID": return fileLink(value);
    case "LOCATION": return h("span", {}, valueText(type, value));
    case "BYTES": return `${Math.floor((value.length * 3) / 4)} bytes`;
    default: return cutText(String(value));
  }
}

function cutText(text) {
  if (text.length <= lengthMax) return userText(text, { class: "cut" });
  return userText(`${text.slice(0, lengthMax)}…`, { class: "cut" });
}

/** Creates a link to the target of a reference. */
export function referenceLink(reference) {
  const zone = reference.zoneID ?? {};
  return screenLink("/records", {
    mode: "lookup", names: reference.recordName, record: reference.recordName,
    zone: zone.zoneName, owner: zone.ownerRecordName,
  }, userText(reference.recordName));
}

/**
 * Creates a link that saves a file. The file has the API's origin and not the console's, so a web
 * page or a picture in the file cannot act in the console. If the file has no URL, only its size is
 * returned.
 */
export function fileLink(asset) {
  const size = asset.size === undefined ? "File" : sizeText(asset.size);
  if (!/^https?:\/\//.test(asset.downloadURL ?? "")) return size;
  return h("a", {
    href: asset.downloadURL.replace("${f}", "file"), download: "file", target: "_blank",
    rel: "noopener noreferrer",
  }, `Save ${size}`);
}
