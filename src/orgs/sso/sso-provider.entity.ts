import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AttributesMapping, ProviderConfig } from './provider.js';

/**
 * An identity provider of an organization. Deleted by a request or with the organization, but its slug cannot be used
 * again.
 */
@Entity('sso_providers')
export class SsoProvider {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  orgId: string;

  /** Unique on the whole platform, also after deletion: `sso_provider_slugs` keeps it. */
  @Column('text', { unique: true })
  slug: string;

  @Column('text')
  name: string;

  @Column('text', { nullable: true })
  icon: string | null;

  @Column('jsonb')
  config: Omit<ProviderConfig, 'client_secret'>;

  /** The client secret, encrypted for this row's id. */
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

/** Binds the ciphertext of the client secret to its row, so that it cannot be decrypted in another row. */
export function secretPurpose(id: string): string {
  return `sso-provider:${id}`;
}
