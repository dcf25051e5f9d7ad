import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { emptyDirectory } from '../../../test/harness/empty-directory.js';
import { Output } from '../src/output/output.js';
import { newService, type Service } from './service.js';
import { type Outcome, rowsOf, tcol } from './tcol.js';

let service: Service;
const run = (args: readonly string[], input?: string): Promise<Outcome> =>
  tcol(args, { env: service.env, input });

beforeAll(async () => {
  service = await newService();
  await run(['collections', 'create', 'books', '--column', 'title:text!', '--column', 'year:integer']);
  await run([
    'insert',
    'books',
    '[{"title":"Emma","year":1815},{"title":"Ulysses","year":1922,"city":"Dublin"}]',
  ]);
});

describe('reading records', () => {
  it('prints the matching records as NDJSON in a pipe', async () => {
    const outcome = await run(['query', 'books', '{"year":{"$gt":1900}}']);
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(rowsOf(outcome)).toMatchObject([{ title: 'Ulysses', year: 1922, city: 'Dublin' }]);
  });

  it.each([
    ['-year', ['Ulysses', 'Emma']],
    ['year,-title', ['Emma', 'Ulysses']],
    ['{"title":1}', ['Emma', 'Ulysses']],
  ])('sorts by %s', async (sort, titles) => {
    expect(rowsOf(await run(['query', 'books', '--sort', sort])).map(({ title }) => title)).toEqual(titles);
  });

  it('prints only the fields that are asked for', async () => {
    const [row] = rowsOf(await run(['query', 'books', '--fields', 'title', '--limit', '1']));
    expect(Object.keys(row).sort()).toEqual(['_id', 'title']);
  });

  it('prints at most --limit records, and says so beside a table', async () => {
    const { stdout, stderr } = await run(['query', 'books', '--limit', '1', '-o', 'table']);
    expect(stdout).toContain('Emma');
    expect(stdout).not.toContain('Ulysses');
    expect(stderr).toContain('The first 1 record. All of them: --all');
  });

  it('prints a CSV file with the fields of all records', async () => {
    const { stdout } = await run(['query', 'books', '--sort', 'year', '-o', 'csv']);
    const [header, ...lines] = stdout.trimEnd().split('\n');
    expect(header).toBe('_id,title,year,city,created_at,updated_at');
    expect(lines[0]).toMatch(/^[0-9a-f-]{36},Emma,1815,,/);
    expect(lines[1]).toMatch(/^[0-9a-f-]{36},Ulysses,1922,Dublin,/);
  });

  it('prints a CSV file of all records as the service sends it, without keeping the records', async () => {
    const rows = vi.spyOn(Output.prototype, 'rows');
    const query = [
      'query',
      'books',
      '{"year":{"$gt":0}}',
      '--all',
      '--sort',
      '-year',
      '--fields',
      'title,city',
    ];
    const { stdout, code } = await run([...query, '-o', 'csv']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^_id,title,city\r\n[0-9a-f-]{36},Ulysses,Dublin\r\n[0-9a-f-]{36},Emma,\r\n$/);
    expect(rows).not.toHaveBeenCalled();
    rows.mockRestore();
  });

  it('prints one JSON array, which is empty without a match', async () => {
    expect(JSON.parse((await run(['query', 'books', '-o', 'json'])).stdout)).toHaveLength(2);
    expect(JSON.parse((await run(['query', 'books', '{"year":1}', '-o', 'json'])).stdout)).toEqual([]);
  });

  it('writes to a file with --out, in the format that its name tells', async () => {
    const file = join(emptyDirectory(), 'books.csv');
    expect((await run(['query', 'books', '--out', file])).stdout).toBe('');
    const { readFileSync } = await import('node:fs');
    expect(readFileSync(file, 'utf8')).toContain('Ulysses,1922,Dublin');
  });

  it('reads a filter from a file and from stdin', async () => {
    const file = join(emptyDirectory(), 'filter.json');
    writeFileSync(file, '{"year":1815}');
    expect((await run(['count', 'books', `@${file}`])).stdout).toBe('1\n');
    expect((await run(['count', 'books', '-'], '{"year":1922}')).stdout).toBe('1\n');
  });

  it('counts, lists values, aggregates, and answers a question', async () => {
    expect((await run(['count', 'books'])).stdout).toBe('2\n');
    expect(rowsOf(await run(['distinct', 'books', 'year'])).map(({ year }) => year)).toEqual([1815, 1922]);
    const steps = '{"steps":[{"type":"max","input_field":"year","output_field":"last"}]}';
    expect(rowsOf(await run(['aggregate', 'books', steps]))).toEqual([{ last: 1922 }]);
    expect(rowsOf(await run(['aggregate', 'books', steps, '--by', 'year:100']))).toEqual([
      { year: 1800, last: 1815 },
      { year: 1900, last: 1922 },
    ]);
    const years = ['aggregate', 'books', '--by', 'created_at:year', '--zone', 'Europe/Paris', '--fill'];
    expect(rowsOf(await run(years))).toEqual([{ created_at: expect.stringMatching(/-01-01$/), count: 2 }]);
    const wrong = await run(['aggregate', 'books', '--by', 'year:100', '--zone', 'Europe/Paris']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--zone needs a period')]);
    expect(rowsOf(await run(['ask', 'books', 'how', 'many', 'books']))[0].answer).toContain('2');
  });

  it('explains a query and an aggregation, for people and for programs', async () => {
    const text = (await run(['explain', 'books', '{"year":{"$gt":1900}}', '-o', 'table'])).stdout;
    expect(text).toMatch(/^1 row from 2 records read, in [\d.]+ ms/);
    expect(text).toMatch(/\n +read all records.*keep those that match +1 row, [\d.]+ ms\n/);
    expect(text).toMatch(/None would help\.\n$/);
    const [found] = rowsOf(await run(['explain', 'books', '--sort', 'year', '--limit', '1']));
    expect(found).toMatchObject({ index: null, returned_rows: 1, scanned_rows: 2, advice: null });
    const steps = '{"steps":[{"type":"count","output_field":"n"}],"group_by":"year"}';
    const [groups] = rowsOf(await run(['explain', 'books', '{"year":1815}', '--aggregate', steps]));
    expect(groups).toMatchObject({ returned_rows: 1, scanned_rows: 2 });
  });

  it('prints which indexes are missing or not used, for people and for programs', async () => {
    await run(['collections', 'create', 'advised', '--column', 'year:integer']);
    const indexes = '{"indexes":[{"properties":["year"]}]}';
    await run(['api', 'POST', '/v1/collections/advised/indexes', indexes]);
    expect(rowsOf(await run(['advice', 'advised']))).toEqual([
      { index: { properties: ['year'] }, reason: 'unused', queries_seen: 0, avg_ms: null, sample: null },
    ]);
    const text = (await run(['advice', 'advised', '-o', 'table'])).stdout;
    expect(text).toMatch(/unused.*year/);
    expect(text).not.toContain('sample');
  });

  it('reads many records in pages of 1,000', async () => {
    const many = Array.from({ length: 1500 }, (_, year) => ({ title: `Book ${year}`, year }));
    await run(['collections', 'create', 'many', '--column', 'title:text!', '--column', 'year:integer']);
    const inserted = await run(['insert', 'many', '-'], JSON.stringify(many));
    expect(inserted).toMatchObject({ code: 0, stderr: '1,500 records inserted\n' });
    expect(new Set(rowsOf(inserted).map(({ _id }) => _id)).size).toBe(1500);
    const requested: string[] = [];
    const sent = globalThis.fetch;
    globalThis.fetch = (url, init) => {
      if (String(url).endsWith('/query')) requested.push(String(init?.body));
      return sent(url, init);
    };
    try {
      const years = rowsOf(await run(['query', 'many', '--all', '--sort', 'year'])).map(({ year }) => year);
      expect(years).toEqual(many.map(({ year }) => year));
      expect(requested).toHaveLength(2);
      const some = rowsOf(await run(['query', 'many', '--limit', '1200']));
      expect(some).toHaveLength(1200);
    } finally {
      globalThis.fetch = sent;
    }
  });

  it('prints one record with its tag, and says when there is none', async () => {
    const [{ _id }] = rowsOf(await run(['query', 'books', '{"year":1815}']));
    expect(rowsOf(await run(['get', 'books', _id]))).toMatchObject([
      { _id, title: 'Emma', _etag: expect.any(String) },
    ]);
    const missing = _id.replace(/.$/, _id.endsWith('0') ? '1' : '0');
    expect(await run(['get', 'books', missing])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('has no record'),
    });
  });
});

