import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { CollectionRole } from '../kernel/collection-right.js';

export const BOUND_TYPES = ['user', 'group', 'org'] as const;
export type BoundType = (typeof BOUND_TYPES)[number];

/** A role that somebody was given on a collection; only its owner is owner. */
export const GRANTABLE_ROLES = ['reader', 'editor', 'admin'] as const satisfies CollectionRole[];
export type GrantableRole = (typeof GRANTABLE_ROLES)[number];

/**
 * A collection shared with a user, a group or its whole organization. Dies when it is revoked, with the collection,
 * with the group, and when the user leaves the organization.
 */
@Entity('collection_bindings')
export class CollectionBinding {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') collectionId: string;
  /** The collection's organization; nobody outside it has a binding. */
  @Column('uuid') orgId: string;
  @Column('text') principalType: BoundType;
  /** For `user` only. */
  @Column('uuid', { nullable: true }) userId: string | null;
  /** For `group` only. */
  @Column('text', { nullable: true }) groupSlug: string | null;
  @Column('text') role: GrantableRole;
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
}
