import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Home, insert, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { query, succeed } from '../../harness/collection-requests.js';
import { setFields, undone } from './undo.js';

type Fields = Record<string, unknown>;

describe('the history of a collection whose schema changes', () => {
  let app: TestApp;
  let home: Home;
  let stock: TestCollection;
  let id: string;
  /** An instant before each change of the schema, and the record as the write after it replaced it. */
  let seen: { at: string; record: Fields }[];
  let events: string[];

  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  /**
   * `size` is an integer, then a double, then a text; `due` is a flexible field, then a datetime; `place` is a text, then
   * JSON. Each schema has a version of the record.
   */
  beforeEach(async () => {
    stock = await newCollection(app, home, {
      properties: { size: { type: 'integer' }, place: { type: 'text' } },
    });
    [id] = (await insert(app, stock, {
      size: 1,
      place: 'A-1',
      due: '2026-01-31T10:00:00.000Z',
      note: { by: 'Kim' },
    })) as [string];
    [seen, events] = [[], []];
    const change = async (properties: object, fields: Fields) => {
      const at = await now();
      await succeed(app, stock, 'PATCH', '/schema', { properties });
      seen.push({ at, record: await read() });
      events.push(await setFields(app, stock, id, fields));
    };
    await change({ size: { type: 'double' } }, { size: 2.5 });
    await change({ due: { type: 'datetime' }, size: { type: 'text' } }, { size: 'three' });
    await change({ place: { type: 'json' } }, { place: { hall: 4 }, size: null });
  });

  const read = async (wanted: Fields = {}): Promise<Fields> =>
    (await succeed(app, stock, 'GET', `/data/${id}?${query(wanted)}`)).record;
  const find = async (at: string, filter: object): Promise<Fields[]> => {
    const body = { filter, as_of: at };
    return (await succeed(app, stock, 'POST', '/data/query', body)).records;
  };
  /** An instant after everything that was written, and before everything that is written next. */
  async function now(): Promise<string> {
    const [{ at }] = await app.sql(
      `SELECT pg_sleep(0.01), to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at`,
    );
    await app.sql('SELECT pg_sleep(0.01)');
    return at;
  }

  it('shows each version with the columns, the types and the values of its time', async () => {
    const { items } = await succeed(app, stock, 'GET', `/data/${id}/history`);
    const present = await read();
    expect(items.map(({ record }: { record: Fields }) => record)).toEqual([
      present,
      ...seen.map(({ record }) => record).reverse(),
    ]);
    expect(items.map(({ record }: { record: Fields }) => [record.size, record.place, record.due])).toEqual([
      [null, { hall: 4 }, '2026-01-31T10:00:00.000Z'],
      ['three', 'A-1', '2026-01-31T10:00:00.000Z'],
      // The change of the schema has converted 2.5.
      ['2.5', 'A-1', '2026-01-31T10:00:00.000Z'],
      [1, 'A-1', '2026-01-31T10:00:00.000Z'],
    ]);
    expect(items.map(({ changed }: { changed: string[] }) => changed)).toEqual([
      ['place', 'size'],
      ['size'],
      ['size'],
      ['due', 'note', 'place', 'size'],
    ]);
  });

  it('shows earlier values unchanged in reads of the past, and filters them by the present types', async () => {
    for (const { at, record } of seen) {
      expect(await read({ as_of: at })).toEqual(record);
      expect(await find(at, { note: { by: 'Kim' } })).toEqual([record]);
      // A text fits the present JSON column, an ISO text the present datetime column.
      expect(await find(at, { place: 'A-1', due: { $gt: '2026-01-01' } })).toEqual([record]);
    }
    const [first, , third] = seen.map(({ at }) => at) as [string, string, string];
    // A number does not fit the present text column.
    expect(await find(first, { size: { $ne: null } })).toEqual([]);
    expect(await find(third, { size: 'three' })).toEqual([seen[2]?.record]);
    expect(await find(first, { size: 'three' })).toEqual([]);
  });

  it('cuts fields of the past as of present records, and sorts by the present types', async () => {
    const { at } = seen[0] as { at: string };
    const body = { as_of: at, fields: { size: 1, due: 1, _id: 0 }, sort: { due: -1, size: 1 } };
    const { records } = await succeed(app, stock, 'POST', '/data/query', body);
    expect(records).toEqual([{ size: 1, due: '2026-01-31T10:00:00.000Z' }]);
  });

  it('puts back earlier values that fit, and refuses those that do not', async () => {
    // The present version and the one before differ in the place and the size, which fits.
    expect(await undone(app, stock, { event_ids: [events[2]] })).toMatchObject({ undone: 1 });
    expect(await read()).toMatchObject({ size: 'three', place: 'A-1', note: { by: 'Kim' } });

    // The first size was a number.
    const refused = await app.request('POST', `${stock.path}/undo`, {
      ...stock.owner,
      body: { event_ids: events },
    });
    expect([refused.status, refused.body.error]).toEqual([422, 'ConstraintViolation']);
    expect(refused.body.details).toEqual([{ record_id: id, column: 'size' }]);
    expect(await read()).toMatchObject({ size: 'three' });
  });

  it('begins anew, with the present columns only, after it was off', async () => {
    for (const history_days of [0, 7]) await succeed(app, stock, 'PATCH', '', { settings: { history_days } });
    const [{ retired_columns }] = await app.sql('SELECT retired_columns FROM collections WHERE id = $1', [
      stock.id,
    ]);
    expect(retired_columns).toEqual([]);
    const before = await read();
    await setFields(app, stock, id, { size: 'four' });
    const { items } = await succeed(app, stock, 'GET', `/data/${id}/history`);
    expect(items.map(({ record }: { record: Fields }) => record)).toEqual([await read(), before]);
  });
});
