import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Repository } from 'typeorm';
import { Secrets } from '../../../platform/config/secrets.js';
import { Settings } from '../../../platform/config/settings.js';
import { OutboundFetch } from '../../../platform/outbound/outbound-fetch.js';
import { Org } from '../org.entity.js';
import { fileProviders } from './described-provider.js';
import { type Provider, SsoProvider, secretPurpose } from './sso-provider.entity.js';

/** The part of a provider that a sign-in page shows. */
export type ListedProvider = Pick<Provider, 'slug' | 'name' | 'type' | 'icon'>;

/** Limit of stored providers in the public list, which has no pages. */
const MAX_LISTED = 1000;

/** For how long the public list is kept, in milliseconds: anybody may ask for it, and it reads all organizations. */
const LISTED_FOR_MS = 3_000;

/**
 * Anybody may create organizations with providers, and none of them may push the others out of the list. So the oldest
 * half keeps its places. In the other half, organizations that own a domain come first: anybody can get a domain too,
 * but that takes longer.
 */
const LISTED = `
  SELECT slug, name, icon FROM (
    SELECT p.slug, p.name, p.icon, row_number() OVER (ORDER BY o.created_at, o.id, p.slug) AS age,
      EXISTS (SELECT FROM org_domains d WHERE d.org_id = o.id AND d.verified_at IS NOT NULL) AS proven
    FROM sso_providers p JOIN orgs o ON o.id = p.org_id AND o.deleted_at IS NULL
    WHERE p.enabled) AS enabled
  ORDER BY CASE WHEN age <= $1::int / 2 THEN 0 WHEN proven THEN 1 ELSE 2 END, age LIMIT $1`;

/** All providers that people may sign in with: those of the file, which take precedence, and those of organizations. */
@Injectable()
export class Providers {
  private readonly ofFile: ReadonlyMap<string, Provider>;
  private kept: { readonly until: number; readonly list: Promise<ListedProvider[]> } | undefined;

  constructor(
    settings: Settings,
    outbound: OutboundFetch,
    @InjectRepository(SsoProvider) private readonly rows: Repository<SsoProvider>,
    private readonly secrets: Secrets,
  ) {
    this.ofFile = fileProviders(settings.AUTH_PROVIDERS_FILE, outbound);
  }

  /** The provider with its secret; undefined when there is none with this slug or it is disabled. */
  async find(slug: string): Promise<Provider | undefined> {
    const provider = this.ofFile.get(slug) ?? (await this.stored(slug));
    return provider?.enabled ? provider : undefined;
  }

  /**
   * The enabled providers; those of the file come first, then those of the oldest organizations. Changes of other instances
   * show after some seconds.
   */
  listed(): Promise<ListedProvider[]> {
    if (this.kept === undefined || performance.now() > this.kept.until) {
      const list = this.readListed();
      this.kept = { until: performance.now() + LISTED_FOR_MS, list };
      list.catch(() => this.forgetListed());
    }
    return this.kept.list;
  }

  /** The next list is read again. */
  forgetListed(): void {
    this.kept = undefined;
  }

  private async readListed(): Promise<ListedProvider[]> {
    const stored: Pick<SsoProvider, 'slug' | 'name' | 'icon'>[] = await this.rows.query(LISTED, [MAX_LISTED]);
    const ofOrgs = stored.filter(({ slug }) => !this.ofFile.has(slug));
    return [...[...this.ofFile.values()].filter(({ enabled }) => enabled), ...ofOrgs].map(
      ({ slug, name, icon }) => ({ slug, name, type: 'oidc', ...(icon && { icon }) }),
    );
  }

  /** True for a slug of the file, which takes precedence over a stored provider with the same slug. */
  isSlugOfFile(slug: string): boolean {
    return this.ofFile.has(slug);
  }

  /** The organizations that the operator has given to providers of the file, by the ids of these providers. */
  get orgsOfFile(): ReadonlyMap<string, string> {
    const given = [...this.ofFile.values()].flatMap(({ id, orgSlug }): [string, string][] =>
      orgSlug === undefined ? [] : [[id, orgSlug]],
    );
    return new Map(given);
  }

  /** `{orgSlug}={domain}` for the domains of enabled providers of the file that have an organization. */
  get domainsOfFile(): readonly string[] {
    return [...this.ofFile.values()].flatMap(({ enabled, orgSlug, domains }) =>
      enabled && orgSlug !== undefined ? domains.map(domain => `${orgSlug}=${domain}`) : [],
    );
  }

  private async stored(slug: string): Promise<Provider | undefined> {
    const row = await this.rows.findOneBy({ slug });
    const org = row && (await this.rows.manager.findOneBy(Org, { id: row.orgId, deletedAt: IsNull() }));
    if (row === null || !org) return undefined;
    const { id, name, icon, config, sealedSecret, attributesMapping, domains, defaultRole } = row;
    const { enabled, ownRedirectUri } = row;
    const client_secret = sealedSecret && this.secrets.decrypt(sealedSecret, secretPurpose(id));
    return {
      id,
      slug,
      name,
      type: 'oidc',
      attributesMapping,
      domains,
      enabled,
      ownRedirectUri,
      origin: 'org',
      orgSlug: org.slug,
      orgId: org.id,
      config: { ...config, ...(client_secret && { client_secret }) },
      ...(icon && { icon }),
      ...(defaultRole && { defaultRole }),
    };
  }
}
