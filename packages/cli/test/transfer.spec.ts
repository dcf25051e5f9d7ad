import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emptyDirectory } from '../../../test/harness/empty-directory.js';
import { newService, type Service } from './service.js';
import { rowsOf, type Surroundings, tcol } from './tcol.js';

let service: Service;
let directory: string;
let name: string;
let made = 0;

const run = (args: readonly string[], more: Surroundings = {}) => tcol(args, { env: service.env, ...more });
const titles = async () =>
  rowsOf(await run(['query', name, '--sort', 'year,title'])).map(({ title, year }) => [title, year]);
function file(named: string, content: string | Uint8Array): string {
  const path = join(directory, named);
  writeFileSync(path, content);
  return path;
}

beforeAll(async () => {
  service = await newService();
  directory = emptyDirectory();
});
beforeEach(async () => {
  made += 1;
  name = `books-${made}`;
  const columns = ['title:text!', 'year:integer', 'isbn:text'].flatMap(column => ['--column', column]);
  await run(['collections', 'create', name, ...columns, '--unique', 'isbn']);
});

describe('tcol import', () => {
  const csv = 'title,year\nEmma,1815\nÉmile,1762\n';
  const ndjson = '{"title":"Emma","year":1815}\n{"title":"Émile","year":1762}\n';
  const both = [
    ['Émile', 1762],
    ['Emma', 1815],
  ];
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

  it.each([
    ['books.csv', csv],
    ['semicolons.csv', csv.replaceAll(',', ';')],
    ['books.tsv', csv.replaceAll(',', '\t')],
    ['books.ndjson', ndjson],
    ['books.txt', ndjson],
    ['books.csv.gz', gzipSync(csv)],
    ['books.ndjson.gz', gzipSync(ndjson)],
    ['latin1.csv', Buffer.from(csv, 'latin1')],
    ['latin1.csv.gz', gzipSync(Buffer.from(csv, 'latin1'))],
    ['little-endian.csv', utf16(csv)],
    ['big-endian.csv', utf16(csv).swap16()],
    ['marked.csv', `\ufeff${csv}`],
  ])('reads %s', async (named, content) => {
    const outcome = await run(['import', name, file(named, content)]);
    expect(outcome).toMatchObject({ code: 0 });
    expect(rowsOf(outcome)).toMatchObject([{ inserted: 2, skipped: 0 }]);
    expect(await titles()).toEqual(both);
  });

  it('imports a long file in parts with --slice, and goes on after a part that was refused', async () => {
    const rows = Array.from({ length: 25_000 }, (_, n) => `${'x'.repeat(50)},${n}`);
    const long = (last: string) => file('long.csv', ['title,year', ...rows, `last,${last}`, ''].join('\n'));
    const sliced = ['--slice', '1', '--max-records', '100000', '--yes'];
    const failed = await run(['import', name, long('no'), ...sliced]);
    expect(failed.code).toBe(3);
    expect(failed.stderr).toContain('row 25001, column year');
    expect(failed.stderr).toMatch(/error: \d+ records are written\. Then: .*\(BatchRejected\)/);
    const [options = ''] = /--slice 1 --start-at \d+ --key \S+/.exec(failed.stderr) ?? [];
    const [, , , position = '', , key = ''] = options.split(' ');
    const path = long('11');
    expect((await run(['import', name, path, ...options.split(' ')])).code).toBe(0);
    expect(Number(position)).toBeGreaterThan(900_000);
    for (const again of [options.split(' '), ['--slice', '1', '--key', key]])
      expect((await run(['import', name, path, ...again])).code).toBe(0);
    expect((await run(['count', name])).stdout).toBe('25001\n');
  });

  it.each([
    [['--start-at', '5'], 'go with --slice only'],
    [['--slice', '1', '--encoding', 'latin1'], 'expects a file in UTF-8'],
  ])('refuses %j', async (options, says) => {
    const outcome = await run(['import', name, file('books.csv', csv), ...options]);
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining(says) });
  });

  it('names the encoding that it recognized', async () => {
    const { stderr } = await run(['import', name, file('latin1.csv', Buffer.from(csv, 'latin1'))]);
    expect(stderr).toContain('is read as windows-1252');
  });

  it('takes the encoding that --encoding names', async () => {
    const path = file('greek.csv', Buffer.from([...Buffer.from('title\n'), 0xc1, 0xe2, 0x0a]));
    expect((await run(['import', name, path, '--encoding', 'iso-8859-7'])).code).toBe(0);
    expect((await titles()).flat()).toContain('Αβ');
  });

  it('reads a file as a country writes it, and a JSON array', async () => {
    const local = file('local.csv', Buffer.from('title|year\n"Größe"|1.815\n', 'utf16le'));
    const options = ['--encoding', 'utf-16le', '--delimiter', '|', '--decimal', ','];
    expect((await run(['import', name, local, ...options])).code).toBe(0);
    expect((await run(['import', name, file('list.json', '[{"title":"Liste","year":7}]')])).code).toBe(0);
    const safe = await run([
      'export',
      name,
      '--safe',
      '--filter',
      '{"year":{"$in":[7,1815]}}',
      '--fields',
      'title,year',
    ]);
    expect(safe.stdout).toMatch(/,Größe,1815\r\n.*,Liste,7\r\n$/);
    const list = JSON.parse(
      (await run(['export', name, '--format', 'json', '--filter', '{"year":7}'])).stdout,
    );
    expect(list).toMatchObject([{ title: 'Liste', year: 7 }]);
    expect((await run(['import', name, local, '--zone', 'Nowhere'])).stderr).toContain('zone');
  });

  it.each([
    ['CSV', csv],
    ['NDJSON', ndjson],
    ['compressed CSV', gzipSync(csv)],
    ['Latin 1', Buffer.from(csv, 'latin1')],
  ])('reads %s from stdin', async (_, input) => {
    expect((await run(['import', name, '-'], { input })).code).toBe(0);
    expect(await titles()).toEqual(both);
  });

  it('proposes columns for headers that differ in case, accents and punctuation, and maps them with --yes', async () => {
    const path = file('headers.csv', 'Title,"Year ",I.S.B.N.,Shelf\nEmma,1815,1,B\n');
    const { stderr } = await run(['import', name, path, '--yes']);
    expect(stderr).toContain('Title → title');
    expect(stderr).toContain('I.S.B.N. → isbn');
    expect(rowsOf(await run(['query', name]))).toMatchObject([
      { title: 'Emma', year: 1815, isbn: '1', Shelf: 'B' },
    ]);
  });

  it('does not map headers without --yes when nobody can be asked', async () => {
    const path = file('flexible.csv', 'title,Year\nEmma,1815\n');
    const { code, stderr } = await run(['import', name, path]);
    expect(code).toBe(0);
    expect(stderr).toContain('Year → year');
    expect(stderr).toContain('Pass --yes');
    expect(rowsOf(await run(['query', name]))).toMatchObject([{ title: 'Emma', year: null, Year: '1815' }]);
  });

  it('maps headers as --map says, and leaves out those without a column', async () => {
    const path = file('map.csv', 'name,when,shelf\nEmma,1815,B\n');
    const maps = ['name=title', 'when=year', 'shelf='].flatMap(each => ['--map', each]);
    expect((await run(['import', name, path, ...maps])).code).toBe(0);
    const [row] = rowsOf(await run(['query', name]));
    expect(row).toMatchObject({ title: 'Emma', year: 1815 });
    expect(row).not.toHaveProperty('shelf');
  });

  it('reads a file below its title, with repeated headers and into fields without a column', async () => {
    const path = file('titled.csv', 'Books\n\ntitle;title;shelf\nEmma;1815;B\nUlysses;1922;C\n');
    const untold = await run(['import', name, path]);
    expect(untold).toMatchObject({ code: 1, stderr: expect.stringContaining('skip_lines') });
    const maps = ['title (2)=year', 'shelf=place'].flatMap(each => ['--map', each]);
    const told = await run(['import', name, path, ...maps, '--skip-lines', '2', '--allow-unknown']);
    expect(told.code).toBe(0);
    expect(rowsOf(await run(['query', name]))).toMatchObject([
      { title: 'Emma', year: 1815, place: 'B' },
      { title: 'Ulysses', year: 1922, place: 'C' },
    ]);
  });

  it('names the fields that became texts, and those whose numbers lost digits', async () => {
    const texts = await run(['import', name, file('pages.csv', 'title,pages,sold\nEmma,300,true\n')]);
    expect(texts).toMatchObject({ code: 0, stderr: expect.stringContaining('Stored as texts') });
    expect(texts.stderr).toContain('pages, sold');
    const long = await run(['import', name, file('ids.ndjson', '{"title":"a","id":9007199254740993}\n')]);
    expect(long).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('lost digits, send them as texts: id'),
    });
  });

  it('refuses to map a header that the file does not have', async () => {
    const outcome = await run(['import', name, file('books.csv', csv), '--map', 'name=title']);
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining('It has: title, year.') });
  });

  const faulty = 'title,year\nEmma,1815\nDracula,unknown\n,1900\nUlysses,1922\n';

  it('imports nothing if one row does not fit, and names row and column', async () => {
    const outcome = await run(['import', name, file('faulty.csv', faulty)]);
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toMatch(/row 2, column year: expects an integer/);
    expect(outcome.stderr).toContain('Nothing was imported.');
    expect(await titles()).toEqual([]);
  });

  it('ends with exit code 3 if --on-error skip left rows out', async () => {
    const outcome = await run(['import', name, file('faulty.csv', faulty), '--on-error', 'skip']);
    expect(outcome.code).toBe(3);
    expect(rowsOf(outcome)).toMatchObject([{ inserted: 2, skipped: 2 }]);
    expect(outcome.stderr).toMatch(/row 2, column year: /);
    expect(outcome.stderr).toMatch(/row 3, column title: /);
    expect(await titles()).toEqual([
      ['Emma', 1815],
      ['Ulysses', 1922],
    ]);
  });

  it('writes the refused rows to a file that can be corrected and imported again', async () => {
    const refused = join(directory, 'refused.csv');
    const path = file('faulty.csv', faulty);
    const first = await run(['import', name, path, '--on-error', 'skip', '--refused-to', refused]);
    expect(first.code).toBe(3);
    expect(readFileSync(refused, 'utf8')).toBe('title,year\nDracula,unknown\n,1900\n');
    const corrected = file('corrected.csv', 'title,year\nDracula,1897\nLord Jim,1900\n');
    const second = await run(['import', name, corrected, '--on-error', 'skip', '--refused-to', refused]);
    expect(second.code).toBe(0);
    expect(existsSync(refused)).toBe(false);
    expect((await titles()).length).toBe(4);
  });

  it('does not overwrite the file that it imports', async () => {
    const path = file('faulty.csv', faulty);
    const outcome = await run(['import', name, path, '--on-error', 'skip', '--refused-to', path]);
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining('would overwrite') });
    expect(readFileSync(path, 'utf8')).toBe(faulty);
  });

  it('checks only with --dry-run', async () => {
    const good = await run(['import', name, file('books.csv', csv), '--dry-run', '-o', 'table']);
    expect(good).toMatchObject({ code: 0, stdout: '2 records would be inserted\n' });
    const bad = await run(['import', name, file('faulty.csv', faulty), '--dry-run']);
    expect(bad.code).toBe(1);
    expect(await titles()).toEqual([]);
  });

  it('updates the records with the same value of --upsert-by', async () => {
    await run(['import', name, file('first.csv', 'isbn,title,year\n1,Ema,1815\n')]);
    const again = file('again.csv', 'isbn,title,year\n1,Emma,1815\n2,Ulysses,1922\n');
    const outcome = await run(['import', name, again, '--upsert-by', 'isbn', '-o', 'table']);
    expect(outcome.stdout).toBe('1 record inserted, 1 updated\n');
    expect(await titles()).toEqual([
      ['Emma', 1815],
      ['Ulysses', 1922],
    ]);
  });

  it('raises the limit of the collection when asked, and imports nothing beyond it otherwise', async () => {
    await run(['collections', 'change', name, '--max-records', '1']);
    const path = file('books.csv', csv);
    const full = await run(['import', name, path]);
    expect(full).toMatchObject({ code: 1, stderr: expect.stringContaining('Pass --max-records') });
    expect(await titles()).toEqual([]);
    expect((await run(['import', name, path, '--max-records', '10'])).code).toBe(2);
    expect((await run(['import', name, path, '--max-records', '10', '--yes'])).code).toBe(0);
    expect(await titles()).toEqual(both);
  });

  it.each([
    [['import', 'books', '/nowhere/books.csv'], 1, 'There is no file /nowhere/books.csv.'],
    [['import', 'books', '/'], 1, '/ is a directory.'],
    [['import', 'books', 'x.csv', '--on-error', 'ignore'], 2, 'Allowed choices are abort, skip'],
    [['import', 'books', 'x.csv', '--encoding', 'klingon'], 2, '"klingon" is not known'],
    [['import', 'books', 'x.csv', '--map', 'title'], 2, 'is not header=column'],
  ])('%j fails', async (args, code, message) => {
    expect(await run(args)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) });
  });
});

