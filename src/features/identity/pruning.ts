import { Injectable } from '@nestjs/common';
import {
  And,
  type EntityManager,
  type EntityTarget,
  type FindManyOptions,
  type FindOptionsWhere,
  LessThan,
  MoreThanOrEqual,
  type ObjectLiteral,
} from 'typeorm';
import { platformCall } from '../../base/kernel/call.js';
import { type AuditEntry, AuditLog } from '../../platform/audit/audit-log.js';
import { Transactions } from '../../platform/database/transactions.js';

/** Rows that one transaction removes. */
const BATCH = 1_000;

/** Rows whose time is over. */
export interface Expired<E> {
  readonly entity: EntityTarget<E>;
  /** The column with the time. The rows are read in its order, so a table that may be large has an index on it. */
  readonly time: keyof E & string;
  /** The rows with an earlier time are removed. */
  readonly before: Date;
  /** What else must be true of a row. */
  readonly which?: FindOptionsWhere<E>;
  /** The event of each batch, without its count. None by default, for rows with which nothing has happened. */
  readonly event?: Pick<AuditEntry, 'type' | 'target'> & { readonly orgId?: string };
}

/** The event of the platform for rows that were removed because they had expired: `<resource>.removed`. */
export function outlived(resource: string): NonNullable<Expired<unknown>['event']> {
  return { type: `${resource}.removed`, target: { type: resource, id: 'outlived' } };
}

/**
 * Removes expired rows in batches, each a transaction with one audit event. So the work of a run that is cut short is
 * kept, and no statement takes longer for a larger backlog.
 */
@Injectable()
export class Pruning {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Returns the number of removed rows; ends early when `signal` is aborted. Rows that others have locked are left for
   * the next run.
   */
  async remove<E extends ObjectLiteral>(expired: Expired<E>, signal?: AbortSignal): Promise<number> {
    for (let total = 0, since: Date | undefined; ; ) {
      const { count, last } = await this.transactions.run(manager =>
        this.removeBatch(manager, expired, since),
      );
      total += count;
      if (count < BATCH || signal?.aborted) return total;
      since = last;
    }
  }

  /** `since`: the time of the last removed row, so that a batch does not read again where others have removed rows. */
  private async removeBatch<E extends ObjectLiteral>(
    manager: EntityManager,
    { entity, time, before, which, event }: Expired<E>,
    since: Date | undefined,
  ): Promise<{ count: number; last: Date | undefined }> {
    const [key] = manager.connection.getMetadata(entity).primaryColumns;
    const id = key?.propertyName as keyof E & string;
    const over = since === undefined ? LessThan(before) : And(MoreThanOrEqual(since), LessThan(before));
    const rows = await manager.find(entity, {
      select: { [id]: true, [time]: true },
      where: { ...which, [time]: over },
      order: { [time]: 'ASC' },
      take: BATCH,
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    } as FindManyOptions<E>);
    const count = rows.length;
    if (count > 0) {
      await manager.delete(
        entity,
        rows.map(row => row[id]),
      );
      if (event) await this.audit.record(manager, platformCall('job'), event.orgId, { ...event, count });
    }
    return { count, last: rows.at(-1)?.[time] };
  }
}
