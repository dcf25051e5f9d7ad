import { Injectable } from '@nestjs/common';
import { platformCall } from '../../base/kernel/call.js';
import { Clock, DAY_MS } from '../../base/kernel/clock.js';
import { Settings } from '../config/settings.js';
import { Transactions } from '../database/transactions.js';
import { AuditCheckpoints } from './audit-checkpoints.service.js';
import { AuditLog } from './audit-log.js';
import { type AuditLogName, AuditLogs, chainTable, eventsTable } from './audit-logs.service.js';

/** Events that one transaction removes. */
const BATCH = 5_000;

/**
 * Removes events after AUDIT_RETENTION_DAYS. It removes the events up to a checkpoint of that age, so that the rest of
 * the chain can still be verified from it.
 */
@Injectable()
export class AuditPruning {
  constructor(
    private readonly transactions: Transactions,
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly logs: AuditLogs,
    private readonly checkpoints: AuditCheckpoints,
    private readonly audit: AuditLog,
  ) {}

  /** Prunes all logs, in batches with one audit event each; ends early when `signal` is aborted. */
  async removeOld(signal: AbortSignal): Promise<{ removed: number }> {
    const before = new Date(this.clock.now().getTime() - this.settings.AUDIT_RETENTION_DAYS * DAY_MS);
    let removed = 0;
    await this.logs.each('remove-audit-events', signal, async log => {
      const last = await this.checkpoints.newest(log, before);
      if (last === undefined) return;
      const { prunedSeq = 0 } = (await this.checkpoints.newest(log)) ?? {};
      // Sign the permission before events are removed: a run that is killed in between leaves a chain that verifies.
      if (last.seq > prunedSeq) await this.checkpoints.allowPruning(log, last.seq);
      while (!signal.aborted) {
        const batch = await this.removeBatch(log, last.seq);
        removed += batch;
        if (batch === 0) break;
      }
    });
    return { removed };
  }

  /** Keeps the last link, because the hash of the next event depends on it. */
  private removeBatch(log: AuditLogName, upTo: number): Promise<number> {
    return this.transactions.run(async manager => {
      const [{ count }] = await manager.query(
        `WITH old AS (SELECT seq, event_id FROM ${chainTable(log)} WHERE seq <= $1 ORDER BY seq LIMIT ${BATCH}),
         links AS (DELETE FROM ${chainTable(log)} WHERE seq < (SELECT max(seq) FROM old)),
         events AS (DELETE FROM ${eventsTable(log)} e USING old WHERE e.id = old.event_id RETURNING e.id)
         SELECT count(*)::int AS count FROM events`,
        [upTo],
      );
      const event = {
        type: 'audit.events.removed',
        target: { type: 'auditlog', id: log.orgId ?? log.name },
        count,
      };
      if (count > 0) await this.audit.record(manager, platformCall('job'), log.orgId, event);
      return count;
    });
  }
}
