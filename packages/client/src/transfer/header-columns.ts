/**
 * The column for each header of a file that names one but for case, accents and punctuation: `Due date` is `due_date`.
 * Headers that are columns already, and headers without a column, are not in the result, which is `columns` of an import.
 */
export function headerColumns(
  headers: readonly string[],
  columns: readonly string[],
): Record<string, string> {
  const free = columns.filter(column => !headers.includes(column));
  const byPlain = new Map(free.map(column => [plain(column), column]));
  const found: Record<string, string> = {};
  for (const header of headers) {
    const column = columns.includes(header) || plain(header) === '' ? undefined : byPlain.get(plain(header));
    if (column === undefined) continue;
    found[header] = column;
    byPlain.delete(plain(header));
  }
  return found;
}

function plain(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
