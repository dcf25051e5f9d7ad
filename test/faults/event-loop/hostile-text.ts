import type { Dice } from '../../harness/dice.js';

/** Generates JSON text of about the given number of bytes. */
type Hostile = (bytes: number) => string;

/** More levels than a body may have. */
const DEEP = 220;

function repeated(bytes: number, item: (n: number) => string, most = Number.POSITIVE_INFINITY): string {
  const items = [item(0)];
  for (let length = 2; items.length < most; ) {
    length += (items.at(-1) as string).length + 1;
    const next = item(items.length);
    if (length + next.length > bytes) break;
    items.push(next);
  }
  return items.join(',');
}

function nested(open: string, close: string, levels: number): string {
  return `${open.repeat(levels)}1${close.repeat(levels)}`;
}

/** Values that are expensive to parse or check. */
export const HOSTILE: Readonly<Record<string, Hostile>> = {
  'one text': bytes => `"${'x'.repeat(bytes)}"`,
  'a text of spaces and signs': bytes => `"${' .$%_-'.repeat(bytes / 6)}"`,
  'a text of escapes': bytes => `"${'\\u00e9\\n'.repeat(bytes / 8)}"`,
  'a text of digits': bytes => `"${'1'.repeat(bytes)}"`,
  'a long number': bytes => `1${'0'.repeat(Math.min(bytes, 300))}`,
  'numbers with many digits': bytes => `[${repeated(bytes, () => `0.${'3'.repeat(1_000)}`)}]`,
  numbers: bytes => `[${repeated(bytes, n => String(n))}]`,
  'equal numbers': bytes => `[${'7,'.repeat(bytes / 2)}7]`,
  nulls: bytes => `[${'null,'.repeat(bytes / 5)}null]`,
  'empty objects': bytes => `[${'{},'.repeat(bytes / 3)}{}]`,
  'empty lists': bytes => `[${'[],'.repeat(bytes / 3)}[]]`,
  'small objects': bytes => `[${repeated(bytes, n => `{"n":${n},"a":{"b":[]}}`)}]`,
  'short texts': bytes => `[${repeated(bytes, n => `"t${n}"`)}]`,
  'equal texts': bytes => `[${'"same",'.repeat(bytes / 7)}"same"]`,
  'long texts': bytes => `[${repeated(bytes, n => `"${`${n} `.repeat(500)}"`)}]`,
  'deep lists': bytes => `[${repeated(bytes, () => nested('[', ']', DEEP))}]`,
  'deep objects': bytes => `[${repeated(bytes, () => nested('{"a":', '}', DEEP))}]`,
  'a deep list': bytes => nested('[', ']', Math.min(10_000, bytes / 2)),
  'deep logic': bytes => `{"$and":[${repeated(bytes, () => `${'{"$or":['.repeat(9)}{}${']}'.repeat(9)}`)}]}`,
  'many fields': bytes => `{${repeated(bytes, n => `"f${n}":${n}`, 49_999)}}`,
  'too many fields': bytes => `{${repeated(bytes, n => `"f${n}":1`)}}`,
  'the same field': bytes => `{${'"a":1,'.repeat(bytes / 6)}"a":2}`,
  'objects of many fields': bytes =>
    `[${repeated(bytes, () => `{${repeated(100_000, n => `"f${n}":1`, 4_900)}}`)}]`,
  'objects of fields of their own': bytes => `[${repeated(bytes, n => `{"name${n}":1}`)}]`,
  'long names': bytes => `{${repeated(bytes, n => `"${n}${'n'.repeat(250)}":1`, 49_999)}}`,
  'one long name': bytes => `{"${'n'.repeat(bytes)}":1}`,
  'dotted names': bytes => `{${repeated(bytes, n => `"f${n}${'.a'.repeat(90)}":1`, 9_999)}}`,
  operators: bytes => `{${repeated(bytes, n => `"$set${n}":{"a":1}`, 49_999)}}`,
  'inherited names': bytes => `[${repeated(bytes, () => '{"constructor":{"toString":1},"__proto__":1}')}]`,
};

const FORM: Readonly<Record<string, Hostile>> = {
  'many fields': bytes => Array.from({ length: bytes / 8 }, (_, n) => `f${n}=1`).join('&'),
  'one field over and over': bytes => 'scope=a&'.repeat(bytes / 8),
  separators: bytes => '&'.repeat(bytes),
  'equal signs': bytes => '='.repeat(bytes),
  'escapes of one field': bytes => `scope=${'%20'.repeat(bytes / 3)}`,
  'broken escapes': bytes => `scope=${'%f'.repeat(bytes / 2)}`,
  'words of one field': bytes => `scope=${'openid+'.repeat(bytes / 7)}`,
  'deep names': bytes => `a${'[b]'.repeat(bytes / 3)}=1`,
  'one long name': bytes => `${'n'.repeat(bytes)}=1`,
};

