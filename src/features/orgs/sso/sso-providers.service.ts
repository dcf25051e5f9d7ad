import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { newId } from '../../../base/kernel/id.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { unlessTaken } from '../../../base/kernel/sql-state.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { Settings } from '../../../platform/config/settings.js';
import { Capacity } from '../../../platform/database/capacity.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { type Page, pageOfRows, type ResultList } from '../../../platform/http/list-page.js';
import { OutboundFetch } from '../../../platform/outbound/outbound-fetch.js';
import { assertMayGroup } from '../granting.js';
import { lockOrg } from '../org-lock.js';
import { Roles } from '../roles/roles.service.js';
import { type DescribedProvider, describedProvider } from './described-provider.js';
import { Providers } from './providers.service.js';
import {
  type CreateSsoProviderBody,
  type ReplaceSsoProviderBody,
  type SsoProviderBody,
  SsoProviderView,
} from './sso-provider.dto.js';
import {
  formerIdentitySource,
  identitySource,
  type ProviderConfig,
  SsoProvider,
  secretPurpose,
} from './sso-provider.entity.js';

/** The identity providers of an organization. */
@Injectable()
export class SsoProviders {
  constructor(
    @InjectRepository(SsoProvider) private readonly rows: Repository<SsoProvider>,
    private readonly transactions: Transactions,
    private readonly capacity: Capacity,
    private readonly providers: Providers,
    private readonly roles: Roles,
    private readonly outbound: OutboundFetch,
    private readonly secrets: Secrets,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  async list({ orgId, orgSlug }: Membership, page: Page): Promise<ResultList<SsoProviderView>> {
    return pageOfRows(this.rows, { where: { orgId }, order: { id: 'ASC' } }, page, row =>
      this.view(row, orgSlug),
    );
  }

  async get({ orgId, orgSlug }: Membership, slug: string): Promise<SsoProviderView> {
    const row = await this.rows.findOneBy({ orgId, slug });
    if (row === null) throw notFound();
    return this.view(row, orgSlug);
  }

  create(call: Call, membership: Membership, body: CreateSsoProviderBody): Promise<SsoProviderView> {
    const { orgId, orgSlug } = membership;
    const { slug } = body;
    if (this.providers.isSlugOfFile(slug)) throw new PlatformError('AlreadyExists', taken(slug));
    assertKeepsOwnUri(body);
    const [id, now] = [newId(), this.clock.now()];
    const row: SsoProvider = {
      id,
      orgId,
      slug,
      createdAt: now,
      updatedAt: now,
      ownRedirectUri: true,
      ...this.described(membership, body),
      sealedSecret: this.sealed(id, body.config.client_secret ?? null),
    };
    return this.changed(async manager => {
      await this.assertMayGrantOnJoining(manager, call, membership, row);
      await this.capacity.assertRoom(manager, 'sso_providers', orgId);
      await unlessTaken(
        manager.query('INSERT INTO sso_provider_slugs (slug) VALUES ($1)', [slug]),
        taken(slug),
      );
      await manager.insert(SsoProvider, row);
      await this.record(manager, call, 'created', { after: this.view(row, orgSlug) }, row);
      return this.view(row, orgSlug);
    });
  }

  /** Replaces everything but the slug, and but the secret when it is left out. */
  replace(
    call: Call,
    membership: Membership,
    slug: string,
    body: ReplaceSsoProviderBody,
  ): Promise<SsoProviderView> {
    if (body.slug !== undefined && body.slug !== slug)
      throw invalid('slug: cannot be changed. Leave it out, or send the slug of the path.');
    const described = { ...this.described(membership, body), updatedAt: this.clock.now() };
    const { client_secret } = body.config;
    return this.changed(async manager => {
      await this.assertMayGrantOnJoining(manager, call, membership, described);
      const row = await this.lock(manager, membership, slug);
      if (row.ownRedirectUri) assertKeepsOwnUri(body);
      const change = { ...described, ownRedirectUri: hasOwnUri(row, body) };
      const kept = client_secret === undefined;
      if (kept && row.sealedSecret !== null) assertSecretNotRedirected(row.config, change.config);
      const sealedSecret = kept ? row.sealedSecret : this.sealed(row.id, client_secret);
      await keepIdentities(manager, row);
      await manager.update(SsoProvider, row.id, { ...change, sealedSecret });
      const [before, after] = [row, { ...row, ...change, sealedSecret }].map(each =>
        this.view(each, membership.orgSlug),
      ) as [SsoProviderView, SsoProviderView];
      await this.record(
        manager,
        call,
        'replaced',
        { before, after: { ...after, secretReplaced: !kept } },
        row,
      );
      return after;
    });
  }

  /**
   * Deletes a provider, so that nobody can sign in with it any more. People who signed in with it stay members. Its
   * slug can never be used again.
   */
  delete(call: Call, membership: Membership, slug: string): Promise<{ success: true }> {
    return this.changed(async manager => {
      await lockOrg(manager, membership.orgId, 'keep');
      const row = await this.lock(manager, membership, slug);
      await manager.delete(SsoProvider, row.id);
      const before = this.view(row, membership.orgSlug);
      await this.record(manager, call, 'deleted', { before }, row);
      return { success: true };
    });
  }

  private changed<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.transactions.run(work).finally(() => this.providers.forgetListed());
  }

