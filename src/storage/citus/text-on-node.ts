import { literal, render } from '../../sql/index.js';

/** Literals and quoted names, which stay as they are; parameters; names of tables with their schema. */
const PARTS =
  /E'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\d+)|\b(?:org_[0-9a-f]{32}|pg_temp|public)\.[a-z_0-9]+/g;

/** The text of a statement with other names of tables, and with its values in place of the parameters. */
export function textOnNode(
  text: string,
  values: readonly unknown[],
  names: ReadonlyMap<string, string>,
): string {
  return text.replace(PARTS, (part: string, number?: string) =>
    number === undefined ? (names.get(part) ?? part) : literalOf(values[Number(number) - 1]),
  );
}

function literalOf(value: unknown): string {
  return value === null || value === undefined ? 'NULL' : render(literal(textOf(value))).text;
}

/** A value as PostgreSQL reads it; a cast to its type follows. */
function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `{${value.map(elementOf).join()}}`;
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function elementOf(value: unknown): string {
  return value === null || value === undefined ? 'NULL' : `"${textOf(value).replaceAll(/["\\]/g, '\\$&')}"`;
}
