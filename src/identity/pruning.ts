import { Injectable } from '@nestjs/common';
import type { EntityTarget, FindOptionsWhere, ObjectLiteral } from 'typeorm';
import { AuditLog } from '../audit/audit-log.js';
import { Transactions } from '../database/transactions.js';
import { platformCall } from '../kernel/call.js';

/** Removes expired rows, with one audit event for all of them. */
@Injectable()
export class Pruning {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  /** Returns the number of removed rows. The event is `<resource>.removed`. */
  remove<E extends ObjectLiteral>(
    entity: EntityTarget<E>,
    which: FindOptionsWhere<E>,
    resource: string,
  ): Promise<number> {
    return this.transactions.run(async manager => {
      const count = (await manager.delete(entity, which)).affected ?? 0;
      const event = { type: `${resource}.removed`, target: { type: resource, id: 'outlived' }, count };
      if (count > 0) await this.audit.record(manager, platformCall('job'), undefined, event);
      return count;
    });
  }
}
