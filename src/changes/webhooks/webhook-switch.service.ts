import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AuditLog } from '../../audit/audit-log.js';
import { Collection } from '../../collections/collection.entity.js';
import { platformCall } from '../../kernel/platform-call.js';
import { Webhook, type WebhookStatus } from './webhook.entity.js';

/** Switches webhooks off that cannot work, with the audit event that says why. */
@Injectable()
export class WebhookSwitch {
  constructor(
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
    private readonly audit: AuditLog,
  ) {}

  /** Only one that is active. */
  off(id: string, status: Extract<WebhookStatus, 'failing' | 'gone'>): Promise<void> {
    return this.webhooks.manager.transaction(async manager => {
      const [rows]: [{ org_id: string; collection_id: string; url: string }[], number] = await manager.query(
        `UPDATE webhooks SET status = $2, updated_at = now() WHERE id = $1 AND status = 'active'
         RETURNING org_id, collection_id, url`,
        [id, status],
      );
      const [row] = rows;
      if (row === undefined) return;
      const { name } = await manager.findOneByOrFail(Collection, { id: row.collection_id });
      await this.audit.record(manager, platformCall('job'), row.org_id, {
        type: 'collections.webhooks.disabled',
        target: { type: 'collection', id: row.collection_id, name },
        changes: { before: { webhookId: id, status: 'active' }, after: { webhookId: id, status } },
      });
    });
  }
}
