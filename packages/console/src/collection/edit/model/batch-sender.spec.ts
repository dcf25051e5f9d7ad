import { ConflictError, NetworkError, TcError } from '@typed-collections/client';
import { describe, expect, it } from 'vitest';
import { BatchSender } from './batch-sender.js';
import { type StagedRows, withNewRecord, withoutRow } from './staged-edits.js';
import { StagedStore } from './staged-store.js';

const NEW = { kind: 'inserted', id: 'new', title: 'New' } as const;
const failure = (status: number, code: string) => new TcError('no', { status, code });
const PASSING = [
  new NetworkError('lost', undefined),
  new ConflictError('a request with this key is running', { status: 409, code: 'Conflict' }),
  failure(408, 'RequestTimeout'),
  failure(429, 'TooManyRequests'),
  failure(503, 'ServiceUnavailable'),
];

/** A service that writes each key once. Its answers can be lost. */
function service() {
  const store = new StagedStore();
  const written = new Map<string, unknown[]>();
  const answers: { lost?: Error | undefined } = {};
  const sender = new BatchSender(store, async (rows: StagedRows, key) => {
    const error = answers.lost;
    if (error !== undefined && !(error instanceof NetworkError)) throw error;
    if (!written.has(key))
      written.set(
        key,
        [...rows.values()].map(({ fields }) => fields.n?.after),
      );
    if (error !== undefined) throw error;
    const results = [...rows.keys()].map(id => ({
      _id: `${id} stored`,
      operation: 'inserted',
      _etag: '"1"',
    }));
    return { event_id: null, results } as never;
  });
  const enter = (n: number, id: string = NEW.id) =>
    store.change(rows => withNewRecord(rows, { ...NEW, id }, { n }));
  const save = () => sender.save(async () => undefined);
  return { store, written, answers, enter, save };
}

describe('a batch whose answer was lost', () => {
  it.each(PASSING)('is sent again with the same key: $code', async error => {
    const { answers, enter, save, written, store } = service();
    enter(1);
    answers.lost = error;
    await expect(save()).rejects.toBe(error);
    answers.lost = undefined;
    await save();
    expect([...written.values()]).toEqual([[1]]);
    expect(store.getState().rows.size).toBe(0);
  });

  it('is sent again first when other changes were staged since, so that nothing is inserted twice', async () => {
    const { answers, enter, save, written, store } = service();
    enter(1);
    answers.lost = new NetworkError('lost', undefined);
    await expect(save()).rejects.toThrow('lost');
    answers.lost = undefined;
    enter(2, 'another');
    await save();
    expect([...written.values()]).toEqual([[1], [2]]);
    expect(store.getState().rows.size).toBe(0);
  });

  it('is not sent again when it was discarded', async () => {
    const { answers, enter, save, written, store } = service();
    enter(1);
    answers.lost = new NetworkError('lost', undefined);
    await expect(save()).rejects.toThrow('lost');
    written.clear();
    answers.lost = undefined;
    store.change(rows => withoutRow(rows, NEW.id));
    enter(2, 'another');
    await save();
    expect([...written.values()]).toEqual([[2]]);
  });
});

it('a refused batch is sent with another key', async () => {
  const { answers, enter, save, written } = service();
  enter(1);
  answers.lost = failure(422, 'UnprocessableEntity');
  await expect(save()).rejects.toThrow('no');
  answers.lost = undefined;
  await save();
  expect(written.size).toBe(1);
});
