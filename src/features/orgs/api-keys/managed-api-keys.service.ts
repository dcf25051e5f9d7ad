import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock, DAY_MS } from '../../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { isUuid } from '../../../base/kernel/id.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { type Page, pageOfRows, type ResultList } from '../../../platform/http/list-page.js';
import { AuthFailures } from '../../../platform/http/rate-limit/source-attempts.service.js';
import { Pruning } from '../../identity/pruning.js';
import { requirePermission } from '../granting.js';
import { sentChange, sentFields } from '../right.fields.js';
import {
  MintedOrgApiKeyView,
  type MintOrgApiKeyBody,
  OrgApiKeyView,
  type RotateOrgApiKeyBody,
  type UpdateOrgApiKeyBody,
} from './api-key.dto.js';
import { ApiKeyMint, type MintedKey } from './api-key-mint.service.js';
import { isMaker } from './key-rights.js';
import { OrgApiKey } from './org-api-key.entity.js';
import { OrgApiKeys } from './org-api-keys.service.js';

/** The API keys of an organization, including those of its collections, for members who manage them. */
@Injectable()
export class ManagedApiKeys {
  constructor(
    @InjectRepository(OrgApiKey) private readonly rows: Repository<OrgApiKey>,
    private readonly keys: OrgApiKeys,
    private readonly apiKeyMint: ApiKeyMint,
    private readonly transactions: Transactions,
    private readonly failures: AuthFailures,
  ) {}

  async list({ orgId }: Membership, page: Page): Promise<ResultList<OrgApiKeyView>> {
    return pageOfRows(this.rows, { where: { orgId }, order: { id: 'ASC' } }, page, OrgApiKeyView.of);
  }

  async get({ orgId }: Membership, id: string): Promise<OrgApiKeyView> {
    const key = isUuid(id) ? await this.rows.findOneBy({ orgId, id }) : null;
    if (key === null) throw new PlatformError('NotFound', 'There is no API key with this id.');
    return OrgApiKeyView.of(key);
  }

  async mint(call: Call, membership: Membership, body: MintOrgApiKeyBody): Promise<MintedOrgApiKeyView> {
    const draft = { ...body, expiresAt: instant(body.expiresAt) };
    return minted(
      await this.transactions.run(manager => this.apiKeyMint.mint(manager, call, membership, draft)),
    );
  }

  async update(
    call: Call,
    membership: Membership,
    id: string,
    body: UpdateOrgApiKeyBody,
  ): Promise<OrgApiKeyView> {
    const change = sentChange({ ...body, expiresAt: instant(body.expiresAt) });
    const key = await this.transactions.run(async manager => {
      const found = await this.find(manager, membership, id);
      if (found.collectionId !== null && (change.permissions ?? change.scopes) !== undefined) {
        throw invalid(
          'The permissions and scopes of a collection key cannot be changed. Create another key.',
        );
      }
      return this.apiKeyMint.update(manager, call, membership, found, change);
    });
    return OrgApiKeyView.of(key);
  }

  async rotate(
    call: Call,
    membership: Membership,
    id: string,
    body: RotateOrgApiKeyBody,
  ): Promise<MintedOrgApiKeyView> {
    const options = sentFields({ ...body, expiresAt: instant(body.expiresAt) });
    return minted(
      await this.transactions.run(async manager => {
        const key = await this.find(manager, membership, id);
        // Whoever may create keys of the collection rotates its keys there.
        if (key.collectionId !== null && !isMaker(call.principal, key))
          requirePermission(call.principal, membership, '*');
        return this.apiKeyMint.rotate(manager, call, membership, key, options);
      }),
    );
  }

  async revoke(call: Call, membership: Membership, id: string): Promise<{ success: true }> {
    await this.transactions.run(async manager =>
      this.apiKeyMint.revoke(manager, call, await this.find(manager, membership, id)),
    );
    return { success: true };
  }

  /** The metadata of a valid key of the organization. The 401 is the same for every other key. */
  async validate(orgSlug: string, rawKey: unknown, ip: string | undefined): Promise<OrgApiKeyView> {
    const id = typeof rawKey === 'string' ? await this.keys.validate(orgSlug, rawKey, ip) : undefined;
    const key = id === undefined ? null : await this.rows.findOneBy({ id });
    if (key !== null) return OrgApiKeyView.of(key);
    throw await this.failures.answerTo(new PlatformError('Unauthorized', 'The API key is not valid.'), ip);
  }

  private find(manager: EntityManager, { orgId }: Membership, id: string): Promise<OrgApiKey> {
    return this.apiKeyMint.find(manager, { orgId, id });
  }
}

function instant(text: string | null | undefined): Date | null | undefined {
  return typeof text === 'string' ? new Date(text) : text;
}

function minted({ key, secret }: MintedKey): MintedOrgApiKeyView {
  return { ...OrgApiKeyView.of(key), apiKey: secret };
}

/** An expired key stays in the list for this time, so that its managers see why calls with it are refused. */
const KEPT_MS = 30 * DAY_MS;

/** Removes keys of organizations and collections that expired long ago. */
@Injectable()
export class ExpiredApiKeys {
  constructor(
    @InjectRepository(OrgApiKey) private readonly keys: Repository<OrgApiKey>,
    private readonly clock: Clock,
    private readonly pruning: Pruning,
  ) {}

  /** Removes keys that expired 30 days ago, with audit events of their organizations. Returns how many. */
  async removeOld(signal: AbortSignal): Promise<number> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    const found: { org_id: string }[] = await this.keys.query(
      'SELECT DISTINCT org_id FROM org_api_keys WHERE expires_at < $1',
      [before],
    );
    let total = 0;
    for (const { org_id: orgId } of found) total += await this.removeOf(orgId, before, signal);
    return total;
  }

  private removeOf(orgId: string, before: Date, signal: AbortSignal): Promise<number> {
    const event = { orgId, type: 'orgs.apikeys.removed', target: { type: 'apikey', id: 'expired' } };
    const expired = { entity: OrgApiKey, which: { orgId }, time: 'expiresAt', before, event } as const;
    return this.pruning.remove(expired, signal);
  }
}
