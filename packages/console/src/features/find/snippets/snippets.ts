import type { JsonObject } from '../../../values/json.js';

/** What the page shows: enough to read the same records elsewhere. */
export interface Shown {
  /** The origin of the service, such as `https://data.example.com`. */
  readonly url: string;
  /** Name or id of the collection. */
  readonly collection: string;
  readonly filter: JsonObject;
  readonly sort: Readonly<Record<string, 1 | -1>>;
  /** The shown columns; undefined for all fields. */
  readonly fields: readonly string[] | undefined;
  readonly limit: number;
  /** The records as they were at this instant; undefined for as they are. */
  readonly asOf: string | undefined;
}

/** A word of a POSIX shell that means exactly this text. */
function shellWord(text: string): string {
  return /^[\w./:=@%+,-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function bodyOf({ filter, sort, fields, limit, asOf }: Shown): JsonObject {
  return {
    ...(Object.keys(filter).length > 0 && { filter }),
    ...(Object.keys(sort).length > 0 && { sort }),
    ...(fields !== undefined && { fields }),
    limit,
    ...(asOf !== undefined && { as_of: asOf }),
  };
}

function pathOf(collection: string): string {
  return `/v1/collections/${encodeURIComponent(collection)}/data/query`;
}

/** A command that sends the query. It reads the key from the environment variable TC_KEY. */
export function curl(shown: Shown): string {
  return [
    `curl ${shellWord(shown.url + pathOf(shown.collection))}`,
    '--header "x-platform-api-key: $TC_KEY"',
    "--header 'content-type: application/json'",
    `--data-raw ${shellWord(JSON.stringify(bodyOf(shown)))}`,
  ].join(' \\\n  ');
}

/** A command of `tcol`. Names that its lists cannot contain make it send the request itself. */
export function cli(shown: Shown): string {
  const { url, collection, filter, sort, fields, limit, asOf } = shown;
  const start = `TC_URL=${shellWord(url)} tcol`;
  if (collection.startsWith('-') || fields?.some(name => name.trim() !== name || /^$|,/.test(name))) {
    return `${start} api POST ${shellWord(pathOf(collection))} ${shellWord(JSON.stringify(bodyOf(shown)))}`;
  }
  return [
    `${start} query ${shellWord(collection)} ${shellWord(JSON.stringify(filter))}`,
    ...(Object.keys(sort).length > 0 ? [`--sort ${shellWord(JSON.stringify(sort))}`] : []),
    ...(fields === undefined ? [] : [`--fields=${shellWord(fields.join(','))}`]),
    `--limit ${limit}`,
    ...(asOf === undefined ? [] : [`--as-of ${shellWord(asOf)}`]),
  ].join(' \\\n  ');
}

/** A program with the client. */
export function typescript(shown: Shown): string {
  const { url, collection, filter, sort, fields, limit, asOf } = shown;
  const options = {
    ...(Object.keys(sort).length > 0 && { sort }),
    ...(fields !== undefined && { fields }),
    ...(asOf !== undefined && { asOf }),
  };
  const given = Object.keys(options).length > 0 ? [filter, options] : [filter];
  return `import { createClient } from '@typed-collections/client';

const client = createClient({ url: ${literal(url)}, key: process.env.TC_KEY });
const found = client.collection(${literal(collection)}).find(${given.map(each => literal(each)).join(', ')});
for (const record of await found.toArray(${limit})) {
  console.log(record);
}
`;
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const WIDTH = 80;

/** A JSON value as an expression of TypeScript, in lines if it is long. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return stringLiteral(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const entries = Array.isArray(value)
    ? value.map(item => literal(item, inner))
    : Object.entries(value).map(([name, member]) => `${nameOf(name)}: ${literal(member, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) return open + close;
  const pad = open === '{' ? ' ' : '';
  const line = open + pad + entries.join(', ') + pad + close;
  if (line.length <= WIDTH && !line.includes('\n')) return line;
  return `${open}\n${entries.map(entry => `${inner}${entry},\n`).join('')}${indent}${close}`;
}

/** `__proto__` without brackets would be the prototype and no member. */
function nameOf(name: string): string {
  if (name === '__proto__') return "['__proto__']";
  return IDENTIFIER.test(name) ? name : stringLiteral(name);
}

function stringLiteral(text: string): string {
  const json = JSON.stringify(text);
  return /['\\]/.test(json) || json.slice(1, -1).includes('"') ? json : `'${json.slice(1, -1)}'`;
}
