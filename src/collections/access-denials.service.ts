import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AuditLog } from '../audit/audit-log.js';
import type { Call } from '../kernel/call.js';
import type { CollectionRight } from '../kernel/permission.js';
import { RightMissing } from './collection-access.js';

/**
 * The event `collections.access.denied`: somebody who sees a collection asked who may reach it, or tried to change
 * that, and may not. Other refusals write nothing: what reading and writing is refused to a role is no news, and a
 * stranger for whom the collection does not exist must not be able to fill its log.
 */
@Injectable()
export class AccessDenials {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /** Throws the refusal on; it is in the log by then if it belongs there. */
  async record(call: Call, right: CollectionRight, refusal: unknown): Promise<never> {
    if (right === 'share' && refusal instanceof RightMissing) {
      const { id, orgId, name } = refusal.collection;
      const target = { type: 'collection', id, name };
      await this.audit.record(this.source, call, orgId, { type: 'collections.access.denied', target });
    }
    throw refusal;
  }
}
