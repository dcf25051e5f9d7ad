import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PlatformError } from '../../base/kernel/errors.js';
import { sql } from '../../base/sql/index.js';
import { Settings } from '../config/settings.js';
import { LOCK_NAMES, namedLock } from './advisory-locks.js';
import { execute } from './queryable.js';

/** The tables whose rows are limited: the column of their owner, the maximum, and the end of the sentence that names it. */
const LIMITED = {
  access_tokens: {
    owner: 'user_id',
    most: 'ACCESS_TOKENS_MAX_PER_PERSON',
    has: 'You already have',
    things: 'access tokens',
  },
  org_memberships: {
    owner: 'user_id',
    most: 'ORG_MAX_PER_PERSON',
    has: 'You already own',
    things: 'organizations',
    where: "role_slug = 'owner'",
  },
  org_domains: ofOrg(20, 'domains'),
  sso_providers: ofOrg('SSO_MAX_PROVIDERS_PER_ORG', 'identity providers'),
  org_api_keys: ofOrg('API_KEYS_MAX_PER_ORG', 'API keys, those of its collections included'),
  service_accounts: ofOrg('SERVICE_ACCOUNTS_MAX_PER_ORG', 'service accounts'),
  org_roles: ofOrg('ROLES_MAX_PER_ORG', 'roles'),
  org_groups: ofOrg('GROUPS_MAX_PER_ORG', 'groups'),
  org_invites: ofOrg('INVITATIONS_MAX_PER_ORG', 'invitations'),
  agents: ofOrg('AGENTS_MAX_PER_ORG', 'agents'),
  workspaces: ofOrg('WORKSPACES_MAX_PER_ORG', 'workspaces'),
  collections: ofOrg('COLLECTIONS_MAX_PER_ORG', 'collections, those in the trash included'),
} satisfies Record<string, Limited>;

interface Limited {
  readonly owner: 'user_id' | 'org_id';
  readonly most: number | keyof Settings;
  readonly has: string;
  readonly things: string;
  readonly where?: string;
}

function ofOrg<const M extends Limited['most']>(most: M, things: string) {
  return { owner: 'org_id', most, has: 'The organization already has', things } as const;
}

/**
 * Rows below a maximum from which on requests create them one after another. More transactions never create them at the
 * same time.
 */
const NEAR = 200;

/** Limits how much a person or an organization may create. */
@Injectable()
export class Capacity {
  constructor(private readonly settings: Settings) {}

  /**
   * 409 when the owner has the maximum of rows in the table. Call it in the transaction that inserts one, after the
   * organization is locked. Near the maximum a lock makes concurrent requests count one after another.
   */
  async assertRoom(manager: EntityManager, table: keyof typeof LIMITED, ownerId: string): Promise<void> {
    const { has, things, ...limited }: Limited = LIMITED[table];
    const most = typeof limited.most === 'number' ? limited.most : Number(this.settings[limited.most]);
    const hasAt = async (count: number) => {
      const where = limited.where === undefined ? '' : ` AND ${limited.where}`;
      const rows = await manager.query(
        `SELECT 1 FROM ${table} WHERE ${limited.owner} = $1${where} OFFSET $2 LIMIT 1`,
        [ownerId, Math.max(0, count - 1)],
      );
      return rows.length > 0;
    };
    if (most > NEAR && !(await hasAt(most - NEAR))) return;
    await execute(
      manager,
      sql`SELECT pg_advisory_xact_lock(${namedLock(LOCK_NAMES.capacity(`${table} ${ownerId}`))})`,
    );
    if (!(await hasAt(most))) return;
    throw new PlatformError(
      'Conflict',
      `${has} ${most} ${things}, which is the limit. Delete some of them first.`,
    );
  }
}
