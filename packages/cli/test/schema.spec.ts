import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emptyDirectory } from '../../../test/harness/empty-directory.js';
import { newService, type Service } from './service.js';
import { rowsOf, tcol } from './tcol.js';

let service: Service;
let dir: string;
const run = (...args: string[]) => tcol(args, { env: service.env });
const path = (name: string) => join(dir, `${name}.json`);
const read = (name: string) => JSON.parse(readFileSync(path(name), 'utf8'));
const change = (name: string, changes: object) =>
  writeFileSync(path(name), JSON.stringify({ ...read(name), ...changes }));
const live = async (name: string) => rowsOf(await run('collections', 'show', name))[0];

beforeAll(async () => {
  service = await newService();
  await run('collections', 'create', 'books', '--column', 'title:text!', '--column', 'year:integer');
  await run('collections', 'create', 'loans', '--column', 'due:date', '--unique', 'due');
});
beforeEach(async () => {
  dir = join(emptyDirectory(), 'schema');
  expect((await run('schema', 'pull', '--dir', dir)).code).toBe(0);
});

describe('tcol schema pull', () => {
  it('writes a file for each collection, with nothing that differs between environments', () => {
    expect(read('books')).toEqual({
      ...{
        name: 'books',
        description: null,
        settings: { ttl_days: 0, max_records: expect.any(Number), history_days: 7 },
      },
      properties: { title: { type: 'text', nullable: false }, year: { type: 'integer', nullable: true } },
      ...{ indexes: [], uniques: [] },
    });
    expect(read('loans').uniques).toEqual([{ properties: ['due'] }]);
  });

  it('writes the same bytes again', async () => {
    const before = readFileSync(path('loans'), 'utf8');
    await run('schema', 'pull', 'loans', '--dir', dir);
    expect(readFileSync(path('loans'), 'utf8')).toBe(before);
  });

  it('writes only the collections that are named', async () => {
    const other = emptyDirectory();
    expect((await run('schema', 'pull', 'loans', '--dir', other)).code).toBe(0);
    expect([existsSync(join(other, 'loans.json')), existsSync(join(other, 'books.json'))]).toEqual([
      true,
      false,
    ]);
  });
});

describe('tcol schema diff', () => {
  it('finds no difference after a pull', async () => {
    expect(await run('schema', 'diff', '--dir', dir)).toMatchObject({ code: 0, stdout: '' });
  });

  it('prints what a push would change, and ends with 1', async () => {
    change('books', {
      description: 'All books',
      properties: { ...read('books').properties, isbn: { type: 'text', nullable: false } },
      indexes: [{ properties: ['year', 'title'] }],
    });
    const { code, stdout } = await run('schema', 'diff', '--dir', dir);
    expect(code).toBe(1);
    expect(stdout.trimEnd().split('\n')).toEqual([
      'books: + isbn: text, not null',
      'books: + index on year, title',
      'books: ~ description: null → "All books"',
    ]);
  });

  it('tells of columns that the file lacks, which a push would not remove', async () => {
    change('books', { properties: { title: { type: 'text', nullable: false } } });
    const { code, stdout } = await run('schema', 'diff', 'books', '--dir', dir);
    expect([code, stdout]).toEqual([
      0,
      'books: ! year: is not in the file. The service does not remove columns.\n',
    ]);
  });

  it.each([
    ['{', 'books.json: '],
    ['{"properties":{}}', 'name: expects the name of the collection'],
  ])('refuses the file %s', async (content, message) => {
    writeFileSync(path('books'), content);
    expect(await run('schema', 'diff', '--dir', dir)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
  });

  it('says that a directory or a file does not exist', async () => {
    const wrong = await run('schema', 'diff', '--dir', '/nowhere');
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no directory /nowhere.'),
    });
    const missing = await run('schema', 'diff', 'unknown', '--dir', dir);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no file') });
  });
});

describe('tcol schema push', () => {
  const year = (type: string) => ({
    properties: { ...read('books').properties, year: { type, nullable: true } },
  });

  it('does nothing without a difference', async () => {
    expect(await run('schema', 'push', '--dir', dir)).toMatchObject({
      code: 0,
      stderr: 'Nothing to change.\n',
    });
  });

  it('changes nothing without --yes when nobody can be asked, and nothing with --dry-run', async () => {
    change('books', year('double'));
    expect((await run('schema', 'push', '--dir', dir)).code).toBe(2);
    const dry = await run('schema', 'push', '--dir', dir, '--dry-run');
    expect(dry).toMatchObject({ code: 0, stderr: expect.stringContaining('None was made.') });
    expect((await live('books')).schema.year.type).toBe('integer');
  });

  it('changes a column, adds an index and changes the settings', async () => {
    change('books', {
      ...year('double'),
      indexes: [{ properties: ['year'] }],
      settings: { ttl_days: 7, max_records: 500 },
    });
    const pushed = await run('schema', 'push', '--dir', dir, '--yes');
    expect(pushed.stderr).toContain('books: ~ year: integer → double');
    expect(pushed.code).toBe(0);
    expect(await live('books')).toMatchObject({
      schema: { year: { type: 'double' } },
      indexes: [{ properties: ['year'] }],
      settings: { ttl_days: 7, max_records: 500 },
    });
    expect(await run('schema', 'diff', '--dir', dir)).toMatchObject({ code: 0, stdout: '' });
  });

  it('creates a collection that does not exist yet, with its indexes', async () => {
    writeFileSync(path('authors'), JSON.stringify({ ...read('loans'), name: 'authors' }));
    const pushed = await run('schema', 'push', 'authors', '--dir', dir, '--yes');
    expect(pushed.stderr).toContain('authors: + collection');
    expect(pushed.stderr).toContain('authors: + unique on due');
    expect(await live('authors')).toMatchObject({ uniques: [{ properties: ['due'] }] });
    expect((await run('schema', 'diff', 'authors', '--dir', dir)).code).toBe(0);
  });

  it('makes no change at all if the service would refuse one of them', async () => {
    await run('insert', 'books', '{"title":"Emma","year":1815}');
    writeFileSync(path('aaa'), JSON.stringify({ ...read('loans'), name: 'aaa' }));
    change('books', {
      properties: { ...read('books').properties, title: { type: 'integer', nullable: false } },
    });
    const refused = await run('schema', 'push', '--dir', dir, '--yes');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('title');
    expect((await live('books')).schema.title.type).toBe('text');
    expect((await run('collections', 'show', 'aaa')).code).toBe(1);
  });

  it('ends with exit code 3 and says what is done if a change fails after others', async () => {
    change('loans', { description: 'Who has what' });
    writeFileSync(
      path('zzz'),
      JSON.stringify({ ...read('loans'), name: 'zzz', description: 'x'.repeat(5000) }),
    );
    const partly = await run('schema', 'push', '--dir', dir, '--yes');
    expect(partly.code).toBe(3);
    expect(partly.stderr).toContain('loans: description and settings changed');
    expect(partly.stderr).toContain('The changes before it were made.');
    expect((await live('loans')).description).toBe('Who has what');
  });
});
