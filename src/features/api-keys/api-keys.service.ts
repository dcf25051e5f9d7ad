import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import type { Call } from '../../base/kernel/call.js';
import { Clock, DAY_SECONDS } from '../../base/kernel/clock.js';
import { PlatformError } from '../../base/kernel/errors.js';
import { isUuid } from '../../base/kernel/id.js';
import { Settings } from '../../platform/config/settings.js';
import { Transactions } from '../../platform/database/transactions.js';
import { offsetOf, type Page } from '../../platform/http/list-page.js';
import { idempotently } from '../../platform/idempotency/stored-responses.js';
import { mergedParts, requireParts } from '../collections/checked-parts.js';
import type { Access } from '../collections/collection-access.js';
import { collectionNotFound } from '../collections/collection-refusals.js';
import { ApiKeyMint, type MintedKey } from '../orgs/api-keys/api-key-mint.service.js';
import { OrgApiKey } from '../orgs/api-keys/org-api-key.entity.js';
import { lockOrg } from '../orgs/org-lock.js';
import { sentChange, sentFields } from '../orgs/right.fields.js';
import {
  type ApiKeyListView,
  ApiKeyView,
  type CreateApiKeyBody,
  type CreatedApiKeyView,
  type RotateApiKeyBody,
  type UpdateApiKeyBody,
} from './api-key.dto.js';

/** The lifetime of a key that is created without `expires_at`. */
const DEFAULT_LIFETIME_SECONDS = 365 * DAY_SECONDS;

/** The API keys of one collection: rows of the organization's keys that reach this collection only. */
@Injectable()
export class ApiKeys {
  constructor(
    @InjectRepository(OrgApiKey) private readonly rows: Repository<OrgApiKey>,
    private readonly apiKeyMint: ApiKeyMint,
    private readonly transactions: Transactions,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  async list({ collection }: Access, page: Page): Promise<ApiKeyListView> {
    const [keys, total] = await this.rows.findAndCount({
      where: ofCollection(collection),
      order: { id: 'ASC' },
      skip: offsetOf(page),
      take: page.limit,
    });
    return { object: 'list', items: keys.map(key => this.view(key)), total };
  }

  async get({ collection }: Access, id: string): Promise<ApiKeyView> {
    const key = isUuid(id) ? await this.rows.findOneBy({ ...ofCollection(collection), id }) : null;
    if (key === null) throw new PlatformError('NotFound', 'There is no API key with this id.');
    return this.view(key);
  }

  async create(
    call: Call,
    { collection, membership }: Access,
    { slug, name, permissions = ['collections:read'], expires_at, ...sent }: CreateApiKeyBody,
  ): Promise<CreatedApiKeyView> {
    const expiresAt = new Date((expires_at ?? this.clock.seconds() + DEFAULT_LIFETIME_SECONDS) * 1000);
    requireParts(collection, sent);
    const draft = {
      slug,
      name,
      permissions,
      expiresAt,
      ...mergedParts(undefined, sent),
      scopes: [`collections:${collection.id}`],
    };
    return this.transactions.run(manager =>
      idempotently(
        manager,
        call,
        async () => {
          // The organization is locked before the collection, in the same order as when an organization is deleted.
          await lockOrg(manager, collection.orgId, 'keep');
          await keepCollection(manager, collection.id);
          const minted = { ...draft, collectionId: collection.id };
          return this.viewWithSecret(await this.apiKeyMint.mint(manager, call, membership, minted));
        },
        { secret: true },
      ),
    );
  }

  async update(
    call: Call,
    { collection, membership }: Access,
    id: string,
    body: UpdateApiKeyBody,
  ): Promise<ApiKeyView> {
    const { name, permissions, expires_at, ...sent } = sentChange(body);
    requireParts(collection, sent);
    const expiresAt = expires_at === undefined ? undefined : new Date(expires_at * 1000);
    return this.transactions.run(manager =>
      idempotently(manager, call, async () => {
        const key = await this.apiKeyMint.find(manager, { ...ofCollection(collection), id });
        const change = sentFields({ name, permissions, expiresAt, ...sent });
        return this.view(await this.apiKeyMint.update(manager, call, membership, key, change));
      }),
    );
  }

  async rotate(
    call: Call,
    access: Access,
    id: string,
    { grace_seconds }: RotateApiKeyBody,
  ): Promise<CreatedApiKeyView> {
    const options = { graceSeconds: grace_seconds };
    return this.transactions.run(manager =>
      idempotently(
        manager,
        call,
        async () => {
          const key = await this.apiKeyMint.find(manager, { ...ofCollection(access.collection), id });
          return this.viewWithSecret(
            await this.apiKeyMint.rotate(manager, call, access.membership, key, options),
          );
        },
        { secret: true },
      ),
    );
  }

  async delete(call: Call, { collection }: Access, id: string): Promise<{ deleted: true }> {
    await this.transactions.run(async manager => {
      const key = await this.apiKeyMint.find(manager, { ...ofCollection(collection), id });
      await this.apiKeyMint.revoke(manager, call, key);
    });
    return { deleted: true };
  }

  private view(key: OrgApiKey): ApiKeyView {
    return ApiKeyView.of(key, this.settings.SERVICE_WORKSPACE_SLUG);
  }

  private viewWithSecret({ key, secret }: MintedKey): CreatedApiKeyView {
    return { ...this.view(key), secret };
  }
}

function ofCollection({ id, orgId }: Access['collection']): { orgId: string; collectionId: string } {
  return { orgId, collectionId: id };
}

/** Locks the collection, so that it is not deleted before the transaction ends. 404 when it is gone already. */
async function keepCollection(manager: EntityManager, id: string): Promise<void> {
  const found = await manager.query(
    'SELECT 1 FROM collections WHERE id = $1 AND deleted_at IS NULL FOR KEY SHARE',
    [id],
  );
  if (found.length === 0) throw collectionNotFound();
}
