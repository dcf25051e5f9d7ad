import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { type Home, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { query, send, succeed } from '../../harness/collection-requests.js';
import { CSV, exportFile, importFile, NDJSON } from '../transfer/transfer.js';

/** Each would end the place in SQL that it was put into as it is, or stand for something else there. */
const HOSTILE = [
  `'; DROP SCHEMA public CASCADE; --`,
  `"; DROP SCHEMA public CASCADE; --`,
  `'"\\`,
  `\\'; DELETE FROM collections; --`,
  `a$1`,
  `x$f$; DROP TABLE orgs CASCADE; $f$`,
  `/* */ UNION SELECT 1 --`,
  `' || (SELECT 1/0) || '`,
  `" AS "a", 1/0 AS "b`,
  `%1$s %s {} []`,
  `a' ? 'b`,
  `select`,
  `NULL`,
  `\u0001\u200b\u2028ﬀ🙂`,
  `constructor`,
];
/** No field may be named so: these are values only. */
const VALUES_ONLY = ['$1', '__proto__', '$where', "a.'b"];

describe('hostile names and values', () => {
  let app: TestApp;
  let home: Home;
  let bystander: TestCollection;
  let tables: unknown;

  const state = () =>
    app.sql(`SELECT c.relname, (SELECT count(*)::int FROM pg_attribute a WHERE a.attrelid = c.oid) AS columns
      FROM pg_class c WHERE relnamespace = 'public'::regnamespace ORDER BY c.relname`);
  beforeAll(async () => {
    app = await startOwnApp({ database: 'own', environment: { ALLOW_BULK_DELETE: 'true' } });
    home = await newHome(app);
    bystander = await newCollection(app, home);
    await succeed(app, bystander, 'POST', '/data', { records: [{ intact: true }] });
    tables = await state();
  });
  afterAll(() => app.close());

  /** A collection with this column: no client may declare such a name, but a row of metadata may have been edited or restored. */
  async function withColumn(name: string): Promise<TestCollection> {
    const properties = { tags: { type: 'array' }, given: { type: 'text' }, number: { type: 'integer' } };
    const unique = { uniques: [{ properties: ['given'] }], indexes: [{ properties: ['given', 'number'] }] };
    const collection = await newCollection(app, home, { properties, ...unique });
    const renamed = (list: string) =>
      `(SELECT coalesce(jsonb_agg(jsonb_set(i, '{properties}', (SELECT jsonb_agg(CASE p WHEN 'given' THEN $2::text ELSE p END)
        FROM jsonb_array_elements_text(i->'properties') p))), '[]') FROM jsonb_array_elements(${list}) i)`;
    await app.sql(
      `UPDATE collections SET version = version + 1, columns = columns - 'given' || jsonb_build_object($2::text, columns->'given'),
         uniques = ${renamed('uniques')}, indexes = ${renamed('indexes')} WHERE id = $1`,
      [collection.id, name],
    );
    return collection;
  }

  async function expectIntact(): Promise<void> {
    expect(await state()).toEqual(tables);
    expect((await succeed(app, bystander, 'POST', '/data/query', {})).records).toMatchObject([
      { intact: true },
    ]);
  }

  it.each(HOSTILE.flatMap(name => [[name, 'a column'] as const, [name, 'a flexible field'] as const]))(
    '%j as the name of %s, and as its values, leave every operation right and the database intact',
    async (name, kind) => {
      const isColumn = kind === 'a column';
      const collection = isColumn
        ? await withColumn(name)
        : await newCollection(app, home, {
            properties: { tags: { type: 'array' }, number: { type: 'integer' } },
          });
      const run = (method: string, rest: string, body?: unknown) =>
        succeed(app, collection, method, rest, body);
      const find = async (filter: object, more: object = {}) =>
        (await run('POST', '/data/query', { filter, sort: { [name]: 1, _id: 1 }, ...more })).records;
      const { next_since: since } = await run('GET', '/changes');

      const { ids } = await run('POST', '/data', {
        records: [{ [name]: name, number: 1, [`${name}2`]: name }, { number: 2 }],
      });
      const one = `/data/${ids[0]}`;
      expect((await run('GET', one)).record).toMatchObject({ [name]: name, [`${name}2`]: name });
      for (const filter of [
        { [name]: name },
        { [name]: { $in: [name, 'x'] } },
        { [name]: { $gte: name, $lte: name } },
        { [name]: { $search: name } },
        { [`${name}2`]: { $ne: null } },
        { $or: [{ [name]: name }, { [`${name}.deep.0`]: name }] },
        { number: 1, [name]: { $not: { $eq: null } } },
      ])
        expect(await find(filter)).toMatchObject([{ _id: ids[0], [name]: name }]);
      if (isColumn) expect(await find({ $search: name })).toHaveLength(1);
      const page = await run('POST', '/data/query', { sort: { [name]: -1 }, limit: 1, cursor: '' });
      const next = await run('POST', '/data/query', {
        sort: { [name]: -1 },
        limit: 1,
        cursor: page.next_cursor,
      });
      expect([page.records[0]._id, next.records[0]._id]).toEqual([ids[0], ids[1]]);
      const shown = await run('GET', `/data?${query({ filter: { [name]: name }, fields: { [name]: 1 } })}`);
      expect(shown.records).toEqual([{ _id: ids[0], [name]: name }]);
      const hidden = await run('GET', `/data?${query({ filter: { [name]: name }, fields: { [name]: 0 } })}`);
      expect(Object.keys(hidden.records[0])).not.toContain(name);
      expect((await run('GET', `/data/count?${query({ filter: { [name]: name } })}`)).count).toBe(1);
      expect((await run('GET', `/data/distinct?${query({ field: name })}`)).values).toContain(name);
      const { results } = await run('POST', '/data/aggregate', {
        steps: [
          { type: 'max', input_field: name, output_field: `max ${name}` },
          { type: 'sum', input_field: 'number', output_field: `sum ${name}` },
        ],
        group_by: [name],
        having: { [`sum ${name}`]: { $gte: 1 } },
        sort: { [`max ${name}`]: -1 },
      });
      expect(results[0]).toEqual({ [name]: name, [`max ${name}`]: name, [`sum ${name}`]: 1 });

      await run('PATCH', one, {
        $set: { [name]: `${name}!`, [`${name}2`]: { [name]: name } },
        $inc: { number: 1 },
      });
      expect((await run('GET', one)).record).toMatchObject({ [name]: `${name}!`, number: 2 });
      await run('PATCH', one, { $push: { tags: name }, $set: { [name]: name } });
      await run('PATCH', one, { $pull: { tags: { $in: [name] } } });
      expect((await run('GET', one)).record).toMatchObject({ [name]: name, tags: [] });
      await run('PATCH', '/data', { filter: { [name]: name }, update: { $unset: { [`${name}2`]: '' } } });
      expect(Object.keys((await run('GET', one)).record)).not.toContain(`${name}2`);

      const upserted = { data: { [name]: `${name}up`, number: 5 }, match_fields: [name] };
      expect((await run('POST', '/data/upsert', upserted)).result.inserted).toBe(true);
      expect((await run('POST', '/data/upsert', upserted)).result.inserted).toBe(false);
      if (isColumn) {
        const records = [{ [name]: `${name}up`, number: 6 }, { [name]: `${name}new` }];
        await run('POST', '/data/bulk', { records, upsert_key: name });
        expect(await find({ [name]: `${name}up` })).toMatchObject([{ number: 6 }]);
        const refused = await send(app, collection, 'POST', '/data', { records: [{ [name]: name }] });
        expect([refused.status, refused.body.error]).toEqual([409, 'AlreadyExists']);
        await run('POST', '/indexes', {
          indexes: [{ properties: [name] }],
          uniques: [{ properties: [name] }],
        });
        // The schema as a whole is judged again: such a name is refused there.
        const schema = await send(app, collection, 'PATCH', '/schema', {
          properties: { added: { type: 'text' } },
        });
        expect(schema.status).toBe(/^\w+$/.test(name) ? 200 : 400);
      }
      const refused = await send(app, collection, 'PATCH', '/schema', {
        properties: { [`${name} `]: { type: 'text' } },
      });
      expect(refused.status).toBe(400);

      const keyed: Record<string, string> = isColumn
        ? { mode: 'upsert', upsert_key: name }
        : { mode: 'append' };
      const lines = JSON.stringify({ [name]: `${name}file` });
      expect((await importFile(app, collection, lines, { type: NDJSON, query: keyed })).last).toMatchObject({
        ok: true,
      });
      const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
      const table = `${cell(name)},number\n${cell(`${name}csv`)},7\n`;
      expect((await importFile(app, collection, table, { type: CSV, query: keyed })).last).toMatchObject({
        ok: true,
      });
      expect(await find({ [name]: { $in: [`${name}file`, `${name}csv`] } })).toHaveLength(2);
      const csv = await exportFile(app, collection, {
        format: 'csv',
        filter: JSON.stringify({ [name]: `${name}csv` }),
        sort: JSON.stringify({ [name]: 1 }),
        fields: JSON.stringify({ [name]: 1 }),
      });
      expect(csv.status).toBe(200);
      expect(csv.text).toContain(`${name}csv`.replaceAll('"', '""'));

      const changes = await run('GET', `/changes?${query({ since, filter: { [name]: name } })}`);
      expect(changes.changes.length).toBeGreaterThan(0);
      expect(changes.changes[0].record).toMatchObject({ [name]: name });
      await run('DELETE', one);
      await run('POST', '/data/delete', { filter: { [name]: `${name}up` } });
      expect(await find({ [name]: { $in: [name, `${name}up`] } })).toEqual([]);
      await expectIntact();
    },
  );

  it.each([...HOSTILE, ...VALUES_ONLY])(
    '%j is found as a value of every type that holds text',
    async value => {
      const properties = { title: { type: 'text' }, details: { type: 'json' }, tags: { type: 'array' } };
      const collection = await newCollection(app, home, { properties });
      const run = (method: string, rest: string, body?: unknown) =>
        succeed(app, collection, method, rest, body);
      const record = { title: value, details: { deep: [value] }, tags: [value], other: value };
      await run('POST', '/data', { records: [record] });
      for (const filter of [
        { title: value },
        { title: { $regex: `^${value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$` } },
        { 'details.deep': value },
        { tags: { $all: [value] } },
        { tags: { $elemMatch: { $eq: value } } },
        { other: { $in: [value] } },
        { $search: value },
      ])
        expect((await run('POST', '/data/query', { filter })).records).toMatchObject([record]);
      await expectIntact();
    },
  );

  it.each(HOSTILE.filter(name => !/^\w+$/.test(name)))(
    '%j is refused as the name of a column, an index or a key',
    async name => {
      const collection = await newCollection(app, home);
      const statuses = await Promise.all([
        send(app, collection, 'PATCH', '/schema', { properties: { [name]: { type: 'text' } } }),
        send(app, collection, 'POST', '/indexes', { indexes: [{ properties: [name] }], uniques: [] }),
        send(app, collection, 'POST', '/data/bulk', { records: [{ a: 1 }], upsert_key: name }),
      ]);
      expect(statuses.map(({ status }) => status)).toEqual([400, 400, 400]);
      await expectIntact();
    },
  );
});
