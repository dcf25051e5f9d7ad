import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import {
  isLaterThan,
  NOTES_KEPT_MINUTES,
  NOTES_UNKNOWN,
  type Notes,
  notesStatement,
} from '../../../engine/storage/changes/change-notes.js';
import { ifStale } from '../../../engine/storage/stale.js';
import { execute } from '../../../platform/database/queryable.js';
import { Repeating } from '../../../platform/database/repeating.js';
import { OrgTurns } from './org-turns.js';
import { Webhook } from './webhook.entity.js';
import { WebhookMessages } from './webhook-messages.service.js';
import { behindStatement } from './webhook-outbox.js';

/** Polling interval: the shortest after a change was found, growing to the longest while nothing changes. */
const SHORTEST_MS = 250;
const LONGEST_MS = 2_000;

/** After half of the time for which notes are kept, an instance asks every organization. */
const LONGEST_PAUSE_MS = NOTES_KEPT_MINUTES * 30_000;

const FOLLOWING = `SELECT DISTINCT org_id AS id FROM webhooks WHERE status = 'active'`;

/**
 * Finds webhooks that are behind, and has messages made for them. Runs on every instance. If several make messages for
 * one webhook, only the first one succeeds, so each change is in one message even if an instance is killed. Without
 * changes there is one statement for all organizations, which reads the notes of new changes.
 */
@Injectable()
export class WebhookDispatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookDispatch.name);
  private readonly loop = new Repeating('making messages for webhooks', () => this.look());
  private readonly turns = new OrgTurns(orgId =>
    this.dispatch(orgId).catch(error => {
      this.pending.add(orgId);
      this.logger.warn(`organization ${orgId}: ${error.message}`);
    }),
  );
  private wait = SHORTEST_MS;
  private isStopping = false;
  private seen = NOTES_UNKNOWN;
  private seenAt = Number.NEGATIVE_INFINITY;
  /** Organizations with new changes, until a look finds none of their webhooks behind. */
  // biome-ignore lint/plugin/bounded-maps: organizations with active webhooks
  private readonly pending = new Set<string>();

  constructor(
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
    private readonly messages: WebhookMessages,
  ) {}

  onApplicationBootstrap(): void {
    this.loop.wake();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.loop.stop();
    await this.turns.ended();
  }

  private async look(): Promise<number> {
    this.wait = Math.min(this.wait * 1.5, LONGEST_MS);
    for (const id of await this.withNews()) this.pending.add(id);
    await this.turns.pass([...this.pending]);
    return this.wait;
  }

  /** Organizations with notes that this instance has not seen; all with webhooks at its first look. */
  private async withNews(): Promise<string[]> {
    const from = performance.now();
    const seen = from - this.seenAt < LONGEST_PAUSE_MS ? this.seen : NOTES_UNKNOWN;
    const [notes]: [Notes] = await execute(this.webhooks, notesStatement(seen));
    const orgs = isLaterThan(notes, seen) ? notes.orgs : await this.following();
    this.seen = { next: notes.next, running: notes.running };
    this.seenAt = from;
    return orgs;
  }

  private async following(): Promise<string[]> {
    const orgs: { id: string }[] = await this.webhooks.query(FOLLOWING);
    return orgs.map(({ id }) => id);
  }

  private async dispatch(orgId: string): Promise<void> {
    if (this.isStopping) return;
    // Notes that come from now on make it pending again.
    this.pending.delete(orgId);
    const found = execute(this.webhooks, behindStatement(orgId));
    const behind: { id: string }[] = await found.catch(ifStale(() => []));
    if (behind.length === 0) return;
    this.pending.add(orgId);
    const webhooks = await this.webhooks.findBy({ id: In(behind.map(({ id }) => id)), status: 'active' });
    for (const webhook of webhooks) {
      if (this.isStopping) return;
      const moved = await this.messages
        .make(webhook)
        .catch(error => this.logger.warn(`webhook ${webhook.id}: ${error.message}`));
      // The interval keeps growing while a long transaction keeps a feed unsettled.
      if (moved) this.wait = SHORTEST_MS;
    }
  }
}
