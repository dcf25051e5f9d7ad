import { ApiProperty } from '@nestjs/swagger';
import { builtInRole, type Role } from './built-in-roles.js';

export class RoleView {
  @ApiProperty({ example: 'analyst' }) slug: string;
  @ApiProperty({ example: 'Analyst' }) name: string;
  @ApiProperty({ type: [String], example: ['collections:read'] }) permissions: readonly string[];
  @ApiProperty({ type: [String], example: [] }) scopes: readonly string[];
  @ApiProperty({ description: 'One of the roles that every organization has.' }) builtIn: boolean;

  static of(this: void, { slug, name, permissions, scopes }: Role): RoleView {
    return { slug, name, permissions, scopes, builtIn: builtInRole(slug) !== undefined };
  }
}

export class RoleListView {
  @ApiProperty({ type: [RoleView] }) results: RoleView[];
  @ApiProperty() total: number;
}
