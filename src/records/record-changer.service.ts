import { Injectable } from '@nestjs/common';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import { parseUpdate, type Update } from '../filter/update/index.js';
import type { Call } from '../kernel/call.js';
import { Clock } from '../kernel/clock.js';
import { isUuid } from '../kernel/id.js';
import type { Selection } from '../storage/selection.js';
import { Contention } from './contention.service.js';
import type { UpdatedRecordsView, UpdatedView, UpdateRecordsBody } from './record-changes.dto.js';
import { refusalOf } from './record-errors.js';
import type { AnswerText } from './record-event.js';
import { RecordReader, recordNotFound } from './record-reader.service.js';
import { RecordUpdates } from './record-updates.service.js';
import type { Written } from './record-write.js';
import { selectionByFilter } from './selection-by-filter.js';

/** The text of an `UpdatedView`. */
const updatedText: AnswerText = ({ matched, updated }) =>
  `{"matched_count":${matched},"updated_count":${updated}}`;

/** Changes records that exist, one or all that a filter matches. */
@Injectable()
export class RecordChanger {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly updates: RecordUpdates,
    private readonly reader: RecordReader,
    private readonly contention: Contention,
    private readonly clock: Clock,
  ) {}

  /** Throws 404 `RecordNotFound`; 412 unless the record has one of the `tags`. */
  async update(
    call: Call,
    access: Access,
    recordId: string,
    body: unknown,
    tags?: readonly string[],
  ): Promise<UpdatedView> {
    const update = parseUpdate(body);
    if (!isUuid(recordId)) throw recordNotFound();
    const { matched, updated } = await this.run(call, access, update, { recordId, tags });
    if (matched === 0) return this.reader.refuseMissing(access, recordId, tags);
    return { matched_count: matched, updated_count: updated };
  }

  async updateMany(call: Call, access: Access, body: UpdateRecordsBody): Promise<UpdatedRecordsView> {
    const update = parseUpdate(body.update);
    const selection = selectionByFilter(body);
    const { matched, updated } = await this.run(call, access, update, selection, body.dry_run);
    return { matched_count: matched, updated_count: updated, ...(body.dry_run && { dry_run: true }) };
  }

  private run(
    call: Call,
    access: Access,
    update: Update,
    selection: Selection,
    dryRun?: boolean,
  ): Promise<Written> {
    const now = this.clock.now();
    return this.accesses.fenced(access, ({ collection }, until) => {
      const act = { call, type: 'collections.records.updated' as const, answer: updatedText };
      const write = { act, now, until, rights: call.rights, dryRun };
      const run = () => this.updates.run(collection, update, selection, write);
      return this.contention.settle(collection, until, run, refusalOf(selection));
    });
  }
}
