import { describe, expect, it } from 'vitest';
import type { CollectionShape } from '../collection-shape.js';
import { Stale } from '../stale.js';
import { rendered, type Statement } from '../statement.js';
import { CollectionLeases } from './collection-leases.js';
import { type QuotaLease, type UseOutcome, useOutcome } from './quota-lease.js';

const SHAPE = {
  id: '00000000-0000-7000-8000-000000000001',
  orgId: '00000000-0000-7000-8000-000000000002',
  version: 1,
} as CollectionShape;
const MOST = 1_000_000;

/** A database whose statements about leases wait until the test answers them. */
class Database {
  readonly asked: { kind: string; values: readonly unknown[]; answer: (row: unknown) => void }[] = [];
  readonly leases = new CollectionLeases(
    {
      store: {
        write: (_: unknown, statement: Statement) => {
          const { text, values } = rendered(statement);
          const kind = /quota_(\w+)/.exec(text)?.[1] as string;
          return new Promise(answer => this.asked.push({ kind, values, answer }));
        },
      } as never,
      notifications: { isListening: true },
      logger: { debug: () => undefined },
      id: 'holder',
    },
    SHAPE,
  );

  take(count: number) {
    return this.leases.take(SHAPE, MOST, count);
  }

  /** Answers the next statement. Returns its kind; of one that gives capacity back also how much. */
  async answer(row: unknown): Promise<string | undefined> {
    await turn();
    const next = this.asked.shift();
    next?.answer(row);
    await turn();
    return next?.kind === 'give_back' ? `give_back ${next.values[3]}` : next?.kind;
  }

  /** A database with a lease of `granted` records. */
  static async withLease(granted: number): Promise<Database> {
    const database = new Database();
    const taken = database.take(0);
    await database.answer([1, granted]);
    (await taken)?.end(0, 'written');
    return database;
  }
}

const turn = () => new Promise(resolve => setImmediate(resolve));

describe('a lease of the quota', () => {
  it('is extended when half of it is used, and inserts do not wait for that', async () => {
    const database = await Database.withLease(100);
    expect(database.take(50)).toMatchObject({ left: 50 });
    await turn();
    expect(database.asked).toEqual([]);
    expect(database.take(10)).toMatchObject({ left: 40 });
    expect(database.take(10)).toMatchObject({ left: 30 });
    expect(await database.answer([1, 500])).toBe('lease');
    expect(database.take(10)).toMatchObject({ left: 520 });
    await turn();
    expect(database.asked).toEqual([]);
  });

  it('is not extended again after the quota had no capacity for it, and inserts use what it has left', async () => {
    const database = await Database.withLease(10);
    database.take(6);
    await database.answer([1, 0]);
    expect(database.take(4)).toMatchObject({ left: 0 });
    await turn();
    expect(database.asked).toEqual([]);
  });

  it('gives back what it is granted after it was recalled', async () => {
    const database = await Database.withLease(10);
    (database.take(6) as QuotaLease).end(6, 'written');
    await turn();
    void database.leases.giveUp();
    expect(await database.answer([1, 500])).toBe('lease');
    const returned = await Promise.all([database.answer([]), database.answer([])]);
    expect(returned).toEqual(['give_back 4', 'give_back 500']);
  });

  it('does not grow by capacity of another generation', async () => {
    const database = await Database.withLease(10);
    const lease = database.take(6) as QuotaLease;
    await database.answer([2, 500]);
    expect(lease.left).toBe(4);
    expect(await database.answer([])).toBe('give_back 500');
  });
});

/** What an insert of 4 of 10 leased records leaves when it ends, by what happened to the lease meanwhile. */
type Meanwhile = 'kept' | 'given up' | 'given up and leased again';

describe('the use of a lease by an insert', () => {
  it.each<[UseOutcome, Meanwhile, { left?: number; sent: string[] }]>([
    ['written', 'kept', { left: 6, sent: [] }],
    ['refused', 'kept', { left: 10, sent: [] }],
    ['unknown', 'kept', { left: 6, sent: [] }],
    ['stale', 'kept', { sent: ['give_back 10'] }],
    ['written', 'given up', { sent: ['give_back 0'] }],
    ['refused', 'given up', { sent: ['give_back 4'] }],
    ['unknown', 'given up', { sent: ['leases', 'give_back 0'] }],
    ['stale', 'given up', { sent: ['give_back 4'] }],
    ['written', 'given up and leased again', { left: 20, sent: [] }],
    ['refused', 'given up and leased again', { left: 24, sent: [] }],
    ['unknown', 'given up and leased again', { left: 20, sent: [] }],
    ['stale', 'given up and leased again', { left: 20, sent: ['give_back 4'] }],
  ])('%s, when the lease was %s', async (outcome, meanwhile, { left, sent }) => {
    const database = await Database.withLease(10);
    const lease = database.take(4) as QuotaLease;
    if (meanwhile !== 'kept') {
      void database.leases.giveUp();
      expect(await database.answer([])).toBe('give_back 6');
    }
    if (meanwhile === 'given up and leased again') {
      const taken = database.take(0);
      await database.answer([1, 20]);
      (await taken)?.end(0, 'written');
    }
    lease.end(4, outcome);
    const statements: (string | undefined)[] = [];
    for (let next = await database.answer([]); next !== undefined; next = await database.answer([]))
      statements.push(next);
    expect(statements).toEqual(sent);
    const again = database.take(0);
    if (left === undefined) expect(again).toBeInstanceOf(Promise);
    else expect(again).toMatchObject({ left });
  });

  it.each<[UseOutcome, unknown]>([
    ['written', undefined],
    ['refused', Object.assign(new Error('duplicate key'), { code: '23505' })],
    ['stale', new Stale()],
    ['unknown', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })],
    ['unknown', new Error('Connection terminated unexpectedly')],
    ['unknown', Object.assign(new Error('terminating connection'), { code: '57P01' })],
  ])('ends as %s after %s', (outcome, error) => {
    expect(useOutcome(error)).toBe(outcome);
  });
});
