import { ConflictError, NetworkError, TcError } from '@typed-collections/client';
import { describe, expect, it } from 'vitest';
import { BatchSender } from './batch-sender.js';
import { memoryStorage } from './memory-storage.js';
import { type StagedRows, withNewRecord, withoutRow } from './staged-edits.js';
import { StagedStore } from './staged-store.js';
import { StoredBatch } from './stored-batch.js';
import { editsKey, StoredEdits, sentKey } from './stored-edits.js';

const KEY = editsKey('ada', 'books');

const NEW = { kind: 'inserted', id: 'new', title: 'New' } as const;
const failure = (status: number, code: string) => new TcError('no', { status, code });
const PASSING = [
  new NetworkError('lost', undefined),
  new ConflictError('a request with this key is running', { status: 409, code: 'Conflict' }),
  failure(408, 'RequestTimeout'),
  failure(429, 'TooManyRequests'),
  failure(503, 'ServiceUnavailable'),
];

/** A page that saves to a service that writes each key once. Its answers can be lost, and it can be loaded again. */
function service(storage = memoryStorage()) {
  const written = new Map<string, unknown[]>();
  const answers: { lost?: Error | undefined } = {};
  const send = async (rows: StagedRows, key: string) => {
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
  };
  const page = () => {
    const stored = new StoredEdits(storage, KEY);
    const store = new StagedStore();
    store.replace(stored.read());
    store.subscribe(() => stored.write(store.getState().rows));
    const sender = new BatchSender(store, new StoredBatch(storage, sentKey(KEY)), send);
    return {
      store,
      enter: (n: number, id: string = NEW.id) =>
        store.change(rows => withNewRecord(rows, { ...NEW, id }, { n })),
      save: () => sender.save(async () => undefined),
    };
  };
  return { written, answers, page, ...page() };
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

  it('is sent again with the same key by the page that is loaded again', async () => {
    const { answers, enter, save, page, written } = service();
    enter(1);
    enter(2, 'another');
    answers.lost = new NetworkError('lost', undefined);
    await expect(save()).rejects.toThrow('lost');
    answers.lost = undefined;
    const loaded = page();
    await loaded.save();
    expect([...written.values()]).toEqual([[1, 2]]);
    expect(loaded.store.getState().rows.size).toBe(0);
    loaded.enter(3);
    await loaded.save();
    expect([...written.values()]).toEqual([[1, 2], [3]]);
  });

  it('is sent again as it was by the page that is loaded again, before what was changed since', async () => {
    const { answers, enter, save, page, written } = service();
    enter(1);
    answers.lost = new NetworkError('lost', undefined);
    await expect(save()).rejects.toThrow('lost');
    answers.lost = undefined;
    const loaded = page();
    loaded.enter(2);
    await loaded.save();
    expect([...written.values()]).toEqual([[1], [2]]);
  });

  it('is sent again by the same page if the browser stores nothing', async () => {
    const full = Object.assign(memoryStorage(), {
      setItem: () => {
        throw new Error('full');
      },
    });
    const { answers, enter, save, written } = service(full);
    enter(1);
    answers.lost = new NetworkError('lost', undefined);
    await expect(save()).rejects.toThrow('lost');
    answers.lost = undefined;
    await save();
    expect([...written.values()]).toEqual([[1]]);
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
