import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { type Home, insert, newHome, outcome, search, written } from '../../harness/collection.js';
import { type Imported, importFile, NDJSON, newLibrary, numbered, upload } from './transfer.js';

const ALL = { refused: 'all' };
const SKIP = { ...ALL, on_error: 'skip' };
const HEADER = 'title,code,isbn';
const MIB = 1024 * 1024;

interface Refused {
  readonly row: number;
  readonly column: string | null;
  readonly problem: string;
  readonly line: string | null;
}

/** The refused rows of an answer. */
function refusedOf({ lines }: Pick<Imported, 'lines'>): Refused[] {
  return lines.filter(line => 'refused' in line).map(({ refused }) => refused);
}

/** The lines of an answer that was received as text. */
function parsed(text: string): Pick<Imported, 'lines' | 'last'> {
  const lines = text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));
  return { lines, last: lines.at(-1) };
}

const repeated = <T>(rows: number, row: (n: number) => T) => Array.from({ length: rows }, (_, n) => row(n));

describe('refused=all of an import', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startOwnApp({ database: 'own' });
    home = await newHome(app);
    return () => app.close();
  });
  const library = (wanted: object = { settings: { max_records: 1_000_000 } }) =>
    newLibrary(app, home, wanted);
  /** The connections of imports that are running. */
  const sessions = () =>
    app.sql(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'typed-collections import'`,
    );

  describe('tells each row that does not fit with its text as it is in the file:', () => {
    /** A row with a code that is not a number, and odd text around it. */
    const odd = (n: number, delimiter: string, end: string) =>
      `"a ""quoted""${end}title${delimiter} ${n}"${delimiter}x${n}${delimiter} i${n} `;
    it.each([
      ['commas and LF', ',', '\n', 'identity'],
      ['commas and CR LF', ',', '\r\n', 'identity'],
      ['semicolons and CR', ';', '\r', 'identity'],
      ['tabs, CR LF and gzip', '\t', '\r\n', 'gzip'],
    ])('%s', async (_, delimiter, end, encoding) => {
      const collection = await library();
      const header = HEADER.replaceAll(',', delimiter);
      const rows = repeated(200, n =>
        n % 4 === 3 ? ['good', n, `i${n}`].join(delimiter) : odd(n, delimiter, end),
      );
      const text = `\ufeff${[header, ...rows].join(end)}`;
      const answer = await importFile(app, collection, encoding === 'gzip' ? gzipSync(text) : text, {
        query: SKIP,
        ...(encoding === 'gzip' && { encoding }),
      });
      expect(answer.last).toMatchObject({ done: true, ok: true, rows: 200, inserted: 50, skipped: 150 });
      expect(answer.last.errors).toHaveLength(100);
      const problem = expect.stringContaining('integer');
      const expected = rows.map((line, index) => ({ row: index + 1, column: 'code', problem, line }));
      expect(refusedOf(answer)).toEqual(expected.filter((_, index) => index % 4 !== 3));
    });

    it('rows with a wrong number of fields, bad quotes, and a quote that is never closed', async () => {
      const rows = ['a,1', 'a"b,1,x', '"a"b,"1",x', 'fits,1,x', ',', '"never closed,1\nx,y,z'];
      const file = [HEADER, ...rows].join('\r\n');
      const answer = await importFile(app, await library(), file, { query: SKIP });
      expect(answer.last).toMatchObject({ rows: 6, inserted: 1, skipped: 5 });
      expect(refusedOf(answer).map(({ row, line }) => [row, line])).toEqual(
        rows.map((line, index) => [index + 1, line]).filter(([row]) => row !== 4),
      );
    });

    it('lines of JSON, without the carriage return before their ends', async () => {
      const rows = ['{"code":"x"}', ' {"a":', '[1]', '{"code":1}', '{"a":"\\u0000"}', '{"é":"𝄞","code":[]}'];
      const answer = await importFile(app, await library(), `${rows.join('\r\n')}\r\n`, {
        query: SKIP,
        type: NDJSON,
      });
      expect(answer.last).toMatchObject({ rows: 6, inserted: 1, skipped: 5 });
      expect(refusedOf(answer).map(({ line }) => line)).toEqual(rows.filter((_, index) => index !== 3));
    });

    it('a row with several problems once, with all of them', async () => {
      const collection = await library({
        properties: { year: { type: 'integer' }, code: { type: 'integer' } },
        uniques: [],
      });
      const [refused, ...more] = refusedOf(
        await importFile(app, collection, 'year,code\nx,y\n', { query: SKIP }),
      );
      expect(refused).toMatchObject({ row: 1, column: 'year', line: 'x,y' });
      expect(refused?.problem).toMatch(/^expects an integer.*; code: expects an integer/);
      expect(more).toEqual([]);
    });

    it('a row of more than 65,536 characters without its text, and says so', async () => {
      const long = (length: number) => `${'x'.repeat(length - 4)},x,y`;
      const collection = await library();
      await insert(app, collection, { isbn: 'taken' });
      const rows = [long(65_536), long(65_537), `${'x'.repeat(70_000)},2,taken`];
      const answer = await importFile(app, collection, [HEADER, ...rows].join('\n'), { query: SKIP });
      expect(refusedOf(answer)).toMatchObject([
        { row: 1, line: rows[0], problem: expect.not.stringContaining('65536') },
        { row: 2, line: null, problem: expect.stringContaining('65536') },
        { row: 3, line: null, problem: expect.stringContaining('65536') },
      ]);
    });
  });

  it('returns rows that can be corrected and imported again', async () => {
    const collection = await library();
    const rows = repeated(300, n => (n % 2 === 0 ? `"t, ""${n}""\n",${n},i${n}` : `t${n},n${n},i${n}`));
    const first = await importFile(app, collection, [HEADER, ...rows].join('\n'), { query: SKIP });
    expect(first.last).toMatchObject({ inserted: 150, skipped: 150 });
    const corrected = refusedOf(first).map(({ line }) => line?.replace(',n', ','));
    const second = await importFile(app, collection, [HEADER, ...corrected].join('\n'), { query: ALL });
    expect(second.last).toMatchObject({ ok: true, inserted: 150, skipped: 0 });
    expect(refusedOf(second)).toEqual([]);
    const { total } = await search(app, collection, { filter: { code: { $gte: 0 } }, with_total: true });
    expect(total).toBe(300);
  });

  describe('tells each row that the database refuses once:', () => {
    it('existing and repeated values, and only those', async () => {
      const collection = await library();
      await importFile(app, collection, [HEADER, ...repeated(1_500, n => `old,${n},i${n}`)].join('\n'));
      // Rows 1 to 1,500 exist, rows 1,501 to 3,000 are new, rows 3,001 to 4,500 repeat them; row 4,501 does not fit.
      const rows = [
        ...repeated(3_000, n => `"new\n",${n},i${n}`),
        ...repeated(1_500, n => `again,,i${n + 1_500}`),
        'bad,x,y',
      ];
      const dry = await importFile(app, collection, [HEADER, ...rows].join('\n'), {
        query: { ...SKIP, dry_run: 'true' },
      });
      const answer = await importFile(app, collection, [HEADER, ...rows].join('\n'), { query: SKIP });
      for (const { last, lines } of [dry, answer]) {
        expect(last).toMatchObject({ ok: true, rows: 4_501, inserted: 1_500, skipped: 3_001 });
        const told = refusedOf({ lines }).toSorted((a, b) => a.row - b.row);
        expect(told.map(({ row }) => row)).toEqual(
          repeated(4_501, n => n + 1).filter(row => row <= 1_500 || row > 3_000),
        );
        for (const { row, line, problem } of told) {
          expect(line).toBe(rows[row - 1]);
          if (row < 4_501) expect(problem).toBe('isbn must be unique');
        }
      }
      expect((await written(app, collection))[0]).toBe(3_000);
    });

    it('values that are too long for an index', async () => {
      const collection = await library();
      const long = repeated(9_000, n => n.toString(36)).join('');
      const file = ['isbn', 'a', long, 'b', 'a'].join('\n');
      const modes: Record<string, string>[] = [{ mode: 'append' }, { mode: 'upsert', upsert_key: 'isbn' }];
      for (const mode of modes) {
        const answer = await importFile(app, collection, file, { query: { ...SKIP, ...mode } });
        expect(answer.last).toMatchObject({ ok: true });
        const refused = refusedOf(answer);
        expect(refused[0]).toEqual({
          row: 2,
          column: null,
          problem: expect.stringContaining('index'),
          line: long,
        });
        // The repeated value is refused in both attempts, and told once.
        expect(refused.slice(1)).toMatchObject(mode.mode === 'append' ? [{ row: 4, line: 'a' }] : []);
      }
    });

    it('upserts of which another unique value is taken, with every row of the same key', async () => {
      const collection = await library();
      await insert(app, collection, { isbn: 'a', code: 1 });
      const query = { ...SKIP, mode: 'upsert', upsert_key: 'isbn' };
      const file = ['isbn,code,title', 'b,2,x', 'c,3,x', 'c,1,"y,"', 'a,1,new', ',4,x'].join('\n');
      const answer = await importFile(app, collection, file, { query });
      expect(answer.last).toMatchObject({ ok: true, inserted: 1, updated: 1 });
      expect(refusedOf(answer)).toEqual([
        { row: 5, column: 'isbn', problem: expect.stringContaining('upsert_key'), line: ',4,x' },
        { row: 2, column: 'code', problem: 'code must be unique', line: 'c,3,x' },
        { row: 3, column: 'code', problem: 'code must be unique', line: 'c,1,"y,"' },
      ]);
    });

    it('with on_error=abort every row that violates the constraint; then nothing is written', async () => {
      const collection = await library();
      await insert(app, collection, { isbn: 'i7' });
      const rows = [...repeated(1_500, n => `t,${n},i${n}`), ...repeated(1_400, n => `again,,i${n}`)];
      for (const dry_run of ['true', 'false']) {
        const answer = await importFile(app, collection, [HEADER, ...rows].join('\n'), {
          query: { ...ALL, dry_run },
        });
        expect(answer.last).toMatchObject({
          done: true,
          ok: false,
          error: 'ConstraintViolation',
          inserted: 0,
        });
        expect(answer.last.errors).toHaveLength(100);
        const told = refusedOf(answer);
        expect(told.map(({ row }) => row)).toEqual([8, ...repeated(1_400, n => n + 1_501)]);
        expect(told.every(({ row, line }) => line === rows[row - 1])).toBe(true);
      }
      expect((await written(app, collection))[0]).toBe(1);
    });

    it('none of them when the import fails for another reason', async () => {
      const collection = await library({ settings: { max_records: 3 } });
      await insert(app, collection, { isbn: 'a' });
      const file = [HEADER, 'x,1,a', 'x,bad,b', 'x,3,c', 'x,4,d', 'x,5,e'].join('\n');
      const answer = await importFile(app, collection, file, { query: SKIP });
      expect(answer.last).toMatchObject({ ok: false, error: 'CollectionFull' });
      expect(refusedOf(answer).map(({ row }) => row)).toEqual([2]);
      expect((await written(app, collection))[0]).toBe(1);
    });

    it('when imports of the same new values run at once', async () => {
      const collection = await library();
      const rows = repeated(400, n => `t,${n},i${n}`);
      const answers = await Promise.all(
        [rows, rows.toReversed()].map(each =>
          importFile(app, collection, [HEADER, ...each].join('\n'), { query: SKIP }),
        ),
      );
      const told = answers.flatMap(answer => refusedOf(answer).map(({ line }) => line));
      expect(told.toSorted()).toEqual(rows.toSorted());
    });
  });

  it('with on_error=abort tells the rows refused until then, and reports the failure in the last line', async () => {
    const collection = await library();
    const rows = repeated(150, n => `t,x${n},i${n}`);
    for (const dry_run of ['true', 'false']) {
      const answer = await importFile(app, collection, `${[HEADER, ...rows].join('\n')}\n`, {
        query: { ...ALL, dry_run },
      });
      expect(answer.status).toBe(200);
      expect(answer.last).toMatchObject({ done: true, ok: false, error: 'BatchRejected', inserted: 0 });
      const told = refusedOf(answer).map(({ line }) => line);
      expect(told).toEqual(rows.slice(0, told.length));
      expect(told.length).toBeGreaterThan(100);
    }
    expect(await written(app, collection)).toEqual([0, 1]);
  });

  it('tells a row as soon as it is refused, before the end of the file', async () => {
    const sending = upload(await library(), app, SKIP);
    await sending.send(`${HEADER}\nx,bad,i\ngood,1,i`);
    const answer = await sending.answer;
    const [first] = await once(answer, 'data');
    expect(parsed(String(first)).lines).toMatchObject([{ refused: { row: 1, line: 'x,bad,i' } }]);
    let rest = '';
    answer.on('data', piece => (rest += piece));
    sending.finish();
    await once(answer, 'end');
    expect(parsed(rest).last).toMatchObject({ done: true, ok: true, inserted: 1, skipped: 1 });
  });

  it('leaves the answer as it is when no row is refused', async () => {
    const collection = await library();
    const fine = await importFile(app, collection, `${HEADER}\nt,1,i1\n`, { query: ALL });
    expect(fine.lines).toMatchObject([{ done: true, ok: true, inserted: 1, errors: [] }]);
    const empty = await importFile(app, collection, '', { query: ALL });
    expect(outcome(empty)).toEqual([400, 'InvalidArguments']);
  });

  it.each(['first', '', 'true', '100'])('refuses the value %j', async refused => {
    const answer = await importFile(app, await library(), `${HEADER}\n`, { query: { refused } });
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain('refused');
  });

  it('does not repeat the rows when an Idempotency-Key is used again, only the summary', async () => {
    const collection = await library();
    await insert(app, collection, { isbn: 'i0' });
    const send = () =>
      app.request('POST', `${collection.path}/import?${new URLSearchParams(SKIP)}`, {
        ...collection.owner,
        raw: `${HEADER}\nx,bad,y\nt,0,i0\nt,1,i1\n`,
        headers: { 'content-type': 'text/csv', 'idempotency-key': 'refused-rows' },
      });
    const first = await send();
    const again = await send();
    const { lines, last } = parsed(first.text);
    expect(refusedOf({ lines }).map(({ row }) => row)).toEqual([1, 2]);
    expect(last).toMatchObject({ ok: true, inserted: 1, skipped: 2 });
    expect(parsed(again.text).lines).toEqual([last]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  describe('with a client that does not read while it sends', () => {
    /** Rows of two kilobytes each that do not fit. */
    const bad = (from: number, rows: number) =>
      repeated(rows, n => `${'é'.repeat(2_000)} ${from + n},bad,i\n`).join('');
    const collected = () => {
      setFlagsFromString('--expose-gc');
      runInNewContext('gc')();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };

    it('writes the records, holds no lock and little memory, and tells 50,000 rows when the client reads', async () => {
      const collection = await library();
      await insert(app, collection, { isbn: 'taken' });
      const sending = upload(collection, app, SKIP);
      await sending.send(`${HEADER}\n`);
      const before = collected();
      for (let from = 0; from < 50_000; from += 1_000) await sending.send(bad(from, 1_000));
      await sending.send('x,1,taken\ngood,2,i\n');
      sending.finish();
      await expect.poll(async () => (await written(app, collection))[0]).toBe(2);
      expect(collected() - before).toBeLessThan(60 * MIB);
      const [{ locks }] = await app.sql(
        `SELECT count(*)::int AS locks FROM pg_stat_activity WHERE application_name = 'typed-collections import'
          AND datname = current_database() AND xact_start IS NOT NULL`,
      );
      expect(locks).toBe(0);
      const { text } = await sending.end();
      const { lines, last } = parsed(text);
      expect(last).toMatchObject({ ok: true, inserted: 1, skipped: 50_001 });
      const told = refusedOf({ lines });
      expect(told.map(({ row }) => row)).toEqual(repeated(50_001, n => n + 1));
      expect(told.at(-1)).toMatchObject({ line: 'x,1,taken', problem: 'isbn must be unique' });
      expect(told[30_000]?.line).toBe(`${'é'.repeat(2_000)} 30000,bad,i`);
      await expect.poll(async () => (await sessions()).length).toBe(0);
    });

    it('gives back its connection when the client disconnects while it is told the rows', async () => {
      const collection = await library();
      const sending = upload(collection, app, SKIP);
      await sending.send(`${HEADER}\n${bad(0, 4_000)}good,1,i\n`);
      sending.finish();
      await expect.poll(async () => (await written(app, collection))[0]).toBe(1);
      expect(await sessions()).toHaveLength(1);
      sending.cut();
      await expect.poll(async () => (await sessions()).length).toBe(0);
    });

    it('closes the connection when the rows can no longer be read, because the records are written', async () => {
      const collection = await library();
      const sending = upload(collection, app, SKIP);
      await sending.send(`${HEADER}\n${bad(0, 4_000)}good,1,i\n`);
      sending.finish();
      await expect.poll(async () => (await written(app, collection))[0]).toBe(1);
      await app.sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'typed-collections import'`,
      );
      await expect(sending.end().then(({ text }) => text.length)).rejects.toThrow(/aborted|ECONNRESET/);
      expect((await written(app, collection))[0]).toBe(1);
    });

    it('answers an aborted import in full, although the client goes on sending', async () => {
      const collection = await library();
      const sending = upload(collection, app, { ...ALL, mode: 'append' });
      await sending.send(`${HEADER}\n${bad(0, 1_000)}`);
      await sending.answer;
      await expect.poll(async () => (await sessions()).length).toBe(0);
      for (let from = 1_000; from < 3_000; from += 500) await sending.send(bad(from, 500));
      const { last } = parsed((await sending.end()).text);
      expect(last).toMatchObject({ ok: false, error: 'BatchRejected' });
    });

    it('tells the rows of an aborted import, too', async () => {
      const collection = await library();
      const sending = upload(collection, app, { ...ALL, mode: 'append' });
      await sending.send(`${HEADER}\n${numbered(0, 2_000)}`);
      await sending.send(bad(0, 2_000));
      const { text } = await sending.end();
      const { lines, last } = parsed(text);
      expect(last).toMatchObject({ ok: false, error: 'BatchRejected' });
      expect(refusedOf({ lines }).length).toBeGreaterThan(0);
      expect(await written(app, collection)).toEqual([0, 1]);
    });
  });

  it.each([
    [
      'is slower than the minimum rate',
      { TRANSFER_RATE_WINDOW_SECONDS: '1', TRANSFER_MIN_BYTES_PER_SECOND: '1000' },
    ],
    ['is not done in time', { TRANSFER_MAX_SECONDS: '6', TRANSFER_MIN_BYTES_PER_SECOND: '0' }],
  ])('ends the answer when the client %s', async (_, environment) => {
    const limited = await startOwnApp({ database: 'own', environment });
    try {
      const collection = await newLibrary(limited, await newHome(limited));
      const sending = upload(collection, limited, SKIP);
      await sending.send(`${HEADER}\n${'x'.repeat(2_000)},1,i\n`);
      await sending.send(repeated(4_000, n => `${'x'.repeat(2_000)},bad,i${n}\n`).join(''));
      sending.finish();
      const running = () =>
        limited.sql(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'typed-collections import'`,
        );
      await expect.poll(async () => (await running()).length).toBe(0);
      expect((await written(limited, collection))[0]).toBe(1);
      await expect(sending.end().then(({ text }) => text.length)).rejects.toThrow(/aborted|ECONNRESET/);
    } finally {
      await limited.close();
    }
  });
});
