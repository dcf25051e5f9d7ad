import { expect, it } from 'vitest';
import { headerOf, samplesOf } from './header.js';
import type { TextFile } from './text-file.js';

const file = (sample: string, more: Partial<TextFile> = {}): TextFile => ({
  ...{ name: 'x', format: 'csv', delimiter: ',', isGzip: false, encoding: undefined, sample },
  source: async () => new Blob(),
  ...more,
});

it('reads the header of a file with quotes, another delimiter and a mark', () => {
  expect(headerOf(file('\ufeff"a;b";c\n1;2\n', { delimiter: ';' }))).toEqual(['a;b', 'c']);
});

it('reads samples of CSV as texts, and of NDJSON as they are', () => {
  expect(samplesOf(file('a,b\n1,x\n\n2,"y\nz"\n'), 10)).toEqual([
    { a: '1', b: 'x' },
    { a: '2', b: 'y\nz' },
  ]);
  expect(samplesOf(file('{"a":1}\n\n{"a":2}\n', { format: 'ndjson' }), 1)).toEqual([{ a: 1 }]);
});
