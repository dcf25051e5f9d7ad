import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  type Caller,
  type Home,
  insert,
  newCollection,
  newHome,
  type TestCollection,
} from '../../harness/collection.js';
import { Dice, seedOr, TIMES } from '../../harness/dice.js';
import { ruledMember } from './ruled.js';

const REQUESTS = 150 * TIMES;

/** A collection with the same visible records as the other, and other hidden ones. */
interface World {
  readonly collection: TestCollection;
  readonly caller: Caller;
  /** The ids of the visible records. New records of the caller are added. */
  readonly ids: string[];
  readonly hidden: string;
}

const COLUMNS = {
  team: 'text',
  n: 'integer',
  at: 'datetime',
  tags: 'array',
  secret: 'integer',
  info: 'json',
} as const;
const GRANT = {
  rules: {
    read: { $or: [{ team: 'red' }, { shared: true }] },
    create: { team: 'red' },
    update: { team: 'red' },
    becomes: { team: { $ne: 'gone' } },
    delete: { n: { $lt: 3 } },
  },
  fields: { read: { secret: 0, hush: 0 } },
};

/** Two random but equal lists of visible records, with different hidden values. */
function records(dice: Dice, hidden: Dice): { visible: object[]; unseen: object[] } {
  const visible = Array.from({ length: 25 }, () => {
    const seen = {
      n: dice.below(8),
      tags: dice.some(['a', 'b', 'c'], 3),
      free: dice.of(['x', 'y', { z: 1 }]),
    };
    const whose = dice.below(2) === 0 ? { team: 'red' } : { team: 'blue', shared: true };
    return { ...seen, ...whose, secret: hidden.below(100), hush: hidden.of(['p', 'q', [1, 2]]) };
  });
  const unseen = Array.from({ length: hidden.below(30) }, () => ({
    team: hidden.of(['blue', 'green', null]),
    n: hidden.below(8),
    tags: hidden.some(['a', 'b', 'd'], 2),
    secret: hidden.below(100),
    free: hidden.of(['x', 'w']),
    info: { deep: hidden.below(5) },
  }));
  return { visible, unseen };
}

const NAMES = [
  'team',
  'n',
  'tags',
  'free',
  'shared',
  'secret',
  'hush',
  'nothing',
  '_id',
  'created_at',
  'info.deep',
];

/** A random request; `{n}` in it is the id of a visible record, `{hidden}` that of a record that only one world has. */
function request(dice: Dice, ids: number): { method: string; below: string; body?: object } {
  const name = () => dice.of(NAMES);
  const value = () =>
    dice.of<unknown>([
      'red',
      'blue',
      'x',
      'a',
      1,
      3,
      null,
      true,
      { $gt: 2 },
      { $exists: true },
      { $in: ['a', 1] },
    ]);
  const filter = (): object =>
    dice.below(4) === 0
      ? { [dice.of(['$or', '$and', '$nor'])]: [{ [name()]: value() }, { [name()]: value() }] }
      : { [name()]: value() };
  const id = dice.below(6) === 0 ? '{hidden}' : `{${dice.below(ids)}}`;
  const kinds: (() => { method: string; below: string; body?: object })[] = [
    () => ({
      method: 'POST',
      below: '/data/query',
      body: { filter: filter(), sort: { [name()]: 1 }, with_total: true, limit: 10 },
    }),
    () => ({
      method: 'POST',
      below: '/data/query',
      body: { filter: filter(), fields: { [name()]: dice.below(2) } },
    }),
    () => ({ method: 'POST', below: '/data/count', body: { filter: filter() } }),
    () => ({ method: 'POST', below: '/data/distinct', body: { field: name(), filter: filter() } }),
    () => ({
      method: 'POST',
      below: '/data/aggregate',
      body: {
        group_by: [name()],
        filter: filter(),
        steps: [{ type: dice.of(['count', 'sum', 'max']), input_field: name(), output_field: 'v' }],
      },
    }),
    () => ({ method: 'GET', below: `/data/${id}` }),
    () => ({ method: 'GET', below: `/data/${id}/history` }),
    () => ({
      method: 'PATCH',
      below: `/data/${id}`,
      body: { [dice.of(['$set', '$max', '$unset'])]: { [name()]: dice.below(9) } },
    }),
    () => ({
      method: 'PATCH',
      below: '/data',
      body: { filter: filter(), update: { $set: { [name()]: dice.of(['red', 'gone', 4]) } } },
    }),
    () => ({
      method: 'POST',
      below: '/data',
      body: { records: { team: dice.of(['red', 'blue']), [name()]: dice.of([1, 'x']) } },
    }),
    () => ({
      method: 'POST',
      below: '/data/batch',
      body: {
        operations: [
          { update: { _id: id, update: { $set: { [name()]: 2 } } } },
          { delete: { _id: `{${dice.below(ids)}}` } },
        ],
      },
    }),
    () => ({ method: 'DELETE', below: `/data/${id}` }),
    () => ({ method: 'GET', below: '/export?format=ndjson' }),
    () => ({ method: 'GET', below: '/export?format=csv' }),
    () => ({ method: 'GET', below: '' }),
  ];
  return dice.of(kinds)();
}

