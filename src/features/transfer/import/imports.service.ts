import { Injectable } from '@nestjs/common';
import type { Deadline } from '../../../base/kernel/bounds/deadline.js';
import { Slices } from '../../../base/kernel/bounds/slices.js';
import { type Call, Replay } from '../../../base/kernel/call.js';
import { newId } from '../../../base/kernel/id.js';
import { type CopySession, CopySessions } from '../../../engine/storage/copy/copy-sessions.js';
import { createStage } from '../../../engine/storage/copy/copy-stage.js';
import { Settings } from '../../../platform/config/settings.js';
import { AccessGuard } from '../../../platform/http/access/access.guard.js';
import { loggedFailureOf } from '../../../platform/http/failures.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { claimKey } from '../../../platform/idempotency/stored-responses.js';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import { type LastingAccess, LastingAccesses } from '../long-transfer.js';
import type { ImportRecordsQuery } from '../transfer.dto.js';
import { bodyText } from './body-text.js';
import { FieldNotes } from './field-notes.js';
import { decoderFor } from './file-decoder.js';
import { type ImportAnswer, RowErrors } from './import-answer.js';
import { ImportMerge } from './import-merge.service.js';
import { refuseOtherKeys, refuseOtherSchema, refuseTooMany } from './import-refusals.js';
import { ImportStage } from './import-stage.js';
import type { Merged } from './merge-ranges.js';
import { RefusedRows } from './refused-rows.js';

/** Number of rows between two progress lines. */
const PROGRESS_EVERY = 10_000;

interface Import {
  readonly call: Call;
  readonly access: Access;
  readonly query: ImportRecordsQuery;
  readonly request: PlatformRequest;
  readonly answer: ImportAnswer;
  readonly lasting: LastingAccess;
  readonly errors: RowErrors;
  readonly notes: FieldNotes;
  rows: number;
}

/**
 * Imports files. Rows are validated and staged in a temporary table while the file arrives. At its end they are written
 * in one transaction, so an import that fails leaves nothing.
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
    const notes = new FieldNotes(access.collection);
    const begun = { call, access, query, request, answer, lasting, notes };
    const running: Import = { ...begun, errors: new RowErrors(), rows: 0 };
    try {
      const merged = await this.inSession(running);
      answer.end(done(running, merged));
    } catch (error) {
      if (answer.isDisconnected) return;
      // Discards the rest of the body, so that the client finishes sending and reads the answer.
      request.resume();
      if (!answer.hasBegun) throw error;
      const failure = await this.guard.afterFailure(error, request);
      if (failure instanceof Replay) answer.repeat(failure.answerText);
      else answer.end({ ok: false, ...summary(running), ...this.refusal(failure, call) });
    }
  }

  private async inSession(running: Import): Promise<Merged> {
    const { access, query, answer, errors, notes } = running;
    const { principal, collection } = access;
    const purpose = { kind: 'import' as const, orgId: collection.orgId, callerId: principal.id };
    const session = await this.sessions.start(purpose, 0);
    try {
      const refused = query.refused === 'all' ? new RefusedRows(session, answer) : undefined;
      const stage = new ImportStage(session, collection, query.upsert_key, errors, notes, refused);
      const merging = this.merged(running, session, stage, refused);
      if (refused === undefined) return await merging;
      const sendRefused = () => answer.stream(refused.unsent(stage.ranges), this.settings, session.endsAt);
      return await this.mergedAndReported(running, stage, merging, sendRefused);
    } finally {
      await session.close();
    }
  }

  /** Ends the transaction, and then sends the refused rows that were not sent before. */
  private async mergedAndReported(
    { call, query, request, answer }: Import,
    stage: ImportStage,
    merging: Promise<Merged>,
    sendRefused: () => Promise<void>,
  ): Promise<Merged> {
    const merged = await merging.catch(async error => {
      request.resume();
      // The failure is the more important message, so it is sent even if the rows cannot be sent.
      if (!answer.isDisconnected)
        await stage
          .endUnmerged()
          .then(sendRefused)
          .catch(() => undefined);
      throw error;
    });
    try {
      if (query.dry_run) await stage.endUnmerged();
      await sendRefused();
    } catch (error) {
      if (query.dry_run || answer.isDisconnected) throw error;
      // The records are written, so the answer must not report a failure, and must not look complete.
      loggedFailureOf(error, call.correlationId);
      answer.disconnect();
      throw error;
    }
    return merged;
  }

  private async merged(
    running: Import,
    session: CopySession,
    stage: ImportStage,
    refused: RefusedRows | undefined,
  ): Promise<Merged> {
    const { call, access, query, errors } = running;
    await createStage(session, refused !== undefined);
    await this.read(running, stage, session.endsAt);
    await stage.end();
    if (!query.dry_run) await claimKey(session, call);
    await session.query('SAVEPOINT staged');
    errors.mark();
    const skip = query.on_error === 'skip';
    const staged = {
      ...running,
      session,
      refused,
      ranges: stage.ranges,
      fit: stage.fit,
      key: query.upsert_key,
      skip,
      dryRun: query.dry_run,
      eventId: newId(),
      confirm: running.lasting.decided,
      summary: (merged: Merged) => done(running, merged),
    };
    const work = (current: Access) => {
      refuseOtherSchema(access.collection, current.collection);
      refuseOtherKeys(current, query);
      return this.merge.run(staged, current.collection);
    };
    return this.accesses.withVersionCheck(await running.lasting.decided(), work, session.endsAt);
  }

  private async read(running: Import, stage: ImportStage, endsAt: Deadline): Promise<void> {
    const { call, access, request, query, errors, answer, lasting } = running;
    const decoder = decoderFor({
      ...{
        contentType: request.headers['content-type'],
        shape: access.collection,
        query,
        notes: running.notes,
      },
    });
    const slices = new Slices();
    const text = bodyText(request, this.settings, endsAt, {
      encoding: query.encoding,
      digest: call.retry?.digest,
    });
    for await (const [piece, isLast] of withEnd(text)) {
      for (const sent of decoder.take(piece, isLast)) {
        const pause = slices.pause();
        if (pause !== undefined) await pause;
        await stage.add(sent);
        running.rows += 1;
        if (running.rows % PROGRESS_EVERY === 0) answer.progress('reading', running.rows);
      }
      await lasting.renewed();
      if (errors.rows > 0 && query.on_error === 'abort') throw errors.refusal();
      refuseTooMany(access, query, running.rows, stage.fit, this.settings.COLLECTION_MAX_RECORDS_LIMIT);
    }
  }

  /** The body that the error filter would send if the status were still open. */
  private refusal(thrown: unknown, { correlationId }: Call): object {
    const { code, message, details } = loggedFailureOf(thrown, correlationId);
    return { error: code, message, ...(Array.isArray(details) ? { errors: details } : { details }) };
  }
}

/** The last line of a successful import. */
function done(running: Import, merged: Merged): object {
  return { ok: true, ...summary(running, merged) };
}

/** The fields of the last line that success and failure share. */
function summary({ query, rows, errors, notes }: Import, merged?: Merged): object {
  const { written = 0, inserted = 0 } = merged ?? {};
  return {
    mode: query.mode,
    dry_run: query.dry_run,
    rows,
    inserted,
    updated: written - inserted,
    skipped: merged === undefined ? 0 : errors.rows,
    ...notes.summary(),
    errors: errors.reported,
  };
}

/** Adds an empty last piece to the text. */
async function* withEnd(text: AsyncIterable<string>): AsyncGenerator<readonly [string, boolean]> {
  for await (const piece of text) yield [piece, false];
  yield ['', true];
}
