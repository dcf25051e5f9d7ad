import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import { Settings } from '../config/settings.js';
import { AccessGuard } from '../http/access/access.guard.js';
import { loggedFailureOf } from '../http/failures.js';
import type { PlatformRequest } from '../http/platform-request.js';
import { claimKey } from '../idempotency/kept-answer.js';
import type { Call } from '../kernel/call.js';
import { deadlineIn } from '../kernel/deadline.js';
import { invalid, PlatformError } from '../kernel/errors.js';
import { Replay } from '../kernel/retry.js';
import { shortened } from '../kernel/shortened.js';
import { Slices } from '../kernel/slices.js';
import type { CollectionShape } from '../storage/collection-shape.js';
import { type CopySession, CopySessions } from '../storage/copy-sessions.js';
import { createStage } from '../storage/copy-stage.js';
import { bodyText } from './body-text.js';
import { CsvDecoder } from './csv-decoder.js';
import type { Decoder } from './decoder.js';
import type { ImportAnswer } from './import-answer.js';
import { ImportMerge } from './import-merge.service.js';
import { ImportStage } from './import-stage.js';
import { type LastingAccess, LastingAccesses } from './lasting-access.service.js';
import { NdjsonDecoder } from './ndjson-decoder.js';
import { RowErrors } from './row-errors.js';
import type { Merged } from './staged-import.js';
import type { ImportRecordsQuery } from './transfer.dto.js';

/** Rows between two lines of progress. */
const PROGRESS_EVERY = 10_000;

/** One import under way. */
interface Import {
  readonly call: Call;
  readonly access: Access;
  readonly query: ImportRecordsQuery;
  readonly request: PlatformRequest;
  readonly answer: ImportAnswer;
  readonly lasting: LastingAccess;
  readonly errors: RowErrors;
  rows: number;
}

/**
 * Imports: the file is read as it comes, judged and staged; when all of it has come and is fit, it becomes records in one
 * transaction. Whatever ends it before that leaves nothing.
 */
@Injectable()
export class Imports {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly sessions: CopySessions,
    private readonly merge: ImportMerge,
    private readonly lasting: LastingAccesses,
    private readonly settings: Settings,
    private readonly guard: AccessGuard,
  ) {}

  async run(
    call: Call,
    access: Access,
    query: ImportRecordsQuery,
    request: PlatformRequest,
    answer: ImportAnswer,
  ): Promise<void> {
    refuseOtherKeys(access, query);
    const lasting = this.lasting.of(request, access);
    const running = { call, access, query, request, answer, lasting, errors: new RowErrors(), rows: 0 };
    try {
      const merged = await this.inSession(running);
      answer.end(done(running, merged));
    } catch (error) {
      if (answer.isGone) return;
      // What the client still sends is let go, so that it comes to reading the answer.
      request.resume();
      if (!answer.hasBegun) throw error;
      const failure = await this.guard.afterFailure(error, request);
      if (failure instanceof Replay) answer.repeat(failure.answerText);
      else answer.end({ ok: false, ...summary(running), ...this.refusal(failure, call) });
    }
  }

  private async inSession(running: Import): Promise<Merged> {
    const { principal, collection } = running.access;
    const purpose = { kind: 'import' as const, orgId: collection.orgId, callerId: principal.id };
    const session = await this.sessions.start(purpose, 0);
    try {
      return await this.staged(running, session);
    } finally {
      await session.close();
    }
  }

  private async staged(running: Import, session: CopySession): Promise<Merged> {
    const { call, access, query, errors } = running;
    const stage = new ImportStage(session, access.collection, query.upsert_key, errors);
    await createStage(session);
    await this.read(running, stage);
    await stage.flush();
    if (!query.dry_run) await claimKey(session, call);
    await session.query('SAVEPOINT staged');
    errors.mark();
    const skip = query.on_error === 'skip';
    const staged = {
      ...running,
      session,
      ranges: stage.ranges,
      fit: stage.fit,
      key: query.upsert_key,
      skip,
      dryRun: query.dry_run,
      confirm: running.lasting.decided,
      summary: (merged: Merged) => done(running, merged),
    };
    const work = (current: Access) => {
      refuseOtherSchema(access.collection, current.collection);
      refuseOtherKeys(current, query);
      return this.merge.run(staged, current.collection);
    };
    const until = deadlineIn(this.settings.TRANSFER_MAX_SECONDS * 1_000);
    return this.accesses.fenced(await running.lasting.decided(), work, until);
  }

  private async read(running: Import, stage: ImportStage): Promise<void> {
    const { call, access, request, query, errors, answer, lasting } = running;
    const decoder = decoderFor(request, access.collection);
    const slices = new Slices();
    for await (const [piece, isLast] of withEnd(bodyText(request, this.settings, call.retry?.digest))) {
      for (const sent of decoder.take(piece, isLast)) {
        const pause = slices.pause();
        if (pause !== undefined) await pause;
        await stage.add(sent);
        running.rows += 1;
        if (running.rows % PROGRESS_EVERY === 0) answer.progress('reading', running.rows);
      }
      await lasting.renewed();
      if (errors.rows > 0 && query.on_error === 'abort') throw errors.refusal();
      this.refuseTooMany(running, stage);
    }
  }

  /** What cannot fit is not read to its end. */
  private refuseTooMany({ access, query, rows }: Import, { fit }: ImportStage): void {
    const { settings, uniques } = access.collection;
    const max = settings.max_records;
    if (query.mode === 'append' && fit > max && (query.on_error === 'abort' || uniques.length === 0)) {
      throw new PlatformError(
        'CollectionFull',
        `The file holds more records than the collection may: ${max}.`,
        {
          max_records: max,
        },
      );
    }
    const most = this.settings.COLLECTION_MAX_RECORDS_LIMIT;
    if (rows > most) throw new PlatformError('PayloadTooLarge', `An import has at most ${most} rows.`);
  }

  /** The same as the error filter says where the status can still tell. */
  private refusal(thrown: unknown, { correlationId }: Call): object {
    const { code, message, details } = loggedFailureOf(thrown, correlationId);
    return { error: code, message, ...(Array.isArray(details) ? { errors: details } : { details }) };
  }
}

