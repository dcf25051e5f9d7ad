import { expect, it } from 'vitest';
import { parseColumns, parseIndexes } from './schema.js';

it('numbers columns from 1 in the order they are declared', () => {
  expect(parseColumns({ b: { type: 'text' }, a: { type: 'json', nullable: false } })).toEqual({
    b: { type: 'text', nullable: true, number: 1 },
    a: { type: 'json', nullable: false, number: 2 },
  });
});

it('takes names that mean something to JavaScript, but for __proto__', () => {
  const names = ['constructor', 'toString', 'hasOwnProperty', '__proto', '_'];
  const columns = parseColumns(Object.fromEntries(names.map(name => [name, { type: 'text' }])));
  expect(Object.keys(columns)).toEqual(names);
  expect(() => parseColumns(JSON.parse('{"__proto__":{"type":"text"}}'))).toThrow('__proto__');
});

it('knows only declared columns in an index', () => {
  const columns = parseColumns({ a: { type: 'text' } });
  expect(parseIndexes('uniques', [{ properties: ['a'] }], columns)).toEqual([{ properties: ['a'] }]);
  for (const name of ['b', 'toString', '__proto__', '_id', 'c1']) {
    expect(() => parseIndexes('indexes', [{ properties: [name] }], columns)).toThrow('indexes.0');
  }
});
