import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ByteBudget } from '../../../base/kernel/bounds/byte-budget.js';
import { Clock } from '../../../base/kernel/clock.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { Settings } from '../../../platform/config/settings.js';
import { execute } from '../../../platform/database/queryable.js';
import { Repeating } from '../../../platform/database/repeating.js';
import { OutboundError } from '../../../platform/outbound/guarded-connect.js';
import { OutboundFetch } from '../../../platform/outbound/outbound-fetch.js';
import { askedDelay, retryDelay, signedHeaders } from './messages.js';
import { claimStatement, type DueMessage, MOST_AT_ONCE } from './webhook-claim.js';
import { WebhookSwitch } from './webhook-log.service.js';
import { deliveredStatement, failedStatement, payloadStatement } from './webhook-outbox.js';

const LOOK_EVERY_MS = 1_000;
/** A long payload is in memory three times: as text, as the signed input and as the request body. */
const COPIES = 3;
/** Must be well below the lease of a message. */
const TIMEOUT_MS = 15_000;

/** The context to which the encrypted secrets of a webhook are bound. */
export function sealedFor(webhookId: string): string {
  return `webhook:${webhookId}`;
}

/** Posts messages at least once each, until a 2xx response arrives or the message is dead. */
@Injectable()
export class WebhookSender implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookSender.name);
  private readonly loop = new Repeating('sending messages of webhooks', () => this.look());
  // biome-ignore lint/plugin/bounded-maps: messages in delivery, which a setting limits
  private readonly sending = new Map<string, { webhookId: string; done: Promise<void> }>();

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly outbound: OutboundFetch,
    private readonly secrets: Secrets,
    private readonly switches: WebhookSwitch,
    private readonly settings: Settings,
    private readonly budget: ByteBudget,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.loop.wake();
  }

  /** Waits for the responses of running requests, so that they are stored. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
    await Promise.all([...this.sending.values()].map(({ done }) => done));
  }

  /** Starts a run now, because there may be messages to send. */
  wake(): void {
    this.loop.wake();
  }

  private async look(): Promise<number> {
    if (this.sending.size >= MOST_AT_ONCE) return LOOK_EVERY_MS;
    const claim = claimStatement([...this.sending.values()].map(({ webhookId }) => webhookId));
    const [due]: [DueMessage[], number] = await execute(this.source, claim);
    for (const message of due) {
      const done = this.sendWithin(message)
        .catch(error => this.logger.warn(`message ${message.id}: ${error.message}`))
        .finally(() => {
          this.sending.delete(message.id);
          this.wake();
        });
      this.sending.set(message.id, { webhookId: message.webhook_id, done });
    }
    return LOOK_EVERY_MS;
  }

  /** A long message waits for memory. When that takes too long, the message is sent again after its lease. */
  private async sendWithin(message: DueMessage): Promise<void> {
    if (message.payload !== null) return this.send(message, message.payload);
    const { org_id: owner, bytes } = message;
    await this.budget.take(owner, bytes * COPIES);
    try {
      const [row]: { payload: string }[] = await execute(this.source, payloadStatement(message.id));
      if (row !== undefined) await this.send(message, row.payload);
    } finally {
      this.budget.give(owner, bytes * COPIES);
    }
  }

  private async send(message: DueMessage, payload: string): Promise<void> {
    const response = await this.post(message, payload).catch(noAnswer);
    const status = response?.status ?? null;
    if (status !== null && status >= 200 && status < 300) {
      await execute(this.source, deliveredStatement(message.id, status));
      return;
    }
    const asked = askedDelay(response?.headers.get('retry-after') ?? null, this.clock.now());
    const wait = Math.max(asked, retryDelay(message.attempts, Math.random()));
    const { WEBHOOK_DISABLE_AFTER_DAYS: days } = this.settings;
    const failed = failedStatement(message.id, status, wait, days);
    const [rows]: [{ tooLong: boolean }[], number] = await execute(this.source, failed);
    if (status === 410) await this.switches.off(message.webhook_id, 'gone');
    else if (rows[0]?.tooLong) await this.switches.off(message.webhook_id, 'failing');
  }

  /** The response; null when the message cannot be signed. */
  private async post(message: DueMessage, payload: string): Promise<Response | null> {
    const { id, webhook_id, url, sealed_secret, sealed_previous_secret } = message;
    const sealed =
      sealed_previous_secret === null ? [sealed_secret] : [sealed_secret, sealed_previous_secret];
    const secrets = this.secretsOf(sealed, webhook_id);
    if (secrets === undefined) return null;
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'typed-collections',
      ...signedHeaders(id, this.clock.seconds(), payload, secrets),
    };
    const request = { method: 'POST', headers, body: payload };
    return this.outbound.fetch(url, request, { timeoutMs: TIMEOUT_MS });
  }

  /**
   * Undefined when a master key is missing. This counts as a failed attempt, so that the message is not retried
   * forever.
   */
  private secretsOf(sealed: readonly string[], webhookId: string): string[] | undefined {
    try {
      return sealed.map(each => this.secrets.decrypt(each, sealedFor(webhookId)));
    } catch (error) {
      this.logger.error(`the secret of webhook ${webhookId} cannot be opened: ${(error as Error).message}`);
      return undefined;
    }
  }
}

/** Hides the reason for a missing response: it would tell clients which internal addresses exist. */
function noAnswer(error: unknown): null {
  if (error instanceof OutboundError) return null;
  throw error;
}