describe('writing records', () => {
  const insert = async (year: number) =>
    rowsOf(await run(['insert', 'books', JSON.stringify({ title: 'Draft', year })]))[0]._id;

  it('inserts from stdin and prints the ids', async () => {
    const outcome = await run(['insert', 'books', '-'], '{"title":"Piped","year":1}');
    expect(rowsOf(outcome)).toEqual([{ _id: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
    expect(outcome.stderr).toContain('1 record inserted');
  });

  it('inserts more than 1,000 records in slices, and goes on after a slice that was refused', async () => {
    await run(['collections', 'create', 'sliced', '--column', 'title:text!']);
    const titles = Array.from({ length: 1200 }, (_, n) => ({ title: `Book ${n}` }));
    const wrong = titles.map((record, n) => (n === 1100 ? { year: n } : record));
    const failed = await run(['insert', 'sliced', '-'], JSON.stringify(wrong));
    expect(failed.code).toBe(3);
    expect(rowsOf(failed)).toHaveLength(1000);
    expect(failed.stderr).toMatch(
      /1,000 of 1,200 records are inserted\. Then, in those from 1,001 on: records\.100\.title.* \(InvalidArguments\)/,
    );
    const [, key = ''] = /--start-at 1000 --key (\S+)/.exec(failed.stderr) ?? [];
    for (const times of ['once', 'again'])
      expect(
        await run(['insert', 'sliced', '-', '--start-at', '1000', '--key', key], JSON.stringify(titles)),
        times,
      ).toMatchObject({ code: 0, stderr: '200 records inserted\n' });
    expect((await run(['count', 'sliced'])).stdout).toBe('1200\n');
    expect((await run(['insert', 'sliced', '[]', '--start-at', '1'])).code).toBe(2);
  });

  it('prints nothing on stderr with --quiet', async () => {
    expect((await run(['insert', 'books', '{"title":"Quiet"}', '-q'])).stderr).toBe('');
  });

  it('shows how many records a dry run would change, and changes none', async () => {
    await insert(3);
    const dry = await run(['update', 'books', '{"year":3}', '{"year":4}', '--dry-run', '-o', 'table']);
    expect(dry.stdout).toBe('1 record would be changed\n');
    expect((await run(['count', 'books', '{"year":3}'])).stdout).toBe('1\n');
  });

  it('changes nothing without --yes when nobody can be asked', async () => {
    await insert(5);
    const refused = await run(['update', 'books', '{"year":5}', '{"year":6}']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('Pass --yes');
    expect((await run(['count', 'books', '{"year":5}'])).stdout).toBe('1\n');
  });

  it('changes with --yes what the dry run counted', async () => {
    await insert(7);
    const done = await run(['update', 'books', '{"year":7}', '{"$inc":{"year":1}}', '--yes']);
    expect(rowsOf(done)).toEqual([{ count: 1, what: 'changed' }]);
    expect((await run(['count', 'books', '{"year":8}'])).stdout).toBe('1\n');
  });

  it('changes and deletes one record by its id, if it still has its tag', async () => {
    const _id = await insert(9);
    const stale = await run(['update', 'books', _id, '{"year":10}', '--id', '--if-match', '"old"', '--yes']);
    expect(stale).toMatchObject({ code: 1, stderr: expect.stringContaining('PreconditionFailed') });
    expect((await run(['update', 'books', _id, '{"year":10}', '--id', '--yes'])).code).toBe(0);
    expect(rowsOf(await run(['delete', 'books', _id, '--id', '--yes']))).toEqual([
      { count: 1, what: 'deleted' },
    ]);
    expect((await run(['get', 'books', _id])).code).toBe(1);
  });
});

describe('what is wrong', () => {
  it.each([
    [['query', 'books', '{'], 'The filter is not JSON'],
    [['query', 'books', '[]'], 'The filter is not a JSON object'],
    [['query', 'books', '--limit', 'many'], '--limit: "many" is not a whole number'],
    [['query'], "missing required argument 'collection'"],
    [['frobnicate'], "unknown command 'frobnicate'"],
    [['query', 'books', '--colour'], "unknown option '--colour'"],
    [['query', 'books', '-o', 'xml'], "'xml' is invalid"],
  ])('%j is a misuse with exit code 2', async (args, message) => {
    const outcome = await run(args);
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toContain(message);
  });

  it('shows the message and code of a refusal, with the correlation id', async () => {
    const outcome = await run(['query', 'books', '{"year":{"$foo":1}}']);
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toMatch(/unknown operator \$foo.*\(InvalidArguments\)/);
    expect(outcome.stderr).toMatch(/Correlation id: [0-9a-f-]{36}/);
  });

  it('says when the service cannot be reached', async () => {
    const outcome = await tcol(['count', 'books'], { env: { ...service.env, TC_URL: 'http://127.0.0.1:9' } });
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toContain('Check the address and the network.');
  });

  it('draws no control characters of a record on a terminal', async () => {
    await run(['insert', 'books', JSON.stringify({ title: 'evil \u001b[2J\u0007', year: 666 })]);
    const { stdout } = await run(['query', 'books', '{"year":666}', '-o', 'table']);
    expect(stdout).toContain('evil');
    expect(stdout).not.toContain('\u001b[2J');
    expect(stdout).not.toContain('\u0007');
  });
});
