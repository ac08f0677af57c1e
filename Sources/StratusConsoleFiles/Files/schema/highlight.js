// Divides the text of a schema file into tokens, to colour them.

const keywords = new Set([
  "DEFINE", "SCHEMA", "RECORD", "TYPE", "CREATE", "ROLE", "GRANT", "TO", "READ", "WRITE",
  "QUERYABLE", "SORTABLE", "SEARCHABLE", "ENCRYPTED", "LIST", "STRING", "INT64", "DOUBLE",
  "TIMESTAMP", "BYTES", "LOCATION", "REFERENCE", "ASSET", "NUMBER", "PREFERRED", "AS",
]);
const pattern =
  /(--[^\n]*|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))|("[^"\n]*"?)|([A-Za-z_]\w*)|([^\w"]|\w)/g;

/** Returns the tokens of a text: pieces that make up the whole text, each with a kind. */
export function tokensOf(text) {
  const tokens = [];
  for (const [whole, comment, quoted, word] of text.matchAll(pattern)) {
    const kind = comment ? "comment" : quoted ? "system"
      : word ? (keywords.has(word.toUpperCase()) ? "keyword" : "name") : "";
    const last = tokens[tokens.length - 1];
    if (last && last.kind === kind && kind === "") last.text += whole;
    else tokens.push({ kind, text: whole });
  }
  return tokens;
}
