import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import { type Deadline, deadlineIn, type Presence, timeLeft } from '../../../base/kernel/bounds/deadline.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { Settings } from '../../../platform/config/settings.js';
import { Admission } from '../../../platform/database/admission/admission.js';
import { clientOptions } from '../../../platform/database/connections/options.js';
import { RawRowsClient } from '../../../platform/database/connections/raw-rows.js';
import { cancelStatement } from '../../../platform/database/connections/statement-stop.js';
import type { Queryable } from '../../../platform/database/queryable.js';

/** The purpose of a session: an import or export of a caller in an organization. */
export interface CopyPurpose {
  readonly kind: 'import' | 'export';
  readonly orgId: string;
  readonly callerId: string;
  /**
   * Set when the result is useless after the caller has disconnected: then a running statement is cancelled, and no
   * further statement starts.
   */
  readonly caller?: Presence | undefined;
}

/** A connection outside the pool. Closing it rolls back an open transaction. */
export interface CopySession extends Queryable {
  /** When the session ends. The transfer must end then too, because it may be waiting for its client only. */
  readonly endsAt: Deadline;
  /** Runs one statement. Returns its rows as PostgreSQL sends them, for RowReader. */
  rows(text: string, values?: unknown[]): Promise<Buffer>;
  /**
   * Commits. From here on the session is not ended for its age, because the result of an interrupted commit is unknown.
   */
  commit(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Connections for imports and exports, which take as long as their clients do. They are outside the pool, so that slow
 * clients delay no other request. Admission shares them fairly, and no session lasts longer than
 * `TRANSFER_MAX_SECONDS`.
 */
@Injectable()
export class CopySessions implements OnApplicationShutdown {
  // biome-ignore lint/plugin/bounded-maps: open connections
  private readonly open = new Set<pg.Client>();

  constructor(
    private readonly settings: Settings,
    private readonly admission: Admission,
  ) {}

  /**
   * Opens a session, which the caller must close. A statement is stopped after `timeoutMs`, by default the timeout of
   * all statements; 0 means never. Throws 503 when the session is not admitted in time.
   */
  async start(
    { kind, orgId, callerId, caller }: CopyPurpose,
    timeoutMs = this.settings.DATABASE_STATEMENT_TIMEOUT_MS,
  ): Promise<CopySession> {
    const share = await this.admission.transfers.enter(orgId, callerId, undefined, caller);
    const client = new RawRowsClient(
      clientOptions({ ...this.settings, DATABASE_STATEMENT_TIMEOUT_MS: timeoutMs }, kind, {
        DateStyle: 'ISO',
      }),
    );
    this.open.add(client);
    const endsAt = deadlineIn(this.settings.TRANSFER_MAX_SECONDS * 1_000);
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      void client.end().catch(() => undefined);
    }, timeLeft(endsAt));
    const stop = () => void cancelStatement(client);
    caller?.signal.addEventListener('abort', stop, { once: true });
    const close = async () => {
      if (!this.open.delete(client)) return;
      clearTimeout(late);
      caller?.signal.removeEventListener('abort', stop);
      this.admission.transfers.leave(share);
      await client.end().catch(() => undefined);
    };
    try {
      await client.connect();
    } catch (error) {
      await close();
      throw error;
    }
    const run = async <T>(statement: () => Promise<T>): Promise<T> => {
      caller?.signal.throwIfAborted();
      try {
        return await statement();
      } catch (error) {
        caller?.signal.throwIfAborted();
        throw isLate ? this.tooLong(kind) : error;
      }
    };
    const commit = async () => {
      if (isLate) throw this.tooLong(kind);
      clearTimeout(late);
      await client.query('COMMIT');
    };
    return {
      endsAt,
      query: (text, values) => run(async () => (await client.query(text, values)).rows),
      rows: (text, values) => run(() => client.rawRows(text, values)),
      commit,
      close,
    };
  }

  /** Running work fails at once and is rolled back. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.open].map(client => client.end()));
  }

  private tooLong(kind: string): PlatformError {
    const { TRANSFER_MAX_SECONDS: seconds } = this.settings;
    return new PlatformError(
      'Unavailable',
      `The ${kind} took longer than ${seconds} seconds and was ended; nothing was written. Split the file, or select fewer records.`,
    );
  }
}
