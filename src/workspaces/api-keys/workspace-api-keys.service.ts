import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Secrets } from '../../config/secrets.js';
import { Clock } from '../../kernel/clock.js';
import type { Principal } from '../../kernel/principal.js';
import { isKeyText } from './key-text.js';
import type { WorkspaceApiKey } from './workspace-api-key.entity.js';

/** `last_used_at` is exact to this. */
const USE_NOTED_EVERY_MS = 60_000;

type LiveKey = Pick<WorkspaceApiKey, 'id' | 'workspaceId' | 'rules' | 'createdBy' | 'lastUsedAt'> & {
  readonly orgId: string;
};

const LIVE_KEYS = `
  SELECT k.id, k.workspace_id AS "workspaceId", w.org_id AS "orgId", k.rules, k.created_by AS "createdBy", k.last_used_at AS "lastUsedAt"
  FROM workspace_api_keys k JOIN workspaces w ON w.id = k.workspace_id
  JOIN orgs o ON o.id = w.org_id AND o.deleted_at IS NULL`;

/** Proves keys of workspaces. */
@Injectable()
export class WorkspaceApiKeys {
  private readonly logger = new Logger(WorkspaceApiKeys.name);

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /** Whom a call with this key comes from; undefined for every key that is not good. One round trip. */
  async authenticate(rawKey: string): Promise<Principal | undefined> {
    if (!isKeyText(rawKey)) return undefined;
    const [key]: LiveKey[] = await this.source.query(`${LIVE_KEYS} WHERE k.secret_hash = ANY ($1)`, [
      this.secrets.hashes(rawKey),
    ]);
    if (key === undefined) return undefined;
    this.noteUse(key);
    return principalOf(key);
  }

  /** Whom a call with the key of this id comes from, which somebody else has proven; undefined when it is gone. */
  async identify(id: string): Promise<Principal | undefined> {
    const [key]: LiveKey[] = await this.source.query(`${LIVE_KEYS} WHERE k.id = $1`, [id]);
    return key && principalOf(key);
  }

  /** Off the request's path: nobody waits for it, and a call does not fail because of it. */
  private noteUse({ id, lastUsedAt }: LiveKey): void {
    const now = this.clock.now();
    if (lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < USE_NOTED_EVERY_MS) return;
    this.source
      .query('UPDATE workspace_api_keys SET last_used_at = $2 WHERE id = $1', [id, now])
      .catch((error: Error) => this.logger.warn(`noting the use of key ${id} failed: ${error.message}`));
  }
}

/** Without a membership: a key has no rights in the organization, only those of its rules in its workspace. */
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
