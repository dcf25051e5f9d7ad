import { Injectable } from '@nestjs/common';
import { invalid } from '../../base/kernel/errors.js';
import { isUuid } from '../../base/kernel/id.js';
import { type JsonText, jsonList } from '../../base/kernel/json.js';
import { SignedCursor } from '../../base/kernel/signed-cursor.js';
import { historyStatement, type RecordVersion } from '../../engine/storage/history/record-history.js';
import { queryRefusal } from '../../engine/storage/query-refusal.js';
import { RecordStore } from '../../engine/storage/record-store.js';
import { Secrets } from '../../platform/config/secrets.js';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import { recordNotFound } from '../records/query/query-records.service.js';
import type { RecordVersionsQuery } from './history.dto.js';

/** Length of a position: the number of a version. */
const POSITION_BYTES = 4;

/** A page of the versions of a record. */
interface HistoryPage {
  /** JSON texts of `RecordVersionView`s, the newest first. */
  readonly items: readonly string[];
  /** The cursor that continues after this many items, at least one; null when there are no older versions. */
  next(shown: number): string | null;
}

/** The versions of a record, with the writes that made them. */
@Injectable()
export class RecordHistory {
  private readonly cursor: SignedCursor;

  constructor(
    private readonly accesses: CollectionAccess,
    private readonly store: RecordStore,
    secrets: Secrets,
  ) {
    this.cursor = new SignedCursor(secrets.derive('history-cursor'), POSITION_BYTES);
  }

  /** Throws 404 `RecordNotFound` when nothing is known of the record. */
  async list(access: Access, recordId: string, query: RecordVersionsQuery): Promise<JsonText> {
    const { items, next } = await this.page(access, recordId, query);
    return jsonList('{"items":', items, `,"next_cursor":${JSON.stringify(next(items.length))}}`);
  }

  /**
   * Like `list`, for callers that show only some of the items. Reads at least one version, and ends the page after
   * `maxBytes` or a megabyte, whichever is more.
   */
  async page(
    access: Access,
    recordId: string,
    { limit, cursor }: RecordVersionsQuery,
    maxBytes?: number,
  ): Promise<HistoryPage> {
    if (!isUuid(recordId)) throw recordNotFound();
    const list = `${access.collection.id} ${recordId.toLowerCase()}`;
    const before = cursor ? this.opened(cursor, list) : undefined;
    const query = { recordId, limit: limit + 1, before };
    const found = await this.accesses.withVersionCheck(access, async (current, until) => {
      try {
        const statement = historyStatement(current.collection, query);
        return await this.store.read(current.collection, statement, until, {
          caller: access.caller,
          maxBytes,
        });
      } catch (error) {
        throw queryRefusal(error);
      }
    });
    const { versions, isCut } = found;
    if (versions.length === 0 && before === undefined) throw recordNotFound().proven();
    const page = versions.slice(0, limit);
    const isMore = versions.length > limit || isCut;
    const next = (shown: number) => {
      const last = shown < page.length || isMore ? page[shown - 1] : undefined;
      return last === undefined ? null : this.signed(last.version, list);
    };
    return { items: page.map(itemText), next };
  }

  private signed(version: number, list: string): string {
    const position = Buffer.alloc(POSITION_BYTES);
    position.writeInt32BE(version);
    return this.cursor.sign(position, list);
  }

  private opened(cursor: string, list: string): number {
    const position = this.cursor.open(cursor, list);
    if (position === undefined) throw invalid('cursor: is not a cursor of the history of this record.');
    return position.readInt32BE();
  }
}

/** The text of a `RecordVersionView`. The record is the text that PostgreSQL has built. */
function itemText({ record, changed, actor, ...made }: RecordVersion): string {
  const view = {
    version: made.version,
    valid_from: made.validFrom,
    valid_to: made.validTo,
    operation: made.operation,
    event_id: made.eventId,
    correlation_id: made.correlationId,
  };
  return `${JSON.stringify(view).slice(0, -1)},"actor":${actorText(actor)},"changed":${changed},"record":${record}}`;
}

function actorText(actor: string | null): string {
  if (actor === null) return 'null';
  const { type, id, via } = JSON.parse(actor);
  return JSON.stringify({ type, id, via });
}
