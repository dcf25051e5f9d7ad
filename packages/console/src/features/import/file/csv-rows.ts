/** The fields of a row as text. An empty field without quotes is null. */
export type CsvFields = readonly (string | null)[];

/** The rows of CSV, without empty lines and rows that break the rules of quoting. `isWhole`: the text is not cut. */
export function csvRows(text: string, delimiter: string, isWhole = true): readonly CsvFields[] {
  const field = new RegExp(
    `(?:"([^"]*(?:""[^"]*)*)"|([^"${delimiter}\r\n]*))([${delimiter}]|\r\n|\r|\n|$)`,
    'y',
  );
  const rows: CsvFields[] = [];
  let fields: (string | null)[] = [];
  for (let at = 0; at <= text.length; ) {
    field.lastIndex = at;
    const [all, quoted, plain, end] = field.exec(text) ?? [];
    if (all === undefined) {
      // A quote without its end may have it behind the cut.
      if (!isWhole && text[at] === '"') break;
      at = text.indexOf('\n', at) + 1 || text.length + 1;
      fields = [];
      continue;
    }
    fields.push(quoted?.replaceAll('""', '"') ?? (plain || null));
    at += all.length;
    if (end === delimiter) continue;
    if (end === '') at += 1;
    if (fields.length > 1 || fields[0] !== null) rows.push(fields);
    fields = [];
  }
  return isWhole ? rows : rows.slice(0, -1);
}

const NEEDS_QUOTES = /[",;|\t\r\n]|^$|^\s|\s$/;

/** A row as a file has it, with its line end. */
export function csvLine(fields: CsvFields, delimiter: string): string {
  const texts = fields.map(field =>
    field === null ? '' : NEEDS_QUOTES.test(field) ? `"${field.replaceAll('"', '""')}"` : field,
  );
  // The row of one field without a value would be an empty line.
  return `${texts.length === 1 && texts[0] === '' ? '""' : texts.join(delimiter)}\n`;
}
