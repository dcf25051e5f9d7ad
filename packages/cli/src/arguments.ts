import { readFile } from 'node:fs/promises';
import type { Context } from './context.js';
import { misuse } from './exit.js';

/** An example of each shape of argument, for messages about wrong ones. */
const EXAMPLES = {
  filter: `'{"year":{"$gt":1900}}'`,
  sort: `'{"year":-1}', or year,-title`,
  update: `'{"$set":{"lent":true}}'`,
} as const;

/** The JSON object of an argument. `@file` is read from that file, `-` from stdin. */
export async function objectArgument(
  context: Context,
  name: keyof typeof EXAMPLES | 'aggregation' | 'body',
  text: string,
): Promise<Record<string, unknown>> {
  const value = await jsonArgument(context, name, text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw wrong(name, 'is not a JSON object');
}

/** The JSON value of an argument. `@file` is read from that file, `-` from stdin. */
export async function jsonArgument({ io }: Context, name: string, text: string): Promise<unknown> {
  let source = text;
  if (text === '-') source = await textOf(io.stdin);
  else if (text.startsWith('@')) source = await readFile(text.slice(1), 'utf8');
  try {
    return JSON.parse(source);
  } catch (error) {
    throw wrong(name, `is not JSON: ${(error as Error).message}`);
  }
}

/** `{"year":-1}`, or in short `-year,title`. */
export async function sortArgument(
  context: Context,
  text: string | undefined,
): Promise<Record<string, 1 | -1> | undefined> {
  if (text === undefined) return undefined;
  if (text.trimStart().startsWith('{'))
    return (await objectArgument(context, 'sort', text)) as Record<string, 1 | -1>;
  return Object.fromEntries(
    listArgument(text).map(field => (field.startsWith('-') ? [field.slice(1), -1] : [field, 1])),
  );
}

/** Names separated by commas. */
export function listArgument(text: string): string[] {
  return text
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '');
}

/** `city,created_at:month,price:10`: fields, periods and ranges to group by. */
export function groupsArgument(text: string, zone: string | undefined): unknown[] {
  const entries = listArgument(text).map(entry => {
    const at = entry.lastIndexOf(':');
    if (at < 0) return entry;
    const [field, by] = [entry.slice(0, at), entry.slice(at + 1)];
    const step = Number(by);
    return by === '' || Number.isNaN(step)
      ? { field, every: by, ...(zone !== undefined && { zone }) }
      : { field, step };
  });
  if (zone !== undefined && !entries.some(entry => typeof entry === 'object' && 'every' in entry))
    throw misuse('--zone needs a period in --by, such as created_at:month.');
  return entries;
}

/** A whole number of an option. */
export function numberArgument(name: string, minimum = 1): (text: string) => number {
  return text => {
    const number = Number(text);
    if (Number.isSafeInteger(number) && number >= minimum) return number;
    throw misuse(`--${name}: "${text}" is not a whole number of ${minimum} or more.`);
  };
}

async function textOf(stdin: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stdin) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString();
}

function wrong(name: string, problem: string): Error {
  const example = EXAMPLES[name as keyof typeof EXAMPLES];
  return misuse(`The ${name} ${problem}.`, example && `Example: ${example}`);
}
