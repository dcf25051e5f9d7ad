import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { GrantLimits, GrantPart, GrantParts } from '../../base/kernel/grant-parts.js';
import type { CollectionRole } from '../../base/kernel/permission.js';

/**
 * With whom a collection can be shared. `org` does not reach the anonymous members and the app users of the
 * organization: they are `anonymous` and `signup`.
 */
export const BOUND_TYPES = ['user', 'group', 'org', 'agent', 'anonymous', 'signup'] as const;
export type BoundType = (typeof BOUND_TYPES)[number];

/** Roles that can be granted on a collection. Only its owner has the role `owner`. */
export const GRANTABLE_ROLES = ['reader', 'editor', 'admin'] as const satisfies CollectionRole[];
export type GrantableRole = (typeof GRANTABLE_ROLES)[number];

/**
 * A collection shared with a user, a group, an agent, or a kind of members of its organization. Deleted when it is revoked,
 * with the collection, the group or the agent, and when the user leaves the organization.
 */
@Entity('collection_bindings')
export class CollectionBinding {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') collectionId: string;
  /** The collection's organization. Only its members, groups, agents and itself can have bindings. */
  @Column('uuid') orgId: string;
  @Column('text') principalType: BoundType;
  /** For `user` only. */
  @Column('uuid', { nullable: true }) userId: string | null;
  /** For `group` only. */
  @Column('text', { nullable: true }) groupSlug: string | null;
  /** For `agent` only. */
  @Column('uuid', { nullable: true }) agentId: string | null;
  @Column('text') role: GrantableRole;
  @Column('jsonb', { nullable: true }) rules: GrantPart | null;
  @Column('jsonb', { nullable: true }) fields: GrantPart | null;
  @Column('jsonb', { nullable: true }) limits: GrantLimits | null;
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
}

/** A granted role with its rules, fields and limits. */
export interface BoundGrant extends GrantParts {
  readonly role: GrantableRole;
}

/** Grants by grantee: `user:<id>`, `group:<slug>`, `agent:<id>`, `org:`, `anonymous:` or `signup:`. */
export type Bindings = ReadonlyMap<string, BoundGrant>;

/** What is granted to a user or agent (by id), a group (by slug), or one of the kinds of members. */
export function boundGrant(bindings: Bindings, type: BoundType, id = ''): BoundGrant | undefined {
  return bindings.get(`${type}:${id}`);
}

/** The agents with a binding, in the order in which they were granted. */
export function boundAgents(bindings: Bindings): string[] {
  return [...bindings.keys()].filter(key => key.startsWith('agent:')).map(key => key.slice('agent:'.length));
}

/** SQL: a JSON list of the bindings of the collection `c`, null when there are none. */
export const BINDINGS = `(
  SELECT jsonb_agg(jsonb_build_array(
    b.principal_type || ':' || coalesce(b.user_id::text, b.group_slug, b.agent_id::text, ''),
    jsonb_build_object('role', b.role, 'rules', b.rules, 'fields', b.fields, 'limits', b.limits)
  ) ORDER BY b.created_at, b.id)
  FROM collection_bindings b WHERE b.collection_id = c.id)`;
