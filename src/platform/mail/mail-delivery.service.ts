import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { sql } from '../../base/sql/index.js';
import { mailRoute } from '../config/mail.js';
import { Secrets } from '../config/secrets.js';
import { Settings } from '../config/settings.js';
import { LOCK_NAMES, namedLock } from '../database/advisory-locks.js';
import { execute } from '../database/queryable.js';
import { Repeating } from '../database/repeating.js';
import { Transactions } from '../database/transactions.js';
import { sealedMailFor } from './outbox-mail.entity.js';
import { MailRefused, type OutgoingMail, SmtpServer } from './smtp.js';

/** Name of the provider that says whether this program sends mails, or only adds them to the outbox. */
export const SENDS_MAIL = Symbol('sends mail');

/** Pause between looks: the shortest after a mail was added or sent, growing to the longest. */
const SHORTEST_MS = 100;
const LONGEST_MS = 2_000;
/** Mails that an instance sends at once. */
const MOST_AT_ONCE = 8;
/** Longest time of an attempt. It must be well below the lease. */
const ATTEMPT_MS = 30_000;
const LEASE = '60 seconds';

interface DueMail {
  readonly id: string;
  readonly kind: string;
  readonly sealed: string;
  readonly attempts: number;
  readonly expired: boolean;
}

const ARE_DUE = 'SELECT EXISTS (SELECT FROM mail_outbox WHERE due_at <= statement_timestamp()) AS due';

/** What counts for MAIL_MAX_PER_HOUR: mails that were sent, and those that are being sent. */
const STARTED = `
  SELECT count(*)::int AS started FROM mail_outbox
  WHERE sent_at > statement_timestamp() - interval '1 hour'
    OR (due_at > statement_timestamp() AND attempted_at > statement_timestamp() - interval '${LEASE}')`;

/** Leases due mails. $1: how many. If the instance is killed, another one sends them after the lease. */
const CLAIM = `
  UPDATE mail_outbox m SET attempts = attempts + 1, attempted_at = statement_timestamp(),
    due_at = statement_timestamp() + interval '${LEASE}'
  FROM (SELECT id FROM mail_outbox WHERE due_at <= statement_timestamp() ORDER BY due_at LIMIT $1
    FOR UPDATE SKIP LOCKED) due
  WHERE m.id = due.id
  RETURNING m.id, m.kind, m.sealed, m.attempts, m.expires_at <= statement_timestamp() AS expired`;

const SENT =
  'UPDATE mail_outbox SET sealed = NULL, due_at = NULL, sent_at = statement_timestamp() WHERE id = $1';
const GIVEN_UP = 'UPDATE mail_outbox SET sealed = NULL, due_at = NULL WHERE id = $1';
const RETRY = `UPDATE mail_outbox SET due_at = statement_timestamp() + $2 * interval '1 second' WHERE id = $1`;

/**
 * Sends the mails of the outbox. Runs on every instance; a lease makes sure that only one of them sends a mail. If that
 * instance is killed after the server took the mail, it is sent again with the same Message-ID, by which servers and mail
 * programs find duplicates.
 */
@Injectable()
export class MailDelivery implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(MailDelivery.name);
  private readonly loop = new Repeating('sending mails', () => this.look());
  private readonly stopping = new AbortController();
  private readonly send: (mail: OutgoingMail, signal: AbortSignal) => Promise<void>;
  private wait = SHORTEST_MS;

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly transactions: Transactions,
    private readonly secrets: Secrets,
    private readonly settings: Settings,
    @Inject(SENDS_MAIL) private readonly sends: boolean,
  ) {
    if (mailRoute(settings) === 'smtp') {
      const server = new SmtpServer(settings);
      this.send = (mail, signal) => server.send(mail, signal);
    } else this.send = async mail => print(mail);
  }

  onApplicationBootstrap(): void {
    if (this.sends && mailRoute(this.settings) !== 'nowhere') this.loop.wake();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.loop.stop();
  }

  /** Looks soon and often, because a transaction adds a mail. */
  expectMail(): void {
    if (!this.sends) return;
    this.wait = SHORTEST_MS;
    setTimeout(() => this.loop.wake(), SHORTEST_MS).unref();
  }

  private async look(): Promise<number> {
    this.wait = Math.min(this.wait * 1.5, LONGEST_MS);
    const [{ due }]: [{ due: boolean }] = await this.source.query(ARE_DUE);
    const mails = due ? await this.claim() : [];
    if (mails.length > 0) {
      await Promise.all(mails.map(mail => this.attempt(mail)));
      this.wait = SHORTEST_MS;
    }
    return this.wait;
  }

  /** One instance at a time, so that all together send no more than MAIL_MAX_PER_HOUR. */
  private claim(): Promise<DueMail[]> {
    return this.transactions.run(async manager => {
      await execute(manager, sql`SELECT pg_advisory_xact_lock(${namedLock(LOCK_NAMES.mailDelivery())})`);
      const [{ started }]: [{ started: number }] = await manager.query(STARTED);
      const most = Math.min(MOST_AT_ONCE, this.settings.MAIL_MAX_PER_HOUR - started);
      if (most <= 0) return [];
      const [mails]: [DueMail[], number] = await manager.query(CLAIM, [most]);
      return mails;
    });
  }

  private async attempt(mail: DueMail): Promise<void> {
    const { id, kind, attempts } = mail;
    try {
      if (mail.expired) throw new MailRefused('its time is over', true);
      const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(ATTEMPT_MS)]);
      await this.send(this.opened(mail), signal);
      await this.source.query(SENT, [id]);
    } catch (error) {
      if (this.stopping.signal.aborted) return;
      const { message, permanent } =
        error instanceof MailRefused ? error : new MailRefused(String(error), false);
      this.logger.warn(
        `mail ${id} (${kind}) was not sent at attempt ${attempts}: ${message}${permanent ? '; given up' : ''}`,
      );
      if (permanent) await this.source.query(GIVEN_UP, [id]);
      else await this.source.query(RETRY, [id, retrySeconds(attempts)]);
    }
  }

  private opened({ id, sealed }: DueMail): OutgoingMail {
    try {
      return { id, ...JSON.parse(this.secrets.decrypt(sealed, sealedMailFor(id))) };
    } catch {
      throw new MailRefused('it cannot be decrypted: its master key is not configured', true);
    }
  }
}

/** 2, 6, 18 … seconds, at most 10 minutes. */
function retrySeconds(attempts: number): number {
  return Math.min(2 * 3 ** (attempts - 1), 600);
}

/** For developers: the mail on the terminal. */
function print({ to, subject, text }: OutgoingMail): void {
  const lines = [`To: ${to}`, `Subject: ${subject}`, '', ...text.split('\n')];
  process.stdout.write(`\n${lines.map(line => `  | ${line}`).join('\n')}\n\n`);
}
