import { expect, it } from 'vitest';
import { TextBuffer } from '../../engine/storage/copy/text-buffer.js';
import { writeJson } from './json-field.js';

/** The text as PostgreSQL writes it: a space after each colon and comma. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`);
  return `{${members.join(', ')}}`;
}

const field = (text: string) => {
  const json = JSON.stringify(JSON.parse(text));
  return /[",]/.test(json) ? `"${json.replaceAll('"', '""')}"` : json;
};

const written = (text: string) => {
  const [source, to] = [Buffer.from(`,${text},`), new TextBuffer()];
  to.text('before');
  writeJson(source, 1, source.length - 1, to);
  return to.take().toString().slice('before'.length);
};

const STRINGS = [
  '',
  ' ',
  '": ',
  '", "',
  ': ',
  ', ',
  '\\',
  '\\"',
  '"',
  'a b',
  'é𝄞\u2028',
  '\u0001\n',
  '{"a": 1}',
  '7',
];
const VALUES = [
  ...STRINGS,
  ...STRINGS.map(text => [text, text]),
  ...STRINGS.map(text => ({ [text]: { b: text } })),
  ...[0, -7, 123_456_789_012_345, 1_234_567_890_123_456, 0.5, 1e-7, 1e21, true, false],
  ...[{}, [], [[]], [{}, {}], [1, 2], { a: 1 }, { a: [] }, { a: null, b: [null, true] }],
  'x'.repeat(20_000),
  ['"é'.repeat(8_192)],
];

it.each(VALUES.map(value => [spaced(value)]))('is the compact text of %s', text => {
  expect(written(text)).toBe(field(text));
});

it.each(['1.50', '[1.0, 100000000000000000000000]', '0.00000001', '{"b": 1, "10": 2, "9": 3}'])(
  'writes %s as JavaScript does',
  text => {
    expect(written(text)).toBe(field(text));
  },
);