describe('tcol export', () => {
  beforeEach(async () => {
    await run([
      'insert',
      name,
      '[{"title":"Emma","year":1815},{"title":"Ulysses","year":1922,"city":"Dublin"}]',
    ]);
  });

  it('prints CSV that can be imported again', async () => {
    const { stdout } = await run(['export', name, '--fields', 'title,year', '--sort', 'year']);
    const copy = `${name}-copy`;
    await run(['collections', 'create', copy, '--column', 'title:text', '--column', 'year:integer']);
    const path = file('export.csv', stdout);
    expect((await run(['import', copy, path])).code).toBe(0);
    const exported = await run(['export', copy, '--fields', 'title,year', '--sort', 'year']);
    const withoutIds = (text: string) => text.replace(/^[^,\r\n]*,/gm, '');
    expect(withoutIds(exported.stdout)).toBe(withoutIds(stdout));
    expect(withoutIds(stdout)).toBe('title,year\r\nEmma,1815\r\nUlysses,1922\r\n');
  });

  it('prints the records that a filter matches, as NDJSON', async () => {
    const outcome = await run(['export', name, '--filter', '{"year":{"$gt":1900}}', '-o', 'ndjson']);
    expect(rowsOf(outcome)).toMatchObject([{ title: 'Ulysses', city: 'Dublin' }]);
  });

  it.each([
    ['all.csv', (bytes: Buffer) => bytes, /^_id,.*,title,/],
    ['all.ndjson', (bytes: Buffer) => bytes, /^\{"_id":/],
    ['all.ndjson.gz', gunzipSync, /^\{"_id":/],
    ['all.csv.gz', gunzipSync, /^_id,.*,title,/],
  ])('writes %s as its name tells', async (named, unpacked, beginning) => {
    const path = join(directory, named);
    const outcome = await run(['export', name, '--out', path]);
    expect(outcome).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('Exported') });
    const text = unpacked(readFileSync(path)).toString();
    expect(text).toMatch(beginning);
    expect(text).toContain('Ulysses');
  });

  it('leaves no file if the service refuses', async () => {
    const path = join(directory, 'refused.csv');
    const outcome = await run(['export', name, '--filter', '{"year":{"$foo":1}}', '--out', path]);
    expect(outcome.code).toBe(1);
    expect(existsSync(path)).toBe(false);
  });
});