/** Generates a form of about the given number of bytes with the fields, and a name for it. */
export function hostileForm(dice: Dice, fields: Record<string, string>, bytes: number) {
  const kind = dice.of(Object.keys(FORM));
  const known = new URLSearchParams(fields).toString();
  const text = (FORM[kind] as Hostile)(bytes - known.length - 20);
  return { what: kind, text: dice.below(10) < 5 ? `${known}&${text}` : text };
}

type Path = readonly (string | number)[];

/** How often a part is repeated. */
const COUNTS = [20, 99, 499, 999, 4_999, 9_999, 49_000, 1_000_000];

/**
 * Generates JSON text of about the given number of bytes: the example with a hostile value in one place, or with
 * one part repeated many times. Also returns a name for it.
 */
export function hostileJson(dice: Dice, example: unknown, bytes: number) {
  const path = dice.of(pathsOf(example));
  const kind = dice.below(10) < 6 ? dice.of(Object.keys(HOSTILE)) : undefined;
  const place = path.length === 0 ? 'the body' : path.join('.');
  const value = (room: number): string | undefined =>
    kind === undefined ? undefined : (HOSTILE[kind] as Hostile)(Math.max(1, room));
  if (path.length === 0 || (kind !== undefined && dice.below(10) < 5)) {
    const text = (HOSTILE[kind ?? 'small objects'] as Hostile)(bytes - JSON.stringify(example).length);
    return { what: `${kind ?? 'small objects'} at ${place}`, text: textWith(example, path, text) };
  }
  const level = dice.below(path.length);
  const [above, step, below] = [path.slice(0, level), path[level]!, path.slice(level + 1)];
  const holder = at(example, above) as Record<string, unknown>;
  const shortest = JSON.stringify(holder[step]).length + 8;
  const room = bytes - JSON.stringify(example).length;
  const wanted = Math.max(1, Math.floor(Math.min(dice.of(COUNTS), room / shortest)));
  const spare = Math.floor(room / wanted) - shortest;
  const item = textWith(holder[step], below, value(spare) ?? JSON.stringify(at(holder[step], below)));
  const count = Math.min(wanted, Math.floor(room / (item.length + String(step).length + 12)));
  const items = numbered(dice, item, Array.isArray(holder) ? undefined : String(step), count);
  const others = Object.entries(holder).map(
    ([name, each]) => `${JSON.stringify(name)}:${JSON.stringify(each)}`,
  );
  const text = Array.isArray(holder) ? `[${items}]` : `{${[...others, items].join(',')}}`;
  return {
    what: `${count} times ${above.concat(step).join('.')}${kind === undefined ? '' : ` with ${kind} at ${place}`}`,
    text: textWith(example, above, text),
  };
}

/** Items that are equal or differ in one name or text: a list, or with a name the members of an object. */
function numbered(dice: Dice, item: string, name: string | undefined, count: number): string {
  const ends = item.length > 10_000 ? [] : [...item.matchAll(/[a-z0-9](?=")/g)].map(({ index }) => index + 1);
  const end = ends.length > 0 && dice.below(10) < 7 ? dice.of(ends) : undefined;
  const items = Array.from({ length: count }, (_, n) => {
    const own = end === undefined ? item : `${item.slice(0, end)}${n}${item.slice(end)}`;
    return name === undefined ? own : `${JSON.stringify(`${name}${n}`)}:${own}`;
  });
  return items.join(',');
}

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const steps = Array.isArray(value) ? value.keys() : Object.keys(value);
  return [path, ...[...steps].flatMap(step => pathsOf((value as never)[step], [...path, step]))];
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((each, step) => (each as Record<string, unknown>)[step], value);
}

/** JSON text of a value, with other text in one place. */
function textWith(value: unknown, [step, ...below]: Path, text: string): string {
  if (step === undefined) return text;
  const inner = textWith((value as never)[step], below, text);
  if (Array.isArray(value))
    return `[${value.map((each, n) => (n === step ? inner : JSON.stringify(each))).join(',')}]`;
  const members = Object.entries(value as object).map(
    ([name, each]) => `${JSON.stringify(name)}:${name === step ? inner : JSON.stringify(each)}`,
  );
  return `{${members.join(',')}}`;
}
