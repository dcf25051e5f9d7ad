import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { newId } from '../../base/kernel/id.js';
import { sql } from '../../base/sql/index.js';
import { mailRoute } from '../config/mail.js';
import { Secrets } from '../config/secrets.js';
import { Settings } from '../config/settings.js';
import { LOCK_NAMES, namedLock } from '../database/advisory-locks.js';
import { execute } from '../database/queryable.js';
import { isMailAddress, type Mail } from './mail.js';
import { MailDelivery } from './mail-delivery.service.js';
import { OutboxMail, sealedMailFor } from './outbox-mail.entity.js';

/** Mails of one kind to one address within an hour. */
const MOST_TO_ADDRESS = 5;

/** $1: hashes of the address, $2: kind, $3: the organization or null. */
const COUNTS = `
  SELECT count(*) FILTER (WHERE due_at IS NOT NULL)::int AS pending,
    count(*) FILTER (WHERE org_id = $3 AND kind <> 'login' AND created_at > statement_timestamp() - interval '1 hour')::int AS of_org,
    count(*) FILTER (
      WHERE recipient_hash = ANY ($1) AND kind = $2 AND created_at > statement_timestamp() - interval '1 hour')::int AS to_address
  FROM mail_outbox`;

/**
 * Mails that are to be sent. A mail is written in the transaction of what causes it, encrypted, and sent afterwards by
 * any instance, so that no request waits for the mail server.
 */
@Injectable()
export class MailOutbox {
  constructor(
    @InjectRepository(OutboxMail) private readonly mails: Repository<OutboxMail>,
    private readonly secrets: Secrets,
    private readonly settings: Settings,
    private readonly delivery: MailDelivery,
  ) {}

  /** False where there is no mail. */
  get isOn(): boolean {
    return mailRoute(this.settings) !== 'nowhere';
  }

  /**
   * Adds a mail. False if there is no mail here, for an address that mail cannot be sent to, and beyond a limit: 5 mails of
   * a kind to an address within an hour, a tenth of MAIL_MAX_PER_HOUR for an organization, and MAIL_MAX_PER_HOUR mails
   * that wait.
   */
  async add(manager: EntityManager, mail: Mail): Promise<boolean> {
    if (!this.isOn || !isMailAddress(mail.to)) return false;
    const { kind, to, subject, text, orgId, seconds } = mail;
    const address = to.toLowerCase();
    // The last lock of every transaction that adds a mail, so that no two wait for each other.
    await execute(manager, sql`SELECT pg_advisory_xact_lock(${namedLock(LOCK_NAMES.mail(address))})`);
    if (await this.isTooMuch(manager, { ...mail, to: address })) return false;
    const id = newId();
    await manager.query(
      `INSERT INTO mail_outbox (id, kind, recipient_hash, org_id, sealed, due_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, statement_timestamp(), statement_timestamp() + $6 * interval '1 second')`,
      [
        id,
        kind,
        this.secrets.hash(address),
        orgId ?? null,
        this.secrets.encrypt(JSON.stringify({ to, subject, text }), sealedMailFor(id)),
        seconds,
      ],
    );
    this.delivery.expectMail();
    return true;
  }

  /** Removes mails that were added two hours ago and sent or given up. Returns their number. */
  async removeOld(): Promise<number> {
    const { affected } = await this.mails
      .createQueryBuilder()
      .delete()
      .from(OutboxMail)
      .where("due_at IS NULL AND created_at < statement_timestamp() - interval '2 hours'")
      .andWhere("(sent_at IS NULL OR sent_at < statement_timestamp() - interval '1 hour')")
      .execute();
    return affected ?? 0;
  }

  private async isTooMuch(manager: EntityManager, { kind, to, orgId }: Mail): Promise<boolean> {
    const most = this.settings.MAIL_MAX_PER_HOUR;
    const [counts]: [{ pending: number; of_org: number; to_address: number }] = await manager.query(COUNTS, [
      this.secrets.hashes(to),
      kind,
      orgId ?? null,
    ]);
    return (
      counts.to_address >= MOST_TO_ADDRESS ||
      counts.pending >= most ||
      (kind !== 'login' && counts.of_org >= Math.max(MOST_TO_ADDRESS, most / 10))
    );
  }
}
