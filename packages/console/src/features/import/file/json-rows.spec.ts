import { describe, expect, it } from 'vitest';
import { JsonElements, JsonLines, type JsonReader } from './json-rows.js';

function all(reader: JsonReader, text: string, piece = text.length): string[] {
  const found = [];
  for (let at = 0; at < text.length; at += piece)
    found.push(...reader.read(text.slice(at, at + piece), false));
  return [...found, ...reader.read('', true)];
}

const RECORDS = [{ a: 1, b: ['x', { c: ']}' }] }, { a: '"\\', b: [] }, { a: 2 }];

describe('records of JSON', () => {
  it.each([1, 2, 5, 1_000])('are the elements of a list, however it is cut: %i characters', piece => {
    const found = all(new JsonElements(), `\ufeff ${JSON.stringify(RECORDS, null, 2)}\n`, piece);
    expect(found.map(text => JSON.parse(text))).toEqual(RECORDS);
    expect(found.join('')).not.toContain('\n');
  });

  it('are values behind each other, if there is no list', () => {
    const text = RECORDS.map(record => JSON.stringify(record, null, 2)).join('\n');
    expect(all(new JsonElements(), text).map(each => JSON.parse(each))).toEqual(RECORDS);
  });

  it('that are not objects or not complete are left to the service', () => {
    expect(all(new JsonElements(), '[1, "a b", {"a": 1]')).toEqual(['1', '"a b"', '{"a": 1]']);
  });

  it('are lines', () => {
    expect(all(new JsonLines(), '{"a":1}\r\n\n{"a":2}', 3)).toEqual(['{"a":1}', '{"a":2}']);
  });
});
