import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Home, newCollection, newHome } from '../../harness/collection.js';
import { query, send, succeed } from '../../harness/collection-requests.js';
import { exportFile, importFile, NDJSON } from '../transfer/transfer.js';

/** Names that every JavaScript object inherits. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype).filter(name => name !== '__proto__');

describe('names that every JavaScript object inherits', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  it.each(
    INHERITED.flatMap(name => [
      [name, 'a column'],
      [name, 'a flexible field'],
    ]),
  )('%s can be %s of every operation on records', async (name, kind) => {
    const isColumn = kind === 'a column';
    const properties = { tags: { type: 'array' }, ...(isColumn && { [name]: { type: 'text' } }) };
    const indexed = isColumn ? { indexes: [{ properties: [name] }], uniques: [{ properties: [name] }] } : {};
    const collection = await newCollection(app, home, { properties, ...indexed });
    const run = (method: string, rest: string, body?: unknown) =>
      succeed(app, collection, method, rest, body);
    const find = async (filter: object) =>
      (await run('POST', '/data/query', { filter, sort: { [name]: 1 }, with_total: true })).records;

    const { ids } = await run('POST', '/data', { records: [{ [name]: 'a' }, { other: 1 }] });
    const without = isColumn ? { [name]: null } : {};
    expect(await find({})).toMatchObject([
      { _id: ids[1], ...without },
      { _id: ids[0], [name]: 'a' },
    ]);
    if (!isColumn) expect(Object.hasOwn((await find({ _id: ids[1] }))[0], name)).toBe(false);
    expect(await find({ [name]: 'a' })).toHaveLength(1);
    expect(await find({ [name]: { $exists: isColumn } })).toHaveLength(isColumn ? 2 : 1);
    expect(
      (await run('GET', `/data?${query({ filter: { [name]: 'a' }, fields: { [name]: 1 } })}`)).records,
    ).toEqual([{ _id: ids[0], [name]: 'a' }]);
    expect((await run('GET', `/data/count?${query({ filter: { [name]: null } })}`)).count).toBe(1);
    expect((await run('GET', `/data/distinct?${query({ field: name })}`)).values).toContain('a');
    const steps = [{ type: 'max', input_field: name, output_field: name }];
    expect((await run('POST', '/data/aggregate', { steps })).results).toEqual([{ [name]: 'a' }]);
    const groups = { steps: [{ type: 'count', output_field: 'n' }], group_by: name };
    expect((await run('POST', '/data/aggregate', groups)).results).toContainEqual({ [name]: 'a', n: 1 });

    // Updates without an SQL form run in memory.
    const one = `/data/${ids[0]}`;
    expect(await run('PATCH', one, { $unset: { [name]: '' }, $push: { tags: 'x' } })).toMatchObject({
      updated_count: 1,
    });
    const { record } = await run('GET', one);
    expect(record).toMatchObject({ tags: ['x'] });
    expect(isColumn ? record[name] : Object.hasOwn(record, name)).toBe(isColumn ? null : false);
    expect(await run('PATCH', one, { $set: { [name]: 'b' } })).toMatchObject({ updated_count: 1 });
    expect(await run('PATCH', one, { [name]: 'c' })).toMatchObject({ updated_count: 1 });
    await run('PATCH', '/data', { filter: { [name]: 'c' }, update: { $rename: { [name]: 'moved' } } });
    expect((await run('GET', one)).record).toMatchObject({ moved: 'c' });
    await run('PATCH', '/data', { filter: { moved: 'c' }, update: { $setOnInsert: { [name]: 'no' } } });

    const upserted = { data: { [name]: 'up', n: 1 }, match_fields: [name] };
    expect((await run('POST', '/data/upsert', upserted)).result.inserted).toBe(true);
    expect((await run('POST', '/data/upsert', upserted)).result.inserted).toBe(false);
    const bulk = { records: [{ [name]: 'up', m: 2 }, { [name]: 'new' }] };
    if (isColumn) await run('POST', '/data/bulk', { ...bulk, upsert_key: name });
    else await run('POST', '/data/bulk', { records: bulk.records.slice(1) });
    expect(await find({ [name]: 'up' })).toMatchObject([{ n: 1, ...(isColumn && { m: 2 }) }]);

    const file = await importFile(app, collection, JSON.stringify({ [name]: 'file' }), {
      type: NDJSON,
      query: isColumn ? { mode: 'upsert', upsert_key: name } : { mode: 'append' },
    });
    expect(file.last).toMatchObject({ ok: true, inserted: 1 });
    const csv = await exportFile(app, collection, { format: 'csv', fields: JSON.stringify({ [name]: 1 }) });
    expect(csv.text.split('\r\n')[0]).toBe(`_id,${name}`);
    expect(csv.text).not.toContain('function');
    const before = (await find({})).length;
    await run('DELETE', one);
    expect(await find({})).toHaveLength(before - 1);

    // A question about a field with this name.
    for (const question of [`how many records have ${name} up?`, `What is the constructor of ${name}?`])
      expect((await send(app, collection, 'POST', '/ask', { question })).status).not.toBe(500);
  });

  it.each(INHERITED)(
    '%s can become a column, which takes over the values of the flexible field',
    async name => {
      const collection = await newCollection(app, home);
      await succeed(app, collection, 'POST', '/data', { records: [{ [name]: 'x' }, {}] });
      const refused = await send(app, collection, 'PATCH', '/schema', {
        properties: { [name]: { type: 'integer' } },
      });
      expect([refused.status, refused.body.error]).toEqual([422, 'ConstraintViolation']);
      const answer = await succeed(app, collection, 'PATCH', '/schema', {
        properties: { [name]: { type: 'text' } },
      });
      expect(answer.schema).toEqual({ [name]: { type: 'text', nullable: true } });
      const { records } = await succeed(app, collection, 'POST', '/data/query', { sort: { _id: 1 } });
      expect(records).toMatchObject([{ [name]: 'x' }, { [name]: null }]);
    },
  );

  it('are refused with 400 as unknown properties of every body in the API description', async () => {
    const collection = await newCollection(app, home);
    const { body: description } = await app.request('GET', '/openapi.json');
    const found: [string, number][] = [];
    let bodies = 0;
    for (const [path, item] of Object.entries<Record<string, { requestBody?: { content: object } }>>(
      description.paths,
    )) {
      const url = path
        .replace('{collection_id}', collection.id)
        .replace('{orgSlug}', collection.orgSlug)
        .replace(/\{\w*[iI]d\}/g, '00000000-0000-7000-8000-000000000000')
        .replace(/\{\w+\}/g, 'none');
      for (const [method, { requestBody }] of Object.entries(item)) {
        if (requestBody === undefined || !Object.hasOwn(requestBody.content, 'application/json')) continue;
        bodies += 1;
        for (const name of INHERITED) {
          const answer = await app.request(method.toUpperCase(), url, { ...home.owner, body: { [name]: 1 } });
          if (answer.status >= 500 || answer.status < 300)
            found.push([`${method} ${path} ${name}`, answer.status]);
        }
      }
    }
    expect(bodies).toBeGreaterThan(30);
    expect(found).toEqual([]);
  });
});
