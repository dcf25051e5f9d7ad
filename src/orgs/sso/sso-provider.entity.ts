import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AttributesMapping, ProviderConfig } from './provider.js';

/** An identity provider of an organization. Dies by hand or with the organization; its slug stays taken. */
@Entity('sso_providers')
export class SsoProvider {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  orgId: string;

  /** Unique over the platform, for ever: sso_provider_slugs remembers it. */
  @Column('text', { unique: true })
  slug: string;

  @Column('text')
  name: string;

  @Column('text', { nullable: true })
  icon: string | null;

  @Column('jsonb')
  config: Omit<ProviderConfig, 'client_secret'>;

  /** Encrypted for this row's id. */
  @Column('text', { nullable: true })
  sealedSecret: string | null;

  @Column('jsonb')
  attributesMapping: AttributesMapping;

  @Column('text', { array: true, default: [] })
  domains: string[];

  @Column('text', { nullable: true })
  defaultRole: string | null;

  @Column('boolean', { default: true })
  enabled: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}

/** What the client secret is encrypted with, so that a ciphertext moved to another row opens nothing. */
export function secretPurpose(id: string): string {
  return `sso-provider:${id}`;
}
