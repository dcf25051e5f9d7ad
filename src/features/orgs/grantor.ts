import { Column } from 'typeorm';
import { effectivePermissions } from '../../base/kernel/permission.js';
import type { Membership, Principal } from '../../base/kernel/principal.js';

/** The columns that say who made an invitation or a recovery link, and the most that it can give. */
export abstract class Granted {
  @Column('uuid')
  orgId: string;

  /** The key, service account or agent that made it, for a person or without one. Null: a person in person. */
  @Column('uuid', { nullable: true })
  madeWith: string | null;

  /** The permissions that the maker held then. Null: it was made before they were stored. */
  @Column('text', { array: true, nullable: true })
  heldPermissions: string[] | null;

  /** The scopes that the maker held then; null as `heldPermissions`. */
  @Column('text', { array: true, nullable: true })
  heldScopes: string[] | null;
}

/** Who makes something that grants rights later. */
export interface Grantor extends Pick<Granted, 'madeWith' | 'heldPermissions' | 'heldScopes'> {
  /** Null when a key or a service account acts for itself. */
  readonly person: string | null;
}

/** The caller as the maker of something that grants rights later. */
export function grantorOf(principal: Principal, { permissions, scopes }: Membership): Grantor {
  const { type, id, credential, credentialId, actingUserId, narrowedTo } = principal;
  return {
    person: type === 'user' ? id : (actingUserId ?? null),
    madeWith: credential === 'org-api-key' ? credentialId : type === 'user' ? null : id,
    heldPermissions: [...effectivePermissions(permissions, narrowedTo)],
    heldScopes: [...scopes],
  };
}
