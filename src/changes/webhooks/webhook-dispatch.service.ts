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
import { comparePlaces, type Place } from '../../storage/changes/change-place.js';
import { isStale } from '../../storage/stale.js';
import { ChangePositions } from '../change-positions.js';
import { type ChangeBatch, ChangeReader, positioned } from '../change-reader.service.js';
import { changeMessages, type Message, missedMessage } from './messages.js';
import { Repeating } from './repeating.js';
import { Webhook } from './webhook.entity.js';
import { WebhookSwitch } from './webhook-log.service.js';
import { behindStatement, movedStatement } from './webhook-outbox.js';
import { WebhookSender } from './webhook-sender.service.js';

/** Between two looks: the shorter after one that found something, the longer when nothing happens for a while. */
const SHORTEST_MS = 250;
const LONGEST_MS = 2_000;
/** Changes that become messages at once. */
const BATCH = 1_000;

const FOLLOWING = `SELECT DISTINCT org_id AS id FROM webhooks WHERE status = 'active'`;

/**
 * Makes messages of changes, on every instance: whoever is first moves the webhook on in the statement that keeps the
 * messages, so that each change becomes one message whatever is killed when. Reads only, while nothing happens.
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
      const behind: { id: string }[] = await found.catch(nothingIfGone);
      if (behind.length === 0) continue;
      const webhooks = await this.webhooks.findBy({ id: In(behind.map(({ id }) => id)), status: 'active' });
      for (const webhook of webhooks) {
        const moved = await this.dispatch(webhook).catch(error =>
          this.logger.warn(`webhook ${webhook.id}: ${error.message}`),
        );
        // A feed that a long transaction holds up is asked ever more rarely.
        if (moved) this.wait = SHORTEST_MS;
      }
    }
    return this.wait;
  }

  /** True when the webhook was moved on, by this instance or another. */
  private async dispatch(webhook: Webhook): Promise<boolean> {
    const collection = await this.collections.findOneBy({ id: webhook.collectionId });
    const batch = collection && (await this.read(webhook, collection));
    if (!batch) return false;
    const messages =
      batch === 'missed' ? [missedMessage(this.headOf(webhook))] : this.messages(webhook, batch);
    const next = batch === 'missed' ? await this.now(collection) : batch.next;
    // Those who are still writing hold it up.
    if (next === undefined || (batch !== 'missed' && comparePlaces(next, placeOf(webhook)) === 0))
      return false;
    const kept = messages.map(message => ({ ...message, id: newId() }));
    const made: unknown[] = await execute(this.webhooks, movedStatement(webhook, next, kept));
    if (made.length > 0) this.sender.wake();
    return true;
  }

  /** What is to be told; `missed` when it is no longer kept; undefined when the collection was changed meanwhile. */
  private async read(webhook: Webhook, collection: Collection): Promise<ChangeBatch | 'missed' | undefined> {
    const { feed, filter } = webhook;
    const since = { feed, ...placeOf(webhook) };
    try {
      const parsed = filter === null ? undefined : parseFilter(filter);
      return await this.reader.batch(collection, { since, filter: parsed, limit: BATCH });
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      if (error.code === 'PositionExpired') return 'missed';
      // A filter that the schema of today has no sense for any more.
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
    const told = positioned(this.positions, webhook.collectionId, next.feed, wanted);
    return changeMessages(
      this.headOf(webhook),
      told.map(([, json]) => json),
    );
  }

  private headOf({ id, collectionId }: Webhook) {
    return { webhookId: id, collectionId, now: this.clock.now() };
  }
}

function placeOf({ afterXid, afterSeq }: Webhook): Place {
  return { xid: afterXid, seq: afterSeq };
}

/** An organization that has gone took its collections along. */
function nothingIfGone(error: unknown): never[] {
  if (isStale(error)) return [];
  throw error;
}
