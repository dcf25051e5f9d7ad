import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { BoundedMap } from '../../../base/kernel/bounds/bounded-map.js';
import { Clock } from '../../../base/kernel/clock.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { newId } from '../../../base/kernel/id.js';
import { type Filter, parseFilter } from '../../../engine/filter/index.js';
import { compareOffsets, type FeedOffset } from '../../../engine/storage/changes/change-feed.js';
import { LEFT, MAX_EXAMINED } from '../../../engine/storage/changes/changes.js';
import { NO_RULES } from '../../../engine/storage/restricted/rules-digest.js';
import { execute } from '../../../platform/database/queryable.js';
import { Collection } from '../../collections/collection.entity.js';
import { type ChangeBatch, ChangePositions, positioned } from '../change-positions.js';
import { ChangeReader } from '../change-reader.service.js';
import { changeMessages, type Message, missedMessage } from './messages.js';
import { Webhook } from './webhook.entity.js';
import { WebhookSwitch } from './webhook-log.service.js';
import { movedStatement } from './webhook-outbox.js';
import { WebhookSender } from './webhook-sender.service.js';

/** Maximum number of changes that one step turns into messages. */
const BATCH = 1_000;
/** After a timeout, a filter examines a tenth of the changes. After each success it examines twice as many. */
const NARROWER = 10;
const WIDER = 2;
/** Webhooks whose filters examine fewer changes than others. */
const MAX_NARROWED = 1_000;

interface MessageOfRecords extends Message {
  readonly recordIds: readonly string[];
}

/** Turns the next changes of one webhook into messages. */
@Injectable()
export class WebhookMessages {
  /** How many changes a filter examines at once, by webhook. */
  private readonly narrowed = new BoundedMap<string, number>(MAX_NARROWED);

  constructor(
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
    @InjectRepository(Collection) private readonly collections: Repository<Collection>,
    private readonly reader: ChangeReader,
    private readonly positions: ChangePositions,
    private readonly sender: WebhookSender,
    private readonly switches: WebhookSwitch,
    private readonly clock: Clock,
  ) {}

  /**
   * One statement advances the webhook's position and stores the messages up to it. True when this instance or another
   * one has advanced the position.
   */
  async make(webhook: Webhook): Promise<boolean> {
    const collection = await this.collections.findOneBy({ id: webhook.collectionId });
    const batch = collection && (await this.read(webhook, collection));
    if (!batch) return false;
    const messages =
      batch === 'missed' ? [missedMessage(this.headOf(webhook))] : this.messages(webhook, batch);
    const next = batch === 'missed' ? await this.now(collection) : batch.next;
    // The position cannot advance while transactions that began earlier are still writing.
    if (next === undefined || (batch !== 'missed' && compareOffsets(next, offsetOf(webhook)) === 0))
      return false;
    const kept = messages.map(message => ({ recordIds: [], ...message, id: newId() }));
    const made: unknown[] = await execute(this.webhooks, movedStatement(webhook, next, kept));
    if (made.length > 0) this.sender.wake();
    return true;
  }

  /** The next changes; `missed` when they have been removed; undefined when the version check fails. */
  private async read(webhook: Webhook, collection: Collection): Promise<ChangeBatch | 'missed' | undefined> {
    try {
      const filter = webhook.filter === null ? undefined : parseFilter(webhook.filter);
      return await this.examined(webhook, collection, filter);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      if (error.code === 'PositionExpired') return 'missed';
      // The filter does not fit the current schema any more.
      if (error.code === 'InvalidArguments') await this.switches.off(webhook.id, 'failing');
      throw error;
    }
  }

  /**
   * Examines fewer changes after a timeout. Switches the webhook off when its filter takes too long for a single change,
   * because it would never get past this change.
   */
  private async examined(
    webhook: Webhook,
    collection: Collection,
    filter: Filter | undefined,
  ): Promise<ChangeBatch> {
    const { id, feed } = webhook;
    const since = { feed, rules: NO_RULES, ...offsetOf(webhook) };
    const left = webhook.events.includes(LEFT);
    const examined = this.narrowed.get(id) ?? MAX_EXAMINED;
    try {
      const batch = await this.reader.batch(collection, { since, filter, left, limit: BATCH, examined });
      if (examined * WIDER < MAX_EXAMINED) this.narrowed.set(id, examined * WIDER);
      else this.narrowed.delete(id);
      return batch;
    } catch (error) {
      const isSlow = error instanceof PlatformError && error.code === 'QueryTimeout';
      if (!isSlow || filter === undefined) throw error;
      this.narrowed.set(id, Math.ceil(examined / NARROWER));
      if (examined > 1) throw error;
      // Rejects when it is not the filter that takes too long, but the database.
      await this.reader.batch(collection, { since, filter: undefined, limit: 1 });
      this.narrowed.delete(id);
      await this.switches.off(id, 'failing');
      throw error;
    }
  }

  private async now(collection: Collection): Promise<ChangeBatch['next'] | undefined> {
    const question = { since: 'now', filter: undefined, limit: 1 } as const;
    return (await this.reader.batch(collection, question))?.next;
  }

  private messages(webhook: Webhook, { next, changes }: ChangeBatch): MessageOfRecords[] {
    const wanted = changes.filter(({ type }) => webhook.events.includes(type));
    const texts = positioned(this.positions, webhook.collectionId, next, wanted);
    const messages = changeMessages(
      this.headOf(webhook),
      texts.map(([, json]) => json),
    );
    let end = 0;
    return messages.map(message => {
      end += message.changes;
      const of = wanted.slice(end - message.changes, end);
      return { ...message, recordIds: of.map(({ recordId }) => recordId) };
    });
  }

  private headOf({ id, collectionId }: Webhook) {
    return { webhookId: id, collectionId, now: this.clock.now() };
  }
}

function offsetOf({ afterXid, afterSeq }: Webhook): FeedOffset {
  return { xid: afterXid, seq: afterSeq };
}
