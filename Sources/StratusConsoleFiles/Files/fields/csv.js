// Tables of values as text (RFC 4180).

/**
 * Returns the text of one cell. A spreadsheet does not run it as a formula: a cell that begins like
 * a formula gets an apostrophe, unless it is a plain number.
 */
export function csvCell(text) {
  const isNumber = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text);
  const safe = !isNumber && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll("\"", "\"\"")}"` : safe;
}

/** Returns the text of a table. The first row has the names of the columns. */
export function csvText(rows) {
  return rows.map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

/**
 * Reads a table. An apostrophe before a formula is removed, so an export can be read again.
 *
 * @throws {Error} if a quoted cell does not end.
 */
export function readCSV(text) {
  const rows = [];
  let row = [];
  let cell = "";
  let isQuoted = false;
  let wasQuoted = false;
  const endCell = () => {
    row.push(/^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);
    [cell, wasQuoted] = ["", false];
  };
  const source = text.replace(/^\ufeff/, "");
  for (let index = 0; index < source.length; index += 1) {
    const sign = source[index];
    if (isQuoted) {
      if (sign !== "\"") cell += sign;
      else if (source[index + 1] === "\"") {
        cell += sign;
        index += 1;
      } else isQuoted = false;
    } else if (sign === "\"" && cell === "" && !wasQuoted) {
      [isQuoted, wasQuoted] = [true, true];
    } else if (sign === ",") endCell();
    else if (sign === "\n" || sign === "\r") {
      if (sign === "\r" && source[index + 1] === "\n") index += 1;
      endCell();
      rows.push(row);
      row = [];
    } else cell += sign;
  }
  if (isQuoted) throw new Error("A quotation mark in the file has no end.");
  if (cell !== "" || row.length > 0 || wasQuoted) {
    endCell();
    rows.push(row);
  }
  return rows.filter((cells) => cells.length > 1 || cells[0] !== "");
}
