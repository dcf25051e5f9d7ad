import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type Call, platformCall } from '../../../base/kernel/call.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { isUuid } from '../../../base/kernel/id.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { Collection } from '../../collections/collection.entity.js';
import type { Access } from '../../collections/collection-access.js';
import { collectionEvent } from '../../collections/collection-event.js';
import { Webhook, type WebhookStatus } from './webhook.entity.js';

type Act = 'created' | 'updated' | 'rotated' | 'deleted' | 'tested' | 'redelivered';

/** Finds webhooks of a collection, and writes their audit events. */
@Injectable()
export class WebhookLog {
  constructor(private readonly audit: AuditLog) {}

  /** With `change`, locks the row until the transaction ends. Throws 404. */
  async find(manager: EntityManager, { collection }: Access, id: string, to?: 'change'): Promise<Webhook> {
    const where = { id, collectionId: collection.id };
    const lock = to && ({ mode: 'pessimistic_write' } as const);
    const row = isUuid(id) ? await manager.findOne(Webhook, { where, ...(lock && { lock }) }) : null;
    if (row === null) throw new PlatformError('NotFound', 'There is no webhook with this id.');
    return row;
  }

  /** The audit event contains the address and the filter, never a secret. */
  record(
    manager: EntityManager,
    call: Call,
    { collection }: Access,
    act: Act,
    before: Webhook | undefined,
    after: Webhook | undefined,
    deliveryId?: string,
  ): Promise<void> {
    const changes = {
      before: before && described(before),
      after: after && { ...described(after), ...(deliveryId !== undefined && { deliveryId }) },
    };
    const event = collectionEvent(`collections.webhooks.${act}`, collection, { changes });
    return this.audit.record(manager, call, collection.orgId, event);
  }
}

function described({ id, url, events, filter, status }: Webhook): object {
  return { webhookId: id, url, events, filter, status };
}

/** Switches off webhooks that cannot work, with an audit event that has the reason. */
@Injectable()
export class WebhookSwitch {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  /** Changes active webhooks only. */
  off(id: string, status: Extract<WebhookStatus, 'failing' | 'gone'>): Promise<void> {
    return this.transactions.run(async manager => {
      const [rows]: [{ org_id: string; collection_id: string; url: string }[], number] = await manager.query(
        `UPDATE webhooks SET status = $2, updated_at = now() WHERE id = $1 AND status = 'active'
         RETURNING org_id, collection_id, url`,
        [id, status],
      );
      const [row] = rows;
      if (row === undefined) return;
      const collection = await manager.findOneByOrFail(Collection, { id: row.collection_id });
      const changes = { before: { webhookId: id, status: 'active' }, after: { webhookId: id, status } };
      const event = collectionEvent('collections.webhooks.disabled', collection, { changes });
      await this.audit.record(manager, platformCall('job'), row.org_id, event);
    });
  }
}
