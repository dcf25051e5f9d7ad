import { ApiProperty } from '@nestjs/swagger';
import { JoinRuleBody, OrgAuthBody } from './org.dto.js';
import type { Org } from './org.entity.js';

export class OrgView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ example: 'acme' }) slug: string;
  @ApiProperty({ example: 'Acme' }) name: string;
  @ApiProperty({ type: 'object', additionalProperties: true }) settings: Record<string, unknown>;
  @ApiProperty({ type: 'object', additionalProperties: true }) subscription: Record<string, unknown>;
  @ApiProperty({ example: 'member' }) defaultRole: string;
  @ApiProperty({ type: [JoinRuleBody] }) joinRules: Org['joinRules'];
  @ApiProperty({ type: OrgAuthBody }) auth: Org['auth'];
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ format: 'date-time' }) updatedAt: string;

  static of(this: void, org: Org): OrgView {
    return {
      id: org.id,
      slug: org.slug,
      name: org.name,
      settings: org.settings,
      subscription: org.subscription,
      defaultRole: org.defaultRole,
      joinRules: org.joinRules,
      auth: org.auth,
      createdAt: org.createdAt.toISOString(),
      updatedAt: org.updatedAt.toISOString(),
    };
  }
}

export class OrgListView {
  @ApiProperty({ type: [OrgView] }) results: OrgView[];
  @ApiProperty() total: number;
}
