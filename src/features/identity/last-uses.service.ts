import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../../base/kernel/clock.js';

/** The last use of a credential is written at most once in this time. */
const LAST_USE_MS = 60_000;

/** $1: id, $2: now, $3: the latest noted use that is old enough. */
const noteUse = (table: string) =>
  `UPDATE ${table} SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3)`;

const STATEMENTS = {
  access_tokens: noteUse('access_tokens'),
  org_api_keys: noteUse('org_api_keys'),
  workspace_api_keys: noteUse('workspace_api_keys'),
  // The use of a session is also a sign of its user.
  sessions: `WITH used AS (${noteUse('sessions')} RETURNING user_id)
    UPDATE users SET last_seen_at = $2 FROM used WHERE users.id = used.user_id`,
};

/** Writes the last use of credentials. */
@Injectable()
export class LastUses {
  private readonly logger = new Logger(LastUses.name);

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Runs beside the request, which neither waits for it nor fails because of it. */
  write(
    table: keyof typeof STATEMENTS,
    { id, lastUsedAt }: { readonly id: string; readonly lastUsedAt: Date | null },
  ): void {
    const now = this.clock.now();
    const due = new Date(now.getTime() - LAST_USE_MS);
    if (lastUsedAt !== null && lastUsedAt > due) return;
    this.source
      .query(STATEMENTS[table], [id, now, due])
      .catch((error: Error) =>
        this.logger.warn(`cannot write the last use of ${id} in ${table}: ${error.message}`),
      );
  }
}
