const LONGEST = 60;

/** What names a record in a list: the first text that a text column of it has, else its id. */
export function titleOfRecord(
  record: Readonly<Record<string, unknown>>,
  schema: Readonly<Record<string, { readonly type: string }>>,
): string {
  for (const [name, { type }] of Object.entries(schema)) {
    const value = type === 'text' ? record[name] : undefined;
    if (typeof value !== 'string' || value.trim() === '') continue;
    return value.length > LONGEST ? `${value.slice(0, LONGEST - 1)}…` : value;
  }
  return String(record._id);
}
