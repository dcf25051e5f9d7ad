import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { CollectionRole } from '../kernel/permission.js';
import type { ColumnDefinition, IndexDefinition } from '../storage/collection-shape.js';

export interface CollectionSettings {
  /** Days after which a record expires; 0 = never. */
  readonly ttl_days: number;
  /** Maximum number of records that have not expired. */
  readonly max_records: number;
}

/** jsonb does not keep the order of keys, so columns are ordered by their numbers. */
const DECLARED_ORDER = {
  to: (columns: Record<string, ColumnDefinition>) => columns,
  from: (columns: Record<string, ColumnDefinition>) =>
    Object.fromEntries(Object.entries(columns).sort(([, a], [, b]) => a.number - b.number)),
};

/** The metadata of a collection. Its records are in a table of their own, which is dropped with this row. */
@Entity('collections')
export class Collection {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') orgId: string;
  @Column('text') name: string;
  @Column('text', { nullable: true }) description: string | null;
  @Column('text') ownerType: 'user' | 'agent';
  @Column('uuid') ownerId: string;
  /** Agents that the collection is shared with, as editors. */
  @Column('uuid', { array: true }) agentIds: string[];
  @Column('jsonb') settings: CollectionSettings;
  @Column('jsonb', { transformer: DECLARED_ORDER }) columns: Record<string, ColumnDefinition>;
  @Column('jsonb') indexes: IndexDefinition[];
  @Column('jsonb') uniques: IndexDefinition[];
  /** json instead of jsonb, because jsonb does not keep the order of keys. */
  @Column('json') charts: object[];
  /** True after any record was given an expiry time. Never becomes false again. */
  @Column('boolean') mayExpire: boolean;
  @Column('text') status: 'ready' | 'building';
  /** Increases with every change of this row or its bindings; record statements check it. */
  @Column('bigint', { transformer: { to: (value: number) => value, from: Number } }) version: number;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz') updatedAt: Date;
}

export const BOUND_TYPES = ['user', 'group', 'org'] as const;
export type BoundType = (typeof BOUND_TYPES)[number];

/** Roles that can be granted on a collection. Only its owner has the role `owner`. */
export const GRANTABLE_ROLES = ['reader', 'editor', 'admin'] as const satisfies CollectionRole[];
export type GrantableRole = (typeof GRANTABLE_ROLES)[number];

/**
 * A collection shared with a user, a group or its whole organization. Deleted when it is revoked, with the collection,
 * with the group, and when the user leaves the organization.
 */
@Entity('collection_bindings')
export class CollectionBinding {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') collectionId: string;
  /** The collection's organization. Only its members, groups and itself can have bindings. */
  @Column('uuid') orgId: string;
  @Column('text') principalType: BoundType;
  /** For `user` only. */
  @Column('uuid', { nullable: true }) userId: string | null;
  /** For `group` only. */
  @Column('text', { nullable: true }) groupSlug: string | null;
  @Column('text') role: GrantableRole;
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
}

/** Granted roles by grantee: `user:<id>`, `group:<slug>` or `org:`. */
type Bindings = ReadonlyMap<string, GrantableRole>;

/** A collection and its bindings, read by one statement. `version` changes with either. */
export type BoundCollection = Collection & { readonly bindings: Bindings };

/** SQL: a JSON object of the bindings of the collection `c`, null when there are none. */
export const BINDINGS = `(
  SELECT jsonb_object_agg(b.principal_type || ':' || coalesce(b.user_id::text, b.group_slug, ''), b.role)
  FROM collection_bindings b WHERE b.collection_id = c.id)`;

/** The role given to a user (by id), a group (by slug) or the organization. */
export function boundRole(bindings: Bindings, type: BoundType, id = ''): GrantableRole | undefined {
  return bindings.get(`${type}:${id}`);
}

/** Reads what `BINDINGS` selects. */
export function bindingsOf(roles: Readonly<Record<string, GrantableRole>> | null): Bindings {
  return new Map(Object.entries(roles ?? {}));
}
