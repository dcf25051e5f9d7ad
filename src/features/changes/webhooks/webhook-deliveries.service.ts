import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, LessThan, Repository } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { isUuid, newId } from '../../../base/kernel/id.js';
import { SignedIdCursor } from '../../../base/kernel/signed-cursor.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { idempotently } from '../../../platform/idempotency/stored-responses.js';
import type { Access } from '../../collections/collection-access.js';
import { testMessage } from './messages.js';
import { type DeliveryPageView, DeliveryView, type ListDeliveriesQuery } from './webhook.dto.js';
import { WebhookDelivery } from './webhook.entity.js';
import { WebhookLog } from './webhook-log.service.js';
import { WebhookSender } from './webhook-sender.service.js';

/** Lists the deliveries of a webhook, and sends test messages and deliveries again. */
@Injectable()
export class WebhookDeliveries {
  private readonly cursors: SignedIdCursor;

  constructor(
    @InjectRepository(WebhookDelivery) private readonly rows: Repository<WebhookDelivery>,
    private readonly transactions: Transactions,
    private readonly log: WebhookLog,
    private readonly sender: WebhookSender,
    private readonly clock: Clock,
    secrets: Secrets,
  ) {
    this.cursors = new SignedIdCursor(secrets.derive('delivery-cursor'));
  }

  async list(access: Access, webhookId: string, query: ListDeliveriesQuery): Promise<DeliveryPageView> {
    const { status, limit, cursor } = query;
    const { id } = await this.log.find(this.rows.manager, access, webhookId);
    const list = JSON.stringify([id, status]);
    const found = await this.rows.find({
      where: {
        webhookId: id,
        ...(status !== undefined && { status }),
        ...(cursor && { id: LessThan(this.after(cursor, list)) }),
      },
      order: { id: 'DESC' },
      take: limit + 1,
    });
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1) : undefined;
    return {
      items: shown.map(DeliveryView.of),
      next_cursor: last === undefined ? null : this.cursors.sign(last.id, list),
    };
  }

  private after(cursor: string, list: string): string {
    const id = this.cursors.open(cursor, list);
    if (id === undefined) {
      throw invalid(
        'cursor: is not a cursor of this list. Send it with the status that it was returned for.',
      );
    }
    return id;
  }

  /** Queues a test message. Throws 409 for an inactive webhook. */
  test(call: Call, access: Access, webhookId: string): Promise<DeliveryView> {
    return this.queued(call, async manager => {
      const webhook = await this.log.find(manager, access, webhookId);
      if (webhook.status !== 'active')
        throw new PlatformError(
          'Conflict',
          'The webhook is switched off. Send active: true to switch it on.',
        );
      const head = { webhookId: webhook.id, collectionId: webhook.collectionId, now: this.clock.now() };
      const id = newId();
      await manager.insert(WebhookDelivery, { id, webhookId: webhook.id, ...testMessage(head) });
      await this.log.record(manager, call, access, 'tested', undefined, webhook, id);
      return id;
    });
  }

  /** Queues a delivery again, with a new series of attempts. */
  redeliver(call: Call, access: Access, webhookId: string, id: string): Promise<DeliveryView> {
    return this.queued(call, async manager => {
      const webhook = await this.log.find(manager, access, webhookId);
      const again = { status: 'pending', attempts: 0, dueAt: () => 'clock_timestamp()' } as const;
      const { affected } = isUuid(id)
        ? await manager.update(WebhookDelivery, { id, webhookId: webhook.id }, again)
        : { affected: 0 };
      if (affected === 0) throw new PlatformError('NotFound', 'There is no delivery with this id.');
      await this.log.record(manager, call, access, 'redelivered', undefined, webhook, id);
      return id;
    });
  }

  private async queued(call: Call, work: (manager: EntityManager) => Promise<string>): Promise<DeliveryView> {
    const view = await this.transactions.run(manager =>
      idempotently(manager, call, async () => {
        const id = await work(manager);
        return DeliveryView.of(await manager.findOneByOrFail(WebhookDelivery, { id }));
      }),
    );
    this.sender.wake();
    return view;
  }
}
