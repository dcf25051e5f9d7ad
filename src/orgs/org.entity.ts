import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { JsonObject } from '../kernel/json.js';

/** Who joins by a verified e-mail address of a domain, and as what. */
export interface JoinRule {
  readonly domain: string;
  readonly roleSlug: string;
  readonly groups?: readonly string[];
}

export interface OrgAuth {
  readonly anonymous?: { readonly enabled: boolean; readonly role: string };
}

/** An organization. A deleted one keeps its row, so that its slug is never used again. */
@Entity('orgs')
export class Org {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text', { unique: true })
  slug: string;

  @Column('text')
  name: string;

  @Column('jsonb', { default: {} })
  settings: JsonObject;

  @Column('jsonb', { default: {} })
  subscription: JsonObject;

  @Column('text', { default: 'member' })
  defaultRole: string;

  @Column('jsonb', { default: [] })
  joinRules: readonly JoinRule[];

  @Column('jsonb', { default: {} })
  auth: OrgAuth;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;

  @Column('timestamptz', { nullable: true })
  deletedAt: Date | null;
}
