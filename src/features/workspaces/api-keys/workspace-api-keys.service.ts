import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Principal } from '../../../base/kernel/principal.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { LastUses } from '../../identity/last-uses.service.js';
import type { WorkspaceApiKey } from '../workspace.entity.js';

const KEY = /^wak_[A-Za-z0-9_-]{43}$/;
const SHOWN = 8;

/** A new key: `wak_` and 256 random bits. */
export function newKeyText(): string {
  return `wak_${randomBytes(32).toString('base64url')}`;
}

function isKeyText(text: string): boolean {
  return KEY.test(text);
}

/** The first characters, which may be shown. */
export function keyPrefix(rawKey: string): string {
  return rawKey.slice(0, SHOWN);
}

type LiveKey = Pick<WorkspaceApiKey, 'id' | 'workspaceId' | 'rules' | 'createdBy' | 'lastUsedAt'> & {
  readonly orgId: string;
};

const LIVE_KEYS = `
  SELECT k.id, k.workspace_id AS "workspaceId", w.org_id AS "orgId", k.rules, k.created_by AS "createdBy", k.last_used_at AS "lastUsedAt"
  FROM workspace_api_keys k JOIN workspaces w ON w.id = k.workspace_id
  JOIN orgs o ON o.id = w.org_id AND o.deleted_at IS NULL`;

/** Authenticates callers by API keys of workspaces. */
@Injectable()
export class WorkspaceApiKeys {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly secrets: Secrets,
    private readonly lastUses: LastUses,
  ) {}

  /** The principal of a key; undefined for every key that is not valid. One round trip. */
  async authenticate(rawKey: string): Promise<Principal | undefined> {
    if (!isKeyText(rawKey)) return undefined;
    const [key]: LiveKey[] = await this.source.query(`${LIVE_KEYS} WHERE k.secret_hash = ANY ($1)`, [
      this.secrets.hashes(rawKey),
    ]);
    if (key === undefined) return undefined;
    this.lastUses.write('workspace_api_keys', key);
    return principalOf(key);
  }

  /** The principal of the key with this id, which another service has verified; undefined when it is deleted. */
  async identify(id: string): Promise<Principal | undefined> {
    const [key]: LiveKey[] = await this.source.query(`${LIVE_KEYS} WHERE k.id = $1`, [id]);
    return key && principalOf(key);
  }
}

/** The principal has no membership: its only rights are those of the key's rules in its workspace. */
function principalOf({ id, workspaceId, orgId, rules, createdBy }: LiveKey): Principal {
  return Object.freeze({
    type: 'key',
    id,
    credential: 'workspace-api-key',
    credentialId: id,
    email: null,
    slug: undefined,
    memberships: [],
    activeOrgSlug: undefined,
    sessionId: undefined,
    expiresAt: undefined,
    narrowedTo: undefined,
    collectionId: undefined,
    workspace: { id: workspaceId, orgId, rules },
    createdBy: createdBy ?? undefined,
    firstParty: true,
    anonymous: false,
  } satisfies Principal);
}
