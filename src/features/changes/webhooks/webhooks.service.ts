import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { newId } from '../../../base/kernel/id.js';
import { parseFilter } from '../../../engine/filter/index.js';
import { changesFilter } from '../../../engine/storage/changes/change-shape.js';
import { CHANGE_TYPES } from '../../../engine/storage/changes/changes.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { idempotently } from '../../../platform/idempotency/stored-responses.js';
import { OutboundFetch } from '../../../platform/outbound/outbound-fetch.js';
import type { Access } from '../../collections/collection-access.js';
import { collectionNotFound } from '../../collections/collection-refusals.js';
import { requireRight } from '../../collections/collection-rights.js';
import { lockOrg } from '../../orgs/org-lock.js';
import { ChangeReader } from '../change-reader.service.js';
import { newWebhookSecret } from './messages.js';
import {
  type CreatedWebhookView,
  type CreateWebhookBody,
  type RotateWebhookSecretBody,
  type UpdateWebhookBody,
  type WebhookListView,
  WebhookView,
} from './webhook.dto.js';
import { Webhook } from './webhook.entity.js';
import { WebhookLog } from './webhook-log.service.js';
import { sealedFor } from './webhook-sender.service.js';

/** Maximum number of webhooks of one collection. */
const MAX_WEBHOOKS = 20;

/** The webhooks of a collection. */
@Injectable()
export class Webhooks {
  constructor(
    @InjectRepository(Webhook) private readonly rows: Repository<Webhook>,
    private readonly transactions: Transactions,
    private readonly reader: ChangeReader,
    private readonly log: WebhookLog,
    private readonly outbound: OutboundFetch,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  async list({ collection }: Access): Promise<WebhookListView> {
    const rows = await this.rows.find({ where: { collectionId: collection.id }, order: { id: 'ASC' } });
    return { object: 'list', items: rows.map(WebhookView.of), total: rows.length };
  }

  async get(access: Access, id: string): Promise<WebhookView> {
    return WebhookView.of(await this.log.find(this.rows.manager, access, id));
  }

  async create(call: Call, access: Access, body: CreateWebhookBody): Promise<CreatedWebhookView> {
    requireRight(access, 'read');
    this.judge(access, body);
    // The first read of a feed begins the feed. This is independent of the transaction below.
    const { next } = await this.reader.read(access, { since: 'now', filter: undefined, limit: 1 });
    const secret = newWebhookSecret();
    const webhook = this.drawn(access, body, secret, next);
    return this.once(call, { secret: true }, async manager => {
      await lockOrg(manager, access.collection.orgId, 'keep');
      await refuseTooMany(manager, access.collection.id);
      await manager.insert(Webhook, webhook);
      await this.log.record(manager, call, access, 'created', undefined, webhook);
      return { ...WebhookView.of(webhook), secret };
    });
  }

  update(call: Call, access: Access, id: string, body: UpdateWebhookBody): Promise<WebhookView> {
    requireRight(access, 'read');
    this.judge(access, body);
    return this.once(call, {}, async manager => {
      const before = await this.log.find(manager, access, id, 'change');
      const after = manager.create(Webhook, {
        ...before,
        ...changesOf(before, body),
        updatedAt: this.clock.now(),
      });
      await manager.save(after);
      await this.log.record(manager, call, access, 'updated', before, after);
      return WebhookView.of(after);
    });
  }

  rotate(
    call: Call,
    access: Access,
    id: string,
    { grace_seconds }: RotateWebhookSecretBody,
  ): Promise<CreatedWebhookView> {
    return this.once(call, { secret: true }, async manager => {
      const before = await this.log.find(manager, access, id, 'change');
      const now = this.clock.now();
      const secret = newWebhookSecret();
      const after = manager.create(Webhook, {
        ...before,
        sealedSecret: this.secrets.encrypt(secret, sealedFor(id)),
        sealedPreviousSecret: grace_seconds === 0 ? null : before.sealedSecret,
        previousUntil: grace_seconds === 0 ? null : new Date(now.getTime() + grace_seconds * 1_000),
        updatedAt: now,
      });
      await manager.save(after);
      await this.log.record(manager, call, access, 'rotated', before, after);
      return { ...WebhookView.of(after), secret };
    });
  }

  async delete(call: Call, access: Access, id: string): Promise<{ deleted: true }> {
    await this.transactions.run(async manager => {
      const webhook = await this.log.find(manager, access, id, 'change');
      await manager.delete(Webhook, { id: webhook.id });
      await this.log.record(manager, call, access, 'deleted', webhook, undefined);
    });
    return { deleted: true };
  }

  private once<T extends object>(
    call: Call,
    kept: { secret?: boolean },
    work: (manager: EntityManager) => Promise<T>,
  ): Promise<T> {
    return this.transactions.run(manager => idempotently(manager, call, () => work(manager), kept));
  }

  /** Throws 400 for an address that the service may not call, and for a filter that the collection refuses. */
  private judge({ collection }: Access, { url, filter }: UpdateWebhookBody): void {
    const objection = url === undefined ? undefined : this.outbound.objection(url);
    if (objection !== undefined) throw invalid(`url: ${objection}`);
    if (filter) changesFilter(collection, parseFilter(filter));
  }

  private drawn(
    { collection }: Access,
    { url, events, filter }: CreateWebhookBody,
    secret: string,
    { feed, xid, seq }: { feed: string; xid: number; seq: number },
  ): Webhook {
    const id = newId();
    const now = this.clock.now();
    return Object.assign(new Webhook(), {
      id,
      orgId: collection.orgId,
      collectionId: collection.id,
      url,
      events: events ?? [...CHANGE_TYPES],
      filter: filter ?? null,
      status: 'active',
      sealedSecret: this.secrets.encrypt(secret, sealedFor(id)),
      sealedPreviousSecret: null,
      previousUntil: null,
      feed,
      afterXid: xid,
      afterSeq: seq,
      erasures: 0,
      failingSince: null,
      createdAt: now,
      updatedAt: now,
    } satisfies Webhook);
  }
}

/** The fields to change. A webhook that is activated again starts without failures. */
function changesOf(before: Webhook, { url, events, filter, active }: UpdateWebhookBody): Partial<Webhook> {
  const again = active === true && before.status !== 'active';
  return {
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events }),
    ...(filter !== undefined && { filter }),
    ...(again && { status: 'active' as const, failingSince: null }),
    ...(active === false && { status: 'paused' as const }),
  };
}

/**
 * Locks the collection until the transaction ends, so that no other request adds a webhook or deletes the collection.
 */
async function refuseTooMany(manager: EntityManager, collectionId: string): Promise<void> {
  const found = await manager.query(
    'SELECT FROM collections WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE',
    [collectionId],
  );
  if (found.length === 0) throw collectionNotFound();
  if ((await manager.countBy(Webhook, { collectionId })) < MAX_WEBHOOKS) return;
  throw new PlatformError(
    'Conflict',
    `The collection already has ${MAX_WEBHOOKS} webhooks, which is the limit.`,
  );
}
