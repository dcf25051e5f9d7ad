import { Resolver } from 'node:dns/promises';
import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, LessThanOrEqual, Not, Repository } from 'typeorm';
import { platformCall } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Settings } from '../../../platform/config/settings.js';
import { JobWalks } from '../../../platform/database/job-walks.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { OrgDomainView, recordName, recordValue } from './org-domain.dto.js';
import { OrgDomain } from './org-domain.entity.js';

/** Timeout of the first query to a server, in milliseconds; the resolver waits longer for the second one. */
const TIMEOUT_MS = 5_000;
const TRIES = 2;
/** Timeout of a whole lookup over all servers, in milliseconds. */
const DEADLINE_MS = 10_000;
/** Limit of TXT records that are read for one name. */
const MAX_RECORDS = 100;

/** DNS has no such name, or no TXT record for it. */
const NONE = new Set(['ENOTFOUND', 'ENODATA']);

/** Reads the TXT records that prove domains. Call it outside of transactions, because DNS may be slow. */
@Injectable()
export class DomainRecords {
  constructor(private readonly settings: Settings) {}

  /** The values of the TXT records, possibly none. 503 when DNS does not answer. */
  async of(domain: string): Promise<readonly string[]> {
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    const { DNS_SERVERS } = this.settings;
    if (DNS_SERVERS.length > 0) resolver.setServers(DNS_SERVERS);
    const deadline = setTimeout(() => resolver.cancel(), DEADLINE_MS);
    try {
      const records = await resolver.resolveTxt(recordName(domain));
      return records.slice(0, MAX_RECORDS).map(parts => parts.join(''));
    } catch (error) {
      const { code = 'unknown' } = error as { code?: string };
      if (NONE.has(code)) return [];
      const reason = code === 'ECANCELLED' ? 'ETIMEOUT' : code;
      throw new PlatformError(
        'Unavailable',
        `DNS did not answer the query for ${recordName(domain)} (${reason}). Nothing was changed. Retry later.`,
      );
    } finally {
      clearTimeout(deadline);
    }
  }
}

/** The shortest time between two checks of a domain, so that a repeated run does not count one day twice. */
const CHECK_INTERVAL_MS = 20 * 3_600_000;
/** A domain is no longer verified after this number of daily checks in a row that miss its record. */
const MAX_MISSED = 3;

type Outcome = 'found' | 'missed' | 'unverified' | 'unanswered';

/** The daily check of the DNS records of verified domains. */
@Injectable()
export class DomainChecks {
  private readonly logger = new Logger('Domains');

  constructor(
    @InjectRepository(OrgDomain) private readonly rows: Repository<OrgDomain>,
    private readonly transactions: Transactions,
    private readonly records: DomainRecords,
    private readonly walks: JobWalks,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Checks all organizations, a few at a time. Lookups hold no database connection. Stops early when `signal` is
   * aborted.
   */
  async checkAll(signal: AbortSignal): Promise<Record<Outcome, number>> {
    const counts = { found: 0, missed: 0, unverified: 0, unanswered: 0 };
    const due = new Date(this.clock.now().getTime() - CHECK_INTERVAL_MS);
    const orgs: { id: string }[] = await this.rows.query(
      'SELECT DISTINCT org_id AS id FROM org_domains WHERE verified_at IS NOT NULL AND checked_at <= $1',
      [due],
    );
    await this.walks.each('check-domains', orgs, signal, async ({ id }) => {
      const where = { orgId: id, verifiedAt: Not(IsNull()), checkedAt: LessThanOrEqual(due) };
      const rows = await this.rows.findBy(where);
      const found = await Promise.all(rows.map(row => this.hasRecord(row)));
      for (const [index, row] of rows.entries()) counts[await this.write(row, found[index])] += 1;
    });
    return counts;
  }

  /** Undefined when DNS does not answer; such a check counts neither way. */
  private async hasRecord({ domain, token }: OrgDomain): Promise<boolean | undefined> {
    try {
      return (await this.records.of(domain)).includes(recordValue(token));
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      this.logger.warn(error.message);
      return undefined;
    }
  }

  /** Writes nothing for a domain that was removed or verified again since it was read. */
  private async write(
    { orgId, domain, token, checkedAt }: OrgDomain,
    hasRecord: boolean | undefined,
  ): Promise<Outcome> {
    if (hasRecord === undefined) return 'unanswered';
    return this.transactions.run(async manager => {
      const lock = { mode: 'pessimistic_write' } as const;
      const row = await manager.findOne(OrgDomain, { where: { orgId, domain, token }, lock });
      if (row?.verifiedAt == null || row.checkedAt?.getTime() !== checkedAt?.getTime()) return 'found';
      const missed = hasRecord ? 0 : row.missed + 1;
      const isGone = missed >= MAX_MISSED;
      const change = { checkedAt: this.clock.now(), missed, ...(isGone && { verifiedAt: null, missed: 0 }) };
      await manager.update(OrgDomain, { orgId, domain }, change);
      if (!isGone) return hasRecord ? 'found' : 'missed';
      const changes = { before: OrgDomainView.of(row), after: OrgDomainView.of({ ...row, ...change }) };
      const target = { type: 'domain', id: domain };
      const event = { type: 'orgs.domains.unverified', target, changes };
      await this.audit.record(manager, platformCall('job'), orgId, event);
      return 'unverified';
    });
  }
}