  private view(row: SsoProvider, orgSlug: string): SsoProviderView {
    return SsoProviderView.of(row, orgSlug, this.settings.PUBLIC_URL);
  }

  private described({ orgSlug }: Membership, body: SsoProviderBody): DescribedProvider {
    if ((body.orgSlug ?? orgSlug) !== orgSlug) {
      throw invalid('orgSlug: leave it out, or send the organization of the path.');
    }
    return describedProvider(body, this.outbound);
  }

  /**
   * The caller must be able to grant every role that people can get by signing in: the provider's role or else the
   * organization's default role, and the roles and groups of join rules.
   */
  private async assertMayGrantOnJoining(
    manager: EntityManager,
    call: Call,
    membership: Membership,
    { defaultRole }: Pick<SsoProvider, 'defaultRole'>,
  ): Promise<void> {
    const org = await lockOrg(manager, membership.orgId, 'change');
    const slugs = new Set([defaultRole ?? org.defaultRole, ...org.joinRules.map(rule => rule.roleSlug)]);
    for (const slug of slugs) await this.roles.grantableRole(manager, call, membership, slug);
    const groups = org.joinRules.flatMap(rule => rule.groups ?? []);
    await assertMayGroup(manager, call, membership, [...new Set(groups)]);
  }

  private sealed(id: string, secret: string | null): string | null {
    return secret === null ? null : this.secrets.encrypt(secret, secretPurpose(id));
  }

  private async lock(manager: EntityManager, { orgId }: Membership, slug: string): Promise<SsoProvider> {
    const lock = { mode: 'pessimistic_write' } as const;
    const row = await manager.findOne(SsoProvider, { where: { orgId, slug }, lock });
    if (row === null) throw notFound();
    return row;
  }

  private record(
    manager: EntityManager,
    call: Call,
    act: 'created' | 'replaced' | 'deleted',
    changes: { readonly before?: object; readonly after?: object },
    { id, slug, orgId }: SsoProvider,
  ): Promise<void> {
    const target = { type: 'sso-provider', id, name: slug };
    return this.audit.record(manager, call, orgId, { type: `orgs.ssoproviders.${act}`, target, changes });
  }
}

function notFound(): PlatformError {
  return new PlatformError('NotFound', 'The organization has no identity provider with this slug.');
}

function taken(slug: string): string {
  return `slug: ${slug} is or was the slug of another identity provider.`;
}

/** Binds identities from before to the present `client_id`, before it changes. */
async function keepIdentities(manager: EntityManager, { id, config }: SsoProvider): Promise<void> {
  const provider = { id, config, origin: 'org' as const };
  await manager.query('UPDATE federated_identities SET provider_id = $2 WHERE provider_id = $1', [
    formerIdentitySource(provider),
    identitySource(provider),
  ]);
}

function assertKeepsOwnUri({ ownRedirectUri }: SsoProviderBody): void {
  if (ownRedirectUri === false)
    throw invalid(
      'ownRedirectUri: cannot be false. Leave it out, and register `redirectUri` at the provider.',
    );
}

/**
 * A provider from before providers had redirect URIs of their own keeps the shared one while it is the same client of the
 * same provider, because that one is registered there.
 */
function hasOwnUri({ ownRedirectUri, config }: SsoProvider, body: SsoProviderBody): boolean {
  const parts = ['issuer', 'client_id', 'authorization_endpoint'] as const;
  return (
    ownRedirectUri ||
    body.ownRedirectUri === true ||
    parts.some(part => (body.config[part] ?? undefined) !== config[part])
  );
}

type Target = Pick<ProviderConfig, 'issuer' | 'client_id' | 'token_endpoint'>;

/**
 * Throws 400 when a secret that is left out would from now on be sent to another server. Otherwise a manager of
 * providers could learn the secret by pointing the provider at a server of their own.
 */
function assertSecretNotRedirected(before: Target, after: Target): void {
  const moved = (['issuer', 'client_id', 'token_endpoint'] as const).find(
    name => before[name] !== after[name],
  );
  if (moved === undefined) return;
  throw invalid(
    `config.client_secret: send it again, or null, because config.${moved} changes. A stored secret is sent only to the address that it was set for`,
  );
}
