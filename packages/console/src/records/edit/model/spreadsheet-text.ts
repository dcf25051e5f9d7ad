/** Cells as spreadsheets copy them: tabs between cells, line ends between rows, quotes around cells that have those. */
export function toSpreadsheet(rows: readonly (readonly string[])[]): string {
  return rows.map(cells => cells.map(quoted).join('\t')).join('\n');
}

function quoted(text: string): string {
  return /["\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const QUOTED = /^"((?:[^"]|"")*)"(?=\t|\r|\n|$)/;
const BARE = /^[^\t\r\n]*/;
const SEPARATOR = /^(?:\t|\r\n|\r|\n)/;

/** The rows of cells in a text of a spreadsheet. The line end behind the last row is not a row. */
export function fromSpreadsheet(text: string): string[][] {
  const rows: string[][] = [[]];
  let rest = text.replace(/(?:\r\n|\r|\n)$/, '');
  for (;;) {
    const inQuotes = QUOTED.exec(rest);
    const cell = inQuotes === null ? (BARE.exec(rest)?.[0] ?? '') : inQuotes[0];
    rows.at(-1)?.push(inQuotes === null ? cell : (inQuotes[1] ?? '').replaceAll('""', '"'));
    rest = rest.slice(cell.length);
    const separator = SEPARATOR.exec(rest)?.[0];
    if (separator === undefined) return rows;
    if (separator !== '\t') rows.push([]);
    rest = rest.slice(separator.length);
  }
}
