import { expect, it } from 'vitest';
import { JsonArrayDecoder } from './json-array-decoder.js';

const TEXT = ' [{"a":"]},\\"\\\\"} ,[1,{"b":[]}],\n"x,y",\t5 , null,{"c":\n1}] \n';
const RECORDS = [{ a: ']},"\\' }, [1, { b: [] }], 'x,y', 5, null, { c: 1 }];

it.each([1, 2, 3, 7, 1_000])('reads the elements of an array from pieces of %s characters', size => {
  const decoder = new JsonArrayDecoder(true);
  const sent = [];
  for (let at = 0; at < TEXT.length; at += size) sent.push(...decoder.take(TEXT.slice(at, at + size), false));
  sent.push(...decoder.take('', true));
  expect(sent.map(each => 'record' in each && each.record)).toEqual(RECORDS);
  expect(sent.map(({ row }) => row)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(sent.at(-1)?.line).toBe('{"c": 1}');
});

it.each(['', ' ', '{}', 'x', '[', '[1', '["', '[1]]', '[1] 2'])('refuses %j', text => {
  const decoder = new JsonArrayDecoder();
  expect(() => [decoder.take(text, false), decoder.take('', true)]).toThrow(/JSON array/);
});

it('refuses an element that is too long', () => {
  const decoder = new JsonArrayDecoder();
  decoder.take('["', false);
  expect(() => decoder.take('x'.repeat(17 * 1024 * 1024), false)).toThrow('16 MiB');
});
