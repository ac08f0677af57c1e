// The types of fields, and the comparators and sorts that each type allows.

/** The element types, as the protocol names them. */
export const elements = [
  "STRING", "INT64", "DOUBLE", "TIMESTAMP", "BYTES", "LOCATION", "REFERENCE", "ASSETID",
];

/** All types of fields: each element type, and lists of it. */
export const types = [...elements, ...elements.map((element) => `${element}_LIST`)];

export function isList(type) {
  return type.endsWith("_LIST");
}

/** Returns the type of the values in a list. For another type, returns the type itself. */
export function elementOf(type) {
  return isList(type) ? type.slice(0, -5) : type;
}

/**
 * Returns the protocol's name of a type of the schema language, and whether it is encrypted.
 * `LIST<STRING>` is `STRING_LIST`, and `ASSET` is `ASSETID`.
 */
export function protocolType(schemaType) {
  const words = schemaType.replace(/^ENCRYPTED\s+/, "");
  const list = /^LIST<\s*(?:ENCRYPTED\s+)?(\w+)\s*>$/.exec(words);
  const name = (list ? list[1] : words).replace(/^ASSET$/, "ASSETID");
  return { type: list ? `${name}_LIST` : name, isEncrypted: /\bENCRYPTED\b/.test(schemaType) };
}

const ordered = [
  ["EQUALS", "is"], ["NOT_EQUALS", "is not"], ["LESS_THAN", "is less than"],
  ["LESS_THAN_OR_EQUALS", "is at most"], ["GREATER_THAN", "is greater than"],
  ["GREATER_THAN_OR_EQUALS", "is at least"], ["IN", "is one of"], ["NOT_IN", "is none of"],
];
const texts = [
  ["BEGINS_WITH", "begins with"], ["NOT_BEGINS_WITH", "does not begin with"],
  ["CONTAINS_ALL_TOKENS", "contains all words"], ["CONTAINS_ANY_TOKENS", "contains a word of"],
  ["ENDS_WITH", "ends with (extension)"], ["CONTAINS_TEXT", "contains the text (extension)"],
];
const lists = [
  ["LIST_CONTAINS", "contains"], ["NOT_LIST_CONTAINS", "does not contain"],
  ["LIST_CONTAINS_ANY", "contains one of"], ["NOT_LIST_CONTAINS_ANY", "contains none of"],
  ["LIST_CONTAINS_ALL", "contains all of"], ["NOT_LIST_CONTAINS_ALL", "does not contain all of"],
];
const textLists = [
  ["LIST_MEMBER_BEGINS_WITH", "has a member that begins with"],
  ["NOT_LIST_MEMBER_BEGINS_WITH", "has no member that begins with"],
  ["CONTAINS_ALL_TOKENS", "contains all words"], ["CONTAINS_ANY_TOKENS", "contains a word of"],
];
const equality = ordered.filter(([name]) => /EQUALS$|IN$/.test(name) && !/_OR_/.test(name));

/** Returns the comparators for a type, each with its words. */
export function comparatorsFor(type) {
  switch (type) {
    case "STRING": return [...ordered, ...texts];
    case "INT64": case "DOUBLE": case "TIMESTAMP": return ordered;
    case "REFERENCE": case "BYTES": return equality;
    case "LOCATION": return [["NEAR", "is near"]];
    case "ASSETID": case "ASSETID_LIST": return [];
    case "STRING_LIST": return [...lists, ...textLists];
    default: return isList(type) ? lists : ordered;
  }
}

/** Whether the value of a comparator is a list. */
export function takesList(comparator) {
  return /(?:^|_)IN$|_ANY$|_ALL$/.test(comparator);
}

/** Whether the value of a comparator is text, whatever the type of the field. */
export function takesText(comparator) {
  return /TOKENS$|BEGINS_WITH$|ENDS_WITH$|CONTAINS_TEXT$/.test(comparator);
}

/** The fields that every record has, with their names in filters and sorts. */
export const systemFields = [
  { name: "___recordID", text: "record name", type: "REFERENCE" },
  { name: "___createTime", text: "created at", type: "TIMESTAMP" },
  { name: "___modTime", text: "modified at", type: "TIMESTAMP" },
  { name: "___createdBy", text: "created by", type: "REFERENCE" },
  { name: "___modifiedBy", text: "modified by", type: "REFERENCE" },
];

/** Words for the name of a system field. Other names are returned unchanged. */
export function fieldWords(name) {
  return systemFields.find((field) => field.name === name)?.text ?? name;
}
