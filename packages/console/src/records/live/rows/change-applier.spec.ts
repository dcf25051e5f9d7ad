import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RecordChange } from '../feed/ports.js';
import { ChangeApplier } from './change-applier.js';
import { LIVE_MARK, type LiveRecord } from './live-rows.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Row extends LiveRecord {
  readonly name: string;
}

const change = (type: RecordChange['type'], record_id: string): RecordChange => ({
  id: `${type} ${record_id}`,
  type,
  record_id,
  changed_at: '2026-01-31T09:30:00.250Z',
  record: {},
});

/** A grid that shows some of the records of a list. Records whose name begins with x do not match its filter. */
function grid(shown: string[]) {
  const stored = new Map<string, Row>();
  const visible = new Map<string, Row>(shown.map(_id => [_id, { _id, name: 'old' }]));
  const requests: string[] = [];
  let refreshes = 0;
  const news: number[] = [];
  const failures: unknown[] = [];
  /** What happens after a request was answered, and before its answer is there. */
  const meanwhile: { told?: () => void; fails?: boolean } = {};
  const applier = new ChangeApplier<Row>(
    () => ({
      knows: id => visible.has(id),
      update: (id, replace) => {
        const row = visible.get(id);
        if (row !== undefined) visible.set(id, replace(row));
        return row !== undefined;
      },
      read: async ids => {
        requests.push(`read ${ids.length}`);
        if (meanwhile.fails) throw new Error('no answer');
        const records = ids.flatMap(id => stored.get(id) ?? []);
        await null;
        meanwhile.told?.();
        return records;
      },
      matching: async ids => {
        requests.push(`match ${ids.length}`);
        await null;
        meanwhile.told?.();
        return ids.filter(id => !stored.get(id)?.name.startsWith('x'));
      },
      refresh: () => {
        refreshes += 1;
      },
    }),
    count => news.push(count),
    error => failures.push(error),
  );
  const write = (_id: string, name: string) => stored.set(_id, { _id, name });
  return { meanwhile, applier, visible, requests, news, failures, write, refreshes: () => refreshes };
}

describe('changes of records', () => {
  it('replace the row as the grid reads it, and mark it for a while', async () => {
    const { applier, visible, write, requests } = grid(['a', 'b']);
    write('a', 'new');
    applier.apply([change('updated', 'a'), change('updated', 'a'), change('updated', 'elsewhere')]);
    await vi.advanceTimersByTimeAsync(200);
    expect(requests).toEqual(['read 1']);
    expect(visible.get('a')).toEqual({ _id: 'a', name: 'new', [LIVE_MARK]: 'changed' });
    expect(JSON.stringify(visible.get('a'))).toBe('{"_id":"a","name":"new"}');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(visible.get('a')?.[LIVE_MARK]).toBeUndefined();
    expect(visible.get('b')?.name).toBe('old');
  });

  it('mark a deleted row, and keep the mark', async () => {
    const { applier, visible, requests } = grid(['a']);
    applier.apply([change('updated', 'a'), change('deleted', 'a')]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(visible.get('a')).toEqual({ _id: 'a', name: 'old', [LIVE_MARK]: 'deleted' });
    expect(requests).toEqual([]);
  });

  it('count new records that match the filter, until they are shown or gone', async () => {
    const { applier, write, news } = grid([]);
    for (const id of ['a', 'b', 'c']) write(id, id === 'c' ? 'x' : 'y');
    applier.apply(['a', 'b', 'c'].map(id => change('inserted', id)));
    await vi.advanceTimersByTimeAsync(200);
    expect(news).toEqual([2]);
    applier.apply([change('deleted', 'b')]);
    expect(news).toEqual([2, 1]);
    applier.forgetNews();
    expect(news).toEqual([2, 1, 0]);
  });

  it('leave a record gone that is deleted while an older answer is under way', async () => {
    const { applier, visible, write, news, meanwhile } = grid(['a']);
    write('a', 'new');
    write('b', 'y');
    meanwhile.told = () => applier.apply([change('deleted', 'a'), change('deleted', 'b')]);
    applier.apply([change('updated', 'a'), change('inserted', 'b')]);
    await vi.advanceTimersByTimeAsync(200);
    expect(visible.get('a')).toEqual({ _id: 'a', name: 'old', [LIVE_MARK]: 'deleted' });
    expect(news.filter(count => count > 0)).toEqual([]);
  });

  it('are read again if the service did not answer', async () => {
    const { applier, visible, write, failures, meanwhile } = grid(['a', 'b']);
    write('a', 'new');
    write('b', 'new');
    meanwhile.fails = true;
    applier.apply([change('updated', 'a')]);
    await vi.advanceTimersByTimeAsync(200);
    expect(failures).toHaveLength(1);
    meanwhile.fails = false;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(visible.get('a')?.name).toBe('new');
  });

  it('are read in parts, and as pages if they are very many', async () => {
    const ids = Array.from({ length: 1_001 }, (_, index) => `r${index}`);
    const { applier, requests, refreshes } = grid(ids);
    applier.apply(ids.slice(0, 450).map(id => change('updated', id)));
    await vi.advanceTimersByTimeAsync(200);
    expect(requests).toEqual(['read 200', 'read 200', 'read 50']);
    expect(refreshes()).toBe(0);
    applier.apply(ids.map(id => change('updated', id)));
    await vi.advanceTimersByTimeAsync(200);
    expect(requests).toHaveLength(3);
    expect(refreshes()).toBe(1);
  });
});
