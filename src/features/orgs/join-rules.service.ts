import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PlatformError } from '../../base/kernel/errors.js';
import { Settings } from '../../platform/config/settings.js';
import type { Queryable } from '../../platform/database/queryable.js';
import { OrgView } from './org.dto.js';
import type { JoinRule, Org } from './org.entity.js';
import { Providers } from './sso/providers.service.js';

/** Domains that an organization has proven by DNS, and those that its own providers may sign in. */
const DOMAINS = `
  SELECT org_id AS "orgId", domain FROM org_domains WHERE org_id = ANY ($1) AND verified_at IS NOT NULL
  UNION SELECT org_id, unnest(domains) FROM sso_providers WHERE org_id = ANY ($1) AND enabled`;

/**
 * Whether join rules take effect. A rule needs proof: anybody may create an organization, and one that names the domain
 * of others would take in people who never agreed.
 */
@Injectable()
export class JoinRules {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly settings: Settings,
    private readonly providers: Providers,
  ) {}

  /** The organizations as responses show them, in the same order. One round trip, none without join rules. */
  async shown(orgs: readonly Org[], database: Queryable = this.source): Promise<OrgView[]> {
    const domains = await this.domainsOf(orgs, database);
    return orgs.map(org => OrgView.of(org, domains));
  }

  /** 400 `DomainNotProved` for a rule that is not among those of before, unless it takes effect. */
  async assertProved(database: Queryable, before: Org, rules: readonly JoinRule[]): Promise<void> {
    const added = rules.filter(rule => !before.joinRules.some(each => isDeepStrictEqual(each, rule)));
    const domains = await this.domainsOf([{ ...before, joinRules: added }], database);
    const unproved = added.map(({ domain }) => domain).filter(domain => !domains.has(entry(before, domain)));
    if (unproved.length === 0) return;
    throw new PlatformError(
      'DomainNotProved',
      `joinRules: the organization has not proved ${unproved.join(', ')}. Claim the domain, add its DNS record and verify it (POST /v2/orgs/${before.slug}/domains), or name it in \`domains\` of an identity provider of the organization.`,
      { domains: unproved },
    );
  }

  /** `{slug}={domain}` for the domains for which rules of these organizations take effect. */
  private async domainsOf(orgs: readonly Org[], database: Queryable): Promise<ReadonlySet<string>> {
    const ruled = orgs.filter(({ joinRules }) => joinRules.length > 0);
    if (ruled.length === 0) return new Set();
    const rows: { orgId: string; domain: string }[] = await database.query(DOMAINS, [
      ruled.map(({ id }) => id),
    ]);
    const slugs = new Map(ruled.map(({ id, slug }) => [id, slug]));
    return new Set([
      ...this.settings.ORG_VERIFIED_DOMAINS,
      ...this.providers.domainsOfFile,
      ...rows.map(({ orgId, domain }) => `${slugs.get(orgId)}=${domain}`),
    ]);
  }
}

function entry({ slug }: Org, domain: string): string {
  return `${slug}=${domain}`;
}
