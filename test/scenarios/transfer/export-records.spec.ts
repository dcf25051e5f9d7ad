import { get } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  EMMA,
  eventsOf,
  expire,
  type Home,
  insert,
  newCollection,
  newHome,
  newTypedCollection,
  outcome,
  read,
  type TestCollection,
} from '../../harness/collection.js';
import { newMember } from '../orgs/org.js';
import { exported, exportFile, importFile, NDJSON } from './transfer.js';

const COLUMNS = 'title,year,price,lent,printed,read_at,details,tags';

describe('GET /v1/collections/{collection_id}/export', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    books = await newTypedCollection(app, home);
    await insert(app, books, EMMA, { title: 'a "b", c', year: 3, z: '' }, { title: '', year: 2, z: [1] });
  });
  const lines = async (query: Record<string, string>, collection = books) => {
    const { status, text } = await exportFile(app, collection, query);
    expect([status, text.endsWith('\r\n')]).toEqual([200, true]);
    return text.slice(0, -2).split('\r\n');
  };

  it('is CSV with every field in its header: system fields, columns, flexible fields by name', async () => {
    const answer = await exportFile(app, books);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${books.name}.csv"`);
    const [header, first, ...others] = answer.text.split('\r\n');
    expect(header).toBe(`_id,created_at,updated_at,${COLUMNS},notes,shelf,z`);
    expect(first).toMatch(
      /^[0-9a-f-]{36},[^,]+Z,[^,]+Z,Emma,1815,12\.5,false,1815-12-23,2026-01-31T09:30:00\.250Z,"\{""pages"": ?\[120/,
    );
    expect(first).toMatch(/"\[""novel"", ?""england""\]","\{""first"": ?""dry"".*\}",7,$/);
    expect(others[0]).toMatch(/Z,"a ""b"", c",3,,,,,,,,,""$/);
    expect(others[1]).toMatch(/Z,"",2,,,,,,,,,\[1\]$/);
    expect(others.slice(2)).toEqual(['']);
  });

  it('is JSON lines, each equal to a read of the record', async () => {
    const answer = await exportFile(app, books, { format: 'ndjson' });
    expect(answer.headers.get('content-type')).toBe(`${NDJSON}; charset=utf-8`);
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${books.name}.ndjson"`);
    const records = await exported(app, books);
    expect(records).toHaveLength(3);
    for (const record of records) expect(record).toEqual(await read(app, books, record._id));
  });

  it('takes by POST a filter that is longer than an address may be', async () => {
    const years = [2, 3, ...Array.from({ length: 3_000 }, (_, n) => n + 5_000)];
    const body = { filter: { year: { $in: years } }, sort: { year: 1 }, fields: ['year', 'title'] };
    const answer = await app.request('POST', `${books.path}/export`, { ...books.owner, body });
    const name = `attachment; filename="${books.name}.csv"`;
    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([200, name]);
    expect(answer.text).toMatch(/^_id,year,title\r\n[^,]+,2,""\r\n[^,]+,3,"a ""b"", c"\r\n$/);
  });

  it('leaves no audit event', async () => {
    const before = await eventsOf(app, books);
    await exportFile(app, books);
    expect(await eventsOf(app, books)).toEqual(before);
  });

  it('accepts filter, sort and fields as queries do', async () => {
    const query = { filter: '{"year":{"$lt":10}}', sort: '{"year":1}' };
    expect(await lines({ ...query, fields: '["year","title"]' })).toEqual([
      '_id,year,title',
      expect.stringMatching(/,2,""$/),
      expect.stringMatching(/,3,"a ""b"", c"$/),
    ]);
    expect(await lines({ ...query, fields: '{"z":1,"none":1,"_id":0}' })).toEqual(['z,none', '[1],', '"",']);
    const excluding = JSON.stringify({
      _id: 0,
      created_at: 0,
      updated_at: 0,
      details: 0,
      tags: 0,
      notes: 0,
      shelf: 0,
    });
    expect(await lines({ ...query, fields: excluding })).toEqual([
      'title,year,price,lent,printed,read_at,z',
      '"",2,,,,,[1]',
      '"a ""b"", c",3,,,,,""',
    ]);
    const deep = { fields: '{"notes.first":1,"details.publisher.city":1,"_id":0}', sort: '{"year":-1}' };
    const [, emma] = await lines(deep);
    expect(emma).toBe('"{""first"":""dry""}","{""publisher"":{""city"":""London""}}"');
    const { text } = await exportFile(app, books, { ...deep, format: 'ndjson' });
    expect(JSON.parse(text.split('\n')[0] as string)).toEqual({
      notes: { first: 'dry' },
      details: { publisher: { city: 'London' } },
    });
  });

  it('contains only the header if no record matches', async () => {
    const filter = '{"year":-1}';
    expect(await lines({ filter })).toEqual([`_id,created_at,updated_at,${COLUMNS}`]);
    expect((await exportFile(app, books, { filter, format: 'ndjson' })).text).toBe('');
    const empty = await newCollection(app, home);
    expect(await lines({}, empty)).toEqual(['_id,created_at,updated_at']);
  });

  it('contains no expired records', async () => {
    const collection = await newCollection(app, home);
    const [gone] = await insert(app, collection, { secret: 1 }, { a: 1 });
    await expire(app, collection, gone as string);
    const all = await lines({}, collection);
    expect(all[0]).toBe('_id,created_at,updated_at,a');
    expect(all).toHaveLength(2);
  });

  it('writes formulas unchanged, and quotes where CSV requires it', async () => {
    const collection = await newTypedCollection(app, home);
    const titles = ['=1+1', '@x', ' a', 'a\tb', 'a;b', 'a\nb', 'a\rb', '"'];
    await insert(app, collection, ...titles.map(title => ({ title })));
    const { text } = await exportFile(app, collection, { fields: '{"title":1,"_id":0}' });
    expect(text).toBe('title\r\n=1+1\r\n@x\r\n" a"\r\n"a\tb"\r\n"a;b"\r\n"a\nb"\r\n"a\rb"\r\n""""\r\n');
  });

  describe('the format', () => {
    it.each([
      [NDJSON, 'ndjson'],
      ['text/csv', 'csv'],
      ['*/*', 'csv'],
      ['text/csv;q=0.5, application/x-ndjson', 'ndjson'],
      ['application/json', 'csv'],
    ])('follows Accept: %s', async (accept, format) => {
      const { headers } = await exportFile(app, books, {}, { accept });
      expect(headers.get('content-disposition')).toContain(`.${format}"`);
    });

    it('in the query takes precedence', async () => {
      const { headers } = await exportFile(app, books, { format: 'csv' }, { accept: NDJSON });
      expect(headers.get('content-type')).toContain('text/csv');
    });
  });

  it('is gzip if the client requests it, and only then', async () => {
    const plain = await raw('identity');
    expect(plain.headers['content-encoding']).toBeUndefined();
    const packed = await raw('gzip');
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.bytes)).toEqual(plain.bytes);
  });

  it('is stated in the headers of HEAD, without a file', async () => {
    const { status, headers, text } = await app.request('HEAD', `${books.path}/export`, books.owner);
    expect([status, headers.get('content-type'), text]).toEqual([200, 'text/csv; charset=utf-8', '']);
  });

  function raw(encoding: string, { path, owner } = books) {
    const headers = { authorization: `Bearer ${owner.token}`, 'accept-encoding': encoding };
    return new Promise<{ headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
      get(`${app.url}${path}/export`, { headers }, response => {
        const chunks: Buffer[] = [];
        response.on('data', chunk => chunks.push(chunk));
        response.on('end', () => resolve({ headers: response.headers, bytes: Buffer.concat(chunks) }));
      }).on('error', reject);
    });
  }

  describe('of many records', () => {
    const ROWS = 20_000;
    /** Far more than socket buffers hold, so that an export that no client reads does not end. */
    const TITLE = 'x'.repeat(1_500);
    let many: TestCollection;
    beforeAll(async () => {
      many = await newTypedCollection(app, home, { settings: { max_records: 100_000 } });
      const row = (n: number) => JSON.stringify({ title: TITLE, year: n, n });
      await importFile(app, many, Array.from({ length: ROWS }, (_, n) => row(n)).join('\n'), {
        type: NDJSON,
      });
    });

    /** An export of which the test has read only the beginning. */
    function begin() {
      return new Promise<{ first: Buffer; rest: () => Promise<string>; cut: () => void }>(
        (resolve, reject) => {
          const headers = { authorization: `Bearer ${many.owner.token}`, 'accept-encoding': 'identity' };
          const sent = get(
            `${app.url}${many.path}/export?format=ndjson`,
            { headers, agent: false },
            response => {
              response.once('data', first => {
                response.pause();
                const rest = async () => {
                  let text = first.toString();
                  for await (const chunk of response) text += chunk;
                  return text;
                };
                resolve({ first, rest, cut: () => void sent.destroy() });
              });
            },
          ).on('error', reject);
        },
      );
    }
    const running = async () => {
      const [{ count }] = await app.sql(
        `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'FETCH%'`,
      );
      return count;
    };

    const settled = async () => {
      while ((await running()) > 0) await new Promise(resolve => setTimeout(resolve, 10));
    };

    it('contains a snapshot of one instant, whatever is written meanwhile', async () => {
      const before = await exported(app, many);
      expect(before.map(({ n }) => n)).toEqual(Array.from({ length: ROWS }, (_, n) => n));
      const { rest } = await begin();
      // One after the other: the update would wait for the locks of the delete, longer than `lock_timeout` on a busy machine.
      await app.sql(`DELETE FROM ${many.table} WHERE c2 % 2 = 1`);
      await app.sql(`UPDATE ${many.table} SET c1 = 'new', expires_at = now()`);
      await insert(app, many, { title: 'added' });
      const text = await rest();
      expect(
        text
          .trimEnd()
          .split('\n')
          .map(line => JSON.parse(line)),
      ).toEqual(before);
      await app.sql(`UPDATE ${many.table} SET expires_at = NULL`);
    });

    it('ends in the database when the client disconnects', async () => {
      await settled();
      const { cut } = await begin();
      expect(await running()).toBe(1);
      cut();
      await settled();
    });

    it('breaks the connection on an error, so that a partial file does not look complete', async () => {
      const { rest } = await begin();
      await app.sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'FETCH%'`,
      );
      await expect(rest()).rejects.toThrow('aborted');
    });
  });

  it.each([
    [{ format: 'xml' }, 'format'],
    [{ filter: '{"$where":"1"}' }, '$where'],
    [{ filter: '{' }, 'filter'],
    [{ filter: '{"title":{"$regex":"("}}' }, '$regex'],
    [{ sort: '{"year":2}' }, 'sort'],
    [{ fields: '{"a":1,"b":0}' }, 'fields'],
    [{ limit: '1' }, 'limit'],
  ])('refuses %j', async (query, says) => {
    const answer = await exportFile(app, books, query as Record<string, string>);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(says);
    expect(answer.headers.has('content-disposition')).toBe(false);
  });

  it('refuses CSV with more than 2,000 different fields, unless the query names fields', async () => {
    const collection = await newCollection(app, home);
    const record = Object.fromEntries(Array.from({ length: 2_001 }, (_, n) => [`f${n}`, n]));
    await insert(app, collection, record);
    expect(outcome(await exportFile(app, collection))).toEqual([400, 'InvalidArguments']);
    expect(await lines({ fields: '{"f2000":1,"_id":0}' }, collection)).toEqual(['f2000', '2000']);
    expect((await exportFile(app, collection, { format: 'ndjson' })).status).toBe(200);
  });

  it('requires read access: 401, 404, and only then 400', async () => {
    const member = await newMember(app, home.org);
    const stranger = await newHome(app);
    const path = `${books.path}/export?format=xml`;
    expect((await app.request('GET', path)).status).toBe(401);
    expect((await app.request('GET', path, { token: member.token })).status).toBe(404);
    expect((await app.request('GET', path, stranger.owner)).status).toBe(404);
    await app.request('POST', `${books.path}/access`, {
      ...books.owner,
      body: { principal_type: 'user', principal_id: member.userId, role: 'reader' },
    });
    expect((await app.request('GET', path, { token: member.token })).status).toBe(400);
    expect((await app.request('GET', `${books.path}/export`, { token: member.token })).status).toBe(200);
  });
});
