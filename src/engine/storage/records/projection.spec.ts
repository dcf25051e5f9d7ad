import { expect, it } from 'vitest';
import { parseProjection } from '../../filter/index.js';
import { projector } from './projection.js';

const RECORD = { _id: '1', a: { b: 1, c: [{ d: 2, e: 3 }, 7, [{ d: 4, e: 5 }]] }, f: null, g: 'x' };
const project = (fields: unknown) => JSON.parse(projector(parseProjection(fields))(JSON.stringify(RECORD)));

it.each([undefined, {}, { a: 1 }, { f: 0 }])('does not rewrite the text if %j has no nested path', fields => {
  const text = JSON.stringify(RECORD);
  expect(projector(parseProjection(fields))(text)).toBe(text);
});

it.each([
  [{ 'a.b': 1 }, { _id: '1', a: { b: 1 } }],
  [{ 'a.b': 1, _id: 0 }, { a: { b: 1 } }],
  [{ 'a.c.d': 1 }, { _id: '1', a: { c: [{ d: 2 }, [{ d: 4 }]] } }],
  [{ 'a.x': 1 }, { _id: '1', a: {} }],
  [{ 'f.x': 1, 'g.y': 1 }, { _id: '1' }],
  [
    { g: 1, 'a.b': 1 },
    { _id: '1', a: { b: 1 }, g: 'x' },
  ],
  [{ 'a.b': 0 }, { ...RECORD, a: { c: RECORD.a.c } }],
  [{ 'a.c.d': 0 }, { ...RECORD, a: { b: 1, c: [{ e: 3 }, 7, [{ e: 5 }]] } }],
  [{ 'g.x': 0 }, RECORD],
])('of %j shows %j', (fields, shown) => {
  expect(project(fields)).toEqual(shown);
});