describe('tcol collections create --from', () => {
  it('suggests the columns of a file, and creates nothing without an answer', async () => {
    const path = file('loans.csv', 'Book,Due date,Days\nEmma,2026-01-31,14\nUlysses,2026-02-01,7\n');
    const asked = await run(['collections', 'create', `loans-${made}`, '--from', path]);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toMatch(/due_date\s+date/);
    const created = await run(['collections', 'create', `loans-${made}`, '--from', path, '--yes']);
    expect(created).toMatchObject({ code: 0, stderr: expect.stringContaining('Next: tcol import') });
    const [{ schema }] = rowsOf(await run(['collections', 'show', `loans-${made}`]));
    expect(schema).toMatchObject({
      Book: { type: 'text' },
      due_date: { type: 'date' },
      Days: { type: 'integer' },
    });
    expect(created.stderr).toContain(`${path} --map 'Due date=due_date'`);
    expect((await run(['import', `loans-${made}`, path, '--yes'])).code).toBe(0);
    expect(rowsOf(await run(['query', `loans-${made}`]))).toMatchObject([
      { Book: 'Emma', due_date: '2026-01-31', Days: 14 },
      { Book: 'Ulysses' },
    ]);
  });

  it('prints an import that reads the same file, also with headers that no column can have', async () => {
    const path = file('blood.csv', ",A>2.5,A<2.5,it's\n0,5.0,1e5,x\n1,6,7,y\n");
    const collection = `blood-${made}`;
    const { stderr } = await run(['collections', 'create', collection, '--from', path, '--yes']);
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${/Next: tcol (.*)/.exec(stderr)?.[1]}`], {
      encoding: 'utf8',
    });
    expect((await run(words.trimEnd().split('\n'))).code).toBe(0);
    expect(rowsOf(await run(['query', collection]))).toMatchObject([
      { a_2_5: 5, a_2_5_2: 100_000, it: 'x' },
      { a_2_5: 6, a_2_5_2: 7, it: 'y' },
    ]);
  });
});
