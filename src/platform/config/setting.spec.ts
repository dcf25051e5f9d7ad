import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostEntry, readArrayFile } from './setting.js';

describe('host entry', () => {
  it.each([
    ['localhost', 'localhost', undefined],
    ['IDP.test:8443', 'idp.test', 8443],
    ['127.1:80', '127.0.0.1', 80],
    ['[::1]', '[::1]', undefined],
    ['[0:0::1]:8443', '[::1]', 8443],
  ])('reads %s in URL notation of the host', (text, host, port) => {
    expect(hostEntry(text)).toEqual({ host, port });
  });

  it.each([
    '',
    ':80',
    'http://localhost',
    'localhost/',
    'a b',
    '::1',
    'a:b',
    'a:99999',
    'ada@localhost',
    '*',
  ])('refuses %j', text => {
    expect(() => hostEntry(text)).toThrow('expects hosts like');
  });
});

describe('json file', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'typed-collections-json-'));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  function file(contents: string): string {
    const path = join(directory, 'file.json');
    writeFileSync(path, contents);
    return path;
  }

  const NAME = '$' + '{CLIENT_SECRET}';

  it('replaces variables in texts at any depth, and changes nothing else', () => {
    const path = file(
      JSON.stringify([{ a: { b: [`x-${NAME}-${NAME}`] }, c: 1, d: null, e: '$CLIENT_SECRET $' }]),
    );
    expect(readArrayFile(path, { CLIENT_SECRET: 's' })).toEqual([
      { a: { b: ['x-s-s'] }, c: 1, d: null, e: '$CLIENT_SECRET $' },
    ]);
  });

  it('inserts a value as text: it cannot add structure or name another variable', () => {
    const value = `", "admin": true, "x": "${'$' + '{OTHER}'}`;
    expect(readArrayFile(file(JSON.stringify([NAME])), { CLIENT_SECRET: value, OTHER: 'o' })).toEqual([
      value,
    ]);
  });

  it.each([
    [`["${NAME}"]`, 'contains $' + '{CLIENT_SECRET}, which is not set'],
    ['{"slug": "hidden-text"}', 'must hold a JSON array'],
    ['[{"client_secret": "hidden-text" "x"}]', 'is not valid JSON'],
  ])('refuses %j without quoting the file', (contents, reason) => {
    const read = () => readArrayFile(file(contents), {});
    expect(read).toThrow(reason);
    expect(read).not.toThrow('hidden-text');
  });

  it('names a missing file', () => {
    expect(() => readArrayFile(join(directory, 'absent.json'), {})).toThrow(
      /absent\.json cannot be read \(ENOENT\)/,
    );
  });
});
