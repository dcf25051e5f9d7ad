import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { isUniqueViolation } from '../../../base/kernel/sql-state.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Settings } from '../../../platform/config/settings.js';
import { Capacity } from '../../../platform/database/capacity.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { type Page, pageOfRows, type ResultList } from '../../../platform/http/list-page.js';
import { lockOrg } from '../org-lock.js';
import { DomainRecords } from './domain-checks.service.js';
import { isVerification, normalDomain, OrgDomainView, recordName, recordValue } from './org-domain.dto.js';
import { OrgDomain } from './org-domain.entity.js';

const TOKEN_BYTES = 20;
/** How much of the found records an error message shows. */
const SHOWN = { records: 5, characters: 100 };

/** The e-mail domains that an organization claims and proves by a DNS record. */
@Injectable()
export class OrgDomains {
  constructor(
    @InjectRepository(OrgDomain) private readonly rows: Repository<OrgDomain>,
    private readonly transactions: Transactions,
    private readonly settings: Settings,
    private readonly records: DomainRecords,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly capacity: Capacity,
  ) {}

  async list({ orgId }: Membership, page: Page): Promise<ResultList<OrgDomainView>> {
    return pageOfRows(this.rows, { where: { orgId }, order: { domain: 'ASC' } }, page, OrgDomainView.of);
  }

  /** Adds a claim. It proves nothing yet, so several organizations may claim the same domain. */
  add(call: Call, { orgId }: Membership, text: string): Promise<OrgDomainView> {
    const domain = normalDomain(text);
    if (domain === undefined) {
      throw invalid(
        'domain: expects a domain with at least two labels, like acme.example, not an e-mail address.',
      );
    }
    const row: OrgDomain = {
      orgId,
      domain,
      token: randomBytes(TOKEN_BYTES).toString('hex'),
      createdAt: this.clock.now(),
      verifiedAt: null,
      checkedAt: null,
      missed: 0,
    };
    return this.transactions.run(async manager => {
      await lockOrg(manager, orgId, 'change');
      if (await manager.existsBy(OrgDomain, { orgId, domain })) {
        throw new PlatformError('AlreadyExists', `domain: the organization already claims ${domain}.`);
      }
      await this.capacity.assertRoom(manager, 'org_domains', orgId);
      await manager.insert(OrgDomain, row);
      await this.record(manager, call, 'added', row, { after: OrgDomainView.of(row) });
      return OrgDomainView.of(row);
    });
  }

  /**
   * Looks the record up before the transaction begins, and writes the result. Only an organization that has the right
   * record learns that another one has proven the domain.
   */
  async verify(call: Call, { orgId, orgSlug }: Membership, text: string): Promise<OrgDomainView> {
    const claim = await this.rows.findOneBy({ orgId, domain: normalDomain(text) ?? '' });
    if (claim === null) throw notFound();
    const { domain, token } = claim;
    const found = await this.records.of(domain);
    const checkedAt = this.clock.now();
    if (!found.includes(recordValue(token))) {
      // Only the daily check counts misses of a verified domain. Writing `checkedAt` here would postpone that check.
      if (claim.verifiedAt === null) await this.rows.update({ orgId, domain, token }, { checkedAt });
      throw missing(claim, found);
    }
    if (this.isOfAnother(orgSlug, domain)) throw provenByAnother(domain);
    return this.transactions.run(async manager => {
      await lockOrg(manager, orgId, 'keep');
      const lock = { mode: 'pessimistic_write' } as const;
      const row = await manager.findOne(OrgDomain, { where: { orgId, domain, token }, lock });
      if (row === null) throw notFound();
      const change = { verifiedAt: row.verifiedAt ?? checkedAt, checkedAt, missed: 0 };
      await manager.update(OrgDomain, { orgId, domain }, change).catch(error => {
        throw isUniqueViolation(error, 'org_domains_verified') ? provenByAnother(domain) : error;
      });
      const [before, after] = [OrgDomainView.of(row), OrgDomainView.of({ ...row, ...change })];
      if (row.verifiedAt === null) await this.record(manager, call, 'verified', row, { before, after });
      return after;
    });
  }

  remove(call: Call, { orgId }: Membership, text: string): Promise<{ success: true }> {
    return this.transactions.run(async manager => {
      await lockOrg(manager, orgId, 'keep');
      const lock = { mode: 'pessimistic_write' } as const;
      const where = { orgId, domain: normalDomain(text) ?? '' };
      const row = await manager.findOne(OrgDomain, { where, lock });
      if (row === null) throw notFound();
      await manager.delete(OrgDomain, where);
      await this.record(manager, call, 'removed', row, { before: OrgDomainView.of(row) });
      return { success: true };
    });
  }

  /** True when the operator's settings assign the domain to another organization. */
  private isOfAnother(orgSlug: string, domain: string): boolean {
    return this.settings.ORG_VERIFIED_DOMAINS.some(
      entry => entry.endsWith(`=${domain}`) && entry !== `${orgSlug}=${domain}`,
    );
  }

  private record(
    manager: EntityManager,
    call: Call,
    act: 'added' | 'verified' | 'removed',
    { orgId, domain }: OrgDomain,
    changes: { readonly before?: object; readonly after?: object },
  ): Promise<void> {
    const target = { type: 'domain', id: domain };
    return this.audit.record(manager, call, orgId, { type: `orgs.domains.${act}`, target, changes });
  }
}

/** 409 with the verification records that were found. Other TXT records are only counted, not shown. */
function missing({ domain, token }: OrgDomain, records: readonly string[]): PlatformError {
  const [name, expected] = [recordName(domain), recordValue(token)];
  const found = records
    .filter(isVerification)
    .slice(0, SHOWN.records)
    .map(value => value.slice(0, SHOWN.characters));
  const others = records.length - found.length;
  const list = [...found, ...(others > 0 ? [`${others} other records`] : [])];
  return new PlatformError(
    'Conflict',
    `The TXT record ${name} must be ${expected}. Found: ${list.join(', ') || 'no TXT record'}. A new record can take hours to become visible.`,
    { name, expected, found },
  );
}

function provenByAnother(domain: string): PlatformError {
  return new PlatformError(
    'Conflict',
    `Another organization has already proven ${domain}. It loses the domain when its TXT record has been missing for three days. Ask the operator if this is wrong.`,
  );
}

function notFound(): PlatformError {
  return new PlatformError('NotFound', 'The organization does not claim this domain.');
}
