/** Literals, quoted names and comments, which stay as they are; parameters; names of tables with their schema. */
const PARTS =
  /\b[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\/\*.*?\*\/|--[^\n]*|\$(\d+)|\b(?:org_[0-9a-f]{32}|pg_temp|public)\.[a-z_0-9]+/gs;

/**
 * The text of a statement for `run_on_node`: with other names of tables, and with elements of the array `$1` in place of
 * its parameters. Throws for a table of an organization that has no other name.
 */
export function statementOnNode(text: string, names: ReadonlyMap<string, string>): string {
  return text.replace(PARTS, (part: string, number?: string) => {
    if (number !== undefined) return `$1[${number}]`;
    const name = names.get(part);
    if (name === undefined && part.startsWith('org_')) throw unknownTable(part);
    return name ?? part;
  });
}

/** The error of PostgreSQL for a table that is missing, so that a collection that has just been deleted is stale. */
function unknownTable(name: string): Error {
  return Object.assign(new Error(`the table ${name} is missing, or the work on the node has not named it`), {
    code: '42P01',
  });
}

/** The parameters of a statement as PostgreSQL reads them; the statement casts each of them to its type. */
export function valuesOnNode(values: readonly unknown[]): (string | null)[] {
  return values.map(value => (value === null || value === undefined ? null : textOf(value)));
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `{${valuesOnNode(value).map(elementOf).join()}}`;
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function elementOf(text: string | null): string {
  return text === null ? 'NULL' : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
