import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { Output } from './output.js';

const OPTIONS = { color: false, isTerminal: false, width: 80 };

it('prints the rows of a CSV file as they arrive if all its columns are known', async () => {
  const stdout = new PassThrough({ encoding: 'utf8' });
  const seen: string[] = [];
  const rows = async function* () {
    yield { a: 1, b: 'x' };
    seen.push(stdout.read());
    yield { a: 2 };
    seen.push(stdout.read());
  };
  expect(await new Output(stdout, 'csv', OPTIONS).rows(rows(), { all: ['b', 'a'] })).toBe(2);
  expect(seen).toEqual(['b,a\nx,1\n', ',2\n']);
});

it('prints the header of a CSV file without rows if its columns are known', async () => {
  const stdout = new PassThrough({ encoding: 'utf8' });
  await new Output(stdout, 'csv', OPTIONS).rows([], { all: ['a'] });
  expect(stdout.read()).toBe('a\n');
});
