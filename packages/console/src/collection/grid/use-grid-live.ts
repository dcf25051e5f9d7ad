import type { AnyCollection, Collection } from '@typed-collections/client';
import type { LiveRows } from '../live/rows/live-rows.js';
import { type Live, useLive } from '../live/use-live.js';
import { type ListQuery, pageLoader } from './window/load-page.js';
import type { GridRecord } from './window/page-slot.js';
import type { RecordWindow } from './window/record-window.js';

interface GridLiveOptions {
  readonly collectionId: string;
  readonly collection: Collection<AnyCollection>;
  readonly window: RecordWindow;
  /** The name of the list that the window shows. */
  readonly list: string;
  readonly filter: ListQuery['filter'];
  readonly fields: ListQuery['fields'];
}

/** Live changes of the records that the window has. */
export function useGridLive({
  collectionId,
  collection,
  window,
  list,
  filter,
  fields,
}: GridLiveOptions): Live {
  const rows: LiveRows<GridRecord> = {
    knows: id => window.indexOf(id) !== undefined,
    update: (id, change) => window.update(id, change),
    read: async (ids, signal) => {
      const load = pageLoader(collection, { filter: { _id: { $in: ids } }, sort: undefined, fields });
      return (await load({ cursor: '' }, signal)).records;
    },
    matching: async (ids, signal) => {
      const matches = { $and: [{ _id: { $in: ids } }, filter ?? {}] };
      const query = collection.find(matches, { fields: ['_id'], signal });
      const { records } = await query.page({ cursor: '', limit: ids.length });
      return records.map(({ _id }) => String(_id));
    },
    refresh: () => window.refresh(),
  };
  return useLive(collectionId, list, rows);
}
