import type { AnyCollection, Collection } from '@typed-collections/client';
import { parts } from '../live/rows/change-applier.js';
import { LIVE_MARK, type LiveRows } from '../live/rows/live-rows.js';
import { type Live, useLive } from '../live/use-live.js';
import { type ListQuery, pageLoader } from '../window/load-page.js';
import type { GridRecord, LoadedPage } from '../window/page-slot.js';
import type { RecordWindow } from '../window/record-window.js';

interface GridLiveOptions {
  readonly collectionId: string;
  readonly collection: Collection<AnyCollection>;
  readonly window: RecordWindow;
  /** The name of the list that the window shows. */
  readonly list: string;
  readonly filter: ListQuery['filter'];
  readonly fields: ListQuery['fields'];
  /** True while changes are not followed: the window shows records as they were. */
  readonly isPaused: boolean;
}

interface GridLive {
  readonly live: Live;
  /** Reads records that the window has again, after this page has written them. Those that are gone are marked. */
  readonly reread: (ids: readonly string[]) => Promise<void>;
}

/** Live changes of the records that the window has. */
export function useGridLive({
  collectionId,
  collection,
  window,
  list,
  filter,
  fields,
  isPaused,
}: GridLiveOptions): GridLive {
  const rows: LiveRows<GridRecord> = {
    knows: id => window.indexOf(id) !== undefined,
    update: (id, change) => window.update(id, change),
    read: async (ids, signal) => {
      const load = pageLoader(collection, { filter: { _id: { $in: ids } }, sort: undefined, fields });
      const records: GridRecord[] = [];
      // A page ends before the service sends more than it may at once: what is left is not deleted.
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: LoadedPage = await load({ cursor }, signal);
        records.push(...page.records);
        cursor = page.next;
      }
      return records;
    },
    matching: async (ids, signal) => {
      const matches = { $and: [{ _id: { $in: ids } }, filter ?? {}] };
      const query = collection.find(matches, { fields: ['_id'], signal });
      const { records } = await query.page({ cursor: '', limit: ids.length });
      return records.map(({ _id }) => String(_id));
    },
    refresh: () => window.refresh(),
  };
  return {
    live: useLive({ collectionId, list, rows, isPaused }),
    reread: async ids => {
      const shown = ids.filter(rows.knows);
      const known = new Map<string, GridRecord>();
      for (const part of parts(shown)) {
        for (const record of await rows.read(part)) known.set(record._id, record);
      }
      for (const id of shown)
        rows.update(id, record => known.get(id) ?? { ...record, [LIVE_MARK]: 'deleted' });
    },
  };
}
