import { Injectable } from '@nestjs/common';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import { Secrets } from '../config/secrets.js';
import { invalid } from '../kernel/errors.js';
import { isUuid } from '../kernel/id.js';
import { JsonText } from '../kernel/json.js';
import { SignedCursor } from '../kernel/signed-cursor.js';
import { recordNotFound } from '../records/query/query-records.service.js';
import { historyStatement, type VersionRow } from '../storage/history/record-history.js';
import { queryRefusal } from '../storage/query-refusal.js';
import { RecordStore } from '../storage/record-store.js';
import type { RecordHistoryQuery } from './history.dto.js';

/** Length of a position: the number of a version. */
const POSITION_BYTES = 4;

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
  async list(access: Access, recordId: string, { limit, cursor }: RecordHistoryQuery): Promise<JsonText> {
    if (!isUuid(recordId)) throw recordNotFound();
    const list = `${access.collection.id} ${recordId.toLowerCase()}`;
    const before = cursor ? this.opened(cursor, list) : undefined;
    const query = { recordId, limit: limit + 1, before };
    const rows = await this.accesses.withVersionCheck(access, async (current, until) => {
      try {
        const statement = historyStatement(current.collection, query);
        return await this.store.read(current.collection, statement, until, { caller: access.caller });
      } catch (error) {
        throw queryRefusal(error);
      }
    });
    const found = (rows as unknown as VersionRow[]).filter(([, version]) => version !== null);
    if (found.length === 0 && before === undefined) throw recordNotFound().proven();
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const isMore = found.length > limit || rows.isCut === true;
    const next = isMore && last !== undefined ? JSON.stringify(this.signed(last[1], list)) : 'null';
    return new JsonText(`{"items":[${page.map(itemText).join(',')}],"next_cursor":${next}}`);
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
function itemText([
  record,
  version,
  from,
  to,
  operation,
  actor,
  eventId,
  correlationId,
  changed,
]: VersionRow): string {
  const known = {
    version,
    valid_from: from,
    valid_to: to,
    operation,
    event_id: eventId,
    correlation_id: correlationId,
  };
  return `${JSON.stringify(known).slice(0, -1)},"actor":${actorText(actor)},"changed":${changed},"record":${record}}`;
}

function actorText(actor: string | null): string {
  if (actor === null) return 'null';
  const { type, id, via } = JSON.parse(actor);
  return JSON.stringify({ type, id, via });
}
