import { expect, it } from 'vitest';
import { startVictim } from './victim.js';

const ROWS = 5_000;
const PADDING = 'x'.repeat(200);
const WRITERS = 3;

/** A change, and the moment of the kill as a condition on its row in `schema_changes`. */
const ROUNDS = [
  { properties: { city: { type: 'text' } }, killedWhen: `phase = 'copying'` },
  { properties: { n: { type: 'text' } }, killedWhen: `phase = 'copying' AND done_rows > 0` },
  { properties: { tag: { type: 'text' } }, killedWhen: `phase = 'cleaning'` },
];

it('after kill -9 in the middle of a schema change it is completed, and no write acknowledged meanwhile is lost or refused', async () => {
  const { cluster, service, victim, survivor, id, path, table, fill } = await startVictim({
    settings: { max_records: 100_000 },
    properties: { n: { type: 'integer' } },
  });
  const { call } = service;
  await fill(ROWS, n => ({ n, key: `old ${n}`, pad: PADDING, city: `city ${n}`, tag: `tag ${n}` }));

  const written = new Map<string, string>();
  const refusals: string[] = [];
  let over = false;
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let round = 0; !over; round++) {
      const key = `${writer} ${round}`;
      const records = [{ key, city: `city of ${key}`, tag: `tag of ${key}` }];
      const inserted = await call(survivor, 'POST', `${path}/data`, { body: { records } });
      const [_id] = inserted.body?.ids ?? [];
      const update = { $set: { city: `other city of ${key}` } };
      const updated = await call(survivor, 'PATCH', `${path}/data/${_id}`, { body: update });
      if (inserted.status !== 200 || updated.status !== 200) refusals.push(inserted.text, updated.text);
      else written.set(key, `other city of ${key}`);
    }
  });

  for (const { properties, killedWhen } of ROUNDS) {
    const sent = call(victim, 'PATCH', `${path}/schema`, { body: { properties } }).catch(() => undefined);
    await expect
      .poll(() => cluster.sql(`SELECT FROM schema_changes WHERE ${killedWhen}`), {
        interval: 5,
        timeout: 60_000,
      })
      .toHaveLength(1);
    await victim.kill();
    await sent;
    const before = written.size;
    await expect.poll(() => written.size, { timeout: 60_000 }).toBeGreaterThan(before + 20);
    await victim.restart();
    const collection = async () => (await call(survivor, 'GET', path)).body;
    await expect.poll(async () => (await collection()).status, { timeout: 120_000 }).toBe('ready');
    expect((await collection()).schema).toMatchObject(properties);
    expect(await collection()).not.toHaveProperty('change');
  }
  over = true;
  await Promise.all(writers);

  expect(refusals).toEqual([]);
  const columns = await cluster.sql(
    `SELECT key AS name, 'c' || (value->>'number') AS physical FROM collections, jsonb_each(columns) WHERE id = $1`,
    [id],
  );
  const { n, city, tag } = Object.fromEntries(columns.map(({ name, physical }) => [name, physical]));
  const rows = await cluster.sql(
    `SELECT x->>'key' AS key, ${city} AS city, ${tag} AS tag FROM ${table} WHERE ${n} IS NULL`,
  );
  expect(new Map(rows.map(row => [row.key, row.city]))).toEqual(written);
  expect(rows.filter(row => row.tag !== `tag of ${row.key}`)).toEqual([]);
  const [{ whole }] = await cluster.sql(
    `SELECT count(*)::int AS whole FROM ${table} WHERE ${city} = 'city ' || ${n} AND ${tag} = 'tag ' || ${n}
       AND x->>'key' = 'old ' || ${n} AND NOT x ?| '{n,city,tag}'`,
  );
  expect(whole).toBe(ROWS);
  await service.end();
});
