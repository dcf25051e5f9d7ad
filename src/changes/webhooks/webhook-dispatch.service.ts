import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { Collection } from '../../collections/collection.entity.js';
import { execute } from '../../database/queryable.js';
import { parseFilter } from '../../filter/index.js';
import { Clock } from '../../kernel/clock.js';
import { PlatformError } from '../../kernel/errors.js';
import { newId } from '../../kernel/id.js';
import { compareOffsets, type FeedOffset } from '../../storage/changes/change-feed.js';
import { ifStale } from '../../storage/stale.js';
import { type ChangeBatch, ChangePositions, ChangeReader, positioned } from '../change-reader.service.js';
import { changeMessages, type Message, missedMessage } from './messages.js';
import { Repeating } from './repeating.js';
import { Webhook } from './webhook.entity.js';
import { WebhookSwitch } from './webhook-log.service.js';
import { behindStatement, movedStatement } from './webhook-outbox.js';
import { WebhookSender } from './webhook-sender.service.js';

/** Polling interval: the shortest after a change was found, growing to the longest while nothing changes. */
const SHORTEST_MS = 250;
const LONGEST_MS = 2_000;
/** Maximum number of changes that one pass turns into messages. */
const BATCH = 1_000;

const FOLLOWING = `SELECT DISTINCT org_id AS id FROM webhooks WHERE status = 'active'`;

/**
 * Turns changes into messages for webhooks. Runs on every instance. One statement advances the webhook's position and
 * stores the messages, and only the first instance succeeds, so each change is in one message even if an instance is
 * killed. Without changes there are only reads.
 */
@Injectable()
export class WebhookDispatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookDispatch.name);
  private readonly loop = new Repeating('making messages for webhooks', () => this.look());
  private wait = SHORTEST_MS;

  constructor(
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
    @InjectRepository(Collection) private readonly collections: Repository<Collection>,
    private readonly reader: ChangeReader,
    private readonly positions: ChangePositions,
    private readonly sender: WebhookSender,
    private readonly switches: WebhookSwitch,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.loop.wake();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  private async look(): Promise<number> {
    this.wait = Math.min(this.wait * 1.5, LONGEST_MS);
    const orgs: { id: string }[] = await this.webhooks.query(FOLLOWING);
    for (const { id: orgId } of orgs) {
      const found = execute(this.webhooks, behindStatement(orgId));
      const behind: { id: string }[] = await found.catch(ifStale(() => []));
      if (behind.length === 0) continue;
      const webhooks = await this.webhooks.findBy({ id: In(behind.map(({ id }) => id)), status: 'active' });
      for (const webhook of webhooks) {
        const moved = await this.dispatch(webhook).catch(error =>
          this.logger.warn(`webhook ${webhook.id}: ${error.message}`),
        );
        // The interval keeps growing while a long transaction keeps a feed unsettled.
        if (moved) this.wait = SHORTEST_MS;
      }
    }
    return this.wait;
  }

  /** True when this instance or another one has advanced the webhook's position. */
  private async dispatch(webhook: Webhook): Promise<boolean> {
    const collection = await this.collections.findOneBy({ id: webhook.collectionId });
    const batch = collection && (await this.read(webhook, collection));
    if (!batch) return false;
    const messages =
      batch === 'missed' ? [missedMessage(this.headOf(webhook))] : this.messages(webhook, batch);
    const next = batch === 'missed' ? await this.now(collection) : batch.next;
    // The position cannot advance while transactions that began earlier are still writing.
    if (next === undefined || (batch !== 'missed' && compareOffsets(next, offsetOf(webhook)) === 0))
      return false;
    const kept = messages.map(message => ({ ...message, id: newId() }));
    const made: unknown[] = await execute(this.webhooks, movedStatement(webhook, next, kept));
    if (made.length > 0) this.sender.wake();
    return true;
  }

  /** The next changes; `missed` when they have been removed; undefined when the version check fails. */
  private async read(webhook: Webhook, collection: Collection): Promise<ChangeBatch | 'missed' | undefined> {
    const { feed, filter } = webhook;
    const since = { feed, ...offsetOf(webhook) };
    try {
      const parsed = filter === null ? undefined : parseFilter(filter);
      return await this.reader.batch(collection, { since, filter: parsed, limit: BATCH });
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      if (error.code === 'PositionExpired') return 'missed';
      // The filter does not fit the current schema any more.
      if (error.code === 'InvalidArguments') await this.switches.off(webhook.id, 'failing');
      throw error;
    }
  }

  private async now(collection: Collection): Promise<ChangeBatch['next'] | undefined> {
    const question = { since: 'now', filter: undefined, limit: 1 } as const;
    return (await this.reader.batch(collection, question))?.next;
  }

  private messages(webhook: Webhook, { next, changes }: ChangeBatch): Message[] {
    const wanted = changes.filter(({ type }) => webhook.events.includes(type));
    const texts = positioned(this.positions, webhook.collectionId, next.feed, wanted);
    return changeMessages(
      this.headOf(webhook),
      texts.map(([, json]) => json),
    );
  }

  private headOf({ id, collectionId }: Webhook) {
    return { webhookId: id, collectionId, now: this.clock.now() };
  }
}

function offsetOf({ afterXid, afterSeq }: Webhook): FeedOffset {
  return { xid: afterXid, seq: afterSeq };
}
