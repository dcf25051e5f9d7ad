import type { AnyCollection, Collection } from '@typed-collections/client';
import { noticeFailure } from '../../api/query-client.js';
import { MAX_CHARACTERS } from '../values/cell-value.js';
import type { GridRecord, LoadedPage, PageStart } from './page-slot.js';

const PAGE_ROWS = 200;

/** The list that the grid shows. */
export interface ListQuery {
  readonly filter: Readonly<Record<string, unknown>> | undefined;
  readonly sort: Record<string, 1 | -1> | undefined;
  readonly fields: Record<string, 0> | undefined;
  /** The instant whose records are shown; undefined for now. */
  readonly asOf?: string | undefined;
}

/** Reads pages of a list: long values cut by the service, each record with its tag. */
export function pageLoader(
  collection: Collection<AnyCollection>,
  { filter, sort, fields, asOf }: ListQuery,
): (start: PageStart, signal?: AbortSignal) => Promise<LoadedPage> {
  return async (start, signal) => {
    const query = collection.find(filter, {
      sort,
      fields,
      asOf,
      signal,
      preview: MAX_CHARACTERS,
      withEtags: true,
    });
    try {
      const page = await query.page({ ...start, limit: PAGE_ROWS });
      const { records, next_cursor: next = null, prev_cursor: previous = null } = page;
      return { records: records as GridRecord[], next, previous };
    } catch (error) {
      noticeFailure(error);
      throw error;
    }
  };
}
