import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { AuthFailures } from '../../http/rate-limit/auth-failures.service.js';
import { RightsTransaction } from '../../identity/rights-transaction.js';
import type { Call } from '../../kernel/call.js';
import { invalid, PlatformError } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/id.js';
import { offsetOf, type Page } from '../../kernel/page.js';
import type { Membership } from '../../kernel/principal.js';
import type { ResultList } from '../result-list.js';
import { sentChange, sentFields } from '../sent-fields.js';
import type { MintOrgApiKeyBody, RotateOrgApiKeyBody, UpdateOrgApiKeyBody } from './api-key.dto.js';
import { MintedOrgApiKeyView, OrgApiKeyView } from './api-key.view.js';
import { ApiKeyMint, type MintedKey } from './api-key-mint.service.js';
import { OrgApiKey } from './org-api-key.entity.js';
import { OrgApiKeys } from './org-api-keys.service.js';

/** The keys of an organization as its managers see them; those of its collections are among them. */
@Injectable()
export class ManagedApiKeys {
  constructor(
    @InjectRepository(OrgApiKey) private readonly rows: Repository<OrgApiKey>,
    private readonly keys: OrgApiKeys,
    private readonly apiKeyMint: ApiKeyMint,
    private readonly rights: RightsTransaction,
    private readonly failures: AuthFailures,
  ) {}

  async list({ orgId }: Membership, page: Page): Promise<ResultList<OrgApiKeyView>> {
    const [rows, total] = await this.rows.findAndCount({
      where: { orgId },
      order: { id: 'ASC' },
      skip: offsetOf(page),
      take: page.limit,
    });
    return { results: rows.map(OrgApiKeyView.of), total };
  }

  async get({ orgId }: Membership, id: string): Promise<OrgApiKeyView> {
    const key = isUuid(id) ? await this.rows.findOneBy({ orgId, id }) : null;
    if (key === null) throw new PlatformError('NotFound', 'There is no such API key.');
    return OrgApiKeyView.of(key);
  }

  async mint(call: Call, membership: Membership, body: MintOrgApiKeyBody): Promise<MintedOrgApiKeyView> {
    const draft = { ...body, expiresAt: instant(body.expiresAt) };
    return minted(
      await this.rows.manager.transaction(manager => this.apiKeyMint.mint(manager, call, membership, draft)),
    );
  }

  async update(
    call: Call,
    membership: Membership,
    id: string,
    body: UpdateOrgApiKeyBody,
  ): Promise<OrgApiKeyView> {
    const change = sentChange({ ...body, expiresAt: instant(body.expiresAt) });
    const key = await this.rights.run(async manager => {
      const found = await this.find(manager, membership, id);
      if (found.collectionId !== null && (change.permissions ?? change.scopes) !== undefined) {
        throw invalid('The rights of a collection key are set when it is created: create another.');
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
      await this.rights.run(async manager =>
        this.apiKeyMint.rotate(manager, call, membership, await this.find(manager, membership, id), options),
      ),
    );
  }

  async revoke(call: Call, membership: Membership, id: string): Promise<{ success: true }> {
    await this.rights.run(async manager =>
      this.apiKeyMint.revoke(manager, call, await this.find(manager, membership, id)),
    );
    return { success: true };
  }

  /** Metadata of a good key of that organization; one 401 for every other. */
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