/** The last line of an import that was done. */
function done(running: Import, merged: Merged): object {
  return { ok: true, ...summary(running, merged) };
}

/** The lines that end an import, of whichever kind. */
function summary({ query, rows, errors }: Import, merged?: Merged): object {
  const { written = 0, inserted = 0 } = merged ?? {};
  return {
    mode: query.mode,
    dry_run: query.dry_run,
    rows,
    inserted,
    updated: written - inserted,
    skipped: merged === undefined ? 0 : errors.rows,
    errors: errors.told,
  };
}

/** The pieces of a text, and an empty one that is the last. */
async function* withEnd(text: AsyncIterable<string>): AsyncGenerator<readonly [string, boolean]> {
  for await (const piece of text) yield [piece, false];
  yield ['', true];
}

function decoderFor({ headers }: IncomingMessage, shape: CollectionShape): Decoder {
  return headers['content-type']?.trim().toLowerCase().startsWith('text/csv')
    ? new CsvDecoder(shape)
    : new NdjsonDecoder();
}

function refuseOtherKeys({ collection }: Access, { mode, upsert_key: key }: ImportRecordsQuery): void {
  if (mode === 'append') {
    if (key !== undefined) throw invalid('upsert_key: goes with mode=upsert only');
    return;
  }
  if (key === undefined) throw invalid('upsert_key: mode=upsert needs the column that tells records apart');
  const isUnique = collection.uniques.some(
    ({ properties }) => properties.length === 1 && properties[0] === key,
  );
  if (!isUnique)
    throw invalid(`upsert_key: ${JSON.stringify(shortened(key))} is no column with a unique of its own`);
}

/** Records were judged by the schema as it was when they began to come. */
function refuseOtherSchema(before: CollectionShape, after: CollectionShape): void {
  if (JSON.stringify(before.columns) === JSON.stringify(after.columns)) return;
  throw new PlatformError(
    'Conflict',
    'The schema was changed while the file was being read; nothing was written. Send it again.',
  );
}
