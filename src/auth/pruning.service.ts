import { Injectable } from '@nestjs/common';
import type { EntityTarget, FindOptionsWhere, ObjectLiteral } from 'typeorm';
import { AuditLog } from '../audit/audit-log.js';
import { RightsTransaction } from '../identity/rights-transaction.js';
import { platformCall } from '../kernel/platform-call.js';

/** Removes rows that have outlived their use, with one event for all of them. */
@Injectable()
export class Pruning {
  constructor(
    private readonly rights: RightsTransaction,
    private readonly audit: AuditLog,
  ) {}

  /** Returns how many rows matched; the event is `<resource>.removed`. */
  remove<E extends ObjectLiteral>(
    entity: EntityTarget<E>,
    which: FindOptionsWhere<E>,
    resource: string,
  ): Promise<number> {
    return this.rights.run(async manager => {
      const count = (await manager.delete(entity, which)).affected ?? 0;
      const event = { type: `${resource}.removed`, target: { type: resource, id: 'outlived' }, count };
      if (count > 0) await this.audit.record(manager, platformCall('job'), undefined, event);
      return count;
    });
  }
}
