import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../base/kernel/clock.js';
import { covers, type Permission } from '../../base/kernel/permission.js';
import { User } from '../identity/identity.entity.js';
import { isWithin, type Rights } from './granting.js';
import type { Granted, Grantor } from './grantor.js';
import { Memberships } from './members/memberships.service.js';
import { OWNER } from './roles/role.entity.js';

/** What somebody gets by an invitation or a recovery link. */
interface Grant extends Rights {
  /** Slug of the role. */
  readonly role: string | undefined;
}

/**
 * The rights of the key, service account or agent `$1` of organization `$2` at the time `$3`; none when it has ended. An
 * agent has no rights of its own: those of the person `$4` who acted for it limit what it made.
 */
const RIGHTS_OF_CREDENTIAL = `
  SELECT permissions, scopes FROM org_api_keys
  WHERE id = $1 AND org_id = $2 AND NOT disabled AND (expires_at IS NULL OR expires_at > $3)
  UNION ALL SELECT permissions, scopes FROM service_accounts WHERE id = $1 AND org_id = $2 AND NOT disabled
  UNION ALL SELECT ARRAY['*'], ARRAY[]::text[] FROM agents WHERE id = $1 AND org_id = $2 AND $4::uuid IS NOT NULL`;

/** Decides whether those who made invitations and recovery links could still make them. */
@Injectable()
export class Grantors {
  constructor(
    private readonly memberships: Memberships,
    private readonly clock: Clock,
  ) {}

  /**
   * True when the maker held enough then and holds enough now: the person and the credential, if there are both. `needed`
   * is a permission that they must hold beside what they grant. Only an owner in person makes owners.
   */
  async mayStillGrant(
    manager: EntityManager,
    made: Grantor & Pick<Granted, 'orgId'>,
    grant: Grant,
    needed?: Permission,
  ): Promise<boolean> {
    const { person, madeWith, orgId, heldPermissions, heldScopes } = made;
    if (person === null && madeWith === null) return false;
    if (grant.role === OWNER && (person === null || madeWith !== null)) return false;
    const limits: (Rights | undefined)[] = [];
    if (heldPermissions !== null) limits.push({ permissions: heldPermissions, scopes: heldScopes ?? [] });
    if (person !== null) limits.push(await this.ofPerson(manager, person, orgId, grant.role === OWNER));
    if (madeWith !== null) limits.push(await this.ofCredential(manager, made));
    return limits.every(
      held =>
        held !== undefined &&
        isWithin(held, grant) &&
        (needed === undefined || covers(held.permissions, needed)),
    );
  }

  /** Undefined when the person is disabled, has left, or is not the owner that is needed. */
  private async ofPerson(
    manager: EntityManager,
    id: string,
    orgId: string,
    asOwner: boolean,
  ): Promise<Rights | undefined> {
    if (!(await manager.existsBy(User, { id, status: 'active' }))) return undefined;
    const all = await this.memberships.of(id, manager);
    return all.find(each => each.orgId === orgId && (!asOwner || each.role === OWNER));
  }

  private async ofCredential(
    manager: EntityManager,
    { madeWith, orgId, person }: Grantor & Pick<Granted, 'orgId'>,
  ): Promise<Rights | undefined> {
    const values = [madeWith, orgId, this.clock.now(), person];
    const [found]: Rights[] = await manager.query(RIGHTS_OF_CREDENTIAL, values);
    return found;
  }
}
