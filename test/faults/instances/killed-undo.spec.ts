import { expect, it } from 'vitest';
import { startVictim } from './victim.js';

const RECORDS = 20_000;
const DELETED = 500;

/** The moments of the kill, as a part of the statement that is running. */
const KILLED_IN = [
  'INSERT INTO pg_temp.put_back',
  'RECURSIVE segments',
  'USING pg_temp.put_back',
  'SET put_back = ',
];

it('after kill -9 in the middle of an undo everything or nothing is undone, and its retry is done once', async () => {
  const { cluster, service, victim, survivor, id, path, schema, table, fill } = await startVictim({
    settings: { max_records: 100_000 },
    properties: { n: { type: 'integer' } },
  });
  const { call } = service;
  await fill(RECORDS, at => ({ n: 0, at }));
  const newest = async (): Promise<{ id: string; type: string }> =>
    (
      await cluster.sql(
        `SELECT id, type FROM ${schema}.audit_events WHERE target->>'id' = $1 ORDER BY id DESC LIMIT 1`,
        [id],
      )
    )[0];

  const update = { filter: {}, allow_match_all: true, update: { $inc: { n: 1 } } };
  expect((await call(survivor, 'PATCH', `${path}/data`, { body: update })).status).toBe(200);
  const updated = (await newest()).id;
  const first = await cluster.sql(`SELECT _id FROM ${table} ORDER BY _id LIMIT ${DELETED}`);
  const operations = first.map(({ _id }) => ({ delete: { _id } }));
  expect((await call(survivor, 'POST', `${path}/data/batch`, { body: { operations } })).status).toBe(200);
  const deleted = (await newest()).id;
  const events = [updated, deleted];

  /** How many records have the value of before and of after the writes. */
  const values = async (): Promise<[before: number, after: number]> => {
    const [row] = await cluster.sql(
      `SELECT count(*)::int AS all, count(*) FILTER (WHERE to_jsonb(t) @> '{"c1": 0}')::int AS before FROM ${table} t`,
    );
    return [row.before, row.all - row.before];
  };
  const [UNDONE, WRITTEN] = [
    [RECORDS, 0],
    [0, RECORDS - DELETED],
  ];
  expect(await values()).toEqual(WRITTEN);

  let killedInside = 0;
  for (const text of KILLED_IN) {
    const headers = { 'idempotency-key': `undo-${text.length}` };
    const undo = { body: { event_ids: events }, headers };
    const before = await newest();
    let isAnswered = false;
    const sent = call(victim, 'POST', `${path}/undo`, undo)
      .catch(() => undefined)
      .finally(() => {
        isAnswered = true;
      });
    for (let isRunning = false; !isRunning && !isAnswered; ) {
      const found = await cluster.sql(
        `SELECT FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND strpos(query, $1) > 0`,
        [text],
      );
      isRunning = found.length > 0;
      if (isRunning) killedInside += 1;
    }
    await victim.kill();
    await sent;
    // The database notices the end of the connection when it sends the result of the statement.
    await expect
      .poll(
        () =>
          cluster.sql(
            `SELECT FROM pg_stat_activity WHERE strpos(query, 'put_back') > 0 AND pid <> pg_backend_pid() AND state <> 'idle'`,
          ),
        {
          timeout: 60_000,
        },
      )
      .toHaveLength(0);
    const isDone = (await newest()).id !== before.id;
    expect(await values()).toEqual(isDone ? UNDONE : WRITTEN);

    const retried = await call(survivor, 'POST', `${path}/undo`, undo);
    expect([retried.status, retried.text]).toEqual([200, retried.text]);
    expect(retried.body).toMatchObject({ undone: RECORDS, skipped: 0, conflicts: [] });
    expect(await values()).toEqual(UNDONE);
    expect(await newest()).toEqual({ id: retried.body.event_id, type: 'collections.records.undone' });
    await victim.restart();
    const redone = await call(victim, 'POST', `${path}/undo`, {
      body: { event_ids: [retried.body.event_id] },
    });
    expect(redone.body).toMatchObject({ undone: RECORDS, conflicts: [] });
    expect(await values()).toEqual(WRITTEN);
  }
  expect(killedInside).toBeGreaterThan(1);
  await service.end();
});
