import { ApiProperty } from '@nestjs/swagger';
import { DEFAULT_MAPPING, DEFAULT_SCOPES } from './provider.js';
import type { SsoProvider } from './sso-provider.entity.js';

class SsoConfigView {
  @ApiProperty({ example: 'https://login.example.com/realms/acme' }) issuer: string;
  @ApiProperty({ example: 'collections' }) client_id: string;
  @ApiProperty({ description: 'The secret itself is never shown.' }) hasClientSecret: boolean;
  @ApiProperty({ required: false, description: 'Absent: from discovery.' }) authorization_endpoint?: string;
  @ApiProperty({ required: false, description: 'Absent: from discovery.' }) token_endpoint?: string;
  @ApiProperty({ required: false, description: 'Absent: from discovery.' }) jwks_uri?: string;
  @ApiProperty({ type: [String], example: DEFAULT_SCOPES }) scopes: readonly string[];
  @ApiProperty() allowTokenExchange: boolean;
}

class AttributesMappingView {
  @ApiProperty({ example: DEFAULT_MAPPING.email }) email: string;
  @ApiProperty({ example: DEFAULT_MAPPING.firstName }) firstName: string;
  @ApiProperty({ example: DEFAULT_MAPPING.lastName }) lastName: string;
}

/** An identity provider without its secret. */
export class SsoProviderView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ example: 'acme-staff' }) slug: string;
  @ApiProperty({ example: 'Acme staff' }) name: string;
  @ApiProperty({ enum: ['oidc'] }) type: 'oidc';
  @ApiProperty({ required: false, example: 'https://example.com/icon.svg' }) icon?: string;
  @ApiProperty({ type: SsoConfigView }) config: SsoConfigView;
  @ApiProperty({ type: AttributesMappingView }) attributesMapping: AttributesMappingView;
  @ApiProperty({ type: [String], example: ['example.com'] }) domains: string[];
  @ApiProperty({ required: false, example: 'member' }) defaultRole?: string;
  @ApiProperty({ example: 'acme' }) orgSlug: string;
  @ApiProperty() enabled: boolean;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ format: 'date-time' }) updatedAt: string;

  static of(this: void, row: SsoProvider, orgSlug: string): SsoProviderView {
    const { id, slug, name, icon, config, sealedSecret, attributesMapping, domains } = row;
    return {
      ...{ id, slug, name, type: 'oidc' },
      ...(icon !== null && { icon }),
      config: { ...config, hasClientSecret: sealedSecret !== null },
      ...{ attributesMapping, domains },
      ...(row.defaultRole !== null && { defaultRole: row.defaultRole }),
      ...{ orgSlug, enabled: row.enabled },
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
    };
  }
}

export class SsoProviderListView {
  @ApiProperty({ type: [SsoProviderView] }) results: SsoProviderView[];
  @ApiProperty() total: number;
}
