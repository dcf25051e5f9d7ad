import {
  HistoryUnavailableError,
  RecordNotFoundError,
  type RecordVersion,
  UndoConflictError,
} from '@typed-collections/client';
import { beforeEach, describe, expect, it } from 'vitest';
import { failureOf, newLibrary, type TestLibrary } from './library.js';

let library: TestLibrary;
let books: TestLibrary['books'];
let id: string;
let before: string;
beforeEach(async () => {
  library = await newLibrary();
  books = library.books;
  const { ids } = await books.insert([
    { title: 'Emma', year: 1815 },
    { title: 'Ulysses', year: 1922 },
  ]);
  id = ids[0] as string;
  before = (await books.get(ids[1] as string)).updated_at;
  await passed(before);
});

/** Waits until the clock of the database is past an instant. */
async function passed(instant: string): Promise<void> {
  await library.app.sql('SELECT pg_sleep(greatest(0, extract(epoch FROM $1::timestamptz - now()) + 0.01))', [
    instant,
  ]);
}

async function versionsOf(record: string): Promise<RecordVersion<never>[]> {
  const found = [];
  for await (const version of books.history(record)) found.push(version);
  return found as never;
}

/** The write that made the newest version of a record. */
async function lastWrite(record: string) {
  const [{ event_id, correlation_id, actor } = {} as never] = await versionsOf(record);
  if (event_id === null || correlation_id === null || actor === null)
    throw new Error('no event names the record');
  return { event_id, correlation_id, actor };
}

describe('reads with asOf', () => {
  beforeEach(() => books.updateMany({}, { $set: { year: 2000 } }, { allowMatchAll: true }));

  it('return the records as they were', async () => {
    const then = { asOf: before };
    expect((await books.get(id, then)).year).toBe(1815);
    expect((await books.find({ year: 1922 }, then).toArray()).map(({ title }) => title)).toEqual(['Ulysses']);
    expect(await books.count({ year: 2000 }, then)).toBe(0);
    expect(await books.distinct('year', {}, then)).toEqual([1815, 1922]);
    const steps = [{ type: 'max', input_field: 'year', output_field: 'last' }] as const;
    expect(await books.aggregate({ steps }, then)).toEqual([{ last: 1922 }]);
    expect(await books.export({ ...then, fields: ['year'], format: 'csv' }).text()).toContain('1815');
    expect(await books.count({ year: 2000 })).toBe(2);
  });

  it('are refused before the history begins', async () => {
    const refused = await failureOf(books.count({}, { asOf: '2020-01-01T00:00:00Z' }));
    expect(refused).toBeInstanceOf(HistoryUnavailableError);
    expect(Date.parse((refused as HistoryUnavailableError).details.earliest as string)).toBeGreaterThan(0);
  });
});

describe('history', () => {
  it('returns all versions, the newest first, over all pages', async () => {
    for (let n = 0; n < 101; n++) await books.update(id, { $inc: { year: 1 } });
    const versions = await versionsOf(id);
    expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: 102 }, (_, n) => 102 - n));
    expect(versions[0]).toMatchObject({ operation: 'updated', valid_to: null, changed: ['year'] });
    expect(versions.at(-1)).toMatchObject({ operation: 'inserted', record: { title: 'Emma', year: 1815 } });
  });
});

describe('undo', () => {
  it('puts back what a write replaced, first as a dry run, and can be undone', async () => {
    await books.updateMany({}, { $set: { year: 0 } }, { allowMatchAll: true });
    const { event_id } = await lastWrite(id);
    const target = { eventIds: [event_id] };
    expect(await books.undo(target, { dryRun: true })).toMatchObject({ undone: 2, event_id: null });
    expect(await books.count({ year: 0 })).toBe(2);
    const undone = await books.undo(target);
    expect(undone).toMatchObject({ undone: 2, skipped: 0, conflicts: [] });
    expect((await books.get(id)).year).toBe(1815);
    await books.undo({ eventIds: [undone.event_id as string] });
    expect(await books.count({ year: 0 })).toBe(2);
  });

  it('finds all writes that were sent with one correlation id', async () => {
    const correlationId = crypto.randomUUID();
    await books.updateMany({ title: 'Emma' }, { $set: { year: 0 } }, { correlationId });
    await books.bulk([{ title: 'Dubliners' }], { correlationId });
    await books.import('title,year\nPersuasion,1817\nSanditon,1817\n', { correlationId });
    expect((await lastWrite(id)).correlation_id).toBe(correlationId);
    expect(await books.undo({ correlationId })).toMatchObject({ undone: 4, conflicts: [] });
    expect(await books.count()).toBe(2);
    expect((await books.get(id)).year).toBe(1815);
  });

  it('throws an UndoConflictError with the records that were written since, unless it may skip or force', async () => {
    await books.update(id, { year: 1 });
    const { event_id, correlation_id } = await lastWrite(id);
    await books.update(id, { year: 2 });
    const target = { eventIds: [event_id] };
    const refused = await failureOf(books.undo(target));
    expect(refused).toBeInstanceOf(UndoConflictError);
    expect((refused as UndoConflictError).details).toMatchObject([
      { record_id: id, reason: 'changed_since' },
    ]);
    expect(await books.undo(target, { onConflict: 'skip' })).toMatchObject({ undone: 0, skipped: 1 });
    expect((await books.get(id)).year).toBe(2);
    expect(await books.undo({ correlationId: correlation_id }, { onConflict: 'force' })).toMatchObject({
      undone: 1,
    });
    expect((await books.get(id)).year).toBe(1815);
  });

  it('undoes all writes of a caller since an instant', async () => {
    await books.update(id, { year: 1 });
    await books.insert({ title: 'Dubliners' });
    const { actor } = await lastWrite(id);
    const since = new Date(Date.parse(before) + 1).toISOString();
    expect(await books.undo({ actor, since })).toMatchObject({ undone: 2 });
    expect((await books.get(id)).year).toBe(1815);
    expect(await books.count()).toBe(2);
  });
});

describe('restore and erase', () => {
  it('make the matching records what they were, and remove one for good', async () => {
    await books.update(id, { year: 1 });
    await books.delete(id);
    expect(await books.restore(before, { title: 'Emma' }, { dryRun: true })).toMatchObject({ restored: 1 });
    expect(await failureOf(books.get(id))).toBeInstanceOf(RecordNotFoundError);
    expect(await books.restore(before, { title: 'Emma' })).toMatchObject({ restored: 1, deleted: 0 });
    expect((await books.get(id)).year).toBe(1815);
    expect((await books.erase(id)).erased_versions).toBeGreaterThan(0);
    expect(await failureOf(versionsOf(id))).toBeInstanceOf(RecordNotFoundError);
  });
});