describe.each([seedOr(1), seedOr(1) + 1])(
  'Two collections that differ in what a caller may not see (seed %i)',
  seed => {
    let app: TestApp;
    let home: Home;
    beforeAll(async () => {
      app = await startApp();
      home = await newHome(app);
    });

    async function world(hidden: number): Promise<World> {
      const properties = Object.fromEntries(Object.entries(COLUMNS).map(([name, type]) => [name, { type }]));
      const collection = await newCollection(app, home, {
        properties,
        settings: { history_days: 1 },
        indexes: [{ properties: ['team', 'n'] }, { properties: ['secret'] }],
      });
      const { visible, unseen } = records(new Dice(seed), new Dice(hidden));
      const ids = await insert(app, collection, ...visible);
      const [unseenId = randomUUID()] = unseen.length > 0 ? await insert(app, collection, ...unseen) : [];
      const caller = await ruledMember(app, home, collection, 'editor', GRANT);
      return { collection, caller, ids, hidden: unseenId };
    }

    /** The answer without what differs between any two collections. New ids are added to those of the world. */
    async function answer(
      { collection, caller, ids, hidden }: World,
      asked: ReturnType<typeof request>,
    ): Promise<string> {
      const filled = (text: string) =>
        text.replace('{hidden}', hidden).replace(/\{(\d+)\}/g, (_, n) => ids[Number(n)] as string);
      const { status, text, body, headers } = await app.request(
        asked.method,
        filled(`${collection.path}${asked.below}`),
        {
          ...caller,
          ...(asked.body !== undefined && { body: JSON.parse(filled(JSON.stringify(asked.body))) }),
        },
      );
      for (const id of body?.ids ?? []) ids.push(id);
      const numbered = ids.reduce((made, id, n) => made.replaceAll(id, `id${n}`), text);
      return `${status} ${headers.get('content-type')} ${numbered}`
        .replaceAll(collection.id, 'C')
        .replaceAll(collection.name, 'N')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T')
        .replaceAll(
          /"(cursor|next_cursor|prev_cursor|event_id|correlation_id|last_event_id|id)":"[^"]+"/g,
          '"$1":"…"',
        )
        .replaceAll(/"_etag":"\\"[^"]+\\""/g, '"_etag":"…"')
        .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'U');
    }

    it('give equal answers to random requests', async () => {
      const [left, right] = [await world(seed * 2 + 11), await world(seed * 3 + 17)];
      const dice = new Dice(seed + 5);
      const statuses = new Set<string>();
      for (let n = 0; n < REQUESTS; n++) {
        const asked = request(dice, Math.min(left.ids.length, right.ids.length));
        const [one, other] = [await answer(left, asked), await answer(right, asked)];
        expect({ asked, answer: other }).toEqual({ asked, answer: one });
        statuses.add(one.slice(0, 3));
      }
      expect([...statuses].sort()).toEqual(expect.arrayContaining(['200', '403', '404']));
    });
  },
);
